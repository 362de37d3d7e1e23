/**
 * Proves that the exchange cannot be robbed within its rules. Three colluding accounts search for a
 * way with plans that evolve. While the index stands still, their joint gain at the index is at
 * most zero to the last minor unit, honest accounts lose nothing and are never liquidated, and the
 * insurance fund shrinks by no more than the fees that the colluding accounts paid. While the index
 * walks, the fund pays no more than its limits allow. `planted-exploits.test.ts` shows that thefts
 * are found.
 */
import assert from "node:assert/strict";
import test from "node:test";
import { scaled, seededRandom } from "../../support/random.ts";
import { AdversarySearch, type SearchReport } from "./adversary-search.ts";

const EPISODES = 12_000;
const FILE = "test/models/adversary/adversary.test.ts";

/** Without these the search would not have tried anything that could hurt. */
const MUST_REACH = [
  ...["liquidation: hand ISOLATED", "liquidation: hand CROSSED", "liquidation: holder"],
  ...["liquidation: hand closes with hand", "adl: hand closes with hand", "fund pays for"],
  ...["adl: hand closes with maker", "liquidation: below nothing at the mark", "funding: hand"],
  ...["ended: margin-not-enough", "ended: not-fillable-at-once", "half of the hour's limit"],
  ...["algo-order-changed", "resumed", "position-margin-moved", "netting:"],
] as const;

const random = seededRandom("adversary");

test("three accounts of one hand gain nothing, however they go about it", () => {
  const search = new AdversarySearch(random);
  const report = search.run(scaled(EPISODES));
  print(report);
  const { found } = report;
  if (found !== null) {
    const again = `RIALTO_TEST_SEED=${random.seed} npm test -- ${FILE}`;
    const { episode, finder, detail, lines, origin } = found;
    const what = `episode ${episode} (${origin}) found ${finder}: ${detail}`;
    assert.fail([what, `again: ${again}`, ...lines].join("\n"));
  }
  const reached = [...report.reached.keys()];
  const missing = MUST_REACH.filter((what) => !reached.some((key) => key.startsWith(what)));
  assert.deepEqual(missing, [], "the search did not get there");
});

function print({ episodes, bestGain, reached, byOrigin }: SearchReport): void {
  console.log(`# ${episodes} episodes, best joint gain ${bestGain} while nothing outside moved`);
  for (const [origin, times] of byOrigin) console.log(`#   ${String(times).padStart(6)} ${origin}`);
  const rows = [...reached].sort((one, next) => next[1] - one[1]);
  for (const [what, times] of rows) console.log(`#   ${String(times).padStart(6)} ${what}`);
}
