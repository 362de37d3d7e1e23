/**
 * An order book kept from its stream: a snapshot, then updates that must each follow the previous
 * one. After a gap, an impossible level or an interruption the book is not live and asks for a new
 * snapshot. Prices and quantities keep their exact text.
 */
import type { StreamError } from "../errors.ts";
import { pause } from "../retries.ts";
import { type ClientRuntime, deferred } from "../runtime.ts";
import type { Depth } from "../spot.ts";
import { EventBuffer } from "./event-buffer.ts";
import { callSafely, type StreamConnection } from "./stream-connection.ts";
import { readDepths, type StreamDepth, type StreamLevel } from "./stream-events.ts";

export interface BookTop {
  /** Highest price first. */
  readonly bids: readonly StreamLevel[];
  /** Lowest price first. */
  readonly asks: readonly StreamLevel[];
}

export interface LocalOrderBookOptions {
  readonly connection: Pick<StreamConnection, "add" | "resubscribe">;
  readonly runtime: ClientRuntime;
  readonly symbol: string;
  readonly levels: 15 | 200;
  /** The same book from REST. */
  readonly fetchDepth: () => Promise<Depth>;
}

interface Version extends BookTop {
  readonly version: number;
}

const EMPTY: Version = { version: 0, bids: [], asks: [] };
/** Between two snapshot requests after gaps; doubled as long as gaps continue. */
const RESYNC_WAIT_MS = 500;
const RESYNC_WAIT_MAX_MS = 30_000;
/** This many good updates end the doubling. */
const TRUSTED_UPDATES = 100;
/** How long a comparison waits for the stream to reach the REST book. */
const VERIFY_WAIT_MS = 1_000;
/** Of REST, each at a version of its own. */
const VERIFY_QUESTIONS = 3;
const VERSIONS_MAX = 256;

export class LocalOrderBook implements AsyncIterable<LocalOrderBook> {
  readonly symbol: string;
  readonly levels: 15 | 200;
  /** Resolves when there is a book; rejects with `StreamError` when there will be none. */
  readonly ready: Promise<void>;
  readonly #options: LocalOrderBookOptions;
  readonly #channel: string;
  readonly #remove: () => void;
  readonly #ending = new AbortController();
  readonly #listeners = new Set<(book: LocalOrderBook) => void>();
  readonly #buffers = new Set<EventBuffer<LocalOrderBook>>();
  #book: Version = EMPTY;
  #isLive = false;
  #resyncs = 0;
  #goodUpdates = 0;
  #resyncWaitMs = 0;
  #isResyncing = false;
  /** Kept while a comparison runs. */
  #versions: Version[] | null = null;
  #error: StreamError | null = null;

