/**
 * Brings a recording to an exchange: first checks all of it, then sends its messages in batches, at
 * the recorded pace, at a multiple of it, as fast as they are applied, or so many at a time.
 */
import { formatDecimal, type Grid } from "../domain/index.ts";
import type { Clock, Scheduler } from "../platform/index.ts";
import { BookComparison, type ComparedRows, type Difference } from "./book-comparison.ts";
import { BookRows } from "./book-rows.ts";
import type { QueueRule } from "./level-book.ts";
import { MarketGrid, type TapeMarket } from "./market-grid.ts";
import { openTape } from "./open-tape.ts";
import type { SentBook, TapeMessage, TapeNeeds, TapeStep } from "./tape.ts";
import { TapeError } from "./tape-error.ts";
import type { TapeFiles } from "./tape-files.ts";

/** A message, or what exchange time is from there on. */
export type SentMessage = TapeMessage | { readonly kind: "time"; readonly timeMs: number };

export interface TesterFills {
  readonly testerFills: number;
  readonly testerQuantity: string;
  readonly slippage: string;
}

export interface AppliedMessages extends TesterFills {
  readonly impossible: readonly { readonly index: number; readonly reason: string }[];
  /** After each message, where asked for. */
  readonly books: readonly SentBook[];
}

/** The replay was ended by somebody else, and takes no more messages. */
export class ReplayEnded extends Error {
  override readonly name = "ReplayEnded";
}

/** How exchange time runs. */
export interface ClockRun {
  /** Of the wall clock's; 0 stands still. */
  readonly speed: number;
  /** At a speed of 0: the messages of replays move it. */
  readonly run: "follow-market" | null;
}

/** The exchange, as a replay uses it. */
export interface ReplayTarget {
  /** Registers the replay's accounts, with so much of base and quote asset each. */
  begin(base: string, quote: string): Promise<void>;
  /** Throws `ReplayEnded` when somebody else ended the replay. */
  apply(messages: readonly SentMessage[], levels: number | null): Promise<AppliedMessages>;
  end(): Promise<TesterFills>;
  clock(): Promise<ClockRun & { readonly time: number }>;
  setClock(clock: ClockRun & { readonly setMs?: number }): Promise<void>;
}

export type ReplayPacing =
  | { readonly kind: "speed"; readonly speed: number }
  | { readonly kind: "fast" }
  /** Says how many steps follow after those that are done; 0 ends the replay. */
  | { readonly kind: "step"; readonly next: (done: number) => Promise<number> };

export interface ReplayOptions {
  readonly target: ReplayTarget;
  readonly files: TapeFiles;
  readonly market: TapeMarket;
  /** Of recordings by levels. */
  readonly queue: QueueRule;
  readonly pace: ReplayPacing;
  /** Exchange time becomes the recording's, not only as fast. */
  readonly tapeTime: boolean;
  /** An order book file to compare the exchange's book with, row by row. */
  readonly expect: string | null;
  readonly platform: { readonly clock: Clock; readonly scheduler: Scheduler };
  /** Of all files, in bytes. */
  readonly onProgress: (bytesRead: number, isCheck: boolean) => void;
  readonly isInterrupted: () => boolean;
}

export interface ReplaySummary extends TesterFills {
  readonly messages: number;
  /** Rows of the order book file that were compared. */
  readonly compared: number;
  readonly firstDifference: Difference | null;
  /** Recorded messages that other users' fills made impossible. */
  readonly impossible: number;
  /** The first of them. */
  readonly impossibleAt: readonly string[];
  /** Messages about orders that are older than the recording. */
  readonly unknownOrders: number;
  /** Levels of the recording on the wrong side of a later price, which were left out. */
  readonly crossedLevels: number;
  /** File and line of the last message of a replay that was interrupted. */
  readonly stoppedAt: string | null;
}

/** What the operator API takes in one call, and less than its bytes. */
const BATCH_MAX = 1_000;
const BATCH_CHARACTERS_MAX = 56 * 1024;
const MESSAGE_CHARACTERS = 96;
/**
 * As fast as possible, exchange time moves with each batch and each minute, because each move is a
 * commit: candles are right, and times are to the batch.
 */
const MINUTE_MS = 60_000;
/** Interruptions are noticed this often. */
const WAIT_MAX_MS = 100;
const SHOWN_MAX = 10;

interface Checked {
  readonly needs: TapeNeeds;
  readonly firstMs: number;
}

export class Replayer {
  readonly #options: ReplayOptions;
  readonly #comparison: BookComparison | null;
  #batch: SentMessage[] = [];
  #characters = 0;
  /** The batch that was sent last. */
  #applied: Promise<void> = Promise.resolve();
  /** File and line of each message of the batch. */
  #places: string[] = [];
  #messages = 0;
  #unknown = 0;
  #crossed = 0;
  #impossible = 0;
  readonly #impossibleAt: string[] = [];
  #lastPlace = "";
  /** Of the last message that the exchange has. */
  #appliedPlace = "";
  #fills: TesterFills = { testerFills: 0, testerQuantity: "0", slippage: "0" };
  #firstMs = 0;
  /** Exchange time of the first message. */
  #baseMs = 0;
  /** Exchange time now, where the replay sets it. */
  #timeMs = 0;
  /** Of the last message. */
  #lastMs = 0;
  /** Wall clock at the first message. */
  #startedMs = 0;

