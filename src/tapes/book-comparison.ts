/** Compares the exchange's book with an order book file, and keeps the first difference. */
import { BookRows } from "./book-rows.ts";
import type { BookRow, SideRow } from "./lobster.ts";
import type { MarketGrid } from "./market-grid.ts";
import type { SentBook } from "./tape.ts";

export interface Difference {
  readonly file: string;
  readonly row: number;
  /** `ask1` is the best ask. */
  readonly level: string;
  /** Price and quantity; null for no such level. */
  readonly expected: readonly string[] | null;
  readonly found: readonly string[] | null;
}

interface Expected {
  readonly row: number;
  readonly book: BookRow;
  /** The message of the batch after which it is the book; -1 is before the batch. */
  readonly after: number;
}

/** What the exchange has to show for the rows of a batch. */
export interface ComparedRows {
  readonly levels: number;
  readonly rows: readonly Expected[];
}

export class BookComparison {
  readonly #grid: MarketGrid;
  readonly #rows: BookRows;
  #expected: Expected[] = [];
  #last: SentBook = { bids: [], asks: [] };
  #row = 0;
  #compared = 0;
  #difference: Difference | null = null;

  constructor(path: string, grid: MarketGrid) {
    this.#grid = grid;
    this.#rows = new BookRows(path, grid);
  }

  get compared(): number {
    return this.#compared;
  }

  get firstDifference(): Difference | null {
    return this.#difference;
  }

  /** The next row is the book after this message of the batch. */
  async expect(path: string, line: number, after: number): Promise<void> {
    if (this.#difference !== null) return;
    const book = await this.#rows.next(path, line);
    this.#row++;
    this.#expected.push({ row: this.#row, book, after });
  }

  /** The rows of the batch that is sent; null when nothing is compared any more. */
  takeRows(): ComparedRows | null {
    const rows = this.#expected;
    this.#expected = [];
    const { levels } = this.#rows;
    return this.#difference === null && levels > 0 ? { levels, rows } : null;
  }

  /** `books` are those after each message of the batch. */
  compare({ rows }: ComparedRows, books: readonly SentBook[]): void {
    for (const { row, book, after } of rows) {
      if (this.#difference !== null) return;
      const found = books[after] ?? this.#last;
      this.#difference =
        this.#side(row, "ask", book.SELL, found.asks) ??
        this.#side(row, "bid", book.BUY, found.bids);
      if (this.#difference === null) this.#compared++;
    }
    this.#last = books.at(-1) ?? this.#last;
  }

  #side(
    row: number,
    name: string,
    expected: SideRow,
    found: readonly (readonly string[])[],
  ): Difference | null {
    for (let i = 0; i < this.#rows.levels; i++) {
      const level = expected[i];
      const text = level === undefined ? null : this.#text(level);
      const present = found[i] ?? null;
      if (text?.join() === present?.join()) continue;
      const file = this.#rows.path;
      return { file, row, level: `${name}${i + 1}`, expected: text, found: present };
    }
    return null;
  }

  #text([ticks, lots]: readonly [number, number]): readonly string[] {
    return [this.#grid.priceText(ticks), this.#grid.quantityText(lots)];
  }
}
