/** Candles over REST, in one shape for spot and contracts, last and mark price. */
import type { Answer, PriceType, RialtoClient } from "../../../client/index.ts";
import type { CandleInterval } from "../../../domain/index.ts";
import type { Product } from "../market-rules.ts";
import type { ChartCandle } from "./candle-list.ts";

export interface CandleSubject {
  readonly product: Product;
  readonly symbol: string;
  readonly interval: CandleInterval;
  readonly priceType: PriceType;
}

const SPOT_INTERVALS = ["1m", "5m", "15m", "30m", "1h", "2h", "4h", "6h", "8h", "12h", "1d", "1w"];
const CONTRACT_INTERVALS = ["1m", "5m", "15m", "30m", "1h", "4h", "12h", "1d", "1w"] as const;
type ContractInterval = (typeof CONTRACT_INTERVALS)[number];

/** Intervals of each product. */
export const INTERVALS: Readonly<Record<Product, readonly CandleInterval[]>> = {
  spot: [...SPOT_INTERVALS, "1M"] as CandleInterval[],
  contract: CONTRACT_INTERVALS,
};

/** Several windows full; they are a sixth of what a first look takes on the wire. */
const NEWEST_COUNT = 300;
/** The most the exchange returns at once. */
const OLDER_COUNT = { spot: 500, contract: 100 } as const;

/** The newest candles, oldest first. */
export async function fetchNewestCandles(
  client: RialtoClient,
  { product, symbol, interval, priceType }: CandleSubject,
  signal: AbortSignal,
): Promise<ChartCandle[]> {
  if (product === "spot") {
    const query = { symbol, interval, limit: NEWEST_COUNT };
    return (await client.spot.klines(query, { signal })).map(toCandle);
  }
  const query = { symbol, interval: interval as ContractInterval, limit: NEWEST_COUNT };
  const rows =
    priceType === "LAST_PRICE"
      ? await client.contract.klines(query, { signal })
      : await client.contract.markPriceKlines(query, { signal });
  return rows.map(toCandle);
}

/** Candles that opened before a time, oldest first; fewer where history begins. */
export async function fetchOlderCandles(
  client: RialtoClient,
  { product, symbol, interval, priceType }: CandleSubject,
  before: number,
  signal: AbortSignal,
): Promise<ChartCandle[]> {
  const range = { symbol, endTime: before - 1, limit: OLDER_COUNT[product] };
  if (product === "spot") {
    return (await client.spot.klines({ ...range, interval }, { signal })).map(toCandle);
  }
  const rows = await client.contract.historyKlines(
    {
      ...range,
      interval: interval as ContractInterval,
      priceType: priceType === "LAST_PRICE" ? "LAST" : "MARK",
    },
    { signal },
  );
  return rows.map(toCandle);
}

function toCandle(row: Answer<"v3-klines">[number]): ChartCandle {
  const [openTime, open, high, low, close, volume] = row;
  return { openTime, open, high, low, close, volume };
}
