/**
 * Rows of numbers in one typed array that grows without a pause: the larger array is filled a few
 * rows at a time while the smaller one still serves. Copying a million rows at once would delay
 * orders by tenths of a second.
 */
import { invariant } from "../../domain/index.ts";

const CAPACITY_FIRST = 1024;
/**
 * Growth begins when this share of the rows is in use. With eight rows copied for each new one, it
 * ends long before the rest is used up.
 */
const GROWTH_BEGINS_AT = 0.75;
/** A step copies the rows at once: a call for each row would cost more than the copy. */
const ROWS_PER_STEP = 64;
const NEW_ROWS_PER_STEP = 8;

/**
 * A row is so many doubles side by side; any of them can be used as two 32-bit integers instead,
 * through a second view of the same bytes. All fields of a row share few cache lines. Fields are
 * read off `numbers` and `integers`; what is written there, and not by the methods here, must be
 * followed by `written`.
 */
export class GrowingRows {
  readonly #numbersPerRow: number;
  /** The doubles of all rows. Not to be kept: growth replaces it. */
  numbers: Float64Array;
  /** The same bytes as integers. */
  integers: Int32Array;
  #used = 0;
  #capacity = CAPACITY_FIRST;
  #nextNumbers: Float64Array | null = null;
  #nextIntegers: Int32Array;
  /** Rows already copied to the next arrays, from the first one on. */
  #copied = 0;

  constructor(numbersPerRow: number) {
    this.#numbersPerRow = numbersPerRow;
    this.numbers = new Float64Array(CAPACITY_FIRST * numbersPerRow);
    this.integers = new Int32Array(this.numbers.buffer);
    this.#nextIntegers = this.integers;
  }

  /** Rows that were added. */
  get used(): number {
    return this.#used;
  }

  get byteLength(): number {
    return this.numbers.byteLength + (this.#nextNumbers?.byteLength ?? 0);
  }

  /** The next row, all zeros. */
  add(): number {
    const row = this.#used++;
    if (this.#nextNumbers !== null) this.#copySome(this.#nextNumbers);
    else if (this.#used > this.#capacity * GROWTH_BEGINS_AT) this.#beginGrowth();
    invariant(row < this.#capacity, "rows have grown before they are needed");
    return row;
  }

  setNumber(row: number, field: number, value: number): void {
    const at = row * this.#numbersPerRow + field;
    this.numbers[at] = value;
    if (row < this.#copied) (this.#nextNumbers as Float64Array)[at] = value;
  }

  setInteger(row: number, field: number, value: number): void {
    const at = row * this.#numbersPerRow * 2 + field;
    this.integers[at] = value;
    if (row < this.#copied) this.#nextIntegers[at] = value;
  }

  /** The row was written to through `numbers` or `integers`. */
  written(row: number): void {
    if (row < this.#copied) this.#copy(row, row + 1);
  }

  #beginGrowth(): void {
    this.#nextNumbers = new Float64Array(this.#capacity * 2 * this.#numbersPerRow);
    this.#nextIntegers = new Int32Array(this.#nextNumbers.buffer);
  }

  #copySome(nextNumbers: Float64Array): void {
    if (this.#used % NEW_ROWS_PER_STEP !== 0) return;
    const end = Math.min(this.#copied + ROWS_PER_STEP, this.#used);
    this.#copy(this.#copied, end);
    this.#copied = end;
    if (end < this.#used) return;
    this.numbers = nextNumbers;
    this.integers = this.#nextIntegers;
    this.#capacity *= 2;
    this.#nextNumbers = null;
    this.#copied = 0;
  }

  /** As integers: the two halves of a double may be no number, whose bits a copy would not keep. */
  #copy(first: number, end: number): void {
    const perRow = this.#numbersPerRow * 2;
    const rows = this.integers.subarray(first * perRow, end * perRow);
    this.#nextIntegers.set(rows, first * perRow);
  }
}
