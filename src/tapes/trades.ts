/**
 * Trades: plain `timestamp,price,quantity` (and `side` of the taker, where it is known), and
 * Binance's `aggTrades`. Without a side, a trade above the last other price was a buy.
 */
import { Columns, RowTime } from "./columns.ts";
import type { MarketGrid } from "./market-grid.ts";
import { addNeeds, type Side, type TapeNeeds, type TapeReader, type TapeStep } from "./tape.ts";
import { TapeError } from "./tape-error.ts";

const TRADE_COLUMNS = {
  timestamp: ["timestamp", "time", "datetime", "date", "transact_time"],
  price: ["price"],
  quantity: ["quantity", "qty", "amount", "size", "volume"],
  side: ["side", "taker_side", "direction"],
  arrival: ["local_timestamp"],
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

/** A row of a file of trades. */
export interface Trade {
  readonly timeMs: number;
  /** The taker's; null where the recording does not know it. */
  readonly side: Side | null;
  readonly ticks: number;
  readonly lots: number;
}

export interface TradeRows {
  /** Null for the heading. Throws `TapeError` without a place. */
  parse(text: string): Trade | null;
}

export type TradeFormat = "trades" | "agg-trades";

export function tradeRows(format: TradeFormat, grid: MarketGrid): TradeRows {
  return format === "trades" ? new PlainTradeRows(grid) : new AggTradeRows(grid);
}

/** Each trade as a message. */
export class TradeReader implements TapeReader {
  readonly needs: TapeNeeds = { baseLots: 0n, quoteTickLots: 0n };
  readonly #grid: MarketGrid;
  readonly #rows: TradeRows;
  readonly #sides = new TickRule();

  constructor(format: TradeFormat, grid: MarketGrid) {
    this.#grid = grid;
    this.#rows = tradeRows(format, grid);
  }

  read(text: string, line: number, steps: TapeStep[]): void {
    const trade = this.#rows.parse(text);
    if (trade === null) return;
    const { timeMs, ticks, lots } = trade;
    addNeeds(this.needs, ticks, lots);
    const terms = {
      price: this.#grid.priceText(ticks),
      quantity: this.#grid.quantityText(lots),
    };
    const messages = [{ kind: "trade", side: this.#sides.of(trade), ...terms }] as const;
    steps.push({ timeMs, messages, isUnknown: false, line });
  }
}

/** The side of trades whose side is not recorded: above the last other price it was a buy. */
export class TickRule {
  #lastTicks = 0;
  #lastSide: Side = "BUY";

  of({ side, ticks }: Trade): Side {
    if (side !== null) return side;
    if (ticks !== this.#lastTicks && this.#lastTicks > 0) {
      this.#lastSide = ticks > this.#lastTicks ? "BUY" : "SELL";
    }
    this.#lastTicks = ticks;
    return this.#lastSide;
  }
}

class PlainTradeRows implements TradeRows {
  readonly #columns = new Columns(TRADE_COLUMNS, ["timestamp", "price", "quantity"]);
  readonly #grid: MarketGrid;
  readonly #time = new RowTime();

  constructor(grid: MarketGrid) {
    this.#grid = grid;
  }

  parse(text: string): Trade | null {
    const row = this.#columns.read(text);
    if (row === null) return null;
    const { timestamp = "", arrival, price = "", quantity = "", side = "" } = row;
    return {
      timeMs: this.#time.read(timestamp, arrival),
      side: sideNamed(side),
      ticks: this.#grid.price(price),
      lots: this.#grid.quantity(quantity),
    };
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

class AggTradeRows implements TradeRows {
  readonly #columns = new Columns(AGG_COLUMNS, [
    "id",
    "price",
    "quantity",
    "first",
    "last",
    "timestamp",
    "isBuyerMaker",
  ]);
  readonly #grid: MarketGrid;
  readonly #time = new RowTime();
  #lastId: number | null = null;

  constructor(grid: MarketGrid) {
    this.#grid = grid;
  }

  parse(text: string): Trade | null {
    const row = this.#columns.read(text);
    if (row === null) return null;
    this.#checkId(row.id ?? "");
    const isBuyerMaker = (row.isBuyerMaker ?? "").toLowerCase();
    if (isBuyerMaker !== "true" && isBuyerMaker !== "false") {
      throw new TapeError("isBuyerMaker", `"${row.isBuyerMaker}" is neither true nor false`);
    }
    return {
      timeMs: this.#time.read(row.timestamp ?? ""),
      side: isBuyerMaker === "true" ? "SELL" : "BUY",
      ticks: this.#grid.price(row.price ?? ""),
      lots: this.#grid.quantity(row.quantity ?? ""),
    };
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
