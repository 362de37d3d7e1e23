/**
 * Proves the engine's affiliate programme against a reference written from its rules alone: random
 * trees of affiliates on random exchanges with spot markets and contracts, with every commission,
 * residue, cut, flag, settlement and debt of at least 16,800 fills recomputed to the last unit.
 * Events are compared after every command, all balances and queries every few commands; a ledger
 * that reads only the events must reach the same house accounts. A failure names the exchange's
 * seed and the command.
 */
import assert from "node:assert/strict";
import test from "node:test";
import { isLongRun, Random, scaled, seededRandom } from "../../support/random.ts";
import { AffiliateModelRun } from "./affiliate-model-run.ts";

/**
 * Over twice the fills within which each planted fault must be found. Where they missed something
 * there are more.
 */
const EXCHANGES = isLongRun() ? 25 : 12;
const EXCHANGES_MAX = 25;
const FILLS_PER_EXCHANGE = scaled(1_400);
/** What random traffic must not miss. */
const NEEDED = [
  ...["spot", "contract"].map((product) => `commission: ${product}`),
  ...["commission from below", "own trade", "self-referral", "wash-trade", "cut", "cut to nothing"],
  ...["taken back from what waits", "taken back from the wallet", "taken back later", "recovered"],
  ...["commission-rounded", "commission-released", "commissions-settled"],
  ...["resume", "continue-risk"],
  ...["direct at depth 1", "direct at depth 10", "trade: liquidation", "trade: adl"],
  ...["house-account-set", "internal-withdrawal-made", "liquidation-settled"],
];

const random = seededRandom("affiliate model");
const reached = new Map<string, number>();
let fills = 0;

function missing(): readonly string[] {
  return NEEDED.filter((needed) => !reached.has(needed));
}

test("every exchange does what the reference does", async (context) => {
  for (
    let exchange = 0;
    exchange < EXCHANGES || (missing().length > 0 && exchange < EXCHANGES_MAX);
    exchange++
  ) {
    const seed = random.integer(0, 2 ** 32 - 1);
    await context.test(`exchange ${exchange} (seed ${seed})`, () => {
      const run = new AffiliateModelRun(new Random(seed));
      run.run(FILLS_PER_EXCHANGE);
      fills += run.fills;
      for (const [key, count] of run.reached) reached.set(key, (reached.get(key) ?? 0) + count);
    });
  }
});

test("the traffic reached what it was meant to reach", () => {
  const counts = [...reached].sort(([one], [other]) => (one < other ? -1 : 1));
  console.log(`# ${fills} fills, ${counts.map(([key, count]) => `${key} ${count}`).join(", ")}`);
  assert.ok(fills >= EXCHANGES * FILLS_PER_EXCHANGE);
  assert.deepEqual(missing(), [], "never happened");
});
