/** Rows of LOBSTER's order book files, which go with the rows of its message files. */
import { type BookRow, parseBookRow } from "./lobster.ts";
import type { MarketGrid } from "./market-grid.ts";
import { type Rows, readRows } from "./rows.ts";
import { TapeError } from "./tape-error.ts";

/** The rows of an order book file, one for each row of messages. */
export class BookRows {
  readonly path: string;
  readonly #grid: MarketGrid;
  readonly #rows: AsyncGenerator<Rows>;
  #texts: readonly string[] = [];
  #next = 0;
  /** Of the last row. */
  #line = 0;
  #columns: number | null = null;

  constructor(path: string, grid: MarketGrid) {
    this.path = path;
    this.#grid = grid;
    this.#rows = readRows(path);
  }

  /** The row of the message in this file and line. */
  async next(messages: string, line: number): Promise<BookRow> {
    const text = await this.#text();
    if (text === null) {
      const problem = `it has ${this.#line} rows, and ${messages} has at least ${line}`;
      throw new TapeError("file", problem, `${this.path}:${this.#line + 1}`);
    }
    this.#line++;
    const columns = text.split(",").length;
    this.#columns ??= columns;
    const where = `${this.path}:${this.#line}`;
    if (columns !== this.#columns) {
      throw new TapeError("columns", `${this.#columns} expected, ${columns} found`, where);
    }
    try {
      return parseBookRow(text, this.#grid);
    } catch (error) {
      throw error instanceof TapeError ? error.at(this.path, this.#line) : error;
    }
  }

  /** Levels of a row. */
  get levels(): number {
    return (this.#columns ?? 0) / 4;
  }

  /** Throws when rows are left. */
  async end(): Promise<void> {
    if ((await this.#text()) === null) return;
    const problem = `it has more rows than there are messages (${this.#line})`;
    throw new TapeError("file", problem, `${this.path}:${this.#line + 1}`);
  }

  async #text(): Promise<string | null> {
    while (this.#next === this.#texts.length) {
      const { done, value } = await this.#rows.next();
      if (done === true) return null;
      this.#texts = value.texts;
      this.#next = 0;
    }
    this.#next++;
    return this.#texts[this.#next - 1] as string;
  }
}
