/** Proves which states of a cluster are warned of, and that a whole one is not. */
import assert from "node:assert/strict";
import test from "node:test";
import type { GetClusterAnswer } from "../../../client/index.ts";
import { clusterWarnings } from "./cluster-warnings.ts";

const node = (name: string, role: "leader" | "follower" | "down") => ({
  node: name,
  role,
  url: "http://127.0.0.1:8080",
  version: "1",
  rules: 1,
  appliedSequence: 5,
  lagMs: 0,
  confirmed: role !== "down",
});
const WHOLE: GetClusterAnswer = {
  generation: 1,
  epoch: 1,
  leader: "n1",
  nodes: [node("n1", "leader"), node("n2", "follower")],
  postgres: ["p1", "p2", "p3"].map((name, index) => ({
    name,
    role: index === 0 ? "primary" : "standby",
    timeline: 1,
    sync: true,
  })),
  quorum: true,
};

test("a whole cluster has no warnings", () => {
  assert.deepEqual(clusterWarnings(WHOLE), []);
});

test("each loss has its sentence", () => {
  const [, ...rest] = WHOLE.postgres;
  const lost = [...rest, { name: "p1", role: "down", timeline: null, sync: false } as const];
  assert.match(clusterWarnings({ ...WHOLE, postgres: lost }).join(), /^One more loss/);
  assert.match(clusterWarnings({ ...WHOLE, leader: null }).join(), /^No node leads/);
  assert.match(clusterWarnings({ ...WHOLE, quorum: false, leader: null }).join(), /^No quorum/);
  const nodes = [node("n1", "leader"), node("n2", "down")];
  assert.deepEqual(clusterWarnings({ ...WHOLE, nodes }), ["Not there: n2."]);
});
