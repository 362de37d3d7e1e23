/**
 * The journal in files. A commit writes its bytes to the segment and its entry to the ring (both
 * into the page cache), syncs both side by side, then answers. When the journal has been idle for a
 * while, and when it is closed, the ring records that the last commit was acknowledged. After the
 * first error nothing is written again: whether the bytes reached the disk is then unknown, and
 * only the next start can tell.
 */
import { invariant } from "../domain/index.ts";
import {
  type FileSystem,
  NODE_FILE_SYSTEM,
  NODE_PLATFORM,
  type Scheduler,
  type Timer,
} from "../platform/index.ts";
import type { AppendResult, Batch, JournaledBatch } from "../protocol/index.ts";
import { DamagedJournal, refuse } from "./damage.ts";
import { DEFAULT_RESERVE, DiskWatch, type SpaceReserve } from "./disk/disk-watch.ts";
import type { DurableJournal, JournalLog, JournalOpening } from "./journal-opening.ts";
import { LogReading } from "./log-reading.ts";
import { type RecoveredLog, recoverLog } from "./recovery/recovery.ts";
import { countEmptySectors } from "./recovery/torn-commit.ts";
import { HeaderRing, type RingEntry } from "./ring/header-ring.ts";
import type { ChainPosition } from "./segments/segment-scan.ts";
import { type Commit, CommitQueue, type SealedCommit } from "./writing/commit-queue.ts";
import { OpenSegment } from "./writing/open-segment.ts";

export interface FileJournalOptions {
  /** Created if missing. The caller holds the lock of the data folder around it. */
  readonly folder: string;
  readonly fileSystem?: FileSystem;
  /**
   * For zeros ahead of need and for the ring, when `fileSystem` blocks: commits do not wait for the
   * zeros, and the ring is synced while the segment is.
   */
  readonly background?: FileSystem;
  readonly scheduler?: Scheduler;
  /** A segment is closed when the next commit would exceed this. */
  readonly segmentBytes?: number;
  /** Zeros kept written and synced ahead of the log's end. */
  readonly preallocatedBytes?: number;
  readonly reserve?: SpaceReserve;
  readonly log?: JournalLog;
}

const MEBIBYTE = 1024 * 1024;
const DEFAULT_SEGMENT_BYTES = 64 * MEBIBYTE;
const DEFAULT_PREALLOCATED_BYTES = 4 * MEBIBYTE;
const MAX_COMMIT_BYTES = MEBIBYTE;
/** How often an idle journal records that its last commit was acknowledged. */
const IDLE_CHECK_MS = 1000;

/** Recovers and opens the journal. A refusal says what is wrong and what to do. */
export async function openFileJournal(
  options: FileJournalOptions,
): Promise<JournalOpening<FileJournal>> {
  const { folder, log = () => {} } = options;
  const settings: Settings = {
    folder,
    log,
    fileSystem: options.fileSystem ?? NODE_FILE_SYSTEM,
    background: options.background ?? options.fileSystem ?? NODE_FILE_SYSTEM,
    scheduler: options.scheduler ?? NODE_PLATFORM.scheduler,
    segmentBytes: options.segmentBytes ?? DEFAULT_SEGMENT_BYTES,
    preallocatedBytes: options.preallocatedBytes ?? DEFAULT_PREALLOCATED_BYTES,
    reserve: options.reserve ?? DEFAULT_RESERVE,
  };
  try {
    const recovered = await recoverLog(settings.fileSystem, folder, settings.preallocatedBytes);
    const journal = await FileJournal.start(settings, recovered);
    for (const { message } of recovered.findings) log("warn", message);
    return { ok: true, journal, findings: recovered.findings };
  } catch (error) {
    if (error instanceof DamagedJournal) return { ok: false, refusal: error.refusal };
    if (!(error instanceof Error && "code" in error)) throw error;
    const advice = "Make the folder readable and writable, with free space on its disk";
    const refusal = refuse("unusable", { file: folder }, error.message, advice);
    return { ok: false, refusal };
  }
}

interface Settings {
  readonly folder: string;
  readonly fileSystem: FileSystem;
  readonly background: FileSystem;
  readonly scheduler: Scheduler;
  readonly segmentBytes: number;
  readonly preallocatedBytes: number;
  readonly reserve: SpaceReserve;
  readonly log: JournalLog;
}

/** What a recovered log is written with. */
interface OpenedLog {
  readonly settings: Settings;
  readonly recovered: RecoveredLog;
  readonly segment: OpenSegment;
  readonly ring: HeaderRing;
  readonly disk: DiskWatch;
}

