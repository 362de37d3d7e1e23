/**
 * The journal with a quorum: a commit is a row in PostgreSQL, durable on two of its machines before
 * it is answered, and only then bytes in this node's mirror, which everything here reads. Opening
 * it takes the lead: whoever had it is fenced at its next append.
 *
 * An append is repeated until it is known to stand, or another stands in its place, also across a
 * failover of PostgreSQL. Seen is not durable: a row may have been written and never replicated, so
 * one that is found again is confirmed by a commit behind it.
 */
import { invariant } from "../../domain/index.ts";
import type { Clock, FileSystem } from "../../platform/index.ts";
import type { AppendResult, Batch, JournaledBatch } from "../../protocol/index.ts";
import { DamagedJournal, refuse } from "../damage.ts";
import { DEFAULT_RESERVE, DiskWatch } from "../disk/disk-watch.ts";
import { sameBytes } from "../disk/fixed-width.ts";
import type { DurableJournal, JournalLog, JournalOpening } from "../journal-opening.ts";
import { LogReading } from "../log-reading.ts";
import type { ChainPosition } from "../segments/segment-scan.ts";
import { type Commit, CommitQueue, type SealedCommit } from "../writing/commit-queue.ts";
import { Confirmation, type Confirming } from "./confirmation.ts";
import { type Connecting, isDuplicateKey } from "./connection.ts";
import * as table from "./log-table.ts";
import { Mirror } from "./mirror.ts";
import { align, fill } from "./mirror-filling.ts";
import { NoPrimary, placeOf } from "./primary.ts";
import { PrimarySession } from "./primary-session.ts";

export interface QuorumJournalOptions extends Connecting {
  /** Of all nodes of PostgreSQL, each the address of the same database. */
  readonly urls: readonly string[];
  /** The log must be of this venue; null for any. */
  readonly venueId: string | null;
  /** Of the mirror. The caller holds the lock of the data folder around it. */
  readonly folder: string;
  readonly fileSystem: FileSystem;
  readonly clock: Clock;
  readonly segmentBytes?: number;
  /** How long a statement is waited for before the primary is looked for again. */
  readonly answerMs?: number;
  /** How long an append is repeated, and how long a primary is waited for at the opening. */
  readonly giveUpMs?: number;
  /** What standbys must have shown. */
  readonly confirm?: Confirming;
  readonly log?: JournalLog;
  readonly observer?: AppendObserver | null;
}

/** Of the commits of a leader. */
export interface AppendObserver {
  /** From the first try until it was durable. */
  appended(durationMs: number): void;
  /** A try had no clear answer. */
  retried(): void;
}

const MEBIBYTE = 1024 * 1024;
const DEFAULT_SEGMENT_BYTES = 64 * MEBIBYTE;
const MAX_COMMIT_BYTES = MEBIBYTE;
const DEFAULT_ANSWER_MS = 2000;
const DEFAULT_GIVE_UP_MS = 30_000;
/** Between two tries. */
const PAUSE_MS = 50;

export type Settings = Required<QuorumJournalOptions>;

export function settingsOf(options: QuorumJournalOptions): Settings {
  return {
    segmentBytes: DEFAULT_SEGMENT_BYTES,
    answerMs: DEFAULT_ANSWER_MS,
    giveUpMs: DEFAULT_GIVE_UP_MS,
    confirm: "off",
    log: () => {},
    observer: null,
    ...options,
  };
}

/** Takes the lead and opens the journal. A refusal says what is wrong and what to do. */
export async function openQuorumJournal(
  options: QuorumJournalOptions,
): Promise<JournalOpening<QuorumJournal>> {
  const settings = settingsOf(options);
  const session = new PrimarySession(settings);
  let mirror: Mirror | null = null;
  try {
    mirror = await Mirror.open(settings);
    const journal = await lead(settings, session, mirror);
    return { ok: true, journal, findings: [] };
  } catch (error) {
    session.drop();
    await mirror?.close();
    return refusalOf(error, settings);
  }
}

