/**
 * Proves that a client of any node sees one exchange: what is acknowledged is in the log, once, at
 * its place; what is refused is not there; a signed read sees everything that was acknowledged
 * before it, and the command before it on its connection. Method: three nodes with the real routing
 * in simulated time, killed, paused, stopped and cut off by seeds, over a toy engine that notices
 * each repetition; and three planted mistakes, each of which must be seen.
 */
import assert from "node:assert/strict";
import test from "node:test";
import { Random, scaled, seededRandom } from "../../test/support/random.ts";
import { simulateRouting } from "../../test/support/routing-clients.ts";

const random = seededRandom("routing");
const SEEDS = 2000;

test("nothing acknowledged is lost, nothing is done twice, no read is old", async () => {
  const sum = { runs: 0, answered: 0, unknown: 0, reads: 0, takeovers: 0, retried: 0 };
  for (let run = 0; run < scaled(SEEDS); run++) {
    const seed = random.integer(0, 2 ** 32 - 1);
    const { breaches, ...counts } = await simulateRouting(new Random(seed), null);
    assert.deepEqual(breaches, [], `seed ${seed}`);
    sum.runs++;
    for (const name of ["answered", "unknown", "reads", "takeovers", "retried"] as const) {
      sum[name] += counts[name];
    }
  }
  console.log(`# routing: ${JSON.stringify(sum)}`);
  assert.ok(sum.takeovers > sum.runs, "leaders change");
  assert.ok(sum.retried > sum.runs, "requests outlive their leaders");
  assert.ok(sum.unknown < sum.answered / 100, "hardly any outcome stays unknown");
});

for (const planted of ["old-leader-reads", "welcome-at-once", "forgets-the-log"] as const) {
  test(`the simulation sees a planted mistake: ${planted}`, async () => {
    let seen = 0;
    for (let run = 0; run < 5000 && seen === 0; run++) {
      const seed = random.integer(0, 2 ** 32 - 1);
      seen += (await simulateRouting(new Random(seed), planted)).breaches.length;
    }
    assert.ok(seen > 0, "no run showed it");
  });
}
