/**
 * The body of the journal's thread: the journal in files, over calls that block. It takes all
 * batches that have arrived, commits them together, and tells how many are durable by a count in
 * shared memory and a wake-up.
 */
import { invariant } from "../domain/index.ts";
import {
  BLOCKING_FILE_SYSTEM,
  type BodyPort,
  NODE_FILE_SYSTEM,
  type Scheduler,
  type ThreadContext,
  type Timer,
} from "../platform/index.ts";
import type { AppendResult, Batch } from "../protocol/index.ts";
import { AtomicWords, Doorbell, RingInbox, type RingMemory, RingReader } from "../threads/index.ts";
import { decodeBatchMessage } from "./batch-message.ts";
import type { JournalRefusal } from "./damage.ts";
import type { SpaceReserve } from "./disk/disk-watch.ts";
import { type FileJournal, openFileJournal } from "./file-journal.ts";
import type { RecoveryFinding } from "./recovery/recovery.ts";

export interface JournalThreadData {
  readonly folder: string;
  readonly segmentBytes?: number;
  readonly preallocatedBytes?: number;
  readonly reserve?: SpaceReserve;
  /** Batches, in order. */
  readonly batches: RingMemory;
  /** What the thread tells: words at the places below. */
  readonly status: SharedArrayBuffer;
}

/** Batches that are durable since the start, modulo 2^32. */
export const DURABLE_COUNT = 0;
export const NEARLY_FULL = 16;
/** Raised by whoever waits for the count to change. */
export const WAITER_ASLEEP = 32;
export const STATUS_BYTES = 256;

/** Null wakes the reader of the ring. */
export type ToJournalThread =
  | null
  /** A batch that did not fit into the ring; its turn is that of its sequence. */
  | { readonly kind: "batch"; readonly bytes: Uint8Array }
  | { readonly kind: "roll" }
  /** Goes on with the log in another folder; nothing is on its way. */
  | { readonly kind: "switch"; readonly folder: string }
  | { readonly kind: "close" };

export type JournalThreadMessage =
  /** The status has changed. */
  | null
  | { readonly kind: "log"; readonly level: "info" | "warn" | "error"; readonly message: string }
  | { readonly kind: "refused"; readonly refusal: JournalRefusal }
  | {
      readonly kind: "opened";
      readonly epoch: number;
      readonly lastSequence: number;
      readonly findings: readonly RecoveryFinding[];
    }
  /** Answers the oldest roll. */
  | { readonly kind: "rolled"; readonly failure: string | null }
  /** Answers a switch; without a failure, what was opened. */
  | {
      readonly kind: "switched";
      readonly folder: string;
      readonly failure: string | null;
      readonly epoch: number;
      readonly lastSequence: number;
    }
  /** No further batch becomes durable. */
  | { readonly kind: "failed" }
  | { readonly kind: "closed" };

/** How often the state of the disk is told; it is looked at as often. */
const STATUS_EVERY_MS = 1000;
/** Of the ring, before other events of the thread have their turn. */
const TURN_BYTES = 1 << 20;

export async function runJournal({ port, data, platform }: ThreadContext): Promise<void> {
  const { folder, segmentBytes, preallocatedBytes, reserve, ...shared } = data as JournalThreadData;
  const opening = await openFileJournal({
    folder,
    fileSystem: BLOCKING_FILE_SYSTEM,
    background: NODE_FILE_SYSTEM,
    scheduler: platform.scheduler,
    log: (level, message) => post(port, { kind: "log", level, message }),
    ...(segmentBytes === undefined ? {} : { segmentBytes }),
    ...(preallocatedBytes === undefined ? {} : { preallocatedBytes }),
    ...(reserve === undefined ? {} : { reserve }),
  });
  if (!opening.ok) {
    post(port, { kind: "refused", refusal: opening.refusal });
    port.close();
    return;
  }
  const { journal, findings } = opening;
  const server = new JournalServer(journal, port, platform.scheduler, shared);
  const { epoch, lastSequence } = journal;
  post(port, { kind: "opened", epoch, lastSequence, findings });
  server.start();
}

function post(port: BodyPort, message: JournalThreadMessage): void {
  port.post(message);
}

class JournalServer {
  readonly #journal: FileJournal;
  readonly #port: BodyPort;
  readonly #status: AtomicWords;
  readonly #bell: Doorbell;
  readonly #ring: RingReader;
  readonly #inbox: RingInbox;
  readonly #statusTimer: Timer;
  /** Batches that came as messages and wait for those before them, by first sequence. */
  readonly #early = new Map<number, Batch>();
  /** Messages that were taken while looking for a batch. */
  readonly #deferred: ToJournalThread[] = [];
  readonly #take = (message: Uint8Array) => this.#takeFromRing(message);
  #appendedSequence: number;
  #durableCount = 0;
  #hasFailed = false;

