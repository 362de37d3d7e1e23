/** The users, assets and markets of the random event streams, and amounts in their units. */
import { exact, text } from "../support/exact.ts";

export const USERS = [7, 1_001, 1_002, 900_000_001] as const;
export const ASSETS = [
  { asset: "USDT", scale: 6 },
  { asset: "BTC", scale: 8 },
  { asset: "ETH", scale: 18 },
] as const;
export const MARKETS = [
  { symbol: "BTCUSDT", base: "BTC", quote: "USDT", ticks: ["0.5", "0.01", "1"], step: "0.0001" },
  { symbol: "ETHUSDT", base: "ETH", quote: "USDT", ticks: ["0.25", "0.01"], step: "0.003" },
  { symbol: "ETHBTC", base: "ETH", quote: "BTC", ticks: ["0.00001"], step: "10" },
] as const;
/** Of the same names as spot markets, and of other sizes. */
export const CONTRACTS = [
  { symbol: "BTCUSDT", base: "BTC", quote: "USDT", ticks: ["0.1", "0.05"], step: "0.002" },
  { symbol: "ETHUSDT", base: "ETH", quote: "USDT", ticks: ["0.01"], step: "0.03" },
  { symbol: "ETHBTC", base: "ETH", quote: "BTC", ticks: ["0.0001", "0.00003"], step: "7" },
] as const;

/** Decimal text of minor units of an asset. */
function units(minor: bigint, asset: string): string {
  return text(minor * 10n ** BigInt(18 - scaleOf(asset)));
}

function scaleOf(asset: string): number {
  return ASSETS.find((candidate) => candidate.asset === asset)?.scale ?? 0;
}

/** Decimal text of so many ticks or lots. */
export function product(count: number | bigint, size: string): string {
  return text(BigInt(count) * exact(size));
}

export interface ListedMarket {
  readonly base: string;
  readonly quote: string;
  readonly step: string;
}

/** In which units the numbers of events are. */
export interface Listing {
  units(minor: bigint, asset: string): string;
  scale(asset: string): number;
  spot(symbol: string): ListedMarket;
  contract(symbol: string): ListedMarket;
}

/** What is listed here. */
export const LISTED: Listing = {
  units,
  scale: scaleOf,
  spot: (symbol) => marketOf(MARKETS, symbol),
  contract: (symbol) => marketOf(CONTRACTS, symbol),
};

function marketOf<Market extends { readonly symbol: string }>(
  markets: readonly Market[],
  symbol: string,
): Market {
  const market = markets.find((candidate) => candidate.symbol === symbol);
  if (market === undefined) throw new Error(`no market ${symbol}`);
  return market;
}
