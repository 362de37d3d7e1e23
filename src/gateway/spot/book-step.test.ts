/**
 * Proves that a book grouped by steps keeps every lot, has one row a step in the order of the side,
 * and never looks better than the levels it is made of, against a naive sum over random books.
 */
import assert from "node:assert/strict";
import test from "node:test";
import { scaled, seededRandom } from "../../../test/support/random.ts";
import { formatDecimal } from "../../domain/index.ts";
import { groupLevels, type Level } from "./book-step.ts";

const random = seededRandom("gateway/book-step");

test("examples: bids fall to the lower end of a step, asks rise to the upper", () => {
  const step = { width: 10n, priceScale: 2, quantityScale: 5 };
  const bids: Level[] = [
    ["98.99", "0.25"],
    ["98.9", "0.3"],
    ["98.89", "1"],
  ];
  const lower = [
    ["98.9", "0.55"],
    ["98.8", "1"],
  ];
  assert.deepEqual(groupLevels(bids, "down", step, 15), lower);
  const asks: Level[] = [
    ["99", "0.5"],
    ["99.01", "0.00001"],
    ["99.1", "2"],
  ];
  const upper = [
    ["99", "0.5"],
    ["99.1", "2.00001"],
  ];
  assert.deepEqual(groupLevels(asks, "up", step, 15), upper);
  assert.deepEqual(groupLevels(asks, "up", step, 1), [["99", "0.5"]]);
  assert.deepEqual(groupLevels([], "up", step, 15), []);
  const wide = { ...step, width: 1_000_000n };
  assert.deepEqual(groupLevels(bids, "down", wide, 15), [["0", "1.55"]]);
});

test("random books", () => {
  for (let round = 0; round < scaled(300); round++) {
    const direction = random.pick(["down", "up"] as const);
    const width = 10n ** BigInt(random.integer(1, 5));
    const prices = new Set(Array.from({ length: 60 }, () => random.integer(1, 300_000)));
    const best = [...prices].sort((a, b) => (direction === "down" ? b - a : a - b));
    const book = best.map((price) => [BigInt(price), BigInt(random.integer(1, 10_000))] as const);
    const levels = book.map(
      ([price, lots]): Level => [formatDecimal(price, 2), formatDecimal(lots, 3)],
    );
    const sums = new Map<bigint, bigint>();
    for (const [price, lots] of book) {
      const below = price / width;
      const edge = direction === "down" || below * width === price ? below : below + 1n;
      sums.set(edge * width, (sums.get(edge * width) ?? 0n) + lots);
    }
    const expected = [...sums].map(([edge, lots]) => [
      formatDecimal(edge, 2),
      formatDecimal(lots, 3),
    ]);
    const limit = random.pick([1, 15, 200]);
    const step = { width, priceScale: 2, quantityScale: 3 };
    assert.deepEqual(groupLevels(levels, direction, step, limit), expected.slice(0, limit));
  }
});
