/**
 * The lease of the leader: a row that it touches again and again. It decides when another node may
 * try to lead, and how long a leader may answer from its own state. Who writes is never decided
 * here: the log fences.
 *
 * A leader answers until 2 s after the *start* of its last durable beat. Another node claims the
 * row once it has seen the same beat for 3 s, by its own clock; the second between them is for
 * clocks that run differently fast. A claim changes the row only while that beat is in it, and a
 * beat only while its owner is: a beat that is on its way either comes first, and the claim fails,
 * or is refused. Without that, a slow beat could become durable after a takeover and give its owner
 * two more seconds of old answers.
 *
 * A leader that stops frees the row when it has given its last answer: nobody waits for its end.
 * An owner may also give the row to another node, when it answers no more itself. That one beats
 * before it answers: the beat that gave it the row is of unknown age.
 */
import type { Clock, Scheduler, Timer } from "../platform/index.ts";

/** How often the leader beats. */
const BEAT_MS = 500;
/** How often the others look. */
const LOOK_MS = 100;
/** How long a leader answers after the start of a beat. */
const ANSWER_MS = 2000;
/** How long the same beat is seen before the row is claimed. */
const EXPIRY_MS = 3000;

/** The row, on the primary. A call rejects when it is not known whether it was done. */
export interface LeaseTable {
  /** `beat` grows with each beat, claim and change of the owner; nobody has a free row: "". */
  read(): Promise<{ readonly beat: number; readonly owner: string }>;
  /** Raises the beat of its owner, durably; false when the row has another owner. */
  beat(owner: string): Promise<boolean>;
  /** Raises `seen` and becomes the owner, durably; false when the row has another beat. */
  claim(owner: string, seen: number): Promise<boolean>;
  /** Frees the row of its owner, durably; does nothing when it has another owner. */
  release(owner: string): Promise<void>;
}

export interface LeaseOptions {
  readonly table: LeaseTable;
  /** Of this run of the node: no other has the same. */
  readonly owner: string;
  readonly clock: Pick<Clock, "monotonicMs">;
  readonly scheduler: Scheduler;
}

/** The leader's side, from its claim on. */
export class HeldLease {
  readonly #options: LeaseOptions;
  readonly #onLost: () => void;
  #answersUntilMs: number;
  #timer: Timer;
  #isOver = false;
  #onBeat: () => void = () => undefined;

  /** `onLost` is called once, when another node has claimed the row: this one must end. */
  constructor(options: LeaseOptions, claimStartedMs: number, onLost: () => void) {
    this.#options = options;
    this.#answersUntilMs = claimStartedMs + ANSWER_MS;
    this.#onLost = onLost;
    this.#timer = this.#afterPause();
  }

  /** Whether an answer that rests on this node's state alone may leave now. */
  get mayAnswer(): boolean {
    return !this.#isOver && this.#options.clock.monotonicMs() < this.#answersUntilMs;
  }

  /** `onBeat` is called after each durable beat. */
  watch(onBeat: () => void): void {
    this.#onBeat = onBeat;
  }

  stop(): void {
    this.#isOver = true;
    this.#timer.cancel();
  }

  /** Gives no answer any more, and lets others lead at once. Rejects when that is not known. */
  async release(): Promise<void> {
    this.stop();
    await this.#options.table.release(this.#options.owner);
  }

  #afterPause(): Timer {
    return this.#options.scheduler.after(BEAT_MS, () => void this.#beat(), "background");
  }

  async #beat(): Promise<void> {
    const { clock, owner, table } = this.#options;
    const startedMs = clock.monotonicMs();
    // Unknown: the next beat tells.
    const isOwner = await table.beat(owner).catch(() => null);
    if (this.#isOver) return;
    if (isOwner === false) {
      this.stop();
      this.#onLost();
      return;
    }
    if (isOwner === true) {
      this.#answersUntilMs = startedMs + ANSWER_MS;
      this.#onBeat();
    }
    this.#timer = this.#afterPause();
  }
}

/** The side of a node that follows: claims the row when its owner beats no more, or gave it. */
export class WatchedLease {
  readonly #options: LeaseOptions;
  readonly #onClaimed: (startedMs: number) => void;
  /** The beat that was seen last, and when it was seen first. */
  #seen: { readonly beat: number; readonly sinceMs: number } | null = null;
  #timer: Timer;
  #isLooking = false;
  #isOver = false;

  /** `onClaimed` is called once; what it gets is for `HeldLease`. */
  constructor(options: LeaseOptions, onClaimed: (startedMs: number) => void) {
    this.#options = options;
    this.#onClaimed = onClaimed;
    this.#timer = this.#afterPause();
  }

  stop(): void {
    this.#isOver = true;
    this.#timer.cancel();
  }

  /** Something happened to the leader. */
  lookNow(): void {
    if (this.#isOver || this.#isLooking) return;
    this.#timer.cancel();
    void this.#look();
  }

  #afterPause(): Timer {
    return this.#options.scheduler.after(LOOK_MS, () => void this.#look(), "background");
  }

  async #look(): Promise<void> {
    this.#isLooking = true;
    try {
      await this.#lookOnce();
    } catch {
      // While the primary does not answer, the leader's beats do not come either.
      this.#seen = null;
    }
    this.#isLooking = false;
    if (!this.#isOver) this.#timer = this.#afterPause();
  }

  async #lookOnce(): Promise<void> {
    const { clock, owner, table } = this.#options;
    const seen = await table.read();
    const nowMs = clock.monotonicMs();
    if (this.#isOver) return;
    if (seen.owner === owner) return await this.#takeGiven();
    if (this.#seen?.beat !== seen.beat) this.#seen = { beat: seen.beat, sinceMs: nowMs };
    const isFree = seen.owner === "";
    if (!isFree && nowMs - this.#seen.sinceMs < EXPIRY_MS) return;
    const isClaimed = await table.claim(owner, seen.beat);
    if (isClaimed) this.#take(nowMs);
  }

  async #takeGiven(): Promise<void> {
    const { clock, owner, table } = this.#options;
    const startedMs = clock.monotonicMs();
    if (await table.beat(owner)) this.#take(startedMs);
  }

  #take(startedMs: number): void {
    if (this.#isOver) return;
    this.stop();
    this.#onClaimed(startedMs);
  }
}
