/**
 * Proves the engine against a naive exchange written from the design alone: the same random
 * commands on small, awkward exchanges, compared after every command in outcome, events and
 * balances, and every few commands in every query. A failure names the exchange's seed and the
 * command.
 */
import assert from "node:assert/strict";
import test from "node:test";
import { isLongRun, Random, scaled, seededRandom } from "../support/random.ts";
import { ModelRun } from "./model-run.ts";

/** Nearly three times the commands within which each planted fault must be found. */
const EXCHANGES = isLongRun() ? 50 : 20;
const COMMANDS_PER_EXCHANGE = scaled(2_100, 42_000);

const random = seededRandom("engine model");
const accepted = new Map<string, number>();
const refused = new Map<string, number>();
const ended = new Map<string, number>();
let trades = 0;

function add(totals: Map<string, number>, counts: ReadonlyMap<string, number>): void {
  for (const [key, count] of counts) totals.set(key, (totals.get(key) ?? 0) + count);
}

for (let exchange = 0; exchange < EXCHANGES; exchange++) {
  const seed = random.integer(0, 2 ** 32 - 1);
  test(`exchange ${exchange} (seed ${seed})`, () => {
    const run = new ModelRun(new Random(seed));
    run.run(COMMANDS_PER_EXCHANGE);
    add(accepted, run.accepted);
    add(refused, run.refused);
    add(ended, run.ended);
    trades += run.trades;
  });
}

test("the traffic reached what it was meant to reach", () => {
  console.log(`# ${EXCHANGES * COMMANDS_PER_EXCHANGE} commands, ${trades} trades`);
  for (const counts of [accepted, refused, ended]) {
    console.log(`# ${[...counts].map(([key, count]) => `${key} ${count}`).join(", ")}`);
  }
  assert.ok(trades > (EXCHANGES * COMMANDS_PER_EXCHANGE) / 10);
});
