/**
 * Three nodes over three of PostgreSQL that are lost in every way, and come back as operators bring
 * them back: the standby that has most is promoted, whoever was relieved is started again, and a
 * former primary is rewound or copied before it counts.
 */
import assert from "node:assert/strict";
import { setTimeout as sleep } from "node:timers/promises";
import { ClusterNodes } from "./cluster-nodes.ts";
import { listStandardMarkets } from "./exchange-setup.ts";
import { PostgresCluster } from "./postgres-cluster.ts";
import type { PostgresNode } from "./postgres-node.ts";
import { waitUntil } from "./wait-until.ts";

/** What is lost in a round, at the same moment. */
export interface Loss {
  readonly name: string;
  readonly leader?: "killed" | "paused";
  /**
   * The primary: its machine, its first process, or its network while it lives on; `diverged`: the
   * same, and it writes alone. Or a standby.
   */
  readonly postgres?: "machine" | "postmaster" | "partition" | "diverged" | "standby";
}

const NAMES = ["n1", "n2", "n3"];
/** Long enough for many commits, if anybody confirmed them. */
const ALONE_MS = 1500;
let timesAlone = 0;

export class FailingCluster {
  readonly postgres: PostgresCluster;
  readonly nodes: ClusterNodes;

  private constructor(postgres: PostgresCluster, nodes: ClusterNodes) {
    this.postgres = postgres;
    this.nodes = nodes;
  }

  /** With the standard markets. */
  static async start(): Promise<FailingCluster> {
    const postgres = await PostgresCluster.start();
    const cluster = new FailingCluster(postgres, new ClusterNodes(postgres));
    try {
      await cluster.#begin();
    } catch (error) {
      await cluster.stop();
      throw error;
    }
    return cluster;
  }

  async #begin(): Promise<void> {
    const { nodes } = this;
    const made = await nodes.run("cluster", "init");
    assert.equal(made.status, 0, made.stderr);
    await Promise.all(NAMES.map((name) => nodes.start(name)));
    await listStandardMarkets(nodes.node(await nodes.leader()));
  }

  async loseLeader(name: string, how: Loss["leader"]): Promise<void> {
    if (how === "killed") await this.nodes.node(name).kill("SIGKILL");
    if (how === "paused") this.nodes.node(name).signal("SIGSTOP");
  }

  /** Whoever was relieved by another leader ends with 75, when it notices. */
  async endLeader(name: string, how: Loss["leader"]): Promise<void> {
    if (how === undefined) return;
    const node = this.nodes.node(name);
    if (how === "paused") {
      node.signal("SIGCONT");
      assert.equal((await node.ended).code, 75, node.output);
    }
    await this.nodes.start(name);
  }

  /** Resolves with who is away, when another primary was promoted. */
  async losePostgres(how: Loss["postgres"], leader: string): Promise<PostgresNode | null> {
    if (how === undefined) return null;
    const { primary, standbys } = this.postgres;
    if (how === "standby") {
      const [standby] = standbys as [PostgresNode];
      await standby.kill();
      return standby;
    }
    if (how === "machine") await primary.kill();
    else if (how === "postmaster") await primary.killFirst();
    else {
      primary.clients.break();
      primary.replication.break();
    }
    // What a node has applied, the promoted one has. The leader would wait for its commits.
    const [follower] = [...this.nodes.nodes].filter(([name]) => name !== leader);
    const applied = (await follower?.[1].operator.invariants())?.sequence ?? 0;
    const done = await this.postgres.failOverByProgram();
    assert.deepEqual(done.away, [primary.name]);
    assert.ok(done.sequence >= applied, `promoted at ${done.sequence}, a node is at ${applied}`);
    return primary;
  }

  /**
   * The former primary writes alone and comes back under the name that counted once, copied by
   * nobody; then the healthy standby goes. Nothing may be acknowledged until it is back.
   */
  async comeBackDiverged(old: PostgresNode, acknowledged: () => number): Promise<void> {
    const { primary, standbys } = this.postgres;
    const table = `alone_${++timesAlone}`;
    await old.query(`SET synchronous_commit = local; CREATE TABLE ${table} (id integer)`);
    await old.stop();
    this.#mend(old);
    old.forgetSettings();
    old.becomeStandby(primary, this.postgres.formerMemberName(old));
    await old.start();
    const healthy = standbys.find((standby) => standby !== old) as PostgresNode;
    await healthy.kill();
    const before = acknowledged();
    await sleep(ALONE_MS);
    const extra = acknowledged() - before;
    await healthy.start();
    // Of each trader one answer may have been on its way.
    assert.ok(extra <= NAMES.length, `${extra} orders were acknowledged by a diverged member`);
    await old.stop("SIGINT");
  }

  #mend(node: PostgresNode): void {
    node.clients.mend();
    node.replication.mend();
  }

  /** Everything is there again, and every standby counts. */
  async comeBack(away: PostgresNode | null, how: "rewound" | "copied"): Promise<void> {
    if (away !== null) {
      // A primary that lived on is found by everybody now, and written by nobody.
      this.#mend(away);
      if (this.postgres.isFormer(away)) {
        await away.stop();
        await this.postgres.joinByProgram(away, how);
      } else await away.start();
    }
    await this.postgres.whole();
    await waitUntil("all nodes follow", async () => {
      await this.nodes.startAgain();
      const ready = await this.nodes.ready();
      return [...ready.values()].every(({ status }) => status === "ready");
    });
  }

  async stop(): Promise<void> {
    await this.nodes.stop();
    await this.postgres.stop();
  }
}
