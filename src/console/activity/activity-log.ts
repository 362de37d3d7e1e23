/** The account's activities in this browser, newest first, with what has been read. */
import { LiveValue } from "../data/live-value.ts";
import type { Activity } from "./activity.ts";

const KEPT_MAX = 200;

export interface LoggedActivity extends Activity {
  /** Grows by one with each. */
  readonly id: number;
}

export interface Log {
  readonly entries: readonly LoggedActivity[];
  /** Ids up to it were read. */
  readonly readId: number;
  /** When the account was last watched, in the exchange's time; null: never. */
  readonly seenMs: number | null;
}

type Storage = Pick<globalThis.Storage, "getItem" | "setItem">;

const EMPTY: Log = { entries: [], readId: 0, seenMs: null };

export class ActivityLog {
  readonly live: LiveValue<Log>;
  readonly #storage: Storage;
  readonly #key: string;

  constructor(apiKey: string, storage: Storage) {
    this.#storage = storage;
    this.#key = `rialto.activity.${apiKey}`;
    this.live = new LiveValue(this.#read());
  }

  add(activity: Activity): void {
    const { entries, readId, seenMs } = this.live.get();
    const id = (entries[0]?.id ?? 0) + 1;
    this.#write({
      entries: [{ ...activity, id }, ...entries].slice(0, KEPT_MAX),
      readId,
      seenMs: Math.max(seenMs ?? 0, activity.atMs),
    });
  }

  /** The account has been watched up to this moment. */
  seen(atMs: number): void {
    const log = this.live.get();
    this.#write({ ...log, seenMs: Math.max(log.seenMs ?? 0, atMs) });
  }

  markRead(): void {
    const log = this.live.get();
    this.#write({ ...log, readId: log.entries[0]?.id ?? log.readId });
  }

  #read(): Log {
    try {
      const log = JSON.parse(this.#storage.getItem(this.#key) ?? "null") as Partial<Log> | null;
      return Array.isArray(log?.entries) ? { ...EMPTY, ...log } : EMPTY;
    } catch {
      return EMPTY;
    }
  }

  #write(log: Log): void {
    this.live.set(log);
    try {
      this.#storage.setItem(this.#key, JSON.stringify(log));
    } catch {
      // The browser's storage is full or refused: the log lasts as long as the page.
    }
  }
}

export function unreadCount({ entries, readId }: Log): number {
  return entries.filter(({ id }) => id > readId).length;
}
