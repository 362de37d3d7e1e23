/**
 * Three nodes of PostgreSQL with quorum replication (`ANY 1` of the other two), as processes of the
 * test: they are killed, cut off, promoted and joined again. Clients and standbys reach each node
 * through a proxy of their own, which breaks the network on demand.
 *
 * A node's name in the quorum has the generation of the membership (`n1_g2`): a standby that was
 * not joined again since the last failover has an old name, and does not count.
 */
import { PostgresNode } from "./postgres-node.ts";
import { waitUntil } from "./wait-until.ts";

export class PostgresCluster {
  readonly nodes: readonly PostgresNode[];
  #primary: PostgresNode;
  #generation = 1;

  private constructor(nodes: readonly PostgresNode[]) {
    this.nodes = nodes;
    this.#primary = nodes[0] as PostgresNode;
  }

  /** Serves, with both standbys in the quorum. */
  static async start(): Promise<PostgresCluster> {
    const nodes = await Promise.all(["n1", "n2", "n3"].map((name) => PostgresNode.create(name)));
    const cluster = new PostgresCluster(nodes);
    const { primary, standbys } = cluster;
    await primary.initialize();
    await primary.start();
    await Promise.all(standbys.map((standby) => cluster.join(standby)));
    for (const node of nodes) await cluster.#name(node);
    await cluster.whole();
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
    await node.copyFrom(this.#primary, this.memberName(node));
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
    for (const standby of standbys) ends.set(standby, await standby.receivedLsn());
    const endOf = (standby: PostgresNode) => ends.get(standby) ?? 0n;
    const [best] = standbys.toSorted((a, b) => (endOf(a) < endOf(b) ? 1 : -1));
    if (best === undefined) throw new Error("no standby runs");
    this.#generation++;
    this.#primary = best;
    await this.#name(best);
    await best.promote();
    for (const other of standbys) {
      if (other !== best) await other.follow(best, this.memberName(other));
    }
  }

  /** Names who counts for the node's commits. */
  async #name(node: PostgresNode): Promise<void> {
    const others = this.nodes.filter((each) => each !== node).map((each) => this.memberName(each));
    await node.configure({ synchronous_standby_names: `ANY 1 (${others.join(", ")})` });
  }

  /** Under which the node counts for the commits of the others. */
  memberName({ name }: PostgresNode): string {
    return `${name}_g${this.#generation}`;
  }

  async stop(): Promise<void> {
    await Promise.all(this.nodes.map((node) => node.close()));
  }
}
