/** Names of channels as clients write them. */
import { CANDLE_INTERVALS, type CandleInterval, type Product } from "../domain/index.ts";

export const PUBLIC_KINDS = [
  "ticker",
  "depth",
  "book",
  "bookOrders",
  "trade",
  "kline",
  "bookTicker",
] as const;
/** In both versions. */
export const PRIVATE_KINDS = ["account", "orders", "fill", "positions"] as const;
export type PrivateKind = (typeof PRIVATE_KINDS)[number];
/** Of the spot account, in version 3. */
export const FUNDING_KINDS = ["withdrawals", "deposits"] as const;
export type FundingKind = (typeof FUNDING_KINDS)[number];
/** A channel of an account. */
export type AccountKind = PrivateKind | FundingKind;
export type ChannelKind = (typeof PUBLIC_KINDS)[number] | AccountKind;

export const KLINE_PRICES = ["LAST_PRICE", "MARK_PRICE"] as const;
export type KlinePrice = (typeof KLINE_PRICES)[number];
export type DepthLevels = 15 | 200;

/** `name` is the channel in its canonical spelling. */
export type PublicChannel = { readonly name: string; readonly symbol: string } & (
  | { readonly kind: "ticker" | "trade" | "bookTicker" }
  /** Every change of a book, by price and order by order. */
  | { readonly kind: "book" | "bookOrders" }
  | { readonly kind: "depth"; readonly levels: DepthLevels }
  | {
      readonly kind: "kline";
      readonly interval: CandleInterval;
      readonly price: KlinePrice;
    }
);

const NAME = /^([A-Z0-9]{1,32})@([A-Za-z0-9]{1,16})(?:_([0-9]{1,2}[mhdwM])_([A-Z_]{1,16}))?$/;

/** Null when no channel of the product has that name. */
export function parsePublicChannel(product: Product, name: string): PublicChannel | null {
  const [, symbol, word, interval, price] = NAME.exec(name) ?? [];
  if (symbol === undefined) return null;
  if (interval !== undefined) {
    return word === "kline" ? klineChannel(product, name, symbol, interval, price) : null;
  }
  switch (word) {
    case "ticker":
    case "trade":
      return { name, symbol, kind: word };
    case "bookTicker":
      return product === "spot" ? { name, symbol, kind: word } : null;
    case "depth":
      return { name, symbol, kind: "book" };
    case "orders":
      return { name, symbol, kind: "bookOrders" };
    case "depth15":
      return { name, symbol, kind: "depth", levels: 15 };
    case "depth200":
      return { name, symbol, kind: "depth", levels: 200 };
    default:
      return null;
  }
}

function klineChannel(
  product: Product,
  name: string,
  symbol: string,
  interval: string,
  price: string | undefined,
): PublicChannel | null {
  const known = CANDLE_INTERVALS.find((candidate) => candidate === interval);
  const knownPrice = KLINE_PRICES.find((candidate) => candidate === price);
  if (known === undefined || knownPrice === undefined) return null;
  if (knownPrice === "MARK_PRICE" && product === "spot") return null;
  return { name, symbol, kind: "kline", interval: known, price: knownPrice };
}

export function parsePrivateChannel(product: Product, name: string): PrivateKind | null {
  const kind = PRIVATE_KINDS.find((candidate) => candidate === name);
  return kind === undefined || (kind === "positions" && product === "spot") ? null : kind;
}

/** The same with the channels that only version 3 has. */
export function parseAccountChannel(product: Product, name: string): AccountKind | null {
  const funding = FUNDING_KINDS.find((candidate) => candidate === name);
  return funding !== undefined && product === "spot" ? funding : parsePrivateChannel(product, name);
}
