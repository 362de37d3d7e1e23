/**
 * Proves that lease and log together give one writer at a time, that nothing acknowledged is lost,
 * and that no leader answers a read with less than was acknowledged before. Method: nodes in
 * simulated time, each with a clock of its own rate, pauses, a slow database with row locks, lost
 * answers and outages, from seeds; and three planted mistakes, each of which must be seen.
 */
import assert from "node:assert/strict";
import test from "node:test";
import { type Planted, simulateLeases } from "../../test/support/lease-simulation.ts";
import { Random, scaled, seededRandom } from "../../test/support/random.ts";

const random = seededRandom("lease");
const HORIZON_MS = 60_000;

async function breachesOf(seed: number, planted: Planted | null) {
  return simulateLeases(new Random(seed), HORIZON_MS, planted);
}

test("one writer, nothing lost, no old answer", async () => {
  const sum = { runs: 0, takeovers: 0, writes: 0, reads: 0, refusedReads: 0, releases: 0 };
  for (let run = 0; run < scaled(150); run++) {
    const seed = random.integer(0, 2 ** 32 - 1);
    const { breaches, takeovers, writes, reads, refusedReads, releases } = await breachesOf(
      seed,
      null,
    );
    assert.deepEqual(breaches, [], `seed ${seed}`);
    sum.runs++;
    sum.takeovers += takeovers;
    sum.writes += writes;
    sum.reads += reads;
    sum.refusedReads += refusedReads;
    sum.releases += releases;
  }
  console.log(`# lease: ${JSON.stringify(sum)}`);
  assert.ok(sum.takeovers > sum.runs, "leaders change");
  assert.ok(sum.releases > 0, "leaders stop");
  assert.ok(sum.refusedReads > 0 && sum.reads > 5 * sum.refusedReads, "most reads are answered");
});

for (const planted of ["claims-blindly", "beats-unowned", "fence-open"] as const) {
  test(`the simulation sees a planted mistake: ${planted}`, async () => {
    let seen = 0;
    for (let run = 0; run < 200 && seen === 0; run++) {
      const { breaches } = await breachesOf(random.integer(0, 2 ** 32 - 1), planted);
      seen += breaches.length;
    }
    assert.ok(seen > 0, "no run showed it");
  });
}
