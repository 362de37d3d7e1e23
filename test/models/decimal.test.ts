/**
 * Proves decimal text against arithmetic on digit strings that shares nothing with the product:
 * what is read, what is rejected and why, what is written; and the fast reader of steps against the
 * slow one.
 */
import assert from "node:assert/strict";
import test from "node:test";
import {
  ceilDivide,
  divideRoundingDown,
  divideRoundingHalfUp,
  divideRoundingUp,
  exactProduct,
  floorDivide,
  formatDecimal,
  formatGrid,
  formatSteps,
  type Grid,
  parseDecimal,
  parseGrid,
  parseSignedDecimal,
  parseSteps,
  toBigInt,
} from "../../src/domain/index.ts";
import { scaled, seededRandom } from "../support/random.ts";

const random = seededRandom("decimals");
const HOSTILE = [
  "",
  ".",
  "-",
  "+1",
  "-0",
  "00",
  "01",
  "1.",
  ".1",
  "1..1",
  "1.1.1",
  "1e5",
  "1E-5",
  "0x10",
  "1_000",
  "1,5",
  " 1",
  "1 ",
  "1\n",
  "\t1",
  "１",
  "١",
  "1\u0000",
  "NaN",
  "Infinity",
  "null",
  "9".repeat(19),
  `0.${"0".repeat(19)}`,
  `1.${"0".repeat(18)}1`,
  "1".repeat(400),
  "__proto__",
];

function digits(length: number): string {
  return Array.from({ length }, () => random.integer(0, 9)).join("");
}

/** Decimal text as a caller might write it, also with needless zeros at its end. */
function wellFormed(): string {
  const whole = random.chance(0.3) ? "0" : digits(random.integer(1, 18)).replace(/^0+(?=.)/, "");
  if (random.chance(0.3)) return whole;
  const decimals = random.chance(0.3) ? random.integer(1, 18) : random.integer(1, 6);
  return `${whole}.${random.chance(0.2) ? "0".repeat(decimals) : digits(decimals)}`;
}

/** Any text: mostly near to well-formed. */
function anyText(): string {
  if (random.chance(0.2)) return random.pick(HOSTILE);
  const plain = wellFormed();
  if (random.chance(0.6)) return plain;
  const at = random.integer(0, plain.length);
  const inserted = random.pick(["0", ".", "-", "e", " ", "9", "０", ""]);
  return plain.slice(0, at) + inserted + plain.slice(at + random.integer(0, 1));
}

/** By hand, character by character: the digits before and after the point, or null. */
function readByHand(text: string): { readonly whole: string; readonly decimals: string } | null {
  const [whole = "", decimals, ...more] = text.split(".");
  const isDigits = (part: string) => [...part].every((c) => "0123456789".includes(c));
  if (more.length > 0 || whole === "" || !isDigits(whole) || whole.length > 18) return null;
  if (whole.length > 1 && whole.startsWith("0")) return null;
  if (decimals === undefined) return { whole, decimals: "" };
  if (decimals === "" || !isDigits(decimals) || decimals.length > 18) return null;
  return { whole, decimals };
}

function expectedUnits(text: string, scale: number): bigint | "malformed" | "excess-precision" {
  const parts = readByHand(text);
  if (parts === null) return "malformed";
  const kept = parts.decimals.slice(0, scale).padEnd(scale, "0");
  const cut = parts.decimals.slice(scale);
  if ([...cut].some((digit) => digit !== "0")) return "excess-precision";
  return BigInt(parts.whole + kept);
}

test("text is read as a whole number of minor units, or refused for its reason", () => {
  const seen = new Set<string>();
  for (let i = 0; i < scaled(100_000); i++) {
    const text = anyText();
    const scale = random.integer(0, 18);
    const expected = expectedUnits(text, scale);
    seen.add(typeof expected);
    if (typeof expected === "string") seen.add(expected);
    assert.equal(parseDecimal(text, scale), expected, JSON.stringify(text));
  }
  assert.deepEqual([...seen].sort(), ["bigint", "excess-precision", "malformed", "string"]);
});

test("minor units are written plainly, and are read back", () => {
  for (let i = 0; i < scaled(50_000); i++) {
    const scale = random.integer(0, 18);
    const units = BigInt(digits(random.integer(1, scale + 17)));
    const text = formatDecimal(units, scale);
    assert.match(text, /^(0|[1-9]\d*)(\.\d*[1-9])?$/);
    assert.equal(parseDecimal(text, scale), units);
    assert.equal(formatDecimal(-units, scale), units === 0n ? "0" : `-${text}`);
  }
});

function randomGrid(): Grid {
  const text = random.pick([
    () => `0.${"0".repeat(random.integer(0, 12))}${random.integer(1, 999)}`,
    () => String(random.integer(1, 50)),
    () => random.pick(["0.5", "0.25", "0.05", "0.3", "7", "0.007", "1", "10", "0.00000001"]),
    () => `0.${"0".repeat(17)}${random.integer(1, 9)}`,
  ])();
  const grid = parseGrid(text);
  assert.ok(grid !== null, text);
  return grid;
}

