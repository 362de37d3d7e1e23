/** Metrics of a node of a cluster; an exchange on one machine has none of these values. */
import { Counter, Gauge, Histogram, type Registry } from "@prometheus-io/client";
import type { AppendObserver, Confirmation } from "../journal/index.ts";

export interface ClusterReading {
  readonly node: string;
  readonly leads: boolean;
  readonly epoch: number;
  readonly generation: number;
  /** Everything that was durable this long ago is here. */
  readonly lagMs: number;
  /** PostgreSQL nodes on which commits are flushed, the primary included; 0 without a quorum. */
  readonly quorumMembers: number;
  /** What standbys have shown; null where nothing is asked of them. */
  readonly confirmed: Pick<Confirmation, "lagMs" | "diverged"> | null;
  /** Of the log's last partition, the share that is free; null while it follows. */
  readonly partitionLeft: number | null;
  /** Requests of this node's clients that wait for the leader. */
  readonly linkQueue: number;
  /** Requests with commands that this node passed on, by what became of them. */
  readonly forwarded: Readonly<Record<ForwardedResult, number>>;
}

/** `retried`: sent again, or found in the log; each is also one of the others in the end. */
type ForwardedResult = "answered" | "unavailable" | "retried";

const SECONDS_BUCKETS = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1, 2.5, 10];

export class ClusterMetrics implements AppendObserver {
  readonly #own: ReturnType<typeof createMetrics>;
  #read: (() => ClusterReading) | null = null;
  #node = "";

  constructor(registry: Registry) {
    this.#own = createMetrics(registry);
  }

  /** Called once, by a node. */
  watch(read: () => ClusterReading): void {
    this.#read = read;
    this.#node = read().node;
    this.#own.takeovers.inc({ node: this.#node }, 0);
    this.#own.retries.inc({ node: this.#node }, 0);
  }

  tookOver(): void {
    this.#own.takeovers.inc({ node: this.#node });
  }

  appended(durationMs: number): void {
    this.#own.append.observe({ node: this.#node }, durationMs / 1000);
  }

  retried(): void {
    this.#own.retries.inc({ node: this.#node });
  }

  /** A signed read of this node's own copy was answered. */
  readAnswered(durationMs: number): void {
    this.#own.readIndex.observe({ node: this.#node }, durationMs / 1000);
  }

  refresh(): void {
    if (this.#read === null) return;
    const { confirmed, forwarded, leads, node, partitionLeft, ...reading } = this.#read();
    const own = this.#own;
    own.role.set({ node, role: "leader" }, leads ? 1 : 0);
    own.role.set({ node, role: "follower" }, leads ? 0 : 1);
    own.epoch.set({ node }, reading.epoch);
    own.generation.set({ node }, reading.generation);
    own.lag.set({ node }, reading.lagMs / 1000);
    own.members.set({ node }, reading.quorumMembers);
    own.linkQueue.set({ node }, reading.linkQueue);
    own.forwarded.reset();
    for (const [result, count] of Object.entries(forwarded)) {
      own.forwarded.inc({ node, result }, count);
    }
    if (partitionLeft !== null) own.partitionLeft.set({ node }, partitionLeft);
    if (confirmed === null) return;
    own.confirmedLag.set({ node }, confirmed.lagMs / 1000);
    own.diverged.set({ node }, confirmed.diverged);
  }
}

function createMetrics(registry: Registry) {
  const registers = [registry];
  const labelNames = ["node"] as const;
  const named = (name: string, help: string) => ({ name: `rialto_${name}`, help, registers });
  const gauge = (name: string, help: string) =>
    new Gauge<"node">({ ...named(name, help), labelNames });
  const counter = (name: string, help: string) =>
    new Counter<"node">({ ...named(name, help), labelNames });
  const seconds = (name: string, help: string) =>
    new Histogram<"node">({ ...named(name, help), labelNames, buckets: SECONDS_BUCKETS });
  return {
    role: new Gauge<"node" | "role">({
      ...named("role", "1 for the role that the node has"),
      labelNames: ["node", "role"],
    }),
    epoch: gauge("epoch", "How often a node has taken the lead of the cluster"),
    generation: gauge("generation", "Of the membership of PostgreSQL"),
    lag: gauge("log_lag_seconds", "How old the node's copy of the log may be"),
    members: gauge(
      "quorum_members",
      "PostgreSQL nodes that count for commits, with the primary; 0 without a quorum",
    ),
    confirmedLag: gauge(
      "confirmed_lag",
      "Seconds ago that a standby had all that was acknowledged; of the leader",
    ),
    diverged: gauge(
      "diverged_members",
      "PostgreSQL standbys that have shown another row than the log; of the leader",
    ),
    partitionLeft: gauge(
      "log_partition_left_ratio",
      "Room in the partitions that the log has, in partitions; of the leader",
    ),
    append: seconds("log_append_seconds", "From sending a commit until it is durable"),
    retries: counter("log_retries_total", "Commits whose outcome had to be looked for"),
    linkQueue: gauge("link_queue", "Requests of this node that wait for the leader"),
    forwarded: new Counter<"node" | "result">({
      ...named("forwarded_total", "Requests that were passed on to the leader, by result"),
      labelNames: ["node", "result"],
    }),
    takeovers: counter("takeovers_total", "How often this process has taken the lead"),
    readIndex: seconds("read_index_seconds", "Signed reads of a follower, with the leader's word"),
  };
}
