/**
 * Tells the cluster about this node, and keeps what the others tell, twice a second; more often
 * while this node looks for the one that leads.
 */
import type { Member, MemberRows, Membership } from "../../journal/index.ts";
import type { Platform, Timer } from "../../platform/index.ts";

const TELL_MS = 500;
/** While this node looks for the leader. */
const LOOK_MS = 100;
/** A node that was silent for longer is not there. */
export const LIVE_MS = 3000;

export class MembershipWatch {
  readonly #rows: MemberRows;
  readonly #platform: Pick<Platform, "clock" | "scheduler">;
  readonly #self: () => Member;
  readonly #isLooking: () => boolean;
  readonly #onRead: (membership: Membership) => void;
  #last: { readonly membership: Membership; readonly readMs: number } | null = null;
  #timer: Timer | null = null;
  #toldMs = Number.NEGATIVE_INFINITY;
  #telling: Promise<void> | null = null;
  #isLeaving = false;
  #isOver = false;

  constructor(
    rows: MemberRows,
    platform: Pick<Platform, "clock" | "scheduler">,
    self: () => Member,
    isLooking: () => boolean,
    onRead: (membership: Membership) => void,
  ) {
    this.#isLooking = isLooking;
    this.#rows = rows;
    this.#platform = platform;
    this.#self = self;
    this.#onRead = onRead;
  }

  /** Null when PostgreSQL did not answer lately. */
  get present(): Membership | null {
    const nowMs = this.#platform.clock.monotonicMs();
    const last = this.#last;
    return last === null || nowMs - last.readMs > LIVE_MS ? null : last.membership;
  }

  /** What was read last, also when PostgreSQL does not answer any more. */
  get last(): Membership | null {
    return this.#last?.membership ?? null;
  }

  /** Who has the lease and was there lately; null when nobody is known to. */
  get leader(): Member | null {
    const { members, owner } = this.present ?? { members: [], owner: "" };
    const isLeader = ({ name, run, silentMs }: (typeof members)[number]) =>
      owner === `${name}/${run}` && silentMs < LIVE_MS;
    return members.find(isLeader) ?? null;
  }

  start(): void {
    this.#telling = this.#tell().then(() => {
      const { scheduler } = this.#platform;
      if (this.#isOver) return;
      const pauseMs = this.#isLooking() ? LOOK_MS : TELL_MS;
      this.#timer = scheduler.after(pauseMs, () => this.start(), "background");
    });
  }

  async #tell(): Promise<void> {
    try {
      const nowMs = this.#platform.clock.monotonicMs();
      // Telling is a commit.
      if (!this.#isLeaving && nowMs - this.#toldMs >= TELL_MS) {
        await this.#rows.tell(this.#self());
        this.#toldMs = nowMs;
      }
      const membership = await this.#rows.read();
      this.#last = { membership, readMs: this.#platform.clock.monotonicMs() };
      this.#onRead(membership);
    } catch {
      // Without a primary nobody leads for long; `present` says so.
    }
  }

  /** Tells the others that this run goes; from then on it only reads what they tell. */
  async leave(): Promise<void> {
    if (this.#isLeaving) return;
    this.#isLeaving = true;
    await this.#telling;
    // Otherwise they notice when it is silent.
    await this.#rows.leave(this.#self().run).catch(() => undefined);
  }

  async stop(): Promise<void> {
    if (this.#isOver) return;
    await this.leave();
    this.#isOver = true;
    this.#timer?.cancel();
    await this.#telling;
    await this.#rows.close();
  }
}
