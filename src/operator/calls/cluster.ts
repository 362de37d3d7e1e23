/** Changes of a cluster: who leads, and the processes of a demo. */
import { refuse } from "../../api/errors.ts";
import type { OperatorCallId } from "../../api/operator/calls.ts";
import * as routes from "../../api/operator/cluster.ts";
import { done } from "../answers.ts";
import { handle } from "../call.ts";

/** About the asked node: who may call is seen in its own state, so they work without a leader. */
export const NODE_CALLS: ReadonlySet<OperatorCallId> = new Set([
  "getCluster",
  "getInvariants",
  "listHealthSamples",
  "startDemoProcess",
]);

const promoteNode = handle(routes.promoteNode, async ({ body, actor }, { log, node = null }) => {
  if (node === null) return refuse("no-cluster");
  log.warn({ node: body.node, actor }, "an operator gives the lead to a node");
  const promoted = await node.promote(body.node);
  if (promoted.ok) return done({ leader: promoted.leader, epoch: promoted.epoch });
  return refuse(promoted.reason, "node", promoted.why);
});

const startDemoProcess = handle(routes.startDemoProcess, async ({ body }, { node = null }) => {
  if (node === null || node.demo === null) return refuse("no-cluster-demo");
  const { entry, failure, unknown } = await node.demo.start(body.name);
  if (entry !== undefined) return done(entry);
  if (unknown !== undefined) return refuse("unknown-node", "name", `the names are ${unknown}`);
  return refuse("not-started", null, failure ?? "");
});

export const CLUSTER_CALLS = [promoteNode, startDemoProcess];
