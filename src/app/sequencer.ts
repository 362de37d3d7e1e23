/**
 * The sequencer: the only writer. Each turn takes everything that arrived since the last one as a
 * batch and passes it through four stages, while the previous batch is still being synced:
 *
 *   1 number   assigns sequence and exchange time; nothing else does
 *   2 apply    the engine changes its state; refused commands leave no trace
 *   3 append   the journal writes and syncs the batch
 *   4 release  returns answers and publishes events, in order, once everything they saw is durable
 *
 * The engine is ahead of the journal between 2 and 4, so a failed append ends the process.
 *
 * It adds commands of its own: `advance-time` before a batch when an engine timer is due by the
 * batch's time, and `continue-risk` directly after a command whose cascade was cut into slices.
 */
import { invariant } from "../domain/index.ts";
import type { Engine } from "../engine/engine.ts";
import type { Platform } from "../platform/index.ts";
import {
  type Answer,
  ByteWriter,
  type Command,
  type CommandResult,
  type EnginePort,
  type EngineQuery,
  encodeCommand,
  type Journal,
  RequestReader,
  refuseAll,
  type Unavailable,
  writeAnswer,
  writeUnavailable,
} from "../protocol/index.ts";
import { carriesDigest, extendEventDigest } from "./event-digest.ts";
import { type ClockReading, ExchangeClock, type WallClock } from "./exchange-clock.ts";
import type { ExchangeTime } from "./exchange-time.ts";
import { FailedAppend } from "./failed-append.ts";

/** The events of one batch, for projections and streams. */
export interface EventChunk {
  readonly chunk: Uint8Array<ArrayBuffer>;
  readonly lastSequence: number;
  readonly timestampMs: number;
}

/** Up to which command a state is. */
export interface SequencedState {
  readonly sequence: number;
  readonly eventDigest: Uint8Array;
}

export interface SequencerMetrics {
  batchReleased(commands: number, submissions: number, durationMs: number): void;
}

export interface SequencerOptions {
  readonly engine: Engine;
  readonly journal: Journal;
  /** As of the journal's last sequence. */
  readonly eventDigest: Uint8Array;
  readonly platform: Pick<Platform, "clock" | "scheduler">;
  /** The wall clock; the demo's history is traded in another time. */
  readonly wall: WallClock;
  /** Receives durable events in order. */
  readonly publish: (chunk: EventChunk) => void;
  /** Is told of each command that was applied, before it is durable. */
  readonly onApplied?: (command: Command) => void;
  /** True while the receivers of events are too far behind to take more. */
  readonly isPublishFull: () => boolean;
  /** Called once, when the process must exit because the state may be ahead of the journal. */
  readonly onFatal: (error: Error) => void;
  readonly metrics: SequencerMetrics;
}

/** Schedules the call of `wake` for when something is due. */
type WakeUp = Pick<ExchangeTime, "arm">;

/** Submissions waiting in the queue. */
const QUEUE_MAX = 20_000;
/** Submissions per batch. */
const BATCH_MAX = 2_000;
/** Batches between apply and durable: one is being synced while the next is applied. */
const IN_FLIGHT_MAX = 2;
/** Fewer submissions wait until nothing is being synced: larger batches, fewer wake-ups. */
const SECOND_BATCH_MIN = 64;

interface Request {
  readonly reader: RequestReader;
  readonly answered: (answer: Uint8Array) => void;
  /** Answers to its first submissions, when the rest had to wait for the next batch. */
  begun: Uint8Array | null;
}

/** The part of a batch's answers that goes to one request. */
interface Answered {
  readonly request: Request;
  /** Where it begins and ends in the batch's answers. */
  readonly start: number;
  readonly end: number;
}

/** A batch between apply and release. */
interface InFlight {
  readonly answered: readonly Answered[];
  readonly answers: Uint8Array;
  readonly submissions: number;
  readonly chunk: EventChunk | null;
  readonly commands: number;
  readonly startedMs: number;
  durable: boolean;
}

/** These free up space and reduce risk, so they are accepted even when nothing else is. */
const ALWAYS_TAKEN: ReadonlySet<Command["type"]> = new Set([
  "cancel-spot-order",
  "cancel-all-spot-orders",
  "cancel-contract-order",
  "cancel-all-contract-orders",
  "cancel-algo-order",
  "cancel-all-algo-orders",
  // Required before anything else can happen.
  "resume",
]);

