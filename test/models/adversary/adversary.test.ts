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

/** Over four times those after which the slowest of the planted exploits is found. */
const EPISODES = scaled(4_000, 120_000);
/** Searched on for what was not reached, up to so many in all. */
const EPISODES_MAX = Math.max(EPISODES, 12_000);
const EPISODES_MORE = 1_000;
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
  let report = search.run(EPISODES);
  let { episodes } = report;
  while (report.found === null && missing(report).length > 0 && episodes < EPISODES_MAX) {
    report = search.run(EPISODES_MORE);
    episodes += report.episodes;
  }
  print(report, episodes);
  const { found } = report;
  if (found !== null) {
    const again = `RIALTO_TEST_SEED=${random.seed} npm test -- ${FILE}`;
    const { finder, detail, lines, origin } = found;
    const what = `episode ${episodes} (${origin}) found ${finder}: ${detail}`;
    assert.fail([what, `again: ${again}`, ...lines].join("\n"));
  }
  assert.deepEqual(missing(report), [], "the search did not get there");
});

function missing(report: SearchReport): readonly string[] {
  const reached = [...report.reached.keys()];
  return MUST_REACH.filter((what) => !reached.some((key) => key.startsWith(what)));
}

function print({ bestGain, reached, byOrigin }: SearchReport, episodes: number): void {
  console.log(`# ${episodes} episodes, best joint gain ${bestGain} while nothing outside moved`);
  for (const [origin, times] of byOrigin) console.log(`#   ${String(times).padStart(6)} ${origin}`);
  const rows = [...reached].sort((one, next) => next[1] - one[1]);
  for (const [what, times] of rows) console.log(`#   ${String(times).padStart(6)} ${what}`);
}