function expectedSteps(
  text: string,
  grid: Grid,
): number | "malformed" | "off-grid" | "out-of-range" {
  const units = expectedUnits(text, grid.scale);
  if (units === "malformed") return "malformed";
  if (units === "excess-precision" || units % BigInt(grid.step) !== 0n) return "off-grid";
  const steps = units / BigInt(grid.step);
  return steps >= 2n ** 53n ? "out-of-range" : Number(steps);
}

test("steps are read the same on the fast path and the slow one, and written back", () => {
  let reads = 0;
  for (let i = 0; i < scaled(200_000); i++) {
    const grid = randomGrid();
    // Half of the texts lie on the grid, also far out, where the fast path must give way.
    const steps = Math.floor(random.next() * 2 ** random.integer(0, 53));
    const onGrid = formatSteps(steps, grid);
    const text = random.chance(0.5) ? onGrid : anyText();
    const expected = expectedSteps(text, grid);
    assert.equal(
      parseSteps(text, grid),
      expected,
      `${JSON.stringify(text)} on ${formatGrid(grid)}`,
    );
    if (typeof expected === "number") {
      reads++;
      assert.equal(parseSteps(formatSteps(expected, grid), grid), expected);
    }
    if (readByHand(onGrid) !== null) assert.equal(parseSteps(onGrid, grid), steps);
  }
  assert.ok(reads > scaled(200_000) / 10);
});

test("a grid is a positive decimal of at most 2^53 - 1 smallest units", () => {
  for (let i = 0; i < scaled(50_000); i++) {
    const text = anyText();
    const grid = parseGrid(text);
    const parts = readByHand(text);
    const decimals = parts?.decimals.replace(/0+$/, "") ?? "";
    const step = parts === null ? 0n : BigInt(parts.whole + decimals);
    if (step === 0n || step >= 2n ** 53n) {
      assert.equal(grid, null, JSON.stringify(text));
    } else {
      assert.deepEqual(grid, { scale: decimals.length, step: Number(step) });
      assert.equal(parseSteps(formatGrid(grid as Grid), grid as Grid), 1);
    }
  }
});

test("safe integers and their products are exact as bigints; others are refused", () => {
  const corners = [0, 1, 2 ** 31, 2 ** 32, 2 ** 51, 2 ** 52 - 1, 2 ** 52, 2 ** 52 + 1, 2 ** 53 - 1];
  const numbers = corners.flatMap((value) => [value, -value]);
  for (let i = 0; i < scaled(20_000); i++) {
    numbers.push(random.integer(0, Number.MAX_SAFE_INTEGER) / 2 ** random.integer(0, 52));
  }
  for (const number of numbers) {
    const value = Math.trunc(number);
    assert.equal(toBigInt(value), BigInt(value));
    const other = Math.trunc(random.pick(numbers));
    assert.equal(exactProduct(value, other), BigInt(value) * BigInt(other));
  }
  for (const value of [0.5, -0.5, 2 ** 51 + 0.5, Number.NaN, Number.POSITIVE_INFINITY]) {
    assert.throws(() => toBigInt(value), RangeError);
  }
});

test("divisions round in the direction of their name", () => {
  for (let i = 0; i < scaled(20_000); i++) {
    const numerator = BigInt(digits(random.integer(1, 40)));
    const denominator = BigInt(digits(random.integer(1, 20))) + 1n;
    const down = divideRoundingDown(numerator, denominator);
    const up = divideRoundingUp(numerator, denominator);
    assert.ok(down * denominator <= numerator && numerator < (down + 1n) * denominator);
    assert.ok(up * denominator >= numerator && numerator > (up - 1n) * denominator);
  }
  assert.throws(() => divideRoundingUp(-1n, 2n));
  assert.throws(() => divideRoundingDown(1n, 0n));
});

test("divisions of signed numbers round down, up, and to the nearest with halves upwards", () => {
  for (let i = 0; i < scaled(20_000); i++) {
    const sign = random.chance(0.5) ? -1n : 1n;
    // Small divisors bring exact quotients and halves up often.
    const numerator = sign * BigInt(digits(random.integer(1, random.pick([2, 40]))));
    const denominator = BigInt(digits(random.integer(1, random.pick([1, 20])))) + 1n;
    const down = floorDivide(numerator, denominator);
    const up = ceilDivide(numerator, denominator);
    const nearest = divideRoundingHalfUp(numerator, denominator);
    assert.ok(down * denominator <= numerator && numerator < (down + 1n) * denominator);
    assert.ok(up * denominator >= numerator && numerator > (up - 1n) * denominator);
    const above = 2n * (nearest * denominator - numerator);
    assert.ok(above <= denominator && above > -denominator);
  }
  assert.equal(divideRoundingHalfUp(-1n, 2n), 0n);
  assert.equal(divideRoundingHalfUp(-3n, 2n), -1n);
  assert.equal(divideRoundingHalfUp(3n, 2n), 2n);
  assert.throws(() => floorDivide(1n, 0n));
});

test("signed text is unsigned text with at most one minus sign before it", () => {
  for (let i = 0; i < scaled(20_000); i++) {
    const text = anyText();
    const scale = random.integer(0, 18);
    const unsigned = expectedUnits(text, scale);
    const negated = typeof unsigned === "string" ? unsigned : -unsigned;
    assert.equal(parseSignedDecimal(`-${text}`, scale), negated, JSON.stringify(text));
    if (!text.startsWith("-")) assert.equal(parseSignedDecimal(text, scale), unsigned);
  }
});
