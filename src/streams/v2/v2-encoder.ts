/**
 * Updates in v2. Clients write symbols in many ways and expect them back as written, so messages
 * begin with the part that differs. The rest is encoded once for all spellings.
 */

import type { AccountKind } from "../../api/channel-names.ts";
import type { AnswerOf } from "../../api/route.ts";
import type { tickerRoute } from "../../api/v2/market.ts";
import type { Product } from "../../domain/index.ts";
import type { MessageEncoder } from "../channels/dialect.ts";
import type {
  AccountUpdate,
  ContractPrices,
  DepthUpdate,
  KlineUpdate,
  Level,
  TickerUpdate,
  TradeUpdate,
  Update,
} from "../channels/updates.ts";
import { v2Entry } from "./v2-entries.ts";

export function v2MarketWording(name: string, symbol: string): MessageEncoder {
  const begin = `{"event":"payload","channel":${JSON.stringify(name)},"data":[`;
  const beginOfEntry = `${begin}{"symbol":${JSON.stringify(symbol)},`;
  return {
    dialect: "v2",
    name,
    showsContractPrices: true,
    encode: (update) => {
      // Trades are the only channel without a symbol in its entries.
      const head = update.kind === "trade" ? begin : beginOfEntry;
      return tailsOf(update).map((tail) => head + tail);
    },
  };
}

const TAILS = new WeakMap<Update, readonly string[]>();

function tailsOf(update: Update): readonly string[] {
  let tails = TAILS.get(update);
  if (tails === undefined) {
    tails = makeTails(update);
    TAILS.set(update, tails);
  }
  return tails;
}

function makeTails(update: Update): readonly string[] {
  switch (update.kind) {
    case "depth":
      return [endOfEntry(depthEntry(update))];
    case "ticker":
      // A subscriber that arrives before the prices are known gets the next ticker, which is
      // queried at once.
      return update.prices === null ? [] : [endOfEntry(tickerEntry(update, update.prices))];
    case "trade":
      return [`${JSON.stringify(tradeEntries(update)).slice(1)}}`];
    case "kline":
      return klineTails(update);
    default:
      // Best prices have no channel in v2, and accounts have an encoder of their own.
      return [];
  }
}

/** The rest of a message whose only entry has begun with its symbol. */
function endOfEntry(entry: object): string {
  return `${JSON.stringify(entry).slice(1)}]}`;
}

function depthEntry(update: DepthUpdate): object {
  return {
    startVersion: String(update.previous),
    endVersion: String(update.version),
    level: update.levels,
    depthType: update.isSnapshot ? "SNAPSHOT" : "CHANGED",
    asks: update.asks.map(levelEntry),
    bids: update.bids.map(levelEntry),
  };
}

function levelEntry([price, size]: Level): object {
  return { price, size };
}

/** The fields of the REST ticker; here all of them are text. */
type TickerEntry = Readonly<Record<Exclude<keyof AnswerOf<typeof tickerRoute>, "symbol">, string>>;

function tickerEntry(update: TickerUpdate, prices: ContractPrices): TickerEntry {
  const { ticker, timestampMs } = update;
  return {
    priceChange: ticker.priceChange,
    priceChangePercent: ticker.priceChangePercent,
    trades: String(ticker.trades),
    size: ticker.baseVolume,
    value: ticker.quoteVolume,
    high: ticker.high,
    low: ticker.low,
    open: ticker.open,
    close: ticker.close,
    highTime: String(ticker.highMs),
    lowTime: String(ticker.lowMs),
    startTime: String(ticker.windowStartMs),
    endTime: String(ticker.windowEndMs),
    lastPrice: ticker.lastPrice,
    markPrice: prices.markPrice,
    indexPrice: prices.indexPrice,
    openInterest: prices.openInterest,
    ts: String(timestampMs),
  };
}

function tradeEntries({ trades }: TradeUpdate): readonly object[] {
  return trades.map((trade) => ({
    time: String(trade.timestampMs),
    tradeId: trade.tradeId,
    price: trade.price,
    size: trade.quantity,
    value: trade.value,
    buyerMaker: trade.isBuyerMaker,
  }));
}

/** One candle per message: some clients read the first entry, others the last. */
function klineTails({ changed, isSnapshot }: KlineUpdate): readonly string[] {
  const type = isSnapshot ? "snapshot" : "change";
  return changed.map((candle) => {
    const entry = {
      klineTime: String(candle.openMs),
      size: candle.baseVolume,
      value: candle.quoteVolume,
      high: candle.high,
      low: candle.low,
      open: candle.open,
      close: candle.close,
    };
    return `${JSON.stringify(entry).slice(1)}],"type":"${type}"}`;
  });
}

/** The field that lists the entries of a private channel; v2 lacks the others. */
const LISTS: Readonly<Partial<Record<AccountKind, string>>> = {
  account: "collateral",
  orders: "order",
  fill: "orderFillTransaction",
  positions: "position",
};

export function v2AccountWording(product: Product, name: string): MessageEncoder {
  return {
    dialect: "v2",
    name,
    showsContractPrices: false,
    encode: (update) => ("entries" in update ? [accountMessage(product, name, update)] : []),
  };
}

function accountMessage(product: Product, channel: string, update: AccountUpdate): string {
  const { kind, version, cause, entries, timestampMs } = update;
  const list = entries.map((entry) => v2Entry(product, entry));
  return JSON.stringify({
    type: "trade-event",
    channel,
    event: "payload",
    msg: { msgEvent: cause, version, data: { [LISTS[kind] ?? kind]: list }, time: timestampMs },
  });
}
