/**
 * The journal in files, written by a thread of its own. Batches go to it through a ring; how many
 * are durable comes back as a count in shared memory. What the thread refuses at the start or fails
 * at later has the same outcome here as in a journal without a thread. Reading does not need the
 * thread: it goes up to the durable end of the files.
 */
import { invariant } from "../domain/index.ts";
import { NODE_FILE_SYSTEM, type Thread, type Threads, threadFailure } from "../platform/index.ts";
import type { AppendResult, Batch, JournaledBatch } from "../protocol/index.ts";
import { AtomicWords, createRingMemory, fallAsleep, RingWriter } from "../threads/index.ts";
import { encodeBatchMessage } from "./batch-message.ts";
import type { FileJournalOptions, FolderJournal } from "./file-journal.ts";
import type { JournalOpening } from "./journal-opening.ts";
import {
  DURABLE_COUNT,
  type JournalThreadData,
  type JournalThreadMessage,
  NEARLY_FULL,
  STATUS_BYTES,
  type ToJournalThread,
  WAITER_ASLEEP,
} from "./journal-thread.ts";
import { LogReading } from "./log-reading.ts";
import { encodedBatchLength, MAX_BATCH_BYTES } from "./segments/batch-format.ts";

const JOURNAL_THREAD = "journal";

/** What is longer, or does not fit while the thread waits for the disk, goes as a message. */
const RING_BYTES = 4 * 1024 * 1024;
const LARGEST_RECORD = 1024 * 1024;
/** Far above what a sequencer keeps in flight: only a caller that ignores answers reaches it. */
const MAX_WAITING_BYTES = 256 * 1024 * 1024;

export interface ThreadedJournalOptions
  extends Pick<
    FileJournalOptions,
    "folder" | "segmentBytes" | "preallocatedBytes" | "reserve" | "log"
  > {
  readonly threads: Threads;
  /** The thread ended: nothing can become durable, and the process has to end. */
  readonly onFailure: (error: Error) => void;
}

/** Recovers and opens the journal in its thread. A refusal says what is wrong and what to do. */
export function openThreadedJournal(
  options: ThreadedJournalOptions,
): Promise<JournalOpening<FolderJournal>> {
  const { threads, onFailure, log = () => {}, ...files } = options;
  const batches = createRingMemory(RING_BYTES, LARGEST_RECORD);
  const status = new SharedArrayBuffer(STATUS_BYTES);
  const data: JournalThreadData = { ...files, batches, status };
  const module = new URL("./journal-worker.ts", import.meta.url);
  const thread = threads.start({ module, name: JOURNAL_THREAD, data });
  return new Promise((resolve, reject) => {
    let journal: ThreadedJournal | null = null;
    let isRefused = false;
    const fail = (error: Error): void => {
      if (journal === null) reject(error);
      else journal.onEnd(error);
    };
    thread.onMessage((received) => {
      const message = received as JournalThreadMessage;
      if (message?.kind === "log") {
        log(message.level, message.message);
      } else if (message?.kind === "refused") {
        isRefused = true;
        resolve({ ok: false, refusal: message.refusal });
      } else if (message?.kind === "opened") {
        const { epoch, lastSequence, findings } = message;
        journal = new ThreadedJournal(thread, data, { epoch, lastSequence, onFailure });
        resolve({ ok: true, journal, findings });
      } else {
        journal?.onMessage(message);
      }
    });
    thread.onError((error) => fail(threadFailure(JOURNAL_THREAD, error)));
    thread.onExit((code) => {
      if (!isRefused) fail(new Error(`${JOURNAL_THREAD} ended with code ${code}`));
    });
  });
}

interface Waiting {
  readonly lastSequence: number;
  readonly bytes: number;
  readonly answer: (result: AppendResult) => void;
}

interface Roll {
  readonly done: () => void;
  readonly fail: (error: Error) => void;
}

interface Opened {
  readonly epoch: number;
  readonly lastSequence: number;
  readonly onFailure: (error: Error) => void;
}

class ThreadedJournal implements FolderJournal {
  #epoch: number;
  readonly #thread: Thread;
  readonly #onFailure: (error: Error) => void;
  readonly #ring: RingWriter;
  readonly #status: AtomicWords;
  #reading: LogReading;
  #switching: PromiseWithResolvers<void> | null = null;
  readonly #ended = Promise.withResolvers<void>();
  readonly #waiting: Waiting[] = [];
  readonly #rolls: Roll[] = [];
  #waitingBytes = 0;
  #lastSequence: number;
  #appendedSequence: number;
  #durableCount = 0;
  #state: "open" | "failed" | "closed" = "open";
  #isClosing = false;
  #hasEnded = false;

  constructor(thread: Thread, data: JournalThreadData, opened: Opened) {
    const { epoch, lastSequence, onFailure } = opened;
    this.#epoch = epoch;
    this.#thread = thread;
    this.#onFailure = onFailure;
    this.#lastSequence = lastSequence;
    this.#appendedSequence = lastSequence;
    this.#ring = new RingWriter(data.batches, () => this.#post(null));
    this.#status = new AtomicWords({ shared: data.status });
    this.#reading = new LogReading(NODE_FILE_SYSTEM, data.folder, this);
    this.#look();
  }

  get epoch(): number {
    return this.#epoch;
  }

  get lastSequence(): number {
    return this.#lastSequence;
  }

  get nearlyFull(): boolean {
    return this.#status.load(NEARLY_FULL) === 1;
  }

  get isOpen(): boolean {
    return this.#state === "open";
  }

