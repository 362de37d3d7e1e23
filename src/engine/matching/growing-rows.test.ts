/**
 * Proves that rows keep their numbers while they grow: at random moments rows are added, written to
 * in every way and read, and at each moment of every growth they hold what a plain list holds.
 */
import assert from "node:assert/strict";
import test from "node:test";
import { scaled, seededRandom } from "../../../test/support/random.ts";
import { GrowingRows } from "./growing-rows.ts";

const random = seededRandom("engine/matching/growing-rows");
const NUMBERS = 3;

interface Row {
  number: number;
  readonly integers: [number, number, number, number];
}

test("the same as a plain list, whenever it grows", () => {
  const rows = new GrowingRows(NUMBERS);
  const model: Row[] = [];
  const write = (row: number): void => {
    const expected = model[row] as Row;
    expected.number = random.integer(0, 1_000_000_000_000);
    const field = random.integer(0, 3) as 0 | 1 | 2 | 3;
    // Negative integers side by side are no number when they are read as one.
    expected.integers[field] = -random.integer(1, 1_000_000);
    if (random.chance(0.5)) {
      rows.setNumber(row, 0, expected.number);
      rows.setInteger(row, 2 + field, expected.integers[field]);
      return;
    }
    rows.numbers[row * NUMBERS] = expected.number;
    rows.integers[row * NUMBERS * 2 + 2 + field] = expected.integers[field];
    rows.written(row);
  };
  const check = (row: number): void => {
    const first = row * NUMBERS * 2 + 2;
    const { number, integers } = model[row] as Row;
    assert.equal(rows.numbers[row * NUMBERS], number, `row ${row} of ${model.length}`);
    assert.deepEqual([...rows.integers.subarray(first, first + 4)], integers);
  };
  const count = scaled(20_000);
  while (model.length < count) {
    assert.equal(rows.add(), model.length);
    model.push({ number: 0, integers: [0, 0, 0, 0] });
    check(model.length - 1);
    assert.equal(rows.byteLength % (NUMBERS * 8), 0, "whole rows");
    for (let i = 0; i < 3; i++) write(random.integer(0, model.length - 1));
    write(model.length - 1);
    check(random.integer(0, model.length - 1));
  }
  for (let row = 0; row < count; row++) check(row);
  assert.equal(rows.used, count);
  const [few, most] = [count * NUMBERS * 8, count * NUMBERS * 8 * 6];
  assert.ok(rows.byteLength >= few && rows.byteLength <= most, `${rows.byteLength} bytes`);
});
