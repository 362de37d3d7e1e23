/** Markets that stopped or began to accept orders, as sentences. */

/** Symbols of markets that accept orders. */
export interface TradingMarkets {
  readonly spot: readonly string[];
  readonly contract: readonly string[];
}

export function marketSentences(before: TradingMarkets, now: TradingMarkets): readonly string[] {
  return (["spot", "contract"] as const).flatMap((product) => {
    const halted = without(before[product], now[product]);
    const resumed = without(now[product], before[product]);
    return [
      ...halted.map((symbol) => `${symbol} ${product} is halted: new orders are rejected`),
      ...resumed.map((symbol) => `${symbol} ${product} accepts orders again`),
    ];
  });
}

function without(symbols: readonly string[], others: readonly string[]): readonly string[] {
  return symbols.filter((symbol) => !others.includes(symbol));
}
