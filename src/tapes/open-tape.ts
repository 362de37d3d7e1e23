/** A recording as its steps in order. Reading it once without using the steps checks it whole. */
import { BookRows } from "./book-rows.ts";
import { CandleReader } from "./candles.ts";
import type { QueueRule } from "./level-book.ts";
import { LevelTape } from "./level-tape.ts";
import { LobsterReader } from "./lobster.ts";
import { MarketGrid, type TapeMarket } from "./market-grid.ts";
import { type Rows, readRows } from "./rows.ts";
import type { Tape, TapeReader, TapeStep, TapeSteps } from "./tape.ts";
import { TapeError } from "./tape-error.ts";
import type { RowFormat, TapeFiles } from "./tape-files.ts";
import { TradeReader } from "./trades.ts";

/** The rule is for recordings by levels. */
export function openTape(files: TapeFiles, market: TapeMarket, rule: QueueRule): Tape {
  const grid = new MarketGrid(market);
  const { format, paths, books, trades, tradeFormat } = files;
  if (format === "level-2" || format === "book-depth") {
    return new LevelTape({ format, paths, trades, tradeFormat }, grid, rule);
  }
  return new RowTape(paths, books, readerOf(format, grid), grid);
}

function readerOf(format: RowFormat, grid: MarketGrid): TapeReader {
  switch (format) {
    case "lobster":
      return new LobsterReader(grid);
    case "candles":
      return new CandleReader(grid);
    default:
      return new TradeReader(format, grid);
  }
}

/** A recording each row of which is a step. */
class RowTape implements Tape {
  readonly crossedLevels = 0;
  readonly #paths: readonly string[];
  readonly #books: readonly string[];
  readonly #reader: TapeReader;
  readonly #grid: MarketGrid;

  constructor(
    paths: readonly string[],
    books: readonly string[],
    reader: TapeReader,
    grid: MarketGrid,
  ) {
    this.#paths = paths;
    this.#books = books;
    this.#reader = reader;
    this.#grid = grid;
  }

  get needs() {
    return this.#reader.needs;
  }

  async *read(): AsyncGenerator<TapeSteps> {
    let before = 0;
    for (const [i, path] of this.#paths.entries()) {
      const bookPath = this.#books[i];
      const books = bookPath === undefined ? null : new BookRows(bookPath, this.#grid);
      let read = 0;
      for await (const rows of readRows(path)) {
        read = rows.bytesRead;
        const steps = await stepsOf(path, rows, this.#reader, books);
        yield { path, steps, bytesRead: before + read };
      }
      await books?.end();
      before += read;
    }
  }
}

async function stepsOf(
  path: string,
  { texts, firstLine }: Rows,
  reader: TapeReader,
  books: BookRows | null,
): Promise<readonly TapeStep[]> {
  const steps: TapeStep[] = [];
  for (const [i, text] of texts.entries()) {
    const line = firstLine + i;
    const book = books === null ? null : await books.next(path, line);
    try {
      if (book !== null && reader instanceof LobsterReader) {
        reader.readWithBook(text, line, steps, book);
      } else reader.read(text, line, steps);
    } catch (error) {
      throw error instanceof TapeError ? error.at(path, line) : error;
    }
  }
  return steps;
}
