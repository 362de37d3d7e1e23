/** Rows with named columns: by a heading, or by their number where there is none. */
import { TapeError } from "./tape-error.ts";

/** Each column with the names that exchanges and vendors give it, in small letters. */
export type ColumnNames = Readonly<Record<string, readonly string[]>>;

type Place = readonly [name: string, place: number];

const QUOTED = /["\s]/;

function unquoted(cell: string): string {
  return cell.trim().replace(/^"(.*)"$/, "$1");
}

export class Columns<Names extends ColumnNames> {
  readonly #names: Names;
  readonly #required: readonly (keyof Names & string)[];
  #places: readonly Place[] | null = null;
  #count = 0;
  /** Each of several files has it. */
  #heading: string | null = null;

  /** Without a heading the columns are in the order of `names`. */
  constructor(names: Names, required: readonly (keyof Names & string)[]) {
    this.#names = names;
    this.#required = required;
  }

  /** The values of a row; null for the heading. */
  read(text: string): Readonly<Partial<Record<keyof Names & string, string>>> | null {
    if (text === this.#heading) return null;
    const cells = text.split(",");
    if (QUOTED.test(text)) for (const [i, cell] of cells.entries()) cells[i] = unquoted(cell);
    if (this.#places === null) {
      const isHeading = /[a-z]/i.test(cells[0] ?? "") && !/^\d/.test(cells[0] ?? "");
      this.#count = cells.length;
      this.#places = isHeading ? this.#named(cells) : this.#inOrder(cells.length);
      if (isHeading) {
        this.#heading = text;
        return null;
      }
    }
    if (cells.length !== this.#count) {
      const problem = `${this.#count} expected, ${cells.length} found`;
      throw new TapeError("columns", problem);
    }
    const values: Partial<Record<string, string>> = {};
    for (let i = 0; i < this.#places.length; i++) {
      const [name, place] = this.#places[i] as Place;
      values[name] = cells[place] as string;
    }
    return values as Partial<Record<keyof Names & string, string>>;
  }

  #named(cells: readonly string[]): Place[] {
    const places = new Map<string, number>();
    const words = cells.map((cell) => cell.toLowerCase());
    for (const [name, spellings] of Object.entries(this.#names)) {
      // The first spelling that is there: a file may have several times.
      const spelling = spellings.find((word) => words.includes(word));
      if (spelling !== undefined) places.set(name, words.indexOf(spelling));
    }
    const missing = this.#required.find((name) => !places.has(name));
    if (missing === undefined) return [...places];
    throw new TapeError(missing, `the heading has no such column: ${cells.join(",")}`);
  }

  #inOrder(count: number): Place[] {
    const names = Object.keys(this.#names);
    if (count < this.#required.length || count > names.length) {
      const expected = names.slice(0, this.#required.length).join(", ");
      throw new TapeError("columns", `${expected} expected, ${count} columns found`);
    }
    return names.slice(0, count).map((name, place) => [name, place]);
  }
}

const SECONDS_DIGITS = 10;
const MS_DIGITS = 13;

/** Unix time in seconds (also with decimals), milli-, micro- or nanoseconds, or as a date. */
export function readTimeMs(text: string, field = "timestamp"): number {
  const [, whole, fraction = ""] = /^(\d{9,19})(\.\d{1,9})?$/.exec(text) ?? [];
  if (whole !== undefined) {
    if (whole.length <= SECONDS_DIGITS) return Math.floor(Number(whole + fraction) * 1_000);
    const extra = Math.max(0, whole.length - MS_DIGITS);
    return Number(whole.slice(0, whole.length - extra));
  }
  const date = /^\d{4}-\d{2}-\d{2}([T ]\d{2}:\d{2}(:\d{2}(\.\d{1,9})?)?)?(Z|\+00:?00)?$/;
  if (date.test(text)) {
    const iso = text.replace(" ", "T").replace(/(Z|\+00:?00)$/, "");
    const ms = Date.parse(`${iso.includes("T") ? iso : `${iso}T00:00`}Z`);
    if (Number.isSafeInteger(ms)) return ms;
  }
  throw new TapeError(field, `"${text}" is not a Unix time or a UTC date`);
}

/** Times of a recording never go back. */
export class RisingTime {
  readonly #field: string;
  #lastMs = 0;
  #lastText = "";

  constructor(field = "timestamp") {
    this.#field = field;
  }

  check(timeMs: number, text: string): void {
    if (timeMs < this.#lastMs) {
      const problem = `${text} is out of order: the row before has ${this.#lastText}`;
      throw new TapeError(this.#field, problem);
    }
    this.#lastMs = timeMs;
    this.#lastText = text;
  }
}

/**
 * The time of each row. Where rows have a time of arrival as well, that one is in order; the
 * exchange's own may go back by a little, and is held there.
 */
export class RowTime {
  readonly #own = new RisingTime();
  readonly #arrivals = new RisingTime("localTimestamp");
  #lastMs = 0;
  /** Rows of one message have the same. */
  #lastTimestamp = "";
  #lastArrival = "";

  read(timestamp: string, arrival?: string): number {
    if (timestamp === this.#lastTimestamp && arrival === this.#lastArrival) return this.#lastMs;
    this.#lastTimestamp = timestamp;
    this.#lastArrival = arrival ?? "";
    const timeMs = readTimeMs(timestamp);
    if (arrival === undefined) this.#own.check(timeMs, timestamp);
    else this.#arrivals.check(readTimeMs(arrival, "localTimestamp"), arrival);
    this.#lastMs = Math.max(this.#lastMs, timeMs);
    return this.#lastMs;
  }
}