/** Of an opening that failed. Throws what is a bug. */
export function refusalOf(
  error: unknown,
  { urls }: Pick<Settings, "urls">,
): Extract<JournalOpening<never>, { ok: false }> {
  if (error instanceof DamagedJournal) return { ok: false, refusal: error.refusal };
  if (!(error instanceof NoPrimary)) throw error;
  const file = urls.map(placeOf).join(", ");
  const advice = "Start PostgreSQL with a quorum, or name its present addresses";
  const problem = `no usable primary: ${error.message}`;
  const kind = error.isLasting ? "unusable" : "unreachable";
  return { ok: false, refusal: refuse(kind, { file }, problem, advice) };
}

/** Takes the lead with the log's copy in a mirror. Rejects with `DamagedJournal`, `NoPrimary`. */
export async function lead(
  settings: Settings,
  session: PrimarySession,
  mirror: Mirror,
): Promise<QuorumJournal> {
  const taken = await takeLead(settings, session, mirror);
  const { fileSystem, scheduler, folder } = settings;
  const disk = { fileSystem, scheduler, folder, reserve: DEFAULT_RESERVE };
  return new QuorumJournal(settings, session, mirror, taken, await DiskWatch.start(disk));
}

/** The barrier that this node wrote: the log and the mirror end with it. */
interface Lead {
  readonly ordinal: number;
  readonly epoch: number;
  readonly partitionRows: number;
  readonly position: ChainPosition;
}

/**
 * Appends a barrier to the log, then fetches what the mirror lacks: all before a durable barrier is
 * durable. A barrier whose answer was lost may be another's, so the next try writes another one.
 */
function takeLead(settings: Settings, session: PrimarySession, mirror: Mirror): Promise<Lead> {
  const { answerMs, giveUpMs } = settings;
  return repeated(settings, "the lead is not taken yet", async (tries) => {
    const { venue } = await session.primary();
    const partitionRows = Number(venue.partition_rows);
    const aligned = await align(session, mirror, answerMs);
    const [end] = (await session.query<table.LogRow>(table.END, answerMs)).rows;
    invariant(end !== undefined, "a log has a first row");
    const ordinal = Number(end.ordinal) + 1;
    await session.query(table.makePartition(ordinal), answerMs);
    const patienceMs = answerMs * 2 ** tries;
    const [row] = (await session.query<table.LogRow>(table.barrier(end), patienceMs)).rows;
    if (row === undefined) throw new Error("the log goes on while it is taken over");
    await fill(session, mirror, { after: aligned, before: ordinal }, giveUpMs);
    const { sequence, chainHash } = mirror.position;
    invariant(sequence === Number(row.last_sequence), "the mirror ends where the log does");
    invariant(sameBytes(chainHash, row.chain_hash), "the mirror's chain is the log's");
    const position = { sequence, chainHash, epoch: row.epoch };
    return { ordinal, epoch: row.epoch, partitionRows, position };
  });
}

/** Until it succeeds. Rejects with `DamagedJournal`, or with `NoPrimary` when it is too late. */
export async function repeated<Value>(
  { clock, giveUpMs, log, scheduler }: Settings,
  problem: string,
  work: (tries: number) => Promise<Value>,
): Promise<Value> {
  const deadlineMs = clock.monotonicMs() + giveUpMs;
  for (let tries = 0; ; tries++) {
    try {
      return await work(tries);
    } catch (error) {
      const isFinal = error instanceof DamagedJournal || clock.monotonicMs() > deadlineMs;
      if (isFinal || (error instanceof NoPrimary && error.isLasting)) throw asNoPrimary(error);
      log("warn", `${problem}: ${reasonOf(error)}`);
      await pause(scheduler);
    }
  }
}

/** Whatever went on failing until the deadline is, for who starts it, a primary that is no use. */
function asNoPrimary(error: unknown): unknown {
  if (error instanceof DamagedJournal || error instanceof NoPrimary) return error;
  return new NoPrimary([
    { place: "the primary", sentence: `confirms no commit (${reasonOf(error)})`, isLasting: false },
  ]);
}

export function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

function pause(scheduler: Connecting["scheduler"]): Promise<void> {
  return new Promise((resolve) => void scheduler.after(PAUSE_MS, resolve));
}

/** The first ordinal behind the partition of this one. */
function partitionEnd(ordinal: number, partitionRows: number): number {
  return (Math.floor(ordinal / partitionRows) + 1) * partitionRows;
}

