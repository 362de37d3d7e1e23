/**
 * Goal: a cluster of whole nodes loses, doubles or changes nothing that it acknowledged, whatever
 * becomes of its nodes, its PostgreSQL and the network, and what is found can be repeated. Method:
 * a few seeds, each with faults of its own, and one of them twice. `docs/reference/proof.md` says
 * what is checked.
 */
import assert from "node:assert/strict";
import test from "node:test";
import { scaled, seededRandom } from "../../support/random.ts";
import { commandText } from "../command-line.ts";
import { simulateCluster } from "./cluster-simulation.ts";

const random = seededRandom("cluster-simulator");
const SEEDS = scaled(2, 1_000);
const STEPS = 8;
const SEED_MAX = 1_000_000;

test("no seed of a cluster finds a breach", async () => {
  for (let count = 0; count < SEEDS; count++) {
    const seed = random.integer(1, SEED_MAX);
    const { breach, faults, requests, restarts } = await simulateCluster({ seed, steps: STEPS });
    const kinds = Object.keys(faults).join(", ");
    console.log(`# seed ${seed}: ${requests} requests, ${restarts} starts, ${kinds}`);
    const step = breach?.step ?? STEPS;
    const repeat = commandText(seed, step, { isCluster: true });
    assert.equal(breach, null, `${breach?.text}\n${repeat}`);
  }
});

test("a seed of a cluster repeats to the last byte", async () => {
  const options = { seed: random.integer(1, SEED_MAX), steps: 3 };
  const once = await simulateCluster(options);
  assert.deepEqual(await simulateCluster(options), once);
});
