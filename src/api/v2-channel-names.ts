/**
 * Names of channels in v2, e.g. `depth.BTCUSDT_SPBL.15`. Symbols may be written in several ways;
 * each name is mapped to the single v3 name of its channel.
 */

import { CANDLE_INTERVALS, type CandleInterval, type Product } from "../domain/index.ts";
import type { PrivateKind } from "./channel-names.ts";
import { type PublicChannel, parsePrivateChannel, parsePublicChannel } from "./channel-names.ts";
import { contractFromV2, symbolFromV2 } from "./symbols.ts";

const LONG_INTERVALS: Readonly<Record<CandleInterval, string>> = {
  "1m": "MINUTE_1",
  "5m": "MINUTE_5",
  "15m": "MINUTE_15",
  "30m": "MINUTE_30",
  "1h": "HOUR_1",
  "2h": "HOUR_2",
  "4h": "HOUR_4",
  "6h": "HOUR_6",
  "8h": "HOUR_8",
  "12h": "HOUR_12",
  "1d": "DAY_1",
  "1w": "WEEK_1",
  "1M": "MONTH_1",
};

/** Both spellings of an interval. */
const INTERVALS: ReadonlyMap<string, CandleInterval> = new Map(
  CANDLE_INTERVALS.flatMap((interval) => [
    [interval, interval] as const,
    [LONG_INTERVALS[interval], interval] as const,
  ]),
);

interface SpeltChannel {
  readonly channel: PublicChannel;
  /** As the client wrote it. */
  readonly symbol: string;
}

/** Null when no channel of the product has that name. */
export function parseV2PublicChannel(product: Product, name: string): SpeltChannel | null {
  const [word, ...parts] = name.split(".");
  switch (word) {
    case "ticker":
      return spelt(product, parts, 1, (symbol) => `${symbol}@ticker`);
    case "trades":
      return spelt(product, parts, 1, (symbol) => `${symbol}@trade`);
    case "depth":
      // Without its levels it is another channel, which v2 does not have.
      return parts[1] === ""
        ? null
        : spelt(product, parts, 2, (symbol) => `${symbol}@depth${parts[1]}`);
    case "kline": {
      const [price, symbol = "", interval = ""] = parts;
      const known = INTERVALS.get(interval);
      if (known === undefined || parts.length !== 3) return null;
      return spelt(product, [symbol], 1, (market) => `${market}@kline_${known}_${price}`);
    }
    default:
      return null;
  }
}

/** The first part is the symbol. */
function spelt(
  product: Product,
  parts: readonly string[],
  count: number,
  nameInV3: (symbol: string) => string,
): SpeltChannel | null {
  const [symbol] = parts;
  if (symbol === undefined || parts.length !== count) return null;
  const market = product === "spot" ? symbolFromV2(symbol) : contractFromV2(symbol);
  const channel = market === null ? null : parsePublicChannel(product, nameInV3(market));
  return channel === null ? null : { channel, symbol };
}

/** Names that public clients use beside the documented ones. */
const ALIASES: ReadonlyMap<string, PrivateKind> = new Map([
  ["position", "positions"],
  ["trade", "fill"],
]);

export function parseV2PrivateChannel(product: Product, name: string): PrivateKind | null {
  return parsePrivateChannel(product, ALIASES.get(name) ?? name);
}