export class Sequencer implements EnginePort {
  readonly #options: SequencerOptions;
  readonly #clock: ExchangeClock;
  readonly #events = new ByteWriter(64 * 1024);
  readonly #answers = new ByteWriter(64 * 1024);
  readonly #inFlight: InFlight[] = [];
  #queue: Request[] = [];
  #queued = 0;
  #scheduled = false;
  /** Makes a batch even without submissions, because something may be due. */
  #woken = false;
  /** Null until timers run; nothing is due before that. */
  #time: WakeUp | null = null;
  #stopping = false;
  #failed = false;
  /** Of the last applied command. */
  #sequence: number;
  #durableSequence: number;
  #eventDigest: Uint8Array;
  readonly #drained: (() => void)[] = [];
  #isPaused = false;
  /** Of those that wait until nothing is in flight in a pause. */
  readonly #settled: (() => void)[] = [];
  #beforeCommand: ((as: SequencedState) => void) | null = null;

  constructor(options: SequencerOptions) {
    this.#options = options;
    this.#clock = new ExchangeClock(options.engine, options.wall);
    this.#sequence = options.journal.lastSequence;
    this.#durableSequence = options.journal.lastSequence;
    this.#eventDigest = options.eventDigest;
  }

  /** Sequence of the last durable command. */
  get durableSequence(): number {
    return this.#durableSequence;
  }

  get queueDepth(): number {
    return this.#queued;
  }

  get eventDigest(): Uint8Array {
    return this.#eventDigest;
  }

  /** Exchange time now. */
  exchangeMs(): number {
    return this.#clock.nowMs();
  }

  /** How exchange time follows from the machine's wall clock. */
  get clockReading(): ClockReading {
    return this.#clock.machineReading;
  }

