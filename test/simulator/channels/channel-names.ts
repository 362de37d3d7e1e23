/** Names of channels, as clients of either version spell them, and what follows each. */
import type { Random } from "../../support/random.ts";
import { SYMBOL } from "../markets.ts";
import type { Product } from "../orders.ts";
import type { SimulatedExchange } from "../simulated-exchange.ts";
import type { StreamVersion } from "../stream-versions.ts";
import {
  BestPricesFollower,
  ChangesFollower,
  DepthFollower,
  type Follower,
  StateFollower,
  TradesFollower,
} from "./followers.ts";

/** Whose channels they are. */
export interface Party {
  readonly exchange: SimulatedExchange;
  readonly product: Product;
  readonly version: StreamVersion;
  readonly isPrivate: boolean;
}

export interface Channel {
  /** As the client spells it. */
  readonly name: string;
  readonly symbol: string;
  readonly kind: string;
}

const SYMBOLS = [SYMBOL, SYMBOL, "ETHUSDT"];

export function someChannel(party: Party, random: Random): Channel {
  if (party.isPrivate) return privateChannel(party, random);
  const symbol = random.pick(SYMBOLS);
  const isV3 = party.version === "v3";
  const isSpot = party.product === "spot";
  const kind = random.pick([
    ...["depth15", "depth15", "depth200", "trade", "ticker", "kline"],
    ...(isV3 && isSpot ? ["bookTicker", "bookTicker", "bookTicker", "bookTicker"] : []),
  ]);
  return channelOf(party, kind, symbol, random);
}

/** Of a market; one that both versions have, or `bookTicker`. */
export function channelOf(party: Party, kind: string, symbol: string, random: Random): Channel {
  const isV3 = party.version === "v3";
  const isSpot = party.product === "spot";
  if (isV3) return { symbol, kind, name: `${symbol}@${kind === "kline" ? LAST_MINUTE : kind}` };
  const spelt = isSpot ? `${symbol}_SPBL` : `cmt_${symbol.toLowerCase()}`;
  const market = random.pick([spelt, spelt.toLowerCase(), spelt.toUpperCase(), symbol]);
  if (kind.startsWith("depth")) return { symbol, kind, name: `depth.${market}.${kind.slice(5)}` };
  if (kind === "trade") return { symbol, kind, name: `trades.${market}` };
  if (kind === "ticker") return { symbol, kind, name: `ticker.${market}` };
  return { symbol, kind, name: `kline.LAST_PRICE.${market}.${random.pick(["1m", "MINUTE_1"])}` };
}

const LAST_MINUTE = "kline_1m_LAST_PRICE";

function privateChannel({ product, version }: Party, random: Random): Channel {
  const isSpot = product === "spot";
  const more = version === "v2" ? ["trade"] : isSpot ? ["withdrawals", "deposits"] : [];
  const ofContracts = isSpot ? [] : ["positions", ...(version === "v2" ? ["position"] : [])];
  const name = random.pick(["account", "orders", "fill", ...more, ...ofContracts]);
  return { name, symbol: "", kind: "private" };
}

export function followerOf({ exchange, product }: Party, { kind, symbol }: Channel): Follower {
  const place = { exchange, product, symbol };
  switch (kind) {
    case "depth15":
      return new DepthFollower(place, 15);
    case "depth200":
      return new DepthFollower(place, 200);
    case "bookTicker":
      return new BestPricesFollower(place);
    case "trade":
      return new TradesFollower(place);
    case "ticker":
      return new StateFollower(() => true);
    case "kline":
      return new StateFollower(() => exchange.story.trades.of(product, symbol).length > 0);
    default:
      return new ChangesFollower();
  }
}

/** Names that are refused, with a word of the refusal, and its code in version 2. */
export function wrongName(
  { exchange, isPrivate, product, version }: Party,
  random: Random,
): { readonly name: string; readonly why: string; readonly code: string } {
  const isSpot = product === "spot";
  if (isPrivate) {
    const ofAnother = isSpot ? ["positions"] : ["withdrawals", "deposits"];
    const name = random.pick(["nothing", "ORDERS", "orders ", `${SYMBOL}@ticker`, ...ofAnother]);
    return { name, why: `invalid channel : ${name}`, code: "40020" };
  }
  if (random.chance(0.4)) {
    const name = version === "v3" ? "NOPEUSDT@ticker" : "depth.NOPEUSDT.15";
    return { name, why: "invalid symbol : NOPEUSDT", code: "40034" };
  }
  const markPrice = version === "v3" ? `${SYMBOL}@kline_1m_MARK_PRICE` : MARK_PRICE_V2;
  if (version === "v2") {
    const own = [`depth.${SYMBOL}.`, `depth.${SYMBOL}.20`, `depth.${SYMBOL}`, `book.${SYMBOL}`];
    const others = [`${SYMBOL}@depth15`, `ticker.${SYMBOL}.1`, `kline.LAST_PRICE.${SYMBOL}.2m`];
    const name = random.pick([...own, ...others, ...(isSpot ? [markPrice] : [])]);
    return { name, why: `invalid channel : ${name}`, code: "40020" };
  }
  if (!exchange.sandbox && random.chance(0.2)) {
    const name = `${SYMBOL}@orders`;
    return { name, why: "is a channel of a sandbox", code: "" };
  }
  const ofProduct = isSpot ? [markPrice] : [`${SYMBOL}@bookTicker`];
  const name = random.pick([
    ...["nothing", `${SYMBOL}@depth20`, `${SYMBOL}@kline_2m_LAST_PRICE`, `${SYMBOL}@kline`],
    ...["btcusdt@ticker", `${SYMBOL}@ticker_1m_LAST_PRICE`, ...ofProduct],
  ]);
  return { name, why: `invalid channel : ${name}`, code: "40020" };
}

const MARK_PRICE_V2 = `kline.MARK_PRICE.${SYMBOL}.1m`;
