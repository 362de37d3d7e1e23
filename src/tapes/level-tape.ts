/**
 * A market that is recorded by levels, with its trades: two rows of files, one recording. A trade
 * comes before a message of the book of the same time, which has it already.
 */
import { LevelBook, type QueueRule } from "./level-book.ts";
import { type LevelFormat, type LevelMessage, type LevelRows, levelRows } from "./level-rows.ts";
import type { MarketGrid } from "./market-grid.ts";
import { readRows } from "./rows.ts";
import type { Tape, TapeMessage, TapeNeeds, TapeStep, TapeSteps } from "./tape.ts";
import { TapeError } from "./tape-error.ts";
import { TickRule, type Trade, type TradeFormat, tradeRows } from "./trades.ts";

export interface LevelTapeFiles {
  readonly format: LevelFormat;
  readonly paths: readonly string[];
  readonly tradeFormat: TradeFormat;
  /** None is a recording of the book alone. */
  readonly trades: readonly string[];
}

/** Steps of one file go together up to here. */
const STEPS_MAX = 1_000;

export class LevelTape implements Tape {
  readonly #files: LevelTapeFiles;
  readonly #grid: MarketGrid;
  readonly #book: LevelBook;
  readonly #sides = new TickRule();
  #hasBook = false;
  #lastTradeTicks: number | null = null;
  #beyondTrade = 0;

  constructor(files: LevelTapeFiles, grid: MarketGrid, rule: QueueRule) {
    this.#files = files;
    this.#grid = grid;
    this.#book = new LevelBook(grid, rule);
  }

  get needs(): TapeNeeds {
    return this.#book.needs;
  }

  /** Levels that the recording has on the wrong side of a later price. */
  get crossedLevels(): number {
    return this.#book.crossedLevels + this.#beyondTrade;
  }

  async *read(): AsyncGenerator<TapeSteps> {
    const { format, paths, tradeFormat, trades } = this.#files;
    const books = new Items(paths, bookItems(levelRows(format, this.#grid)));
    const deals = new Items(trades, tradeItems(tradeFormat, this.#grid));
    let [message, trade] = [await books.next(), await deals.next()];
    let [path, steps]: [string, TapeStep[]] = ["", []];
    const done = (): TapeSteps => ({ path, steps, bytesRead: books.bytesRead + deals.bytesRead });
    while (message !== null || trade !== null) {
      const isTrade = trade !== null && (message === null || trade.timeMs <= message.timeMs);
      const from: { readonly path: string } = isTrade ? deals : books;
      if (steps.length > 0 && (from.path !== path || steps.length >= STEPS_MAX)) {
        yield done();
        steps = [];
      }
      path = from.path;
      if (isTrade && trade !== null) {
        steps.push(this.#tradeStep(trade));
        trade = deals.ready() ?? (await deals.next());
      } else if (message !== null) {
        steps.push(this.#bookStep(message, path));
        message = books.ready() ?? (await books.next());
      }
    }
    if (steps.length > 0) yield done();
    if (this.#hasBook) return;
    throw new TapeError("isSnapshot", "no row is of a snapshot: no book can be made", paths[0]);
  }

  #tradeStep({ line, timeMs, ticks, lots, side }: TradeItem): TapeStep {
    const taker = side ?? this.#book.sideOf(ticks) ?? this.#sides.of({ timeMs, ticks, lots, side });
    this.#lastTradeTicks = ticks;
    return { timeMs, messages: this.#book.trade(taker, ticks, lots), isUnknown: false, line };
  }

  #bookStep(message: LevelMessage, path: string): TapeStep {
    const { timeMs, line, isSnapshot } = message;
    try {
      const messages = this.#apply(message);
      return { timeMs, messages, isUnknown: !isSnapshot && !this.#hasBook, line };
    } catch (error) {
      throw error instanceof TapeError ? error.at(path, line) : error;
    }
  }

  #apply({ changes, isSnapshot }: LevelMessage): readonly TapeMessage[] {
    this.#hasBook ||= isSnapshot;
    if (!this.#hasBook) return [];
    if (!isSnapshot) return this.#book.apply(changes);
    if (this.#files.format === "level-2") return this.#book.replace(changes);
    // Averages of bands, which know less of the price than the last trade does.
    const last = this.#lastTradeTicks;
    const within = changes.filter(
      ({ side, ticks }) => last === null || (side === "BUY" ? ticks <= last : ticks >= last),
    );
    this.#beyondTrade += changes.length - within.length;
    return this.#book.replace(within);
  }
}

interface TradeItem extends Trade {
  readonly line: number;
}

type ReadItems<Item> = (text: string | null, line: number) => Item | null;

/** A text of null is the end of a file. */
function bookItems(rows: LevelRows): ReadItems<LevelMessage> {
  return (text, line) => (text === null ? rows.end() : rows.parse(text, line));
}

function tradeItems(format: TradeFormat, grid: MarketGrid): ReadItems<TradeItem> {
  const rows = tradeRows(format, grid);
  return (text, line) => {
    const trade = text === null ? null : rows.parse(text);
    return trade === null ? null : { ...trade, line };
  };
}

interface Chunk<Item> {
  readonly path: string;
  readonly items: readonly Item[];
}

/** What files of one kind have, one after the other. */
class Items<Item> {
  readonly #chunks: AsyncGenerator<Chunk<Item>>;
  #items: readonly Item[] = [];
  #next = 0;
  #path = "";
  #bytesRead = 0;

  constructor(paths: readonly string[], read: ReadItems<Item>) {
    this.#chunks = this.#read(paths, read);
  }

  /** Of the last item. */
  get path(): string {
    return this.#path;
  }

  get bytesRead(): number {
    return this.#bytesRead;
  }

  /** The next one, where nothing has to be read for it. */
  ready(): Item | null {
    return this.#items[this.#next++] ?? null;
  }

  /** Null at the end. After `ready` returned null. */
  async next(): Promise<Item | null> {
    for (;;) {
      const { done, value } = await this.#chunks.next();
      if (done === true) return null;
      const [first] = value.items;
      if (first === undefined) continue;
      this.#path = value.path;
      this.#items = value.items;
      this.#next = 1;
      return first;
    }
  }

  async *#read(paths: readonly string[], read: ReadItems<Item>): AsyncGenerator<Chunk<Item>> {
    let before = 0;
    for (const path of paths) {
      let bytes = 0;
      for await (const { texts, firstLine, bytesRead } of readRows(path)) {
        bytes = bytesRead;
        this.#bytesRead = before + bytes;
        const items: Item[] = [];
        for (const [i, text] of texts.entries()) addItem(items, read, path, text, firstLine + i);
        yield { path, items };
      }
      before += bytes;
      const items: Item[] = [];
      addItem(items, read, path, null, 0);
      yield { path, items };
    }
  }
}

function addItem<Item>(
  items: Item[],
  read: ReadItems<Item>,
  path: string,
  text: string | null,
  line: number,
): void {
  try {
    const item = read(text, line);
    if (item !== null) items.push(item);
  } catch (error) {
    throw error instanceof TapeError ? error.at(path, line) : error;
  }
}
