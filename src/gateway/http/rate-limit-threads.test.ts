/**
 * Goal: gateways in several threads admit together what one would: never more than a pool holds
 * and gains, and weights are taken from address and user together or not at all.
 * Method: real threads take at random from one memory. While time stands still, what they were
 * given is compared with what the pools say is taken, and no request that would fit was refused;
 * while time passes, every window of every pool is added up.
 */
import assert from "node:assert/strict";
import test from "node:test";
import { Worker } from "node:worker_threads";
import type { Admission, LimitsTask } from "../../../test/support/limits-thread.ts";
import { scaled, seededRandom } from "../../../test/support/random.ts";
import { createRateLimits, openRateLimits, POOL_WEIGHT, type RouteLimits } from "./rate-limit.ts";

const random = seededRandom("rate limits in threads");
const THREADS = 4;
const START_MS = 1_000;
const IP = 2;
const UID = 5;
const INTERVAL_MS = 20;
const ROUTE = {
  id: "v3-order",
  limit: { kind: "weight", ip: IP, uid: UID },
  access: { anyOf: ["spot"] },
  countsAsOrder: true,
} as const;
/** A user and an address that no thread names. */
const NOBODY = 0;
const NOWHERE = "198.51.100.1";

interface Stress {
  readonly admitted: readonly Admission[];
  readonly route: RouteLimits;
  readonly endMs: number;
}

type Size = Pick<LimitsTask, "requests" | "addresses" | "users" | "passing">;

async function stress(size: Size): Promise<Stress> {
  const { memory } = createRateLimits(Buffer.from("hash key"));
  const clock = new SharedArrayBuffer(8);
  const cells = new Int32Array(clock);
  cells[0] = START_MS;
  const running = Array.from({ length: THREADS }, () => {
    const seed = random.integer(0, 2 ** 31);
    const task: LimitsTask = { ...size, memory, clock, threads: THREADS, seed, route: ROUTE };
    return admissionsOf(task);
  });
  const admitted = (await Promise.all(running)).flat();
  return { admitted, route: openRateLimits(memory).forRoute(ROUTE), endMs: cells[0] ?? 0 };
}

function admissionsOf(workerData: LimitsTask): Promise<readonly Admission[]> {
  const entry = new URL("../../../test/support/limits-thread.ts", import.meta.url);
  return new Promise((resolve, reject) => {
    const thread = new Worker(entry, { workerData });
    thread.once("message", resolve);
    thread.once("error", reject);
  });
}

function countBy(admitted: readonly Admission[], key: "address" | "uid"): Map<number, number> {
  const counts = new Map<number, number>();
  for (const admission of admitted) {
    counts.set(admission[key], (counts.get(admission[key]) ?? 0) + 1);
  }
  return counts;
}

test("while time stands still, pools hold what was given, of both or of none", async () => {
  for (let round = 0; round < scaled(6); round++) {
    const users = random.integer(2, 12);
    const addresses = random.integer(1, 8);
    const { admitted, route } = await stress({ requests: 20_000, addresses, users, passing: 0 });
    const byUser = countBy(admitted, "uid");
    const byAddress = countBy(admitted, "address");
    for (let uid = 1; uid <= users; uid++) {
      const given = byUser.get(uid) ?? 0;
      assert.ok(given * UID <= POOL_WEIGHT);
      assert.equal(route.usedWeight(NOWHERE, uid, START_MS), given * UID);
      assert.equal(route.orderCount(uid, START_MS), given);
    }
    for (let address = 1; address <= addresses; address++) {
      const given = byAddress.get(address) ?? 0;
      assert.ok(given * IP <= POOL_WEIGHT);
      assert.equal(route.usedWeight(`192.0.2.${address}`, NOBODY, START_MS), given * IP);
      for (let uid = 1; uid <= users; uid++) {
        const fits =
          (given + 1) * IP <= POOL_WEIGHT && ((byUser.get(uid) ?? 0) + 1) * UID <= POOL_WEIGHT;
        assert.equal(fits, false, "a request that fits was refused 20,000 times");
      }
    }
  }
});

/** The most that was certainly admitted within a window, over what a pool can give in it. */
function excess(admitted: readonly Admission[], weight: number): number {
  const byEnd = [...admitted].sort((a, b) => a.toMs - b.toMs);
  let worst = Number.NEGATIVE_INFINITY;
  for (const fromMs of new Set(admitted.map((admission) => admission.fromMs))) {
    let taken = 0;
    for (const admission of byEnd) {
      if (admission.fromMs < fromMs) continue;
      taken += weight;
      const gained = (admission.toMs - fromMs) / INTERVAL_MS;
      worst = Math.max(worst, taken - POOL_WEIGHT - gained);
    }
  }
  return worst;
}

test("while time passes, no window of a pool gives more than it holds and gains", async () => {
  for (let round = 0; round < scaled(3); round++) {
    const users = random.integer(2, 6);
    const addresses = random.integer(1, 3);
    const size = { requests: 20_000, addresses, users, passing: 0.05 };
    const { admitted, endMs } = await stress(size);
    assert.ok(endMs > START_MS + 1_000);
    for (const [key, weight] of [["uid", UID] as const, ["address", IP] as const]) {
      for (const of of countBy(admitted, key).keys()) {
        const pool = admitted.filter((admission) => admission[key] === of);
        const over = excess(pool, weight);
        assert.ok(over <= 0, `${over} too much of ${key} ${of}`);
      }
    }
    console.log(`# rate limits in threads: ${admitted.length} admitted in ${endMs} ms`);
  }
});