export class QuorumJournal implements DurableJournal {
  readonly epoch: number;
  /** What standbys have of it; null where PostgreSQL alone is believed. */
  readonly confirmation: Confirmation | null;
  readonly #settings: Settings;
  readonly #session: PrimarySession;
  readonly #mirror: Mirror;
  readonly #queue: CommitQueue;
  readonly #disk: DiskWatch;
  readonly #reading: LogReading;
  readonly #partitionRows: number;
  /** Partitions exist for all ordinals before this one. */
  #roomUntil: number;
  /** Where the next partition is tried again to be made. */
  #roomTryAt = 0;
  #ordinal: number;
  #durable: ChainPosition;
  #working: Promise<void> | null = null;
  #isClosed = false;
  /** What every further append is answered, once one was not durable. */
  #failed: AppendResult | null = null;

  constructor(
    settings: Settings,
    session: PrimarySession,
    mirror: Mirror,
    lead: Lead,
    disk: DiskWatch,
  ) {
    this.#settings = settings;
    this.#session = session;
    this.#mirror = mirror;
    this.#disk = disk;
    this.epoch = lead.epoch;
    this.#ordinal = lead.ordinal;
    this.#partitionRows = lead.partitionRows;
    this.#roomUntil = partitionEnd(lead.ordinal, lead.partitionRows);
    this.#durable = lead.position;
    const barrier = { ...lead.position, ordinal: lead.ordinal };
    this.confirmation = settings.confirm === "off" ? null : new Confirmation(settings, barrier);
    const maxCommitBytes = Math.min(MAX_COMMIT_BYTES, settings.segmentBytes);
    this.#queue = new CommitQueue(lead.position, maxCommitBytes);
    this.#reading = new LogReading(settings.fileSystem, settings.folder, this);
  }

  get lastSequence(): number {
    return this.#durable.sequence;
  }

