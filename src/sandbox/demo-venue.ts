/** What the demo profile consists of: assets, markets, accounts and their funds. */

export interface DemoAsset {
  readonly asset: string;
  readonly coinId: number;
  readonly name: string;
  readonly scale: number;
}

export interface DemoMarket {
  readonly symbol: string;
  readonly baseAsset: string;
  readonly quoteAsset: string;
  readonly tickSize: string;
  readonly stepSize: string;
  readonly minTradeAmount: string;
  readonly maxTradeAmount: string;
  /** Where the price begins, and what it keeps coming back to. */
  readonly referencePrice: number;
  /** Standard deviation of a day's price change, as a fraction. */
  readonly dailyVolatility: number;
  /** Quote value of a typical order. */
  readonly orderNotional: number;
}

export const DEMO_ASSETS: readonly DemoAsset[] = [
  { asset: "ETH", coinId: 3, name: "Ether", scale: 8 },
  { asset: "SOL", coinId: 4, name: "Solana", scale: 8 },
  { asset: "DOGE", coinId: 5, name: "Dogecoin", scale: 8 },
];

export const DEMO_MARKETS: readonly DemoMarket[] = [
  {
    symbol: "BTCUSDT",
    baseAsset: "BTC",
    quoteAsset: "USDT",
    tickSize: "0.01",
    stepSize: "0.00001",
    minTradeAmount: "0.00001",
    maxTradeAmount: "1000",
    referencePrice: 92_000,
    dailyVolatility: 0.03,
    orderNotional: 6_000,
  },
  {
    symbol: "ETHUSDT",
    baseAsset: "ETH",
    quoteAsset: "USDT",
    tickSize: "0.01",
    stepSize: "0.0001",
    minTradeAmount: "0.0001",
    maxTradeAmount: "10000",
    referencePrice: 3_100,
    dailyVolatility: 0.04,
    orderNotional: 4_000,
  },
  {
    symbol: "SOLUSDT",
    baseAsset: "SOL",
    quoteAsset: "USDT",
    tickSize: "0.01",
    stepSize: "0.001",
    minTradeAmount: "0.001",
    maxTradeAmount: "100000",
    referencePrice: 142,
    dailyVolatility: 0.05,
    orderNotional: 2_000,
  },
  {
    symbol: "DOGEUSDT",
    baseAsset: "DOGE",
    quoteAsset: "USDT",
    tickSize: "0.00001",
    stepSize: "1",
    minTradeAmount: "1",
    maxTradeAmount: "10000000",
    referencePrice: 0.161,
    dailyVolatility: 0.06,
    orderNotional: 800,
  },
];

/** The accounts that a person trades with; their keys are printed. */
export const DEMO_TRADER_UIDS: readonly number[] = [1001, 1002];
export const DEMO_TRADER_FUNDS: Readonly<Record<string, string>> = {
  USDT: "100000",
  BTC: "2",
  ETH: "30",
  SOL: "500",
  DOGE: "200000",
};

/** The accounts that keep the markets alive. They pay no fees, so that their funds last. */
export const MAKER_UID = 2001;
export const TAKER_UID = 2002;
/** In quote value per asset: the inventory around which they trade. */
export const BOT_FUNDS_QUOTE = 50_000_000;