  constructor(options: ReplayOptions) {
    this.#options = options;
    const { expect, market } = options;
    const grid = new MarketGrid(market);
    this.#comparison = expect === null ? null : new BookComparison(expect, grid);
  }

  /** Throws `TapeError`, before anything was applied, when the recording is not whole. */
  async run(): Promise<ReplaySummary> {
    const { target, market } = this.#options;
    const { firstMs, needs } = await this.#check();
    const { tick, step } = new MarketGrid(market);
    this.#firstMs = firstMs;
    const before = await this.#beginTime();
    try {
      const base = formatDecimal(needs.baseLots * BigInt(step.step), step.scale);
      await target.begin(base, quoteText(needs, tick, step));
      const isWhole = await this.#sendAll();
      return this.#summary(await target.end(), isWhole ? null : this.#lastPlace);
    } catch (error) {
      if (!(error instanceof ReplayEnded)) throw error;
      return this.#summary(this.#fills, this.#appliedPlace);
    } finally {
      if (before !== null) await target.setClock(before);
    }
  }

  /** Reads everything once. */
  async #check(): Promise<Checked> {
    const { files, market, queue, expect, onProgress, isInterrupted } = this.#options;
    const tape = openTape(files, market, queue);
    const rows = expect === null ? null : new BookRows(expect, new MarketGrid(market));
    let firstMs: number | null = null;
    for await (const { path, steps, bytesRead } of tape.read()) {
      if (isInterrupted()) break;
      firstMs ??= steps[0]?.timeMs ?? null;
      if (rows !== null) {
        for (const { line } of steps) if (line > 0) await rows.next(path, line);
      }
      onProgress(bytesRead, true);
    }
    if (!isInterrupted()) await rows?.end();
    if (firstMs === null) throw new TapeError("file", "it has no rows", files.paths[0]);
    this.#crossed = tape.crossedLevels;
    return { needs: tape.needs, firstMs };
  }

  /** Returns how the clock ran, and runs again at the end; null where it is not touched. */
  async #beginTime(): Promise<ClockRun | null> {
    const { files, pace, target, tapeTime } = this.#options;
    const isDriven = pace.kind !== "speed";
    const wanted: ClockRun =
      pace.kind === "speed" ? { speed: pace.speed, run: null } : { speed: 0, run: "follow-market" };
    const { time, speed, run } = await target.clock();
    if (tapeTime) {
      this.#baseMs = this.#tapeStart(time, files);
      await target.setClock({ ...wanted, setMs: this.#baseMs });
    } else if (isDriven || speed !== wanted.speed) {
      await target.setClock(wanted);
      this.#baseMs = (await target.clock()).time;
    } else return null;
    this.#timeMs = this.#baseMs;
    return { speed, run };
  }

  #tapeStart(nowMs: number, { format, midnightMs, paths }: TapeFiles): number {
    if (format === "lobster" && midnightMs === null) {
      throw new TapeError(
        "time",
        "LOBSTER's times have no date, and the file's name has none: leave --tape-time out",
        paths[0],
      );
    }
    const startMs = (midnightMs ?? 0) + this.#firstMs;
    if (startMs >= nowMs) return startMs;
    const [start, now] = [startMs, nowMs].map((ms) => new Date(ms).toISOString());
    throw new TapeError(
      "time",
      `the recording begins at ${start} and exchange time is ${now} already, which never goes ` +
        "back: replay into a fresh exchange of an earlier time, or leave --tape-time out",
      paths[0],
    );
  }

  /** False when it was interrupted, or ended between two steps. */
  async #sendAll(): Promise<boolean> {
    const { files, market, queue, onProgress, pace, platform } = this.#options;
    this.#startedMs = platform.clock.monotonicMs();
    let permits = pace.kind === "step" ? 0 : Number.POSITIVE_INFINITY;
    for await (const { path, steps, bytesRead } of openTape(files, market, queue).read()) {
      for (const step of steps) {
        if (step.line > 0 && permits === 0 && pace.kind === "step") {
          await this.#drain();
          permits = await pace.next(this.#messages);
        }
        if (permits === 0 && step.line > 0) return false;
        if (!(await this.#waitFor(step))) return false;
        await this.#add(path, step);
        if (step.line > 0) permits--;
      }
      onProgress(bytesRead, false);
      if (this.#options.isInterrupted()) break;
    }
    this.#endTime();
    await this.#drain();
    return !this.#options.isInterrupted();
  }

  /** Until the step is due; false when the replay was interrupted. */
  async #waitFor({ timeMs }: TapeStep): Promise<boolean> {
    const { isInterrupted, pace, platform } = this.#options;
    if (pace.kind !== "speed") return true;
    const dueMs = this.#startedMs + (timeMs - this.#firstMs) / pace.speed;
    for (;;) {
      const leftMs = dueMs - platform.clock.monotonicMs();
      if (leftMs <= 0) return true;
      await this.#drain();
      if (isInterrupted()) return false;
      await new Promise<void>((resolve) => {
        platform.scheduler.after(Math.min(Math.ceil(leftMs), WAIT_MAX_MS), resolve);
      });
    }
  }

  async #add(path: string, step: TapeStep): Promise<void> {
    const { messages, isUnknown, line } = step;
    if (this.#batch.length + messages.length >= BATCH_MAX) await this.#flush();
    const place = `${path}:${line}`;
    this.#setTime(step, place);
    for (const message of messages) {
      if (this.#isFull()) await this.#flush();
      this.#push(message, place);
    }
    if (line === 0) return;
    await this.#comparison?.expect(path, line, this.#batch.length - 1);
    this.#messages++;
    this.#lastPlace = place;
    if (isUnknown) this.#unknown++;
    if (this.#isFull()) await this.#flush();
  }

  #isFull(): boolean {
    return this.#batch.length >= BATCH_MAX || this.#characters > BATCH_CHARACTERS_MAX;
  }

  #setTime({ timeMs }: TapeStep, place: string): void {
    const { pace } = this.#options;
    if (pace.kind === "speed") return;
    const exchangeMs = this.#baseMs + timeMs - this.#firstMs;
    this.#lastMs = exchangeMs;
    if (exchangeMs <= this.#timeMs) return;
    const isSameMinute =
      Math.floor(exchangeMs / MINUTE_MS) === Math.floor(this.#timeMs / MINUTE_MS);
    if (pace.kind === "fast" && this.#batch.length > 0 && isSameMinute) return;
    this.#timeMs = exchangeMs;
    this.#push({ kind: "time", timeMs: exchangeMs }, place);
  }

  /** Exchange time becomes the last message's, also within a batch. */
  #endTime(): void {
    if (this.#options.pace.kind === "speed" || this.#lastMs <= this.#timeMs) return;
    this.#timeMs = this.#lastMs;
    this.#push({ kind: "time", timeMs: this.#lastMs }, this.#lastPlace);
  }

  #push(message: SentMessage, place: string): void {
    this.#batch.push(message);
    this.#places.push(place);
    this.#characters += MESSAGE_CHARACTERS;
    if ("id" in message) this.#characters += message.id.length;
    if ("price" in message) this.#characters += message.price.length;
    if ("quantity" in message) this.#characters += message.quantity.length;
  }

  /** Sends the batch, while the next one is read, when the one before it was applied. */
  async #flush(): Promise<void> {
    await this.#applied;
    const batch = this.#batch;
    if (batch.length === 0) return;
    const places = this.#places;
    this.#batch = [];
    this.#places = [];
    this.#characters = 0;
    this.#applied = this.#apply(batch, places, this.#comparison?.takeRows() ?? null);
    // Whoever awaits it next gets the failure.
    this.#applied.catch(() => undefined);
  }

  async #drain(): Promise<void> {
    await this.#flush();
    await this.#applied;
  }

  async #apply(
    batch: readonly SentMessage[],
    places: readonly string[],
    rows: ComparedRows | null,
  ): Promise<void> {
    const applied = await this.#options.target.apply(batch, rows?.levels ?? null);
    this.#fills = applied;
    this.#appliedPlace = places.at(-1) ?? this.#appliedPlace;
    this.#impossible += applied.impossible.length;
    for (const { index, reason } of applied.impossible) {
      if (this.#impossibleAt.length >= SHOWN_MAX) break;
      this.#impossibleAt.push(`${places[index]}: ${reason}`);
    }
    if (rows !== null) this.#comparison?.compare(rows, applied.books);
  }

  /** `stoppedAt` is null for a whole replay. */
  #summary(fills: TesterFills, stoppedAt: string | null): ReplaySummary {
    return {
      messages: this.#messages,
      compared: this.#comparison?.compared ?? 0,
      firstDifference: this.#comparison?.firstDifference ?? null,
      testerFills: fills.testerFills,
      impossible: this.#impossible,
      unknownOrders: this.#unknown,
      crossedLevels: this.#crossed,
      testerQuantity: fills.testerQuantity,
      slippage: fills.slippage,
      impossibleAt: this.#impossibleAt,
      stoppedAt: stoppedAt === "" ? "the beginning" : stoppedAt,
    };
  }
}

function quoteText({ quoteTickLots }: TapeNeeds, tick: Grid, step: Grid): string {
  const units = quoteTickLots * BigInt(tick.step) * BigInt(step.step);
  return formatDecimal(units, tick.scale + step.scale);
}
