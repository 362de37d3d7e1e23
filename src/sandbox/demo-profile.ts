/** The contents of the demo profile: assets, markets, accounts, affiliates and their funds. */
import type { QuotedMarket } from "./quotes.ts";

export interface DemoAsset {
  readonly asset: string;
  readonly coinId: number;
  readonly name: string;
  readonly scale: number;
}

export interface DemoMarket extends QuotedMarket {
  readonly symbol: string;
  readonly baseAsset: string;
  readonly quoteAsset: string;
  readonly minTradeAmount: string;
  readonly maxTradeAmount: string;
  /** Starting price, and the price it reverts to. */
  readonly referencePrice: number;
  /** Standard deviation of the daily price change, as a fraction. */
  readonly dailyVolatility: number;
}

/** A contract whose index comes from a spot market of the same pair. */
export interface DemoContract extends QuotedMarket {
  readonly symbol: string;
  readonly baseAsset: string;
  readonly pricePrecision: number;
  readonly quantityPrecision: number;
  readonly maxOrderSize: string;
  readonly maxPositionSize: string;
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

/** Quote and margin asset of the contracts. */
export const MARGIN_ASSET = "USDT";

export const DEMO_CONTRACTS: readonly DemoContract[] = [
  {
    symbol: "BTCUSDT",
    baseAsset: "BTC",
    tickSize: "0.1",
    stepSize: "0.001",
    pricePrecision: 1,
    quantityPrecision: 3,
    maxOrderSize: "1000",
    maxPositionSize: "5000",
    orderNotional: 8_000,
  },
  {
    symbol: "ETHUSDT",
    baseAsset: "ETH",
    tickSize: "0.01",
    stepSize: "0.01",
    pricePrecision: 2,
    quantityPrecision: 2,
    maxOrderSize: "10000",
    maxPositionSize: "50000",
    orderNotional: 5_000,
  },
];

export interface DemoAffiliate {
  readonly uid: number;
  readonly parentUid: number | null;
  readonly spotRate: string;
  readonly futuresRate: string;
}

/** A user who registered with an affiliate's code. */
export interface DemoInvitee {
  readonly uid: number;
  readonly inviterUid: number;
  readonly kyc: boolean;
  /** In USDT; "0" for nothing. */
  readonly spotFunds: string;
  readonly spotWithdrawal: string;
  readonly contractFunds: string;
  /** Each bought once, for this many USDT. */
  readonly buys: Readonly<Record<string, number>>;
  readonly frozenAfterwards: boolean;
}

/** The accounts for people to trade with; their keys are printed. */
export const DEMO_TRADER_UIDS: readonly number[] = [1001, 1002];
export const DEMO_TRADER_FUNDS: Readonly<Record<string, string>> = {
  USDT: "100000",
  BTC: "2",
  ETH: "30",
  SOL: "500",
  DOGE: "200000",
};

/** The accounts that make and take in the markets. They pay no fees, so that their funds last. */
export const MAKER_UID = 2001;
export const TAKER_UID = 2002;
/** Quote value per asset: the inventory around which they trade. */
export const BOT_FUNDS_QUOTE = 50_000_000;

/** Amount of the margin asset in the contract wallets. */
export const CONTRACT_TRADER_FUNDS = "50000";
export const CONTRACT_BOT_FUNDS = "500000";
/** Pays for liquidations that end below the bankruptcy price. */
export const INSURANCE_FUNDS = "100000";

/** Each registered with the code of the one above. */
export const DEMO_AFFILIATES: readonly DemoAffiliate[] = [
  { uid: 3001, parentUid: null, spotRate: "0.5", futuresRate: "0.6" },
  { uid: 3002, parentUid: 3001, spotRate: "0.4", futuresRate: "0.5" },
  { uid: 3003, parentUid: 3002, spotRate: "0.25", futuresRate: "0.3" },
];
/** The one at the top, whose reports show the whole tree; its key is printed. */
export const DEMO_AFFILIATE_UID = 3001;
export const DEMO_AFFILIATE_FUNDS: Readonly<Record<string, string>> = { USDT: "10000" };
/** In USDT, from the top affiliate to the one below. */
export const DEMO_INTERNAL_WITHDRAWAL = "25";

/** The accounts with printed keys registered with this affiliate's code. */
export const DEMO_TRADER_INVITERS: Readonly<Record<number, number>> = { 1001: 3003, 1002: 3001 };

/** One of each kind: busy, without KYC, idle, frozen. */
export const DEMO_INVITEES: readonly DemoInvitee[] = [
  {
    uid: 4001,
    inviterUid: 3001,
    kyc: true,
    spotFunds: "20000",
    spotWithdrawal: "1500",
    contractFunds: "5000",
    buys: { BTCUSDT: 2_000, ETHUSDT: 800 },
    frozenAfterwards: false,
  },
  {
    uid: 4002,
    inviterUid: 3002,
    kyc: true,
    spotFunds: "20000",
    spotWithdrawal: "0",
    contractFunds: "0",
    buys: { ETHUSDT: 1_500 },
    frozenAfterwards: false,
  },
  {
    uid: 4003,
    inviterUid: 3003,
    kyc: false,
    spotFunds: "20000",
    spotWithdrawal: "0",
    contractFunds: "5000",
    buys: { SOLUSDT: 900, DOGEUSDT: 300 },
    frozenAfterwards: false,
  },
  {
    uid: 4004,
    inviterUid: 3001,
    kyc: false,
    spotFunds: "0",
    spotWithdrawal: "0",
    contractFunds: "0",
    buys: {},
    frozenAfterwards: false,
  },
  {
    uid: 4005,
    inviterUid: 3002,
    kyc: true,
    spotFunds: "3000",
    spotWithdrawal: "0",
    contractFunds: "0",
    buys: { BTCUSDT: 500 },
    frozenAfterwards: true,
  },
];
