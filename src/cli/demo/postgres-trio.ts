/**
 * The three nodes of PostgreSQL of the demo, and who of them is the primary: what Patroni or a
 * person does elsewhere. It fails over when the process of the primary has ended, never because it
 * is slow; a former primary comes back as a new copy.
 */
import { setTimeout as sleep } from "node:timers/promises";
import {
  type Failover,
  failOver,
  memberName,
  quorumOf,
  standbyConninfo,
} from "../../journal/index.ts";
import { NODE_PLATFORM } from "../../platform/index.ts";
import { CommandFailed } from "../failure.ts";
import type { PostgresProcess } from "./postgres-process.ts";

/** What is kept between two runs of a demo. */
export interface Membership {
  readonly primary: string;
  readonly generation: number;
  /** The generation in which each was joined last. */
  readonly joined: Readonly<Record<string, number>>;
}

const WHOLE_MS = 30_000;
const POLL_MS = 50;
const RETRY_MS = 500;

export class PostgresTrio {
  readonly nodes: readonly PostgresProcess[];
  readonly #say: (line: string) => void;
  readonly #save: (membership: Membership) => void;
  #membership: Membership;
  /** One change at a time. */
  #work: Promise<unknown> = Promise.resolve();
  #isServing = false;
  /** Why there was no failover, as it was said last. */
  #problem = "";
  #retry: NodeJS.Timeout | undefined;

  /** `former` is null for a new demo. */
  constructor(
    nodes: readonly PostgresProcess[],
    former: Membership | null,
    save: (membership: Membership) => void,
    say: (line: string) => void,
  ) {
    const [first] = nodes as [PostgresProcess];
    this.nodes = nodes;
    this.#save = save;
    this.#say = say;
    this.#membership = former ?? { primary: first.name, generation: 1, joined: {} };
  }

  get urls(): readonly string[] {
    return this.nodes.map(({ url }) => url);
  }

  get primary(): PostgresProcess {
    const found = this.nodes.find(({ name }) => name === this.#membership.primary);
    if (found === undefined) throw new Error("one of the nodes is the primary");
    return found;
  }

  find(name: string): PostgresProcess | null {
    return this.nodes.find((node) => node.name === name) ?? null;
  }

  /** Starts all three, and resolves when both standbys count. */
  async start(): Promise<void> {
    const { primary } = this;
    if (!primary.exists) await primary.initialize();
    primary.configure({ synchronous_standby_names: this.#quorumFor(primary) });
    await primary.start();
    const standbys = this.nodes.filter((node) => node !== primary);
    for (const standby of standbys) await this.#startStandby(standby);
    await this.#whole(standbys);
    this.#isServing = true;
  }

  #quorumFor(node: PostgresProcess): string {
    const { generation } = this.#membership;
    const others = this.nodes.filter((other) => other !== node);
    return quorumOf(others.map(({ name }) => memberName(name, generation)));
  }

  /** As it was if it is of this membership, else as a new copy. */
  async #startStandby(node: PostgresProcess): Promise<void> {
    const { generation, joined } = this.#membership;
    const { primary } = this;
    if (!node.exists || joined[node.name] !== generation) await node.copyFrom(primary);
    node.configure({
      synchronous_standby_names: this.#quorumFor(node),
      primary_conninfo: standbyConninfo(primary.url, memberName(node.name, generation), ""),
    });
    node.markStandby();
    this.#keep({ joined: { ...joined, [node.name]: generation } });
    await node.start();
  }

  #keep(changes: Partial<Membership>): void {
    this.#membership = { ...this.#membership, ...changes };
    this.#save(this.#membership);
  }

  /** Until these standbys count. */
  async #whole(standbys: readonly PostgresProcess[]): Promise<void> {
    const { generation } = this.#membership;
    const names = standbys.map(({ name }) => `'${memberName(name, generation)}'`);
    const count =
      "SELECT count(*)::int AS n FROM pg_stat_replication WHERE state = 'streaming' " +
      `AND sync_state = 'quorum' AND application_name IN (${names.join(", ")})`;
    const deadlineMs = Date.now() + WHOLE_MS;
    const session = await this.primary.open();
    try {
      while ((await session.query<{ n: number }>(count))[0]?.n !== standbys.length) {
        if (Date.now() > deadlineMs) {
          throw new CommandFailed("postgres", `${names.join(", ")} does not count for commits.`);
        }
        await sleep(POLL_MS);
      }
    } finally {
      session.close();
    }
  }

  /** To be called whenever the process of a node has ended. */
  ended(node: PostgresProcess): void {
    if (!this.#isServing) return;
    this.#say(`${node.name} ended${node === this.primary ? ", and was the primary" : ""}`);
    if (node === this.primary) void this.#inTurn(() => this.#failOver());
  }

  /** Starts a node that has ended; resolves when it serves, as standby or primary. */
  async revive(node: PostgresProcess): Promise<void> {
    await this.#inTurn(async () => {
      if (node.pid !== null) return;
      if (node === this.primary) await this.#failOver();
      if (node === this.primary) {
        await node.start();
        return;
      }
      if (this.primary.pid === null) await this.#reviveBeforeFailover(node);
      else {
        await this.#startStandby(node);
        await this.#whole([node]);
      }
    });
  }

  /** The primary is away, and could not be replaced without this one. */
  async #reviveBeforeFailover(node: PostgresProcess): Promise<void> {
    if (this.#membership.joined[node.name] !== this.#membership.generation) {
      throw new CommandFailed("conflict", `${node.name} needs a primary: start another one first.`);
    }
    await node.start();
    await this.#failOver();
  }

  /** Until it succeeds: members that are slow, or away, are asked again. */
  async #failOver(): Promise<void> {
    const { primary } = this;
    if (primary.pid !== null || !this.#isServing) return;
    try {
      const done = await failOver({
        ...NODE_PLATFORM,
        urls: this.urls,
        loseAcknowledged: false,
        copySequence: null,
      });
      this.#adopt(done);
      this.#problem = "";
    } catch (error) {
      const problem = error instanceof Error ? error.message : String(error);
      if (problem !== this.#problem) this.#say(`no failover yet: ${problem}`);
      this.#problem = problem;
      clearTimeout(this.#retry);
      this.#retry = setTimeout(() => void this.#inTurn(() => this.#failOver()), RETRY_MS);
    }
  }

  #adopt({ generation, primary, sequence, standbys }: Failover): void {
    const joined = Object.fromEntries([primary, ...standbys].map((name) => [name, generation]));
    this.#keep({ generation, primary, joined: { ...this.#membership.joined, ...joined } });
    this.#say(`${primary} is the primary now, generation ${generation}, at sequence ${sequence}`);
  }

  #inTurn<Value>(work: () => Promise<Value>): Promise<Value> {
    const done = this.#work.then(work);
    this.#work = done.catch(() => undefined);
    return done;
  }

  async stop(patienceMs: number): Promise<void> {
    this.#isServing = false;
    clearTimeout(this.#retry);
    await Promise.all(this.nodes.map((node) => node.stop(patienceMs)));
  }
}
