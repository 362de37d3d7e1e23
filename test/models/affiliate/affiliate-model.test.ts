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
import { isLongRun, scaled, seededRandom } from "../../support/random.ts";
import { Reached } from "../reached.ts";
import { AffiliateModelRun } from "./affiliate-model-run.ts";

/**
 * Over twice the fills within which each planted fault must be found. Where they missed something
 * there are more.
 */
const EXCHANGES = { least: isLongRun() ? 25 : 12, most: 25 };
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
const reached = new Reached(NEEDED);
let fills = 0;

test("every exchange does what the reference does", async (context) => {
  await reached.run(context, random, EXCHANGES, (own) => {
    const run = new AffiliateModelRun(own);
    run.run(FILLS_PER_EXCHANGE);
    fills += run.fills;
    return run.reached;
  });
});

test("the traffic reached what it was meant to reach", () => {
  console.log(`# ${fills} fills, ${reached.text}`);
  assert.ok(fills >= EXCHANGES.least * FILLS_PER_EXCHANGE);
  assert.deepEqual(reached.missing, [], "never happened");
});