  /** Room in the partitions that there are, in partitions: the next one is made at half a one. */
  get partitionLeft(): number {
    return (this.#roomUntil - 1 - this.#ordinal) / this.#partitionRows;
  }

  get isOpen(): boolean {
    return !this.#isClosed && this.#failed === null;
  }

  get nearlyFull(): boolean {
    return this.#disk.low;
  }

  append(expectedSequence: number, epoch: number, batch: Batch): Promise<AppendResult> {
    if (this.#failed !== null) return Promise.resolve(this.#failed);
    if (this.#isClosed) return Promise.resolve("unknown");
    if (epoch !== this.epoch || expectedSequence !== this.#queue.position.sequence) {
      return Promise.resolve("fenced");
    }
    invariant(batch.firstSequence === expectedSequence + 1, "a batch follows what it expects");
    const result = this.#queue.add(batch);
    // Work begins after this turn of the event loop, so that all its appends are one commit.
    this.#working ??= Promise.resolve().then(() => this.#work());
    return result;
  }

  async #work(): Promise<void> {
    for (;;) {
      const sealed = this.#queue.take();
      if (sealed === undefined) break;
      const result = await this.#commit(sealed);
      if (result !== "durable") {
        this.#fail(result, sealed.commit);
        break;
      }
      this.#durable = sealed.position;
      sealed.commit.answer("durable");
      this.#queue.recycle(sealed.commit);
      this.#reading.notify();
      await this.#makeRoom();
    }
    this.#working = null;
  }

  async #commit({ commit, position }: SealedCommit): Promise<AppendResult> {
    const row: table.NewRow = {
      ordinal: this.#ordinal + 1,
      epoch: this.epoch,
      lastSequence: position.sequence,
      chainHash: position.chainHash,
      previousChainHash: this.#durable.chainHash,
      bytes: commit.bytes,
    };
    const { clock, observer } = this.#settings;
    const startedMs = clock.monotonicMs();
    const result = await this.#write(row);
    observer?.appended(clock.monotonicMs() - startedMs);
    if (result !== "durable") {
      this.#settings.log("error", `the commit of ${row.lastSequence} ended as ${result}`);
      return result;
    }
    this.#ordinal = row.ordinal;
    this.confirmation?.reached(row);
    if (!(await this.#isConfirmed(row.ordinal))) {
      this.#settings.log("error", `no standby has shown the commit of ${row.lastSequence}`);
      return "unknown";
    }
    try {
      await this.#mirror.write(commit.bytes, position);
      return result;
    } catch (error) {
      this.#settings.log("error", `the journal's folder cannot be written: ${reasonOf(error)}`);
      return "unknown";
    }
  }

  /** Whether it may be answered: false when no standby has shown it in time. */
  #isConfirmed(ordinal: number): Promise<boolean> {
    const { confirm, giveUpMs, scheduler } = this.#settings;
    return new Promise((resolve) => {
      if (confirm !== "strict" || this.confirmation === null) return resolve(true);
      const timer = scheduler.after(giveUpMs, () => resolve(false), "background");
      this.confirmation.whenConfirmed(ordinal, () => {
        timer.cancel();
        resolve(true);
      });
    });
  }

  /** Before it is needed: an owner who took the right away is noticed while the log still grows. */
  async #makeRoom(): Promise<void> {
    if (this.partitionLeft >= 0.5 || this.#ordinal < this.#roomTryAt) return;
    const { answerMs, log } = this.#settings;
    try {
      await this.#session.query(table.makePartition(this.#roomUntil), answerMs);
      this.#roomUntil += this.#partitionRows;
    } catch (error) {
      log("warn", `the next partition of the log is not made yet: ${reasonOf(error)}`);
      this.#roomTryAt = this.#ordinal + Math.ceil(this.#partitionRows / 50);
    }
  }

  /** Again and again, until it is known what became of the row. */
  async #write(row: table.NewRow): Promise<AppendResult> {
    const { answerMs, clock, giveUpMs, log, observer, scheduler } = this.#settings;
    const deadlineMs = clock.monotonicMs() + giveUpMs;
    for (let tries = 0; ; tries++) {
      // Each try that is not answered leaves a backend that waits for the quorum: few of them.
      const patienceMs = Math.min(answerMs * 2 ** tries, giveUpMs);
      try {
        const result = await (tries === 0
          ? this.#insert(row, patienceMs)
          : this.#resolve(row, patienceMs));
        if (result !== null) return result;
      } catch (error) {
        log("warn", `the commit of ${row.lastSequence} is not durable yet: ${reasonOf(error)}`);
        observer?.retried();
        await pause(scheduler);
      }
      if (clock.monotonicMs() > deadlineMs) return "unknown";
    }
  }

  /** Null when something stands there, or nothing before it: then see what. */
  async #insert(row: table.NewRow, timeoutMs: number): Promise<AppendResult | null> {
    try {
      if (row.ordinal >= this.#roomUntil) {
        await this.#session.query(table.makePartition(row.ordinal), timeoutMs);
        this.#roomUntil = partitionEnd(row.ordinal, this.#partitionRows);
      }
      const { rowCount } = await this.#session.query(table.append(row), timeoutMs);
      return rowCount === 1 ? "durable" : null;
    } catch (error) {
      if (isDuplicateKey(error)) return null;
      throw error;
    }
  }

  async #resolve(row: table.NewRow, timeoutMs: number): Promise<AppendResult | null> {
    const { log } = this.#settings;
    const around = await this.#session.query<table.LogRow>(
      table.rowsAround(row.ordinal),
      timeoutMs,
    );
    const at = (ordinal: number) => around.rows.find((each) => Number(each.ordinal) === ordinal);
    const before = at(row.ordinal - 1);
    if (before === undefined || !this.#isOwn(before, row.previousChainHash)) {
      log("error", `the log lacks the commit of ${this.#durable.sequence}, which was durable`);
      return "missing";
    }
    const present = at(row.ordinal);
    if (present === undefined) return await this.#insert(row, timeoutMs);
    if (!this.#isOwn(present, row.chainHash)) {
      log("error", `epoch ${present.epoch} has the lead, this one has ${this.epoch}`);
      return "fenced";
    }
    await this.#session.query(table.CONFIRM, timeoutMs);
    return "durable";
  }

  #isOwn(row: table.LogRow, chainHash: Uint8Array): boolean {
    return row.epoch === this.epoch && sameBytes(row.chain_hash, chainHash);
  }

  #fail(result: AppendResult, failed: Commit): void {
    this.#failed = result;
    failed.answer(result);
    this.#queue.answerAll(result);
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

  /** Of the mirror. */
  roll(): Promise<void> {
    return this.#mirror.roll();
  }

  /** Writes what is queued. Later appends are answered `unknown`. */
  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#working;
    this.confirmation?.close();
    this.#disk.stop();
    this.#reading.notify();
    await this.#session.close();
    await this.#mirror.close();
  }
}