  constructor(options: LocalOrderBookOptions) {
    this.#options = options;
    this.symbol = options.symbol;
    this.levels = options.levels;
    this.#channel = `${options.symbol}@depth${options.levels}`;
    const { promise, resolve, reject } = deferred<void>();
    this.ready = promise;
    promise.catch(() => undefined);
    this.#remove = options.connection.add(this.#channel, {
      message: (message) => {
        for (const event of readDepths(message)) this.#take(event);
        if (this.#isLive) resolve();
      },
      accepted: () => undefined,
      interrupted: () => this.#interrupt(),
      ended: (error) => {
        if (error === null) resolve();
        else reject(error);
        this.#finish(error);
      },
    });
  }

  /** The REST `lastUpdateId` of this book; 0 before the first snapshot. */
  get version(): number {
    return this.#book.version;
  }

  /**
   * Whether every update since the last snapshot was applied. Do not trade on a book that is not
   * live.
   */
  get isLive(): boolean {
    return this.#isLive;
  }

  /** How often a gap or contradiction made it ask for a new snapshot. */
  get resyncs(): number {
    return this.#resyncs;
  }

  get bids(): readonly StreamLevel[] {
    return this.#book.bids;
  }

  get asks(): readonly StreamLevel[] {
    return this.#book.asks;
  }

  top(levels: number): BookTop {
    return { bids: this.bids.slice(0, levels), asks: this.asks.slice(0, levels) };
  }

  /** Called after every change, including changes of `isLive`. Returns a function that stops it. */
  listen(listener: (book: LocalOrderBook) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /**
   * The current book, then the book after every change; a slow reader gets several changes as one.
   */
  [Symbol.asyncIterator](): AsyncIterableIterator<LocalOrderBook, undefined> {
    const buffer: EventBuffer<LocalOrderBook> = new EventBuffer<LocalOrderBook>("newest", () => {
      this.#buffers.delete(buffer);
    });
    if (this.#ending.signal.aborted) buffer.end(this.#error);
    else this.#buffers.add(buffer);
    if (this.#isLive) buffer.push(this);
    return buffer;
  }

  close(): void {
    this.#remove();
  }

  /**
   * Compares with the REST book at the same version: true when equal; false when not, which also
   * asks for a new snapshot; null when the stream did not get there in time, or passed over the
   * version of each answer.
   */
  async verify(): Promise<boolean | null> {
    for (let asked = 0; asked < VERIFY_QUESTIONS; asked++) {
      const isEqual = await this.#compare();
      if (isEqual !== "passed-over") return isEqual;
    }
    return null;
  }

  async #compare(): Promise<boolean | null | "passed-over"> {
    if (!this.#isLive) return null;
    const versions: Version[] = [this.#book];
    this.#versions = versions;
    try {
      const { lastUpdateId, bids, asks } = await this.#options.fetchDepth();
      await this.#reach(lastUpdateId);
      if (this.#versions !== versions) return null;
      const at = versions.findLastIndex(({ version }) => version <= lastUpdateId);
      const [before, behind] = [versions[at], versions[at + 1]];
      if (before === undefined) return null;
      const isEqual = sameLevels(before.bids, bids) && sameLevels(before.asks, asks);
      if (isEqual) return true;
      // One update tells of several versions: nobody knows the book between them.
      if (before.version !== lastUpdateId) return behind === undefined ? null : "passed-over";
      this.#resync();
      return false;
    } finally {
      if (this.#versions === versions) this.#versions = null;
    }
  }

  /** Until the book reaches a version, or it is clear that it never will. */
  async #reach(version: number): Promise<void> {
    if (this.version >= version) return;
    const passed = new AbortController();
    const stop = this.listen(() => {
      if (this.version >= version || !this.#isLive) passed.abort();
    });
    const signal = AbortSignal.any([passed.signal, this.#ending.signal]);
    await pause(this.#options.runtime, VERIFY_WAIT_MS, signal).catch(() => undefined);
    stop();
  }

  #take(event: StreamDepth): void {
    if (event.isSnapshot) {
      const { lastUpdateId: version, bids, asks } = event;
      this.#show({ version, bids: sorted(bids, -1), asks: sorted(asks, 1) });
    } else if (this.#isLive) this.#update(event);
  }

  #update({ previousUpdateId, lastUpdateId, bids, asks }: StreamDepth): void {
    const before = this.#book;
    const isNext = previousUpdateId === before.version && lastUpdateId > before.version;
    const nextBids = isNext ? changed(before.bids, bids, -1) : null;
    const nextAsks = isNext ? changed(before.asks, asks, 1) : null;
    if (nextBids === null || nextAsks === null || isCrossed(nextBids, nextAsks)) {
      this.#resync();
      return;
    }
    this.#goodUpdates++;
    if (this.#goodUpdates === TRUSTED_UPDATES) this.#resyncWaitMs = 0;
    this.#show({ version: lastUpdateId, bids: nextBids, asks: nextAsks });
  }

  #show(book: Version): void {
    this.#book = book;
    this.#isLive = true;
    if (this.#versions !== null) {
      this.#versions.push(book);
      if (this.#versions.length > VERSIONS_MAX) this.#versions.shift();
    }
    this.#tell();
  }

  #interrupt(): void {
    this.#versions = null;
    this.#goodUpdates = 0;
    if (!this.#isLive) return;
    this.#isLive = false;
    this.#tell();
  }

  #resync(): void {
    this.#interrupt();
    this.#resyncs++;
    if (!this.#isResyncing) void this.#askForSnapshot();
  }

  async #askForSnapshot(): Promise<void> {
    this.#isResyncing = true;
    const waitMs = this.#resyncWaitMs;
    this.#resyncWaitMs = Math.min(RESYNC_WAIT_MAX_MS, Math.max(RESYNC_WAIT_MS, waitMs * 2));
    const { connection, runtime } = this.#options;
    await pause(runtime, waitMs, this.#ending.signal).catch(() => undefined);
    this.#isResyncing = false;
    // A reconnect may have brought one in the meantime.
    if (!this.#isLive) await connection.resubscribe(this.#channel);
  }

  #tell(): void {
    for (const buffer of [...this.#buffers]) buffer.push(this);
    for (const listener of [...this.#listeners]) callSafely(() => listener(this));
  }

  #finish(error: StreamError | null): void {
    this.#error = error;
    this.#interrupt();
    this.#ending.abort();
    this.#listeners.clear();
    for (const buffer of [...this.#buffers]) buffer.end(error);
    this.#buffers.clear();
  }
}

/** The book after an update; null when it removes a level that does not exist. */
function changed(
  before: readonly StreamLevel[],
  changes: readonly StreamLevel[],
  direction: 1 | -1,
): readonly StreamLevel[] | null {
  if (changes.length === 0) return before;
  const levels = [...before];
  for (const level of changes) {
    const [price, quantity] = level;
    const at = placeOf(levels, price, direction);
    const isThere = levels[at]?.[0] === price;
    if (quantity === "0") {
      if (!isThere) return null;
      levels.splice(at, 1);
    } else levels.splice(at, isThere ? 1 : 0, level);
  }
  return levels;
}

/** The index of a price, or where it would be inserted. */
function placeOf(levels: readonly StreamLevel[], price: string, direction: 1 | -1): number {
  let low = 0;
  let high = levels.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    const there = levels[middle]?.[0] ?? "0";
    if (compareDecimals(there, price) * direction < 0) low = middle + 1;
    else high = middle;
  }
  return low;
}

function sorted(levels: readonly StreamLevel[], direction: 1 | -1): readonly StreamLevel[] {
  return levels.toSorted(([one], [other]) => compareDecimals(one, other) * direction);
}

function isCrossed(bids: readonly StreamLevel[], asks: readonly StreamLevel[]): boolean {
  const [bid, ask] = [bids[0]?.[0], asks[0]?.[0]];
  return bid !== undefined && ask !== undefined && compareDecimals(bid, ask) >= 0;
}

function sameLevels(one: readonly StreamLevel[], other: readonly StreamLevel[]): boolean {
  if (one.length !== other.length) return false;
  return one.every(([price, quantity], i) => {
    const [otherPrice, otherQuantity] = other[i] ?? [];
    return price === otherPrice && quantity === otherQuantity;
  });
}

/** Negative, 0 or positive as the first is less than, equal to or more than the second. */
export function compareDecimals(one: string, other: string): number {
  const [oneWhole = "", oneFraction = ""] = one.split(".");
  const [otherWhole = "", otherFraction = ""] = other.split(".");
  if (oneWhole.length !== otherWhole.length) return oneWhole.length - otherWhole.length;
  if (oneWhole !== otherWhole) return oneWhole < otherWhole ? -1 : 1;
  const decimals = Math.max(oneFraction.length, otherFraction.length);
  const [a, b] = [oneFraction.padEnd(decimals, "0"), otherFraction.padEnd(decimals, "0")];
  if (a === b) return 0;
  return a < b ? -1 : 1;
}
