/** What is wrong with a cluster, in sentences. */
import type { GetClusterAnswer } from "../../../client/index.ts";

const COUNTED_MIN = 3;

export function clusterWarnings(cluster: GetClusterAnswer): readonly string[] {
  const { leader, nodes, postgres, quorum } = cluster;
  const counted = postgres.filter(({ sync }) => sync).length;
  const down = nodes.filter(({ role }) => role === "down").map(({ node }) => node);
  return [
    quorum ? null : "No quorum of PostgreSQL confirms commits: orders wait.",
    quorum && leader === null ? "No node leads: one takes over within four seconds." : null,
    quorum && counted < COUNTED_MIN
      ? "One more loss of PostgreSQL stops the exchange: join the node that does not count."
      : null,
    down.length === 0 ? null : `Not there: ${down.join(", ")}.`,
  ].filter((warning) => warning !== null);
}
