/** The status of a node and of its cluster, for clients, balancers, operators and metrics. */
import type { OperatorAnswer } from "../../api/operator/routes.ts";
import { HOLD_MS, type RoutedEngine } from "../../cluster/index.ts";
import { RULES_VERSION } from "../../engine/index.ts";
import type { LeaseRow, PostgresWatch } from "../../journal/index.ts";
import { EngineClient } from "../../protocol/index.ts";
import type { ClusterReading } from "../cluster-metrics.ts";
import type { NodeStatus, NodeView } from "../node-view.ts";
import type { NotReady } from "../readiness.ts";
import { VERSION } from "../version.ts";
import { LAG_MAX_MS, viewCluster } from "./cluster-view.ts";
import { type DemoParent, demoParent } from "./demo-parent.ts";
import { type Promotion, promote } from "./hand-over.ts";
import type { Lead } from "./lead.ts";
import type { MembershipWatch } from "./membership-watch.ts";
import type { NodeCore } from "./node-core.ts";

const SIGN_IN_LOOK_MS = 20;

export interface ReportedNode {
  readonly name: string;
  /** Of this run. */
  readonly run: string;
  readonly core: NodeCore;
  readonly members: MembershipWatch;
  readonly leaseRow: LeaseRow;
  readonly postgres: PostgresWatch;
  readonly routed: RoutedEngine;
  /** Of its API, as others reach it. */
  readonly url: () => string;
  /** Null while it follows. */
  readonly lead: () => Lead | null;
  readonly isStopping: () => boolean;
}

export class NodeReports implements NodeView {
  readonly engine: EngineClient;
  readonly present: EngineClient;
  readonly #node: ReportedNode;
  readonly demo: DemoParent | null = demoParent();
  /** Resolves when this node is near the end of the log again, or not for long. */
  #signingIn: Promise<string | null> | null = null;

  constructor(node: ReportedNode) {
    this.#node = node;
    this.engine = node.core.engine;
    this.present = new EngineClient(node.core.served.present);
  }

  notReadyBecause(): NotReady | null {
    const { journal } = this.#node.core;
    if (this.#node.isStopping()) return "stopping";
    const lead = this.#node.lead();
    if (lead === null) return journal.lagMs > LAG_MAX_MS ? "behind" : null;
    if (lead.stage !== "leading") return "taking-over";
    if (!lead.hasLease) return "no-quorum";
    if (journal.confirmation?.mayAnswer === false) return "unconfirmed";
    return journal.nearlyFull ? "disk-nearly-full" : null;
  }

  status(): NodeStatus {
    const { core, members, name } = this.#node;
    const isLeader = this.#node.lead()?.stage === "leading";
    const leader = isLeader ? name : (members.leader?.name ?? null);
    const lagMs = Math.round(core.journal.lagMs);
    return { node: name, role: isLeader ? "leader" : "follower", leader, lagMs };
  }

  reading(): ClusterReading {
    const { lagMs, node, role } = this.status();
    const { last, present } = this.#node.members;
    const { epoch = 0, generation = 0 } = last ?? {};
    const quorumMembers = present === null ? 0 : present.counted + 1;
    const leads = role === "leader";
    const { confirmation: confirmed, partitionLeft } = this.#node.core.journal;
    const { counts, waiting: linkQueue } = this.#node.routed;
    const { answered, retried, unavailable } = counts;
    const forwarded = { answered: answered - unavailable, retried, unavailable };
    const log = { epoch, generation, lagMs, quorumMembers, confirmed, partitionLeft };
    return { node, leads, ...log, linkQueue, forwarded };
  }

  async cluster(): Promise<OperatorAnswer<"getCluster">> {
    const { core, members, name, postgres, url } = this.#node;
    const { role } = this.status();
    const { confirmedLagMs } = core.journal;
    return viewCluster(members, await postgres.view(), {
      node: name,
      role,
      url: url(),
      version: VERSION,
      rules: RULES_VERSION,
      appliedSequence: core.served.durableSequence,
      lagMs: Math.round(confirmedLagMs),
      confirmed: confirmedLagMs <= LAG_MAX_MS,
    });
  }

  /** Resolves when the node of this name leads, or does not. */
  promote(node: string): Promise<Promotion> {
    const { core, leaseRow: row, members } = this.#node;
    return promote({ members, row, scheduler: core.platform.scheduler }, node);
  }

  whenSigningIn(): Promise<string | null> | null {
    if (this.#node.core.journal.lagMs <= LAG_MAX_MS) return null;
    this.#signingIn ??= this.#untilNear().finally(() => {
      this.#signingIn = null;
    });
    return this.#signingIn;
  }

  async #untilNear(): Promise<string | null> {
    const { core, isStopping, name } = this.#node;
    const { clock, scheduler } = core.platform;
    const endMs = clock.monotonicMs() + HOLD_MS;
    while (clock.monotonicMs() < endMs && !isStopping()) {
      await new Promise<void>((resolve) => {
        scheduler.after(SIGN_IN_LOOK_MS, resolve);
      });
      if (core.journal.lagMs <= LAG_MAX_MS) return null;
    }
    return `${name} does not reach PostgreSQL, try again`;
  }
}
