/**
 * The log in PostgreSQL as one node has it: it follows into the mirror, until this node takes the
 * lead; from then on it is the journal.
 *
 * What the primary shows may be on that machine alone: after its restart, or after a cancelled
 * wait. So a follower takes rows only behind a commit of its own that was confirmed by the quorum
 * after it had seen them; what it has applied is never taken back.
 */
import { invariant } from "../../domain/index.ts";
import type { Timer } from "../../platform/index.ts";
import type { AppendResult, Batch, JournaledBatch } from "../../protocol/index.ts";
import { DamagedJournal } from "../damage.ts";
import type { DurableJournal, JournalOpening } from "../journal-opening.ts";
import { LogReading } from "../log-reading.ts";
import type { Confirmation } from "./confirmation.ts";
import { CONFIRM, END, type LogRow, type Venue } from "./log-table.ts";
import { Mirror } from "./mirror.ts";
import { align, fill } from "./mirror-filling.ts";
import { PrimarySession } from "./primary-session.ts";
import {
  type AppendObserver,
  lead,
  type QuorumJournal,
  type QuorumJournalOptions,
  reasonOf,
  refusalOf,
  repeated,
  type Settings,
  settingsOf,
} from "./quorum-journal.ts";

/** Between two looks at the end of the log. */
const LOOK_MS = 20;
/** While nothing comes: a primary that was deposed shows its end for ever, without a quorum. */
const CONFIRM_MS = 250;

export class QuorumLog implements DurableJournal {
  /** Whose log it is. */
  readonly venueId: string;
  /** Whether its clock may be moved. */
  readonly sandbox: boolean;
  #settings: Settings;
  readonly #session: PrimarySession;
  readonly #mirror: Mirror;
  readonly #reading: LogReading;
  /** Of the last row that the mirror has. */
  #ordinal: number;
  /** False after a failure: the primary may be another one, with another log. */
  #isAligned = true;
  /** When the last look began that a quorum stood behind. */
  #freshMs: number;
  /** Looks that failed, since the last that did not. */
  #failures = 0;
  #timer: Timer | null = null;
  #onEnd: (error: Error) => void = () => undefined;
  #isLooking = false;
  /** Somebody waits for the next look. */
  #isHurried = false;
  #looking: Promise<void> | null = null;
  #isClosed = false;
  #journal: QuorumJournal | null = null;

  private constructor(
    settings: Settings,
    session: PrimarySession,
    mirror: Mirror,
    { id, sandbox }: Venue,
    ordinal: number,
    freshMs: number,
  ) {
    this.venueId = id;
    this.sandbox = sandbox;
    this.#settings = settings;
    this.#session = session;
    this.#mirror = mirror;
    this.#ordinal = ordinal;
    this.#freshMs = freshMs;
    this.#reading = new LogReading(settings.fileSystem, settings.folder, this);
  }

  /** Fetches all that is durable. A refusal says what is wrong and what to do. */
  static async open(options: QuorumJournalOptions): Promise<JournalOpening<QuorumLog>> {
    const settings = settingsOf(options);
    const session = new PrimarySession(settings);
    let mirror: Mirror | null = null;
    try {
      const opened = await Mirror.open(settings);
      mirror = opened;
      const journal = await repeated(settings, "the log is not fetched yet", async () => {
        const startedMs = settings.clock.monotonicMs();
        const { venue } = await session.primary();
        const aligned = await align(session, opened, settings.answerMs);
        const patienceMs = settings.giveUpMs;
        const ordinal = await fetchDurable(settings, session, opened, aligned, patienceMs);
        await session.query(CONFIRM, patienceMs);
        return new QuorumLog(settings, session, opened, venue, ordinal, startedMs);
      });
      return { ok: true, journal, findings: [] };
    } catch (error) {
      session.drop();
      await mirror?.close();
      return refusalOf(error, settings);
    }
  }

  /** 0 until it leads. */
  get epoch(): number {
    return this.#journal?.epoch ?? 0;
  }

  get lastSequence(): number {
    return this.#journal?.lastSequence ?? this.#mirror.position.sequence;
  }

  get isOpen(): boolean {
    return !this.#isClosed && (this.#journal?.isOpen ?? true);
  }

  get nearlyFull(): boolean {
    return this.#journal?.nearlyFull ?? false;
  }