  submit(bytes: Uint8Array, answered: (answer: Uint8Array) => void): void {
    const reader = new RequestReader(bytes);
    if (reader.left === 0) {
      answered(bytes.subarray(0, 0));
      return;
    }
    if (this.#stopping || this.#queued + reader.left > QUEUE_MAX) {
      answered(refuseAll(reader.left, this.#stopping ? "stopping" : "overloaded"));
      return;
    }
    this.#queue.push({ reader, answered, begun: null });
    this.#queued += reader.left;
    this.#schedule();
  }

  /** From now on, engine timers fire even when no request arrives. */
  startTimers(time: WakeUp): void {
    this.#time = time;
    this.#armTime();
  }

  /** Makes a batch of whatever is due now. */
  wake(): void {
    if (this.#stopping) return;
    this.#woken = true;
    this.#schedule();
  }

  /** Refuses new requests; resolves when all earlier ones are durable and answered. */
  async stop(): Promise<void> {
    this.#stopping = true;
    if (this.#queued === 0 && this.#inFlight.length === 0) return;
    await new Promise<void>((resolve) => this.#drained.push(resolve));
  }

  /**
   * Takes nothing from the queue until `resume`; requests wait in it, and are refused only when it
   * is full. Resolves when everything that was taken is durable and answered.
   */
  async pause(): Promise<void> {
    invariant(!this.#isPaused, "one pause at a time");
    this.#isPaused = true;
    if (this.#isSettled) return;
    await new Promise<void>((resolve) => this.#settled.push(resolve));
  }

  resume(): void {
    this.#isPaused = false;
    this.#armTime();
    this.#schedule();
  }

  /** In a pause: the engine has another state, and the journal goes on behind it. */
  continueFrom({ sequence, eventDigest }: SequencedState): void {
    invariant(this.#isPaused && this.#isSettled, "a state changes only while nothing happens");
    this.#sequence = sequence;
    this.#durableSequence = sequence;
    this.#eventDigest = eventDigest;
    this.#clock.changed(this.#options.engine.clockMs);
  }

  /** Calls back once, directly before the next command is applied, with the state before it. */
  beforeNextCommand(look: (as: SequencedState) => void): void {
    this.#beforeCommand = look;
  }

  /** Nothing is in flight, and no request is answered in part. */
  get #isSettled(): boolean {
    return this.#inFlight.length === 0 && !this.#isHalfDone;
  }

  get #isHalfDone(): boolean {
    return (this.#queue[0]?.begun ?? null) !== null;
  }

  get #isHeld(): boolean {
    return this.#isPaused && !this.#isHalfDone;
  }

  #schedule(): void {
    if (this.#isHeld) return;
    if (this.#scheduled || this.#failed || (this.#queued === 0 && !this.#woken)) return;
    const batchesMax = this.#queued < SECOND_BATCH_MIN ? 1 : IN_FLIGHT_MAX;
    if (this.#inFlight.length >= batchesMax) return;
    this.#scheduled = true;
    // One turn of the event loop collects everything its sockets have received: that is the batch.
    this.#options.platform.scheduler.soon(() => {
      this.#scheduled = false;
      // Once `stop` has resolved, the state must not change: ignore an earlier wake-up.
      if ((this.#stopping && this.#queued === 0) || this.#isHeld) return;
      this.#runBatch();
      this.#schedule();
    });
  }

  #runBatch(): void {
    const requests = this.#takeRequests();
    try {
      this.#woken = false;
      this.#applyBatch(requests);
      this.#armTime();
    } catch (error) {
      this.#fail(error instanceof Error ? error : new Error(String(error)));
    }
  }

  #takeRequests(): Request[] {
    let count = 0;
    let submissions = 0;
    while (count < this.#queue.length && submissions < BATCH_MAX) {
      submissions += (this.#queue[count] as Request).reader.left;
      count++;
    }
    const taken = this.#queue.splice(0, count);
    this.#queued -= submissions;
    return taken;
  }

  #applyBatch(requests: readonly Request[]): void {
    const { journal } = this.#options;
    // 1 number: one time for the batch, and the sequence that its first change will take.
    const nowMs = this.exchangeMs();
    const expectedSequence = this.#sequence;
    const records: Uint8Array[] = [];
    this.#events.clear();
    this.#answers.clear();
    // 2 apply
    this.#applyDue(nowMs, records);
    const { answered, submissions } = this.#applyRequests(requests, nowMs, records);
    const changed = records.length > 0;
    if (!changed && answered.length === 0) return;
    const events = changed ? this.#events.toBytes() : null;
    const batch: InFlight = {
      answered,
      answers: this.#answers.toBytes(),
      submissions,
      chunk:
        events === null
          ? null
          : { chunk: events, lastSequence: this.#sequence, timestampMs: nowMs },
      commands: records.length,
      startedMs: this.#options.platform.clock.monotonicMs(),
      durable: !changed,
    };
    this.#inFlight.push(batch);
    if (events === null) {
      this.#release();
      return;
    }
    // 3 append
    this.#eventDigest = extendEventDigest(this.#eventDigest, events);
    const firstSequence = expectedSequence + 1;
    const eventDigest = carriesDigest(firstSequence, this.#sequence) ? this.#eventDigest : null;
    const appended = { firstSequence, timestampMs: nowMs, records, eventDigest };
    journal
      .append(expectedSequence, journal.epoch, appended)
      .then((result) => {
        if (result !== "durable") return this.#fail(new FailedAppend(result));
        batch.durable = true;
        this.#release();
        this.#schedule();
      })
      .catch((error: Error) => this.#fail(error));
  }

  /** Applies what has no request: the rest of a cascade, and timers due by the batch's time. */
  #applyDue(nowMs: number, records: Uint8Array[]): void {
    const { engine } = this.#options;
    this.#finishCascade(nowMs, records);
    if (this.#time === null || engine.nextDueMs > nowMs) return;
    this.#applyOwn({ type: "advance-time", toMs: nowMs }, nowMs, records);
    this.#finishCascade(nowMs, records);
  }

  /** A cascade must finish before anything else is applied. Each slice takes a thousand steps. */
  #finishCascade(nowMs: number, records: Uint8Array[]): void {
    const { engine } = this.#options;
    while (engine.hasUnfinishedRisk) this.#applyOwn({ type: "continue-risk" }, nowMs, records);
  }

  #applyOwn(command: Command, nowMs: number, records: Uint8Array[]): void {
    const result = this.#applyCommand(command, encodeCommand(command), nowMs, records);
    invariant(result.ok, "the sequencer's own commands are never refused");
  }

  /**
   * Applies requests to the end, or up to a change of the clock: the rest goes back to the front of
   * the queue, because the next batch has the new time. A request is answered once, as a whole.
   */
  #applyRequests(
    requests: readonly Request[],
    nowMs: number,
    records: Uint8Array[],
  ): Pick<InFlight, "answered" | "submissions"> {
    const { engine } = this.#options;
    const { clockOffsetMs: offsetMs, clockSpeedE3: speedE3 } = engine;
    const isClockSet = () => engine.clockOffsetMs !== offsetMs || engine.clockSpeedE3 !== speedE3;
    const answered: Answered[] = [];
    let submissions = 0;
    for (const [i, request] of requests.entries()) {
      const { begun, reader } = request;
      const start = this.#answers.length;
      if (begun !== null) this.#answers.raw(begun);
      while (reader.left > 0 && !isClockSet()) {
        this.#applyNext(reader, nowMs, records);
        submissions++;
      }
      const end = this.#answers.length;
      if (reader.left === 0) answered.push({ request, start, end });
      else request.begun = this.#answers.view().slice(start, end);
      if (!isClockSet()) continue;
      this.#clock.changed(nowMs + engine.clockOffsetMs - offsetMs);
      const behind = requests.slice(reader.left === 0 ? i + 1 : i);
      this.#queue = [...behind, ...this.#queue];
      for (const waiting of behind) this.#queued += waiting.reader.left;
      break;
    }
    return { answered, submissions };
  }

  #applyNext(reader: RequestReader, nowMs: number, records: Uint8Array[]): void {
    // Nobody trades with orders whose countdown ends with a halt.
    if (this.#options.engine.countdownDueMs <= nowMs) this.#applyDue(nowMs, records);
    const command = reader.command();
    if (command === null) this.#answerQuery(reader.query(), nowMs);
    else this.#answerCommand(command, reader.record, nowMs, records);
  }

  #answerCommand(command: Command, bytes: Uint8Array, nowMs: number, records: Uint8Array[]): void {
    const refusal = this.#refusalOfCommand(command);
    if (refusal !== null) {
      writeUnavailable(this.#answers, refusal);
      return;
    }
    const result = this.#applyCommand(command, bytes, nowMs, records);
    this.#finishCascade(nowMs, records);
    this.#answer(command, nowMs, result);
  }

  #answerQuery(query: EngineQuery, nowMs: number): void {
    // An order test returns the same refusal as the order itself.
    const refusal = "order" in query ? this.#refusalOfCommand(query.order) : null;
    if (refusal === null) this.#answer(null, nowMs, this.#options.engine.query(query, nowMs));
    else writeUnavailable(this.#answers, refusal);
  }

  /** `command` is null for the answer to a query. */
  #answer(command: Command | null, timestampMs: number, result: Answer["result"]): void {
    writeAnswer(this.#answers, command, { sequence: this.#sequence, timestampMs, result });
  }

  #applyCommand(
    command: Command,
    bytes: Uint8Array,
    nowMs: number,
    records: Uint8Array[],
  ): CommandResult {
    this.lookNow();
    const eventsBefore = this.#events.length;
    const result = this.#options.engine.apply(command, this.#sequence + 1, nowMs, this.#events);
    if (this.#events.length === eventsBefore) return result;
    records.push(bytes);
    this.#sequence++;
    this.#options.onApplied?.(command);
    return result;
  }

  /** Calls back now, if `beforeNextCommand` still waits. */
  lookNow(): void {
    const look = this.#beforeCommand;
    if (look === null) return;
    this.#beforeCommand = null;
    look({ sequence: this.#sequence, eventDigest: this.#eventDigest });
  }

  #refusalOfCommand(command: Command): Unavailable | null {
    if (ALWAYS_TAKEN.has(command.type)) return null;
    if (this.#options.journal.nearlyFull) return { unavailable: "disk-nearly-full" };
    return this.#options.isPublishFull() ? { unavailable: "overloaded" } : null;
  }

  #armTime(): void {
    if (this.#time === null || this.#stopping) return;
    const delayMs = this.#options.engine.nextDueMs - this.exchangeMs();
    this.#time.arm(this.#clock.wallDelayMs(delayMs));
  }

  /** 4 release: in order, up to the first batch that is not durable yet. */
  #release(): void {
    if (this.#failed) return;
    let head = this.#inFlight[0];
    while (head?.durable === true) {
      this.#inFlight.shift();
      if (head.chunk !== null) {
        this.#durableSequence = head.chunk.lastSequence;
        this.#options.publish(head.chunk);
      }
      for (const { request, start, end } of head.answered) {
        request.answered(head.answers.subarray(start, end));
      }
      const durationMs = this.#options.platform.clock.monotonicMs() - head.startedMs;
      this.#options.metrics.batchReleased(head.commands, head.submissions, durationMs);
      head = this.#inFlight[0];
    }
    if (this.#isPaused && this.#isSettled) {
      for (const settled of this.#settled.splice(0)) settled();
    }
    if (this.#queued === 0 && this.#inFlight.length === 0) {
      for (const drained of this.#drained.splice(0)) drained();
    }
  }

  #fail(error: Error): void {
    if (this.#failed) return;
    this.#failed = true;
    this.#stopping = true;
    this.#options.onFatal(error);
  }
}