async function openLog(settings: Settings, recovered: RecoveredLog): Promise<OpenedLog> {
  const { fileSystem, folder, scheduler, reserve } = settings;
  const segment = await OpenSegment.resume(recovered, settings);
  const ring = await HeaderRing.open(settings.background, folder, recovered.ringSlot);
  const disk = await DiskWatch.start({ fileSystem, scheduler, folder, reserve });
  return { settings, recovered, segment, ring, disk };
}

function queueOf({ recovered, settings }: OpenedLog): CommitQueue {
  const position = { ...recovered.position, epoch: recovered.epoch };
  return new CommitQueue(position, Math.min(MAX_COMMIT_BYTES, settings.segmentBytes));
}

/** A journal in a folder. */
export interface FolderJournal extends DurableJournal {
  /**
   * Leaves this folder for another one, which is opened as at a start: `lastSequence` and `epoch`
   * are then its own. Nothing may be on its way. A refusal or a failure ends the journal.
   */
  switchTo(folder: string): Promise<void>;
}

export class FileJournal implements FolderJournal {
  #epoch: number;
  #settings: Settings;
  #ring: HeaderRing;
  #queue: CommitQueue;
  #disk: DiskWatch;
  #segment: OpenSegment;
  #durable: ChainPosition;
  #state: "open" | "failed" | "closed" = "open";
  #working: Promise<void> | null = null;
  #rolls: { readonly done: () => void; readonly fail: (error: unknown) => void }[] = [];
  #reading: LogReading;
  /** The last commit, until the ring records that it was acknowledged. */
  #unacknowledged: RingEntry | null = null;
  #isAcknowledgementDue = false;
  #idleCheck: Timer;

  private constructor(log: OpenedLog) {
    const { recovered, settings } = log;
    this.#settings = settings;
    this.#reading = new LogReading(settings.fileSystem, settings.folder, this);
    this.#epoch = recovered.epoch;
    this.#durable = { ...recovered.position, epoch: recovered.epoch };
    this.#segment = log.segment;
    this.#ring = log.ring;
    this.#disk = log.disk;
    this.#queue = queueOf(log);
    this.#idleCheck = settings.scheduler.every(IDLE_CHECK_MS, () => this.#onIdleCheck());
  }

  /** Called by `openFileJournal` alone. */
  static async start(settings: Settings, recovered: RecoveredLog): Promise<FileJournal> {
    return new FileJournal(await openLog(settings, recovered));
  }

  get epoch(): number {
    return this.#epoch;
  }

  get lastSequence(): number {
    return this.#durable.sequence;
  }

  get isOpen(): boolean {
    return this.#state === "open";
  }

  get nearlyFull(): boolean {
    return this.#segment.preallocation.diskFull || this.#disk.low;
  }

