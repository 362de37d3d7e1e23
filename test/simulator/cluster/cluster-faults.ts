/**
 * What goes wrong in a cluster. A fault strikes at some moment of a step and lasts for a while, so
 * that others come on top of it. Of PostgreSQL one node at a time is in trouble, which is what a
 * quorum of two in three is made for.
 */
import { Random } from "../../support/random.ts";
import type { SimulatedCluster } from "./cluster.ts";
import type { ClusterNode } from "./node.ts";

/** Where a fault strikes, and what it needs for that. */
interface Striking {
  readonly cluster: SimulatedCluster;
  readonly random: Random;
  /** More often than not the one that leads. */
  readonly node: ClusterNode;
  /** Another one. */
  readonly other: ClusterNode;
  /** When it is over, after a moment or longer than anybody's patience. */
  readonly later: (run: () => void) => void;
}

type Fault = (striking: Striking) => void;

const TURNS = 60;

function kill({ later, node }: Striking, how: Parameters<ClusterNode["kill"]>[0]): void {
  node.kill(how);
  later(() => node.start());
}

function pause({ later, node }: Striking): void {
  node.pause();
  later(() => node.resume());
}

function cut({ cluster: { network }, later }: Striking, one: string, other: string): void {
  network.cut(one, other);
  network.cut(other, one);
  later(() => network.join(one, other));
}

/**
 * Commits wait first. Then something makes them visible that no standby has; afterwards standbys
 * get them, or are promoted without them.
 */
function unreplicated(at: Striking, over: () => void, begin: () => () => void): void {
  const { cluster, later, random } = at;
  const { network, postgres } = cluster;
  const { primary, standbys } = postgres;
  for (const { name } of standbys) network.cut(primary.name, name);
  later(() => {
    const end = begin();
    later(() => {
      end();
      later(() => {
        if (random.chance(0.5)) {
          postgres.stop(primary, false);
          later(() => postgres.failOver());
          return;
        }
        for (const { name } of standbys) network.join(primary.name, name);
        postgres.goOn();
        over();
      });
    });
  });
}

const NODE_FAULTS = {
  "node-killed": (at) => kill(at, "kill"),
  "node-killed-at-a-turn": (at) => {
    at.node.after(at.random.integer(0, TURNS), () => kill(at, "kill"));
  },
  "node-power-cut": (at) => {
    kill(at, at.random.pick(["drops-all", "keeps-all", "tears"]));
  },
  "node-paused": pause,
  "node-paused-at-a-turn": (at) => {
    at.node.after(at.random.integer(0, TURNS), () => pause(at));
  },
  "node-stopped": ({ node }) => node.stop(),
  "node-disk-fails": ({ node, random }) => node.failDisk(random.integer(0, 10)),
  "node-without-primary": (at) => {
    cut(at, at.node.name, at.cluster.postgres.primary.name);
  },
  "link-cut": (at) => cut(at, at.node.name, at.other.name),
  "link-half-open": ({ cluster: { network }, later, node, other }) => {
    network.cut(node.name, other.name);
    later(() => network.join(node.name, other.name));
  },
  "link-slow": ({ cluster: { network }, later, node, other, random }) => {
    network.slow(node.name, other.name, random.integer(10, 1500));
    later(() => network.slow(node.name, other.name, 1));
  },
  "link-reset": ({ cluster: { network }, node, other }) => network.reset(node.name, other.name),
  "answer-lost": ({ cluster: { postgres } }) => {
    postgres.primary.losesAnswer = true;
  },
  "postgres-slow": ({ cluster: { postgres }, later, random }) => {
    const { primary } = postgres;
    primary.slowestMs = random.integer(10, 4000);
    later(() => {
      primary.slowestMs = 0;
    });
  },
} satisfies Record<string, Fault>;

/** Each ends with everything mended, or by itself, which it then says. */
const POSTGRES_FAULTS = {
  "standby-killed": ({ cluster: { postgres }, later, random }, over) => {
    const standby = random.pick(postgres.standbys);
    postgres.stop(standby, random.chance(0.5));
    later(() => {
      postgres.start(standby);
      over();
    });
  },
  "standby-silent": ({ cluster: { network, postgres }, later, random }, over) => {
    const { name } = random.pick(postgres.standbys);
    network.pause(name);
    later(() => {
      network.resume(name);
      postgres.goOn();
      over();
    });
  },
  "primary-restarted": (at, over) => {
    const { postgres } = at.cluster;
    const { primary } = postgres;
    unreplicated(at, over, () => {
      postgres.stop(primary, false);
      return () => postgres.start(primary);
    });
  },
  "wait-cancelled": (at, over) => {
    const { postgres } = at.cluster;
    const { primary } = postgres;
    unreplicated(at, over, () => () => postgres.cancelWaits(primary));
  },
  "primary-killed": ({ cluster: { postgres }, later, random }) => {
    postgres.stop(postgres.primary, random.chance(0.5));
    later(() => postgres.failOver());
  },
  // Some nodes still reach it, and it goes on showing what it has.
  "primary-cut-off": ({ cluster: { network, postgres }, later }) => {
    const { primary, standbys } = postgres;
    for (const { name } of standbys) {
      network.cut(primary.name, name);
      network.cut(name, primary.name);
    }
    later(() => postgres.failOver());
  },
} satisfies Record<string, (striking: Striking, over: () => void) => void>;

export type ClusterFault = keyof typeof NODE_FAULTS | keyof typeof POSTGRES_FAULTS;

export const CLUSTER_FAULTS = [
  ...Object.keys(NODE_FAULTS),
  ...Object.keys(POSTGRES_FAULTS),
] as ClusterFault[];

export class ClusterTrouble {
  readonly #cluster: SimulatedCluster;
  #hasPostgresTrouble = false;
  /** What has begun before everything was mended is over. */
  #mended = 0;

  constructor(cluster: SimulatedCluster) {
    this.#cluster = cluster;
  }

  async mend(): Promise<void> {
    this.#hasPostgresTrouble = false;
    this.#mended++;
    await this.#cluster.mend();
  }

  /** It strikes within so many milliseconds. */
  strike(kind: ClusterFault, random: Random): void {
    const inMs = random.chance(0.5) ? random.integer(0, 5) : random.integer(0, 2000);
    const own = new Random(random.integer(0, 0x7fffffff));
    this.#after(inMs, () => this.#strike(kind, own));
  }

  #after(delayMs: number, run: () => void): void {
    const mended = this.#mended;
    this.#cluster.life.time.after(delayMs, () => {
      if (this.#mended === mended) run();
    });
  }

  #strike(kind: ClusterFault, random: Random): void {
    const cluster = this.#cluster;
    const { leader, nodes } = cluster;
    const node = leader !== undefined && random.chance(0.6) ? leader : random.pick(nodes);
    const other = random.pick(nodes.filter((each) => each !== node));
    const later = (run: () => void): void => {
      const shortMs = random.integer(1, 400);
      this.#after(random.chance(0.5) ? shortMs : random.integer(400, 9000), run);
    };
    const striking = { cluster, random, node, other, later };
    if (kind in NODE_FAULTS) {
      NODE_FAULTS[kind as keyof typeof NODE_FAULTS](striking);
      return;
    }
    if (this.#hasPostgresTrouble) return;
    this.#hasPostgresTrouble = true;
    POSTGRES_FAULTS[kind as keyof typeof POSTGRES_FAULTS](striking, () => {
      this.#hasPostgresTrouble = false;
    });
  }
}
