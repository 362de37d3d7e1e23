/** Metrics of a node of a cluster; an exchange on one machine has none of these values. */
import { Counter, Gauge, type Registry } from "@prometheus-io/client";
import type { Confirmation } from "../journal/index.ts";

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
}

export class ClusterMetrics {
  readonly #leads: Gauge<"node">;
  readonly #epoch: Gauge<"node">;
  readonly #generation: Gauge<"node">;
  readonly #lag: Gauge<"node">;
  readonly #members: Gauge<"node">;
  readonly #confirmedLag: Gauge<"node">;
  readonly #diverged: Gauge<"node">;
  readonly #takeovers: Counter<"node">;
  #read: (() => ClusterReading) | null = null;

  constructor(registry: Registry) {
    const registers = [registry];
    const labelNames = ["node"] as const;
    const gauge = (name: string, help: string) =>
      new Gauge<"node">({ name: `rialto_${name}`, help, labelNames, registers });
    this.#leads = gauge("leads", "1 on the node that leads its cluster, 0 on the others");
    this.#epoch = gauge("epoch", "How often a node has taken the lead of the cluster");
    this.#generation = gauge("generation", "Of the membership of PostgreSQL");
    this.#lag = gauge("log_lag_seconds", "How old the node's copy of the log may be");
    this.#members = gauge(
      "quorum_members",
      "PostgreSQL nodes that count for commits, with the primary; 0 without a quorum",
    );
    this.#confirmedLag = gauge(
      "confirmed_lag",
      "Seconds ago that a standby had all that was acknowledged; of the leader",
    );
    this.#diverged = gauge(
      "diverged_members",
      "PostgreSQL standbys that have shown another row than the log; of the leader",
    );
    this.#takeovers = new Counter({
      name: "rialto_takeovers_total",
      help: "How often this process has taken the lead",
      labelNames,
      registers,
    });
  }

  /** Called once, by a node. */
  watch(read: () => ClusterReading): void {
    this.#read = read;
    this.#takeovers.inc({ node: read().node }, 0);
  }

  tookOver(node: string): void {
    this.#takeovers.inc({ node });
  }

  refresh(): void {
    if (this.#read === null) return;
    const { confirmed, epoch, generation, lagMs, leads, node, quorumMembers } = this.#read();
    this.#leads.set({ node }, leads ? 1 : 0);
    this.#epoch.set({ node }, epoch);
    this.#generation.set({ node }, generation);
    this.#lag.set({ node }, lagMs / 1000);
    this.#members.set({ node }, quorumMembers);
    if (confirmed === null) return;
    this.#confirmedLag.set({ node }, confirmed.lagMs / 1000);
    this.#diverged.set({ node }, confirmed.diverged);
  }
}
