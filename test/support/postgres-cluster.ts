/**
 * Three nodes of PostgreSQL with quorum replication (`ANY 1` of the other two), as processes of the
 * test: they are killed, cut off, promoted and joined again. Clients and standbys reach each node
 * through a proxy of their own, which breaks the network on demand.
 *
 * A node's name in the quorum has the generation of the membership (`n1_g2`): a standby that was
 * not joined again since the last failover has an old name, and does not count.
 */
import assert from "node:assert/strict";
import { existsSync, rmSync } from "node:fs";
import { join } from "node:path";
import { joinStandby } from "../../src/app/cluster/change-members.ts";
import { type Failover, failOver } from "../../src/journal/index.ts";
import { NODE_PLATFORM } from "../../src/platform/index.ts";
import { PostgresNode } from "./postgres-node.ts";
import { postgresPrograms } from "./postgres-programs.ts";
import { waitUntil } from "./wait-until.ts";

export class PostgresCluster {
  readonly nodes: readonly PostgresNode[];
  #primary: PostgresNode;
  #generation = 1;
  /** In which generation each was joined last. */
  readonly #joined = new Map<PostgresNode, number>();

  private constructor(nodes: readonly PostgresNode[]) {
    this.nodes = nodes;
    this.#primary = nodes[0] as PostgresNode;
    this.#isJoined(this.#primary);
  }

  /** Serves, with both standbys in the quorum. */
  static async start(): Promise<PostgresCluster> {
    const nodes = await Promise.all(["n1", "n2", "n3"].map((name) => PostgresNode.create(name)));
    const cluster = new PostgresCluster(nodes);
    const { primary, standbys } = cluster;
    try {
      await primary.initialize();
      await primary.start();
      for (const standby of standbys) await cluster.join(standby);
      for (const node of nodes) await cluster.#name(node);
      await cluster.whole();
    } catch (cause) {
      // Its processes and sockets would keep the test that it failed from ending.
      await cluster.stop();
      throw cause;
    }
    return cluster;
  }

  get primary(): PostgresNode {
    return this.#primary;
  }

  get standbys(): readonly PostgresNode[] {
    return this.nodes.filter((node) => node !== this.#primary);
  }

  /** The addresses of all nodes. */
  get urls(): readonly string[] {
    return this.nodes.map(
      ({ clients }) => `postgresql://rialto@127.0.0.1:${clients.port}/postgres`,
    );
  }

  /** Makes the node a standby by copying the primary. */
  async join(node: PostgresNode): Promise<void> {
    await node.copyFrom(this.#primary, this.memberName(node), this.#quorumFor(node));
    this.#isJoined(node);
    await node.start();
  }

  /** Resolves when both standbys are in the quorum. */
  async whole(): Promise<void> {
    const counted =
      "SELECT count(*)::int AS n FROM pg_stat_replication " +
      "WHERE sync_state = 'quorum' AND state = 'streaming'";
    await waitUntil("two standbys count", async () => {
      const [row] = await this.#primary.query(counted);
      return row?.n === 2;
    });
  }

  /**
   * Promotes the running standby that has most, with the next generation of names. First all leave
   * the old primary, which can acknowledge nothing from then on, dead or not; it stays out until
   * it is joined again.
   */
  async failOver(): Promise<void> {
    const standbys = this.standbys.filter(({ isRunning }) => isRunning);
    await Promise.all(standbys.map((standby) => standby.leave()));
    const ends = new Map<PostgresNode, bigint>();
    for (const standby of standbys) ends.set(standby, await standby.replayedLsn());
    const endOf = (standby: PostgresNode) => ends.get(standby) ?? 0n;
    const [best] = standbys.toSorted((a, b) => (endOf(a) < endOf(b) ? 1 : -1));
    if (best === undefined) throw new Error("no standby runs");
    this.#generation++;
    this.#primary = best;
    await this.#name(best);
    await best.promote();
    this.#isJoined(best);
    for (const other of standbys) {
      if (other === best) continue;
      await other.follow(best, this.memberName(other));
      this.#isJoined(other);
    }
  }

  /** As an operator does it. */
  async failOverByProgram(): Promise<Failover> {
    const options = { urls: this.urls, loseAcknowledged: false, copySequence: null };
    const done = await failOver({ ...NODE_PLATFORM, ...options });
    this.#primary = this.node(done.primary);
    this.#generation = done.generation;
    for (const name of [done.primary, ...done.standbys]) this.#isJoined(this.node(name));
    return done;
  }

  /** As an operator does it, where PostgreSQL has the programs for it: not that of npm. */
  async joinByProgram(node: PostgresNode, how: "rewound" | "copied"): Promise<void> {
    const programs = postgresPrograms();
    if (!existsSync(join(programs, "pg_rewind"))) {
      await this.join(node);
      return;
    }
    const { dataFolder, name } = node;
    if (how === "copied") rmSync(dataFolder, { recursive: true });
    const joined = await joinStandby({ urls: this.urls, name, pgdata: dataFolder, programs });
    assert.deepEqual(joined, { how, generation: this.#generation });
    // The settings of the source came along.
    node.becomeStandby(this.#primary, this.memberName(node));
    this.#isJoined(node);
    await node.start();
  }

  #isJoined(node: PostgresNode): void {
    this.#joined.set(node, this.#generation);
  }

  /** Whether it was a member, and is none until it is joined. */
  isFormer(node: PostgresNode): boolean {
    return this.#joined.get(node) !== this.#generation;
  }

  node(name: string): PostgresNode {
    const found = this.nodes.find((node) => node.name === name);
    if (found === undefined) throw new Error(`there is no ${name}`);
    return found;
  }

  /** Names who counts for the node's commits. */
  async #name(node: PostgresNode): Promise<void> {
    await node.configure(this.#quorumFor(node));
  }

  #quorumFor(node: PostgresNode) {
    const others = this.nodes.filter((each) => each !== node).map((each) => this.memberName(each));
    return { synchronous_standby_names: `ANY 1 (${others.join(", ")})` };
  }

  /** Under which the node counts for the commits of the others. */
  memberName(node: PostgresNode, generation = this.#generation): string {
    return `${node.name}_g${generation}`;
  }

  /** Under which a former member counted. */
  formerMemberName(node: PostgresNode): string {
    return this.memberName(node, this.#joined.get(node));
  }

  async stop(): Promise<void> {
    await Promise.all(this.nodes.map((node) => node.close()));
  }
}
