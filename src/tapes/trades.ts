/**
 * Trades: plain `timestamp,price,quantity` (and `side` of the taker, where it is known), and
 * Binance's `aggTrades`. Without a side, a trade above the last other price was a buy.
 */
import { Columns, RisingTime, readTimeMs } from "./columns.ts";
import type { MarketGrid } from "./market-grid.ts";
import { addNeeds, type TapeNeeds, type TapeReader, type TapeStep } from "./tape.ts";
import { TapeError } from "./tape-error.ts";

const TRADE_COLUMNS = {
  timestamp: ["timestamp", "time", "datetime", "date", "transact_time"],
  price: ["price"],
  quantity: ["quantity", "qty", "amount", "size", "volume"],
  side: ["side", "taker_side", "direction"],
} as const;

const AGG_COLUMNS = {
  id: ["agg_trade_id", "a"],
  price: ["price", "p"],
  quantity: ["quantity", "q"],
  first: ["first_trade_id", "f"],
  last: ["last_trade_id", "l"],
  timestamp: ["transact_time", "timestamp", "t"],
  isBuyerMaker: ["is_buyer_maker", "m"],
  isBestMatch: ["is_best_match", "best_match"],
} as const;

type Side = "BUY" | "SELL";

class TradeSteps {
  readonly needs: TapeNeeds = { baseLots: 0n, quoteTickLots: 0n };
  readonly #grid: MarketGrid;
  readonly #time = new RisingTime();

  constructor(grid: MarketGrid) {
    this.#grid = grid;
  }

  add(
    row: { readonly timestamp?: string; readonly price?: string; readonly quantity?: string },
    sideAt: (ticks: number) => Side,
    line: number,
    steps: TapeStep[],
  ): void {
    const { timestamp = "", price = "", quantity = "" } = row;
    const timeMs = readTimeMs(timestamp);
    this.#time.check(timeMs, timestamp);
    const ticks = this.#grid.price(price);
    const lots = this.#grid.quantity(quantity);
    addNeeds(this.needs, ticks, lots);
    const terms = {
      price: this.#grid.priceText(ticks),
      quantity: this.#grid.quantityText(lots),
    };
    const messages = [{ kind: "trade", side: sideAt(ticks), ...terms }] as const;
    steps.push({ timeMs, messages, isUnknown: false, line });
  }
}

export class TradeReader implements TapeReader {
  readonly #columns = new Columns(TRADE_COLUMNS, ["timestamp", "price", "quantity"]);
  readonly #steps: TradeSteps;
  #lastTicks = 0;
  #lastSide: Side = "BUY";

  constructor(grid: MarketGrid) {
    this.#steps = new TradeSteps(grid);
  }

  get needs(): TapeNeeds {
    return this.#steps.needs;
  }

  read(text: string, line: number, steps: TapeStep[]): void {
    const row = this.#columns.read(text);
    if (row === null) return;
    const { side } = row;
    this.#steps.add(row, (ticks) => this.#sideOf(side, ticks), line, steps);
  }

  #sideOf(given: string | undefined, ticks: number): Side {
    const named = given === undefined ? null : sideNamed(given);
    if (named !== null) return named;
    if (ticks !== this.#lastTicks && this.#lastTicks > 0) {
      this.#lastSide = ticks > this.#lastTicks ? "BUY" : "SELL";
    }
    this.#lastTicks = ticks;
    return this.#lastSide;
  }
}

/** Null where the recording does not know it. */
function sideNamed(text: string): Side | null {
  const word = text.toLowerCase();
  if (["buy", "b", "bid", "1"].includes(word)) return "BUY";
  if (["sell", "s", "ask", "-1"].includes(word)) return "SELL";
  if (word === "" || word === "unknown") return null;
  throw new TapeError("side", `"${text}" is neither buy nor sell`);
}

export class AggTradeReader implements TapeReader {
  readonly #columns = new Columns(AGG_COLUMNS, [
    "id",
    "price",
    "quantity",
    "first",
    "last",
    "timestamp",
    "isBuyerMaker",
  ]);
  readonly #steps: TradeSteps;
  #lastId: number | null = null;

  constructor(grid: MarketGrid) {
    this.#steps = new TradeSteps(grid);
  }

  get needs(): TapeNeeds {
    return this.#steps.needs;
  }

  read(text: string, line: number, steps: TapeStep[]): void {
    const row = this.#columns.read(text);
    if (row === null) return;
    this.#checkId(row.id ?? "");
    const isBuyerMaker = (row.isBuyerMaker ?? "").toLowerCase();
    if (isBuyerMaker !== "true" && isBuyerMaker !== "false") {
      throw new TapeError("isBuyerMaker", `"${row.isBuyerMaker}" is neither true nor false`);
    }
    this.#steps.add(row, () => (isBuyerMaker === "true" ? "SELL" : "BUY"), line, steps);
  }

  #checkId(text: string): void {
    if (!/^\d{1,15}$/.test(text)) throw new TapeError("id", `"${text}" is not a whole number`);
    const id = Number(text);
    if (this.#lastId !== null && id !== this.#lastId + 1) {
      const kind = id > this.#lastId ? "a gap" : "out of order";
      throw new TapeError("id", `${kind}: ${this.#lastId + 1} expected, ${text} found`);
    }
    this.#lastId = id;
  }
}
