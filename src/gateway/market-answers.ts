/** Market data as spot v3 and contracts answer it. */
import type { Candle } from "../queries/history-port.ts";

/** The symbols that take orders now. */
export function tradingSymbols(
  markets: readonly { readonly symbol: string; readonly state: string }[],
): string[] {
  return markets.filter(({ state }) => state === "trading").map(({ symbol }) => symbol);
}

type Level = readonly [price: string, quantity: string];

export function bookSides({
  bids,
  asks,
}: {
  readonly bids: readonly Level[];
  readonly asks: readonly Level[];
}) {
  return { bids: bids.map(copyOf), asks: asks.map(copyOf) };
}

function copyOf([price, quantity]: Level): [price: string, quantity: string] {
  return [price, quantity];
}

type CandleRow = [
  openMs: number,
  open: string,
  high: string,
  low: string,
  close: string,
  baseVolume: string,
  closeMs: number,
  quoteVolume: string,
  trades: number,
  takerBaseVolume: string,
  takerQuoteVolume: string,
];

export function candleRow(candle: Candle): CandleRow {
  return [
    candle.openMs,
    candle.open,
    candle.high,
    candle.low,
    candle.close,
    candle.baseVolume,
    candle.closeMs,
    candle.quoteVolume,
    candle.trades,
    candle.takerBaseVolume,
    candle.takerQuoteVolume,
  ];
}