  /** Everything that was durable this long ago is here; 0 while it leads. */
  get lagMs(): number {
    if (this.#journal !== null) return 0;
    return this.#settings.clock.monotonicMs() - this.#freshMs;
  }

  /** Told of what this node writes once it leads. */
  observe(observer: AppendObserver): void {
    this.#settings = { ...this.#settings, observer };
  }

  /** Room for rows before the next partition must be made, in partitions; null while it follows. */
  get partitionLeft(): number | null {
    return this.#journal?.partitionLeft ?? null;
  }

  /** Of what it wrote, while it leads; null otherwise, and where PostgreSQL alone is believed. */
  get confirmation(): Confirmation | null {
    return this.#journal?.confirmation ?? null;
  }

  /** Of a leader: everything that was durable this long ago is on a standby; else `lagMs`. */
  get confirmedLagMs(): number {
    return this.confirmation?.lagMs ?? this.lagMs;
  }

  /** Follows the log from now on. `onEnd` is called once, when that is not possible any more. */
  follow(onEnd: (error: Error) => void): void {
    this.#onEnd = onEnd;
    this.#timer = this.#settings.scheduler.after(LOOK_MS, () => this.#lookOnce(), "background");
  }

  /** Somebody waits for what comes next: looks at once, again and again while it fails not. */
  hurry(): void {
    if (this.#isLooking || this.#failures > 0) this.#isHurried = true;
    else if (this.#timer !== null) {
      this.#timer.cancel();
      this.#lookOnce();
    }
  }

  #lookOnce(): void {
    this.#isLooking = true;
    this.#isHurried = false;
    this.#looking = this.#look().then(
      () => this.#goOn(),
      (error) => {
        if (error instanceof DamagedJournal) return this.#onEnd(error);
        const { log } = this.#settings;
        log("warn", `the log is not followed at present: ${reasonOf(error)}`);
        this.#goOn();
      },
    );
  }

  #goOn(): void {
    this.#isLooking = false;
    if (this.#timer === null) return;
    if (this.#isHurried && this.#failures === 0) this.#lookOnce();
    else this.follow(this.#onEnd);
  }

  async #look(): Promise<void> {
    const startedMs = this.#settings.clock.monotonicMs();
    const { answerMs, giveUpMs } = this.#settings;
    // Each commit that is not answered leaves a backend that waits: few of them.
    const patienceMs = Math.min(answerMs * 2 ** this.#failures, giveUpMs);
    const { sequence } = this.#mirror.position;
    try {
      // What failed may have fetched a part.
      if (!this.#isAligned) {
        this.#ordinal = await align(this.#session, this.#mirror, answerMs);
        this.#isAligned = true;
      }
      const after = this.#ordinal;
      const settings = this.#settings;
      const session = this.#session;
      this.#ordinal = await fetchDurable(settings, session, this.#mirror, after, patienceMs);
      const hasFetched = this.#ordinal > after;
      if (!hasFetched && startedMs - this.#freshMs < CONFIRM_MS) return;
      if (!hasFetched) await session.query(CONFIRM, patienceMs);
      this.#freshMs = startedMs;
      this.#failures = 0;
    } catch (error) {
      this.#failures++;
      this.#isAligned = false;
      throw error;
    } finally {
      if (this.#mirror.position.sequence > sequence) this.#reading.notify();
    }
  }

  async #stopFollowing(): Promise<void> {
    this.#timer?.cancel();
    this.#timer = null;
    await this.#looking;
  }

  /** Whoever had the lead is fenced. Rejects when it cannot be taken: the process must end. */
  async lead(): Promise<void> {
    invariant(this.#journal === null, "the lead is taken once");
    await this.#stopFollowing();
    this.#journal = await lead(this.#settings, this.#session, this.#mirror);
    this.#reading.notify();
  }

  /** `fenced` until it leads. */
  async append(expectedSequence: number, epoch: number, batch: Batch): Promise<AppendResult> {
    if (this.#journal === null) return "fenced";
    const result = await this.#journal.append(expectedSequence, epoch, batch);
    this.#reading.notify();
    return result;
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

  async close(): Promise<void> {
    this.#isClosed = true;
    // A commit that waits for the quorum is not waited for.
    if (this.#journal === null) this.#session.drop();
    await this.#stopFollowing();
    this.#reading.notify();
    if (this.#journal !== null) return this.#journal.close();
    await this.#session.close();
    await this.#mirror.close();
  }
}

/** Copies what is durable behind the row of an ordinal. Resolves with the last one copied. */
async function fetchDurable(
  { answerMs, giveUpMs }: Settings,
  session: PrimarySession,
  mirror: Mirror,
  after: number,
  patienceMs: number,
): Promise<number> {
  const [end] = (await session.query<LogRow>(END, answerMs)).rows;
  invariant(end !== undefined, "a log has a first row");
  const last = Number(end.ordinal);
  if (last === after) return after;
  // A failed statement drops the connection and rejects: all of these are of the same primary.
  await session.query(CONFIRM, patienceMs);
  await fill(session, mirror, { after, before: last + 1 }, giveUpMs);
  return last;
}