  constructor(
    journal: FileJournal,
    port: BodyPort,
    scheduler: Scheduler,
    { batches, status }: Pick<JournalThreadData, "batches" | "status">,
  ) {
    this.#journal = journal;
    this.#port = port;
    this.#appendedSequence = journal.lastSequence;
    this.#status = new AtomicWords({ shared: status });
    this.#bell = new Doorbell(this.#status, WAITER_ASLEEP, () => port.post(null));
    this.#ring = new RingReader(batches, () => undefined);
    this.#inbox = new RingInbox({
      read: () => this.#read(),
      ring: this.#ring,
      soon: (turn) => scheduler.soon(turn),
    });
    this.#statusTimer = scheduler.every(STATUS_EVERY_MS, () => this.#publish());
    this.#publish();
  }

  start(): void {
    this.#port.onMessage((message) => this.#onMessage(message as ToJournalThread));
    this.#inbox.wake();
  }

  #onMessage(message: ToJournalThread): void {
    if (message === null) this.#inbox.wake();
    else if (message.kind === "batch") this.#holdEarly(message.bytes);
    else if (message.kind === "roll") void this.#roll();
    else if (message.kind === "switch") void this.#switch(message.folder);
    else void this.#close();
  }

  /** All that is there becomes one commit, after this turn. */
  #read(): number {
    const freed = this.#ring.read(this.#take, TURN_BYTES);
    this.#appendEarly();
    // The zeros of the last commit were written behind it: the disk may be full since.
    this.#publish();
    const deferred = this.#deferred.splice(0);
    for (const message of deferred) this.#onMessage(message);
    return freed;
  }

  /** Batches are read in order; one that is missing in the ring waits as a message. */
  #takeFromRing(bytes: Uint8Array): void {
    const batch = decodeBatchMessage(bytes);
    this.#appendEarly();
    while (batch.firstSequence !== this.#appendedSequence + 1) {
      const message = this.#port.take() as ToJournalThread | undefined;
      invariant(message !== undefined, "batches of the journal follow each other");
      if (message?.kind === "batch") this.#holdEarly(message.bytes);
      else if (message !== null) this.#deferred.push(message);
    }
    this.#append(batch);
  }

  #holdEarly(bytes: Uint8Array): void {
    const batch = decodeBatchMessage(bytes);
    this.#early.set(batch.firstSequence, batch);
    this.#appendEarly();
  }

  #appendEarly(): void {
    let batch = this.#early.get(this.#appendedSequence + 1);
    while (batch !== undefined) {
      this.#early.delete(batch.firstSequence);
      this.#append(batch);
      batch = this.#early.get(this.#appendedSequence + 1);
    }
  }

  #append(batch: Batch): void {
    const expected = this.#appendedSequence;
    this.#appendedSequence += batch.records.length;
    const appended = this.#journal.append(expected, this.#journal.epoch, batch);
    void appended.then((result) => this.#onResult(result));
  }

  #onResult(result: AppendResult): void {
    if (result === "durable") {
      this.#durableCount = (this.#durableCount + 1) | 0;
      this.#publish();
      this.#bell.ring();
    } else if (!this.#hasFailed) {
      this.#hasFailed = true;
      post(this.#port, { kind: "failed" });
    }
  }

  #publish(): void {
    this.#status.store(NEARLY_FULL, this.#journal.nearlyFull ? 1 : 0);
    this.#status.store(DURABLE_COUNT, this.#durableCount);
  }

  async #roll(): Promise<void> {
    while (this.#read() > 0);
    let failure: string | null = null;
    try {
      await this.#journal.roll();
    } catch (error) {
      failure = error instanceof Error ? error.message : String(error);
    }
    post(this.#port, { kind: "rolled", failure });
  }

  async #switch(folder: string): Promise<void> {
    while (this.#read() > 0);
    let failure: string | null = null;
    try {
      await this.#journal.switchTo(folder);
      this.#appendedSequence = this.#journal.lastSequence;
    } catch (error) {
      failure = error instanceof Error ? error.message : String(error);
    }
    const { epoch, lastSequence } = this.#journal;
    post(this.#port, { kind: "switched", folder, failure, epoch, lastSequence });
  }

  async #close(): Promise<void> {
    while (this.#read() > 0);
    await this.#journal.close();
    this.#statusTimer.cancel();
    this.#publish();
    post(this.#port, { kind: "closed" });
    this.#port.close();
  }
}
