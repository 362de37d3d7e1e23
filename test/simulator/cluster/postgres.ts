/**
 * Three nodes of PostgreSQL that replicate with a quorum of one standby, exact in what the log of a
 * cluster rests on: a commit is visible once a standby has it; a cancelled wait makes it visible
 * with a warning; after a restart or a promotion all that is in the write-ahead log is visible,
 * also what nobody was told of; who writes a row that another commit waits with waits for that;
 * and a deposed primary goes on answering reads.
 */
import { EventEmitter } from "node:events";
import type { Server } from "node:http";
import type { Duplex } from "node:stream";
import type { SimulatedNetwork } from "./network.ts";
import { type Decision, decide } from "./postgres-statements.ts";
import { type Change, Tables } from "./postgres-tables.ts";
import { PostgresWire, type SqlReply, type SqlStatement } from "./postgres-wire.ts";

const POSTGRES_PORT = 5432;
const LOCK_MS = 1000;

/** Of the write-ahead log: the same object on every member that has it. */
interface Entry {
  readonly change: Change;
}

interface Waiting {
  readonly position: number;
  readonly entry: Entry;
  readonly lock: string;
  readonly done: (warning?: string) => void;
}

export interface PostgresOptions {
  readonly network: SimulatedNetwork;
  readonly names: readonly string[];
  readonly venueId: string;
  readonly wallMs: () => number;
  /** A statement that is not simulated. */
  readonly onUnknown: (text: string) => void;
}

export class SimulatedMember {
  readonly name: string;
  readonly wal: Entry[] = [];
  tables = new Tables();
  role: "primary" | "standby" = "standby";
  timeline = 1;
  isUp = true;
  /** Raised by each start: what ran before is gone. */
  starts = 0;
  /** What each standby is known to have. */
  readonly confirmed = new Map<string, number>();
  readonly sending = new Set<string>();
  waiting: Waiting[] = [];
  /** Called when a lock may be free. */
  blocked: (() => void)[] = [];
  /** The longest that a statement takes before it begins. */
  slowestMs = 0;
  /** The answer to the next statement that changes anything is lost. */
  losesAnswer = false;
  /** Of the connection that has the advisory lock. */
  lockedBy: Duplex | null = null;

  constructor(name: string) {
    this.name = name;
  }

  /** As after a start: what the write-ahead log has. */
  recover(): void {
    this.starts++;
    this.lockedBy = null;
    this.tables = new Tables();
    for (const { change } of this.wal) this.tables.apply(change);
    this.waiting = [];
    this.blocked = [];
    this.sending.clear();
    this.confirmed.clear();
  }
}

export class SimulatedPostgres {
  readonly members: readonly SimulatedMember[];
  readonly urls: readonly string[];
  readonly #options: PostgresOptions;

  constructor(options: PostgresOptions) {
    const { names, network } = options;
    this.#options = options;
    this.members = names.map((name) => new SimulatedMember(name));
    this.urls = names.map((name) => `postgres://rialto@${name}:${POSTGRES_PORT}/rialto`);
    const first = this.members[0] as SimulatedMember;
    first.role = "primary";
    for (const member of this.members) this.#listen(member);
    network.time.after(0, () => this.goOn());
  }

  /** Whom everybody would find: of those who say so the one of the newest timeline. */
  get primary(): SimulatedMember {
    const primaries = this.members.filter(({ role }) => role === "primary");
    const [newest] = primaries.toSorted((one, other) => other.timeline - one.timeline);
    return newest as SimulatedMember;
  }

  get standbys(): readonly SimulatedMember[] {
    return this.members.filter((member) => member !== this.primary);
  }

  #listen(member: SimulatedMember): void {
    const server = new EventEmitter();
    server.on("connection", (stream: Duplex) => {
      // A wire of its own.
      new PostgresWire(stream, (statement) => this.#run(member, stream, statement));
    });
    const { network } = this.#options;
    network.serve(member.name, POSTGRES_PORT, server as unknown as Server);
  }

