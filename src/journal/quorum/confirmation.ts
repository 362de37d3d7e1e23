/**
 * What the standbys have of the log, read from the standbys themselves. PostgreSQL counts a flush
 * by the name of whoever reports it, also of a standby that has another history. A row that a
 * standby shows, with its epoch and its chain hash, is there.
 *
 * The writer asks every node of PostgreSQL again and again for a row that was the end of the log at
 * some moment: once a standby shows it, everything from before that moment is confirmed.
 */
import type { Clock, Timer } from "../../platform/index.ts";
import { sameBytes } from "../disk/fixed-width.ts";
import type { JournalLog } from "../journal-opening.ts";
import { type Connecting, PostgresConnection } from "./connection.ts";
import { rowOnStandby, type ShownRow } from "./log-table.ts";
import { placeOf } from "./primary.ts";

/** What becomes of a commit that no standby has shown yet. */
export type Confirming =
  /** PostgreSQL alone is believed: its standbys cannot be asked. */
  | "off"
  /** It is answered; without a confirmation within a second, nothing more is. */
  | "async"
  /** It is not answered. */
  | "strict";

/** A row of the log. */
export interface LogPlace {
  readonly ordinal: number;
  readonly epoch: number;
  readonly chainHash: Uint8Array;
}

export interface ConfirmationOptions extends Connecting {
  /** Of all nodes of PostgreSQL. */
  readonly urls: readonly string[];
  readonly clock: Pick<Clock, "monotonicMs">;
  readonly log: JournalLog;
}

/** What was acknowledged longer ago must be confirmed, or nothing is answered any more. */
const CONFIRMED_WITHIN_MS = 1000;
/** Between two questions to the same node, while it shows what it is asked for. */
const PAUSE_MS = 100;
/** While it does not: it has not replayed so far yet. */
const SOON_MS = 5;
/** Whoever has not shown it for so long is asked less often. */
const LATE_MS = 500;
const ASK_MS = 1000;

interface Target extends LogPlace {
  /** When it was the end of the log. */
  readonly atMs: number;
}

export class Confirmation {
  readonly #clock: Pick<Clock, "monotonicMs">;
  readonly #standbys: readonly Standby[];
  #end: LogPlace;
  /** The furthest row that a standby has shown. */
  #ordinal = -1;
  /** Everything that was durable then is confirmed. */
  #provenMs: number;
  readonly #waiting: { readonly ordinal: number; readonly resolve: () => void }[] = [];
  #onProof: () => void = () => undefined;

  /** Nothing is confirmed until a standby shows `end`. */
  constructor(options: ConfirmationOptions, end: LogPlace) {
    this.#clock = options.clock;
    this.#end = end;
    this.#provenMs = options.clock.monotonicMs();
    const next = (): Target => ({ ...this.#end, atMs: this.#clock.monotonicMs() });
    const shown = (target: Target): void => this.#shown(target);
    this.#standbys = options.urls.map((url) => new Standby(url, options, next, shown));
  }

  /** The log ends there now, durably. */
  reached(end: LogPlace): void {
    this.#end = end;
  }

  /** Everything that was durable this long ago is confirmed. */
  get lagMs(): number {
    return this.#clock.monotonicMs() - this.#provenMs;
  }

  /** Whether answers may leave. */
  get mayAnswer(): boolean {
    return this.#ordinal >= 0 && this.lagMs <= CONFIRMED_WITHIN_MS;
  }

  /** Standbys that have shown another row in the place of one of this log. */
  get diverged(): number {
    return this.#standbys.filter(({ isDiverged }) => isDiverged).length;
  }

  /** `onProof` is called whenever something more is confirmed. */
  watch(onProof: () => void): void {
    this.#onProof = onProof;
  }

  /** Calls back once a standby has shown this row, or a later one. */
  whenConfirmed(ordinal: number, resolve: () => void): void {
    if (ordinal <= this.#ordinal) {
      resolve();
      return;
    }
    this.#waiting.push({ ordinal, resolve });
    for (const standby of this.#standbys) standby.hurry();
  }

  #shown({ atMs, ordinal }: Target): void {
    this.#provenMs = Math.max(this.#provenMs, atMs);
    this.#ordinal = Math.max(this.#ordinal, ordinal);
    while (this.#waiting[0] !== undefined && this.#waiting[0].ordinal <= this.#ordinal) {
      this.#waiting.shift()?.resolve();
    }
    if (this.#waiting.length > 0) for (const standby of this.#standbys) standby.hurry();
    this.#onProof();
  }

  close(): void {
    for (const standby of this.#standbys) standby.close();
  }
}

/** Asks one node of PostgreSQL, whatever it is at present. */
class Standby {
  readonly #url: string;
  readonly #options: ConfirmationOptions;
  readonly #next: () => Target;
  readonly #shown: (target: Target) => void;
  #connection: PostgresConnection | null = null;
  /** What it is asked for: kept until it shows it, or the end would run ahead of it for ever. */
  #target: Target | null = null;
  #timer: Timer | null = null;
  /** Somebody waits for what comes next. */
  #isHurried = false;
  #isClosed = false;
  isDiverged = false;

  constructor(
    url: string,
    options: ConfirmationOptions,
    next: () => Target,
    shown: (target: Target) => void,
  ) {
    this.#url = url;
    this.#options = options;
    this.#next = next;
    this.#shown = shown;
    this.#after(0);
  }

  hurry(): void {
    this.#isHurried = true;
    // A row that was asked for is asked for again soon enough.
    if (this.#timer === null || this.#target !== null) return;
    this.#timer.cancel();
    this.#after(0);
  }

  close(): void {
    this.#isClosed = true;
    this.#timer?.cancel();
    this.#connection?.destroy();
  }

  #after(pauseMs: number): void {
    if (this.#isClosed) return;
    this.#timer = this.#options.scheduler.after(pauseMs, () => void this.#look(), "background");
  }

  async #look(): Promise<void> {
    this.#timer = null;
    this.#isHurried = false;
    this.#target ??= this.#next();
    const target = this.#target;
    const isShown = await this.#asks(target).catch(() => {
      this.#connection?.destroy();
      this.#connection = null;
      return false;
    });
    if (this.#isClosed) return;
    if (!isShown) {
      const ageMs = this.#options.clock.monotonicMs() - target.atMs;
      this.#after(ageMs < LATE_MS ? SOON_MS : PAUSE_MS);
      return;
    }
    this.#target = null;
    this.#shown(target);
    this.#after(this.#isHurried ? 0 : PAUSE_MS);
  }

  async #asks(target: Target): Promise<boolean> {
    this.#connection ??= await PostgresConnection.open(this.#url, this.#options, ASK_MS);
    if (this.#isClosed) this.#connection.destroy();
    const { rows } = await this.#connection.query<ShownRow>(rowOnStandby(target.ordinal), ASK_MS);
    const [row] = rows;
    if (row === undefined) return false;
    const isSame = row.epoch === target.epoch && sameBytes(row.chain_hash, target.chainHash);
    if (!isSame && !this.isDiverged) {
      this.#options.log(
        "error",
        `${placeOf(this.#url)} has another row ${target.ordinal} than the log: its history is ` +
          "not that of the primary, whatever PostgreSQL counts. Join it again",
      );
    }
    this.isDiverged = !isSame;
    return isSame;
  }
}
