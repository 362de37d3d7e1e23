/** A cluster as one of its nodes sees it, for operators. */
import type { OperatorAnswer } from "../../api/operator/routes.ts";
import type { PostgresView, SeenMember } from "../../journal/index.ts";
import { LIVE_MS, type MembershipWatch } from "./membership-watch.ts";

type ClusterView = OperatorAnswer<"getCluster">;
type NodeRow = ClusterView["nodes"][number];

/** Behind by more, a copy is not known to have what was acknowledged. */
export const LAG_MAX_MS = 1000;

/** `own` is the asked node as it is now: it may be ahead of what it told. */
export function viewCluster(
  members: MembershipWatch,
  postgres: readonly PostgresView[],
  own: NodeRow,
): ClusterView {
  // Whoever told lately did so with a commit that a quorum has.
  const quorum = members.present !== null;
  const { epoch = 0, generation = 0, members: told = [] } = members.last ?? {};
  const leader = quorum ? (members.leader?.name ?? null) : null;
  const others = told.filter(({ name }) => name !== own.node);
  const nodes = [...others.map((member) => toRow(member, quorum, leader)), own];
  nodes.sort((one, other) => (one.node < other.node ? -1 : 1));
  return { generation, epoch, leader, nodes, postgres: [...postgres], quorum };
}

function toRow(member: SeenMember, isRecent: boolean, leader: string | null): NodeRow {
  const { lagMs, name: node, rules, sequence: appliedSequence, silentMs, url, version } = member;
  const isThere = isRecent && silentMs < LIVE_MS;
  const role = isThere ? (node === leader ? "leader" : "follower") : "down";
  const confirmed = isThere && lagMs <= LAG_MAX_MS;
  return { node, role, url, version, rules, appliedSequence, lagMs, confirmed };
}
