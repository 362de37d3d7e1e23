/**
 * Proves the engine against a naive exchange of contracts written from the rules alone: the same
 * random commands on small, awkward exchanges, compared after every command in outcome, events,
 * balances and positions, and every few commands in every query. The reference processes every
 * second, minute and funding slot, the engine only those that can change something. A failure names
 * the exchange's seed and the command.
 */
import assert from "node:assert/strict";
import test from "node:test";
import { isLongRun, scaled, seededRandom } from "../../support/random.ts";
import { Reached } from "../reached.ts";
import { ContractModelRun } from "./contract-model-run.ts";

/**
 * As many as a planted fault may take to be found; each was within four, or by a scenario. Where
 * they missed something there are more.
 */
const EXCHANGES = { least: isLongRun() ? 30 : 12, most: 30 };
const COMMANDS_PER_EXCHANGE = scaled(1_000);
/** What random traffic must not miss; what it meets too seldom is in the scenarios. */
const NEEDED = [
  ...["book", "liquidation", "adl", "netting"].map((kind) => `trade: ${kind}`),
  ...["NEW", "UNTRIGGERED", "TRIGGERED", "FILLED", "CANCELED"].map((status) => `algo: ${status}`),
  ...[
    ...["liquidation", "position-closed", "would-take", "not-fillable-at-once"],
    "dead-man-switch",
  ].map((reason) => `ended: ${reason}`),
  ...["waived", "rounding", "insurancePaid", "liquidationFee"].map((field) => `some ${field}`),
  ...["amend-contract-order", "set-dead-man-switch", "dead-man-switch-fired"],
  ...["margin: auto-append", "resume", "close-positions", "transfer-own-funds"],
  ...["unsound: opening maker", "refused: an opening order would be due when filled"],
  ...["index-stale", "index-step-too-large", "book: deep, but too wide"],
  ...["mark: at its bound", "mark: a second without a sample"],
  ...["at its step", "too few samples", "a far step, forced", "a far step, stale"].map(
    (what) => `index: ${what}`,
  ),
  ...["restart: the last sample stands", "restart: after a long gap"],
  ...["liquidation: waits for an index", "liquidation: waits for samples"],
  "fund: no further than its slippage",
];

const random = seededRandom("naive contracts");
const reached = new Reached(NEEDED);

test("every exchange does what the naive one does", async (context) => {
  await reached.run(context, random, EXCHANGES, (own) => {
    const run = new ContractModelRun(own);
    run.run(COMMANDS_PER_EXCHANGE);
    return run.reached;
  });
});

test("the traffic reached what it was meant to reach", () => {
  console.log(`# ${reached.text}`);
  assert.deepEqual(reached.missing, [], "never happened");
});
