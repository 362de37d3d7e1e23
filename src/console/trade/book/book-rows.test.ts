/**
 * Proves that grouping a book loses and invents nothing: against an oracle that puts every level
 * into its group by long division, over random books, steps and numbers of rows.
 */
import assert from "node:assert/strict";
import test from "node:test";
import { scaled, seededRandom } from "../../../../test/support/random.ts";
import { formatDecimal } from "../../../domain/index.ts";
import {
  type GroupedLevel,
  groupLevels,
  groupPrice,
  groupSteps,
  type Level,
  type Side,
  spreadOf,
} from "./book-rows.ts";

const random = seededRandom("book-rows");
const PRICE_DECIMALS = 2;
const QUANTITY_DECIMALS = 5;
const STEPS = ["0.01", "0.1", "0.5", "1", "10", "100"];

/** Best first, every price once. */
function randomSide(side: Side): Level[] {
  const count = random.integer(0, 60);
  const prices = new Set(Array.from({ length: count }, () => random.integer(1, 60_000)));
  const sorted = [...prices].sort((a, b) => (side === "bids" ? b - a : a - b));
  return sorted.map((price) => [
    formatDecimal(BigInt(price), PRICE_DECIMALS),
    formatDecimal(BigInt(random.integer(1, 10_000_000)), QUANTITY_DECIMALS),
  ]);
}

/** By whole numbers of cents, in a map: nothing of the order of levels is used. */
function oracle(levels: readonly Level[], side: Side, step: string): Map<number, bigint> {
  const cents = Math.round(Number(step) * 100);
  const groups = new Map<number, bigint>();
  for (const [price, quantity] of levels) {
    const steps = Math.round(Number(price) * 100) / cents;
    const group = (side === "bids" ? Math.floor(steps) : Math.ceil(steps)) * cents;
    const lots = BigInt(Math.round(Number(quantity) * 100_000));
    groups.set(group, (groups.get(group) ?? 0n) + lots);
  }
  return groups;
}

const everything = (step: string) => ({
  priceDecimals: PRICE_DECIMALS,
  quantityDecimals: QUANTITY_DECIMALS,
  step,
  rowsMax: 1_000,
  isCut: false,
});

test("groups hold what the oracle says, best first, with sums from the best on", () => {
  for (let i = 0; i < scaled(400); i++) {
    const side = random.pick(["bids", "asks"] as const);
    const step = random.pick(STEPS);
    const levels = randomSide(side);
    const rows = groupLevels(levels, side, everything(step));
    const expected = [...oracle(levels, side, step)].sort(([a], [b]) =>
      side === "bids" ? b - a : a - b,
    );
    assert.deepEqual(
      rows.map(({ price, quantity }) => [Number(price), quantity]),
      expected,
    );
    let sum = 0n;
    for (const { quantity, total } of rows) {
      sum += quantity;
      assert.equal(total, sum);
    }
  }
});

test("fewer rows are the best ones of all rows", () => {
  for (let i = 0; i < scaled(200); i++) {
    const side = random.pick(["bids", "asks"] as const);
    const grouping = everything(random.pick(STEPS));
    const levels = randomSide(side);
    const all = groupLevels(levels, side, grouping);
    const rowsMax = random.integer(1, 12);
    const some = groupLevels(levels, side, { ...grouping, rowsMax });
    assert.deepEqual(some, all.slice(0, rowsMax));
  }
});

test("a group that may go on behind the last level is left out, unless it is the only one", () => {
  const levels: Level[] = [
    ["10.09", "1"],
    ["10.04", "2"],
    ["9.99", "4"],
  ];
  const cut = { ...everything("0.1"), isCut: true };
  const whole = groupLevels(levels, "bids", { ...cut, isCut: false });
  assert.deepEqual(whole.map(pricesOf), [
    [1000, 300_000n],
    [990, 400_000n],
  ]);
  assert.deepEqual(groupLevels(levels, "bids", cut).map(pricesOf), [[1000, 300_000n]]);
  const one = groupLevels(levels, "bids", { ...cut, step: "100" });
  assert.deepEqual(one.map(pricesOf), [[0, 700_000n]]);
});

function pricesOf({ price, quantity }: GroupedLevel): readonly [number, bigint] {
  return [Number(price), quantity];
}

test("the row of a price: never better than the price itself", () => {
  assert.equal(groupPrice("10.07", "bids", "0.1", 2), 1000n);
  assert.equal(groupPrice("10.07", "asks", "0.1", 2), 1010n);
  assert.equal(groupPrice("10.1", "asks", "0.1", 2), 1010n);
});

test("steps are tens of the tick, as far as they leave rows at that price", () => {
  assert.deepEqual(groupSteps("0.01", 2, "91541.14"), ["0.01", "0.1", "1", "10", "100"]);
  assert.deepEqual(groupSteps("0.01", 2, "3.14"), ["0.01"]);
  assert.deepEqual(groupSteps("0.5", 1, "260"), ["0.5", "5"]);
  assert.deepEqual(groupSteps("0.00001", 5, "0.5"), ["0.00001", "0.0001", "0.001", "0.01"]);
  assert.deepEqual(groupSteps("1", 0, "0"), ["1"]);
});

test("the spread, exact; none while a side is empty", () => {
  assert.deepEqual(spreadOf("91541.14", "91598", 2), { amount: "56.86", fraction: "0.00062" });
  assert.deepEqual(spreadOf("0.1", "0.3", 1), { amount: "0.2", fraction: "0.666666" });
  assert.equal(spreadOf(undefined, "1", 0), null);
  assert.equal(spreadOf("1", undefined, 0), null);
});