  async #run(member: SimulatedMember, stream: Duplex, statement: SqlStatement): Promise<SqlReply> {
    const { network } = this.#options;
    const { starts } = member;
    if (member.slowestMs > 0) {
      const delayMs = network.delayMs(member.name, member.name) * member.slowestMs;
      await new Promise<void>((resolve) => {
        network.time.after(delayMs, resolve);
      });
      if (member.starts !== starts) return never();
    }
    const decision = this.#decide(member, stream, statement);
    if (decision === null) {
      this.#options.onUnknown(statement.text);
      return { ok: false, code: "42601", message: "not simulated" };
    }
    const reply = await this.#carryOut(member, decision);
    if (decision.kind === "write" && member.losesAnswer) {
      member.losesAnswer = false;
      stream.destroy();
    }
    return reply;
  }

  #decide(member: SimulatedMember, stream: Duplex, statement: SqlStatement): Decision | null {
    const { role, tables, timeline } = member;
    const counted = this.standbys.filter(({ isUp }) => isUp).length;
    const names = this.members.filter((other) => other !== member).map(({ name }) => name);
    const { venueId, wallMs } = this.#options;
    const isStandby = role === "standby";
    const takeLock = (): boolean => {
      if (member.lockedBy === null || member.lockedBy.destroyed) member.lockedBy = stream;
      return member.lockedBy === stream;
    };
    const releaseLock = (): void => {
      if (member.lockedBy === stream) member.lockedBy = null;
    };
    const locks = { takeLock, releaseLock };
    const about = { isStandby, timeline, names, counted, venueId, nowMs: wallMs(), ...locks };
    return decide(statement, tables, about);
  }

  async #carryOut(member: SimulatedMember, decision: Decision): Promise<SqlReply> {
    if (decision.kind === "read") return { ok: true, result: decision.result };
    if (decision.kind === "fail") return decision.reply;
    if (member.role === "standby") {
      return { ok: false, code: "25006", message: "cannot write in a read-only transaction" };
    }
    const { starts } = member;
    const isUnlocked = await this.#isUnlocked(member, decision.lock);
    if (member.starts !== starts) return never();
    if (!isUnlocked) {
      return { ok: false, code: "55P03", message: "canceling statement due to lock timeout" };
    }
    const outcome = decision.outcome();
    if (outcome.change === null) return outcome.reply;
    const entry: Entry = { change: outcome.change };
    member.wal.push(entry);
    const position = member.wal.length;
    const { lock } = decision;
    return new Promise((resolve) => {
      const done = (warning?: string): void => {
        const { reply } = outcome;
        resolve(reply.ok && warning !== undefined ? { ...reply, warning } : reply);
      };
      member.waiting.push({ position, entry, lock, done });
      this.#replicate(member);
    });
  }

  /** Whether nobody else holds it, within the time that is waited. */
  async #isUnlocked(member: SimulatedMember, lock: string): Promise<boolean> {
    const { time } = this.#options.network;
    const endMs = time.nowMs + LOCK_MS;
    while (lock !== "" && member.waiting.some((other) => other.lock === lock)) {
      if (time.nowMs >= endMs) return false;
      await new Promise<void>((resolve) => {
        member.blocked.push(resolve);
        time.after(endMs - time.nowMs, resolve);
      });
    }
    return true;
  }

  /** Sends standbys what they lack, as far as they are reached. */
  #replicate(primary: SimulatedMember): void {
    if (!primary.isUp || primary !== this.primary) return;
    const { network } = this.#options;
    for (const standby of this.standbys) {
      const has = standby.wal.length;
      const isTold = primary.confirmed.get(standby.name) === has;
      if (has === primary.wal.length && isTold) continue;
      if (!standby.isUp || primary.sending.has(standby.name)) continue;
      if (!this.#reaches(primary, standby)) continue;
      primary.sending.add(standby.name);
      const there = network.delayMs(primary.name, standby.name);
      network.time.after(there, () => this.#arrive(primary, standby, primary.wal.length));
    }
  }

  #reaches(one: SimulatedMember, other: SimulatedMember): boolean {
    const { network } = this.#options;
    return network.isOpen(one.name, other.name) && network.isOpen(other.name, one.name);
  }

  #arrive(primary: SimulatedMember, standby: SimulatedMember, end: number): void {
    primary.sending.delete(standby.name);
    const { network } = this.#options;
    const isHeard = primary === this.primary && standby.role === "standby" && standby.isUp;
    if (!isHeard || !primary.isUp || !this.#reaches(primary, standby)) return;
    for (const entry of primary.wal.slice(standby.wal.length, end)) {
      standby.wal.push(entry);
      standby.tables.apply(entry.change);
    }
    network.time.after(network.delayMs(standby.name, primary.name), () => {
      if (primary !== this.primary || !primary.isUp || !this.#reaches(standby, primary)) return;
      primary.confirmed.set(standby.name, end);
      this.#settle(primary);
      this.#replicate(primary);
    });
  }

  /** Commits that a standby has are visible, and answered. */
  #settle(primary: SimulatedMember): void {
    const durable = Math.max(0, ...primary.confirmed.values());
    const done = primary.waiting.filter(({ position }) => position <= durable);
    this.#finish(primary, done);
  }

  #finish(member: SimulatedMember, done: readonly Waiting[], warning?: string): void {
    if (done.length === 0) return;
    member.waiting = member.waiting.filter((each) => !done.includes(each));
    for (const { entry } of done) member.tables.apply(entry.change);
    for (const { done: answer } of done) answer(warning);
    const blocked = member.blocked.splice(0);
    for (const goOn of blocked) goOn();
  }

  /** Somebody ends the waits of its commits, which are answered as if they were durable. */
  cancelWaits(member: SimulatedMember): void {
    this.#finish(member, member.waiting, "canceling wait for synchronous replication");
  }

  /** Everything that was held up goes on. */
  goOn(): void {
    this.#replicate(this.primary);
  }

  /** The process is killed, or its machine loses its power. */
  stop(member: SimulatedMember, isSilent: boolean): void {
    member.isUp = false;
    member.recover();
    this.#options.network.remove(member.name, isSilent);
  }

  /** Again as what it was: a primary that nobody has followed since is primary again. */
  start(member: SimulatedMember): void {
    member.isUp = true;
    member.recover();
    this.#options.network.start(member.name);
    this.#listen(member);
    this.goOn();
  }

  /** The standby that has most is promoted; a former primary that runs has no standby any more. */
  failOver(): void {
    const [best] = this.standbys.toSorted((one, other) => other.wal.length - one.wal.length);
    const former = this.primary;
    if (best === undefined) return;
    best.role = "primary";
    best.timeline = former.timeline + 1;
    best.recover();
    this.goOn();
  }

  /** Former primaries follow: what nobody else has is cut off. */
  rejoin(): void {
    const { network } = this.#options;
    const { primary } = this;
    for (const member of this.members) {
      if (member === primary || member.role === "standby") continue;
      network.reset(member.name);
      member.role = "standby";
      const same = member.wal.findIndex((entry, at) => primary.wal[at] !== entry);
      if (same >= 0) member.wal.length = same;
      member.recover();
    }
    for (const member of this.members) member.timeline = primary.timeline;
    this.goOn();
  }

  /** How much of the primary's log no failure of one machine takes away. */
  get durable(): Tables {
    const { primary } = this;
    const end = Math.max(0, ...this.standbys.map(({ wal }) => sharedLength(wal, primary.wal)));
    const tables = new Tables();
    for (const { change } of primary.wal.slice(0, end)) tables.apply(change);
    return tables;
  }
}

function sharedLength(wal: readonly Entry[], of: readonly Entry[]): number {
  const other = wal.findIndex((entry, at) => of[at] !== entry);
  return other < 0 ? wal.length : other;
}

function never(): Promise<never> {
  return new Promise(() => undefined);
}