  append(expectedSequence: number, epoch: number, batch: Batch): Promise<AppendResult> {
    if (this.#state !== "open") return Promise.resolve("unknown");
    if (epoch !== this.epoch || expectedSequence !== this.#appendedSequence) {
      return Promise.resolve("fenced");
    }
    invariant(batch.firstSequence === expectedSequence + 1, "a batch follows what it expects");
    invariant(batch.records.length > 0, "a batch has at least one record");
    const bytes = encodedBatchLength(batch);
    invariant(bytes <= MAX_BATCH_BYTES, `a batch has at most ${MAX_BATCH_BYTES} bytes`);
    invariant(this.#waitingBytes + bytes <= MAX_WAITING_BYTES, "the journal's callers wait");
    const lastSequence = expectedSequence + batch.records.length;
    this.#waitingBytes += bytes;
    this.#appendedSequence = lastSequence;
    return new Promise((answer) => {
      this.#waiting.push({ lastSequence, bytes, answer });
      this.#send(batch, bytes);
    });
  }

  /** `bytesMax`: the message has no more. */
  #send(batch: Batch, bytesMax: number): void {
    const ring = this.#ring;
    const offset = bytesMax <= ring.largestRecord ? ring.reserve(bytesMax) : -1;
    if (offset < 0) {
      const whole = new Uint8Array(bytesMax);
      const bytes = whole.subarray(0, encodeBatchMessage(batch, whole));
      this.#thread.post({ kind: "batch", bytes } satisfies ToJournalThread, [whole.buffer]);
      return;
    }
    ring.commit(encodeBatchMessage(batch, ring.bytes.subarray(offset, offset + bytesMax)));
    this.#ring.flush();
  }

  #post(message: ToJournalThread): void {
    this.#thread.post(message);
  }

  /** Answers what has become durable, until an event will tell about more. */
  #look(): void {
    const isMore = () => this.#status.load(DURABLE_COUNT) !== this.#durableCount;
    do this.#takeDurable();
    while (!fallAsleep(this.#status, WAITER_ASLEEP, isMore));
  }

  #takeDurable(): void {
    const durable = this.#status.load(DURABLE_COUNT);
    const count = (durable - this.#durableCount) | 0;
    this.#durableCount = durable;
    if (count === 0) return;
    const done = this.#waiting.splice(0, count);
    this.#lastSequence = done.at(-1)?.lastSequence ?? this.#lastSequence;
    for (const { bytes, answer } of done) {
      this.#waitingBytes -= bytes;
      answer("durable");
    }
    this.#reading.notify();
  }

  /** What the thread tells once the journal is open. */
  onMessage(message: JournalThreadMessage): void {
    this.#look();
    if (message?.kind === "rolled") {
      const roll = this.#rolls.shift();
      if (message.failure === null) roll?.done();
      else roll?.fail(new Error(message.failure));
    } else if (message?.kind === "switched") {
      this.#onSwitched(message);
    } else if (message?.kind === "failed") {
      this.#fail();
    }
  }

  /** The thread is gone. */
  onEnd(error: Error): void {
    if (this.#hasEnded) return;
    this.#hasEnded = true;
    this.#takeDurable();
    const isExpected = this.#isClosing && this.#waiting.length === 0;
    this.#fail();
    for (const { fail } of this.#rolls.splice(0)) fail(error);
    this.#switching?.reject(error);
    this.#ended.resolve();
    if (!isExpected) this.#onFailure(error);
  }

  /** What waits stays unknown until the next start. */
  #fail(): void {
    if (this.#state === "open") this.#state = "failed";
    for (const { answer } of this.#waiting.splice(0)) answer("unknown");
    this.#reading.notify();
  }

  roll(): Promise<void> {
    invariant(this.#state === "open", "only an open journal rolls");
    return new Promise((done, fail) => {
      this.#rolls.push({ done, fail });
      this.#post({ kind: "roll" });
    });
  }

  switchTo(folder: string): Promise<void> {
    invariant(this.#state === "open", "only an open journal goes on elsewhere");
    invariant(this.#waiting.length === 0, "nothing is on its way to a journal that is left");
    this.#switching = Promise.withResolvers();
    this.#post({ kind: "switch", folder });
    return this.#switching.promise;
  }

  #onSwitched(switched: Extract<JournalThreadMessage, { readonly kind: "switched" }>): void {
    if (switched.failure !== null) {
      this.#fail();
      this.#switching?.reject(new Error(switched.failure));
      return;
    }
    this.#epoch = switched.epoch;
    this.#lastSequence = switched.lastSequence;
    this.#appendedSequence = switched.lastSequence;
    this.#reading = new LogReading(NODE_FILE_SYSTEM, switched.folder, this);
    this.#switching?.resolve();
    this.#switching = null;
  }

  read(fromSequence: number): AsyncIterable<JournaledBatch> {
    return this.#reading.read(fromSequence);
  }

  tail(fromSequence: number, signal: AbortSignal): AsyncIterable<JournaledBatch> {
    return this.#reading.tail(fromSequence, signal);
  }

  chainHashAt(sequence: number): Promise<Uint8Array | null> {
    return this.#reading.chainHashAt(sequence);
  }

  /** Writes what was appended, then ends the thread. Later appends are answered `unknown`. */
  async close(): Promise<void> {
    if (!this.#isClosing && !this.#hasEnded) {
      this.#isClosing = true;
      this.#post({ kind: "close" });
    }
    if (this.#state === "open") this.#state = "closed";
    await this.#ended.promise;
    this.#reading.notify();
  }
}