  append(expectedSequence: number, epoch: number, batch: Batch): Promise<AppendResult> {
    if (this.#state !== "open") return Promise.resolve("unknown");
    if (epoch !== this.epoch || expectedSequence !== this.#queue.position.sequence) {
      return Promise.resolve("fenced");
    }
    invariant(batch.firstSequence === expectedSequence + 1, "a batch follows what it expects");
    const result = this.#queue.add(batch);
    this.#wake();
    return result;
  }

  roll(): Promise<void> {
    invariant(this.#state === "open", "only an open journal rolls");
    const rolled = new Promise<void>((done, fail) => {
      this.#rolls.push({ done, fail });
    });
    this.#wake();
    return rolled;
  }

  /** Work begins after this turn of the event loop, so that all its appends are one commit. */
  #wake(): void {
    this.#working ??= new Promise((done) => {
      queueMicrotask(() => {
        void this.#work().then(done);
      });
    });
  }

  async #work(): Promise<void> {
    while (!this.#hasFailed && this.#hasWork) {
      await this.#serveRolls();
      const sealed = this.#queue.take();
      if (sealed !== undefined) await this.#commit(sealed);
      else if (this.#isAcknowledgementDue) await this.#recordAcknowledgement();
    }
    this.#working = null;
  }

  get #hasWork(): boolean {
    return !this.#queue.empty || this.#rolls.length > 0 || this.#isAcknowledgementDue;
  }

  /** While there is work, the next commit records what was acknowledged. */
  #onIdleCheck(): void {
    if (this.#state !== "open") return;
    // While the disk is full orders are refused, and perhaps nothing else is written.
    const { offset, preallocation } = this.#segment;
    if (preallocation.diskFull) preallocation.keepAhead(offset);
    if (this.#unacknowledged === null || this.#working !== null) return;
    this.#isAcknowledgementDue = true;
    this.#wake();
  }

  /** Every commit records it for the one before; nothing else does for the last one. */
  async #recordAcknowledgement(): Promise<void> {
    this.#isAcknowledgementDue = false;
    const entry = this.#unacknowledged;
    if (entry === null) return;
    try {
      this.#ring.writeNow({ ...entry, acknowledgedSequence: entry.lastSequence });
      await this.#ring.sync();
      this.#unacknowledged = null;
    } catch (error) {
      this.#fail(error, null);
    }
  }

  async #commit(sealed: SealedCommit): Promise<void> {
    try {
      await this.#write(sealed.commit, sealed.position);
    } catch (error) {
      this.#fail(error, sealed.commit);
      return;
    }
    this.#durable = sealed.position;
    sealed.commit.answer("durable");
    this.#queue.recycle(sealed.commit);
    this.#segment.preallocation.keepAhead(this.#segment.offset);
    this.#reading.notify();
  }

  async #write(commit: Commit, position: ChainPosition): Promise<void> {
    const { segmentBytes } = this.#settings;
    const { byteLength } = commit;
    if (!this.#segment.empty && this.#segment.offset + byteLength > segmentBytes) {
      await this.#startSegment();
    }
    const segment = this.#segment;
    const { offset, firstSequence: segmentFirstSequence } = segment;
    const end = offset + byteLength;
    if (!segment.preallocation.covers(end)) await segment.preallocation.extendTo(end);
    const entry: RingEntry = {
      firstSequence: commit.firstSequence,
      lastSequence: position.sequence,
      segmentFirstSequence,
      offset,
      byteLength,
      chainHash: position.chainHash,
      acknowledgedSequence: commit.durableSequence,
      emptySectors: countEmptySectors(commit.bytes, offset),
    };
    segment.file.writeNow(commit.bytes, offset);
    this.#ring.writeNow(entry);
    // The ring first: in a thread of its own, the segment's sync blocks, and both go on meanwhile.
    await Promise.all([this.#ring.sync(), segment.file.sync()]);
    if (segment.preallocation.failure !== null) throw segment.preallocation.failure;
    this.#unacknowledged = entry;
    segment.offset = end;
  }

  async #startSegment(): Promise<void> {
    await this.#segment.finish();
    const { fileSystem } = this.#settings;
    this.#segment = await OpenSegment.create(fileSystem, this.#durable, this.#settings);
  }

  async #serveRolls(): Promise<void> {
    const rolls = this.#rolls;
    this.#rolls = [];
    if (rolls.length === 0) return;
    try {
      if (!this.#segment.empty) await this.#startSegment();
      for (const { done } of rolls) done();
    } catch (error) {
      for (const { fail } of rolls) fail(error);
      this.#fail(error, null);
    }
  }

  get #hasFailed(): boolean {
    return this.#state === "failed";
  }

  #fail(error: unknown, failed: Commit | null): void {
    this.#state = "failed";
    this.#idleCheck.cancel();
    const reason = error instanceof Error ? error.message : String(error);
    this.#settings.log("error", `the journal cannot be written any more: ${reason}`);
    failed?.answer("unknown");
    this.#queue.answerAll("unknown");
    for (const { fail } of this.#rolls) fail(error);
    this.#rolls = [];
    this.#reading.notify();
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

  async switchTo(folder: string): Promise<void> {
    invariant(this.#state === "open", "only an open journal goes on elsewhere");
    await this.close();
    invariant(this.#hasFailed === false, "a journal that failed goes on nowhere");
    const settings = { ...this.#settings, folder };
    const { fileSystem, preallocatedBytes, log } = settings;
    const recovered = await recoverLog(fileSystem, folder, preallocatedBytes);
    for (const { message } of recovered.findings) log("warn", message);
    const opened = await openLog(settings, recovered);
    this.#settings = settings;
    this.#reading = new LogReading(fileSystem, folder, this);
    this.#epoch = recovered.epoch;
    this.#durable = { ...recovered.position, epoch: recovered.epoch };
    this.#segment = opened.segment;
    this.#ring = opened.ring;
    this.#disk = opened.disk;
    this.#queue = queueOf(opened);
    this.#unacknowledged = null;
    this.#isAcknowledgementDue = false;
    this.#idleCheck = settings.scheduler.every(IDLE_CHECK_MS, () => this.#onIdleCheck());
    this.#state = "open";
  }

  /** Writes what is queued, then closes the files. Later appends are answered `unknown`. */
  async close(): Promise<void> {
    if (this.#state === "open") this.#state = "closed";
    this.#disk.stop();
    this.#idleCheck.cancel();
    await this.#working;
    if (!this.#hasFailed) await this.#recordAcknowledgement();
    this.#reading.notify();
    if (this.#hasFailed) return;
    await Promise.all([this.#segment.close(), this.#ring.close()]);
  }
}
