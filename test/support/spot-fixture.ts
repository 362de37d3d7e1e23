/**
 * A spot exchange with two assets, as the engine and the store describe it, for tests of endpoints.
 */
import { accept, reject } from "../../src/domain/index.ts";
import type {
  AssetView,
  SpotBookTickerView,
  SpotMarketView,
  SpotOrderView,
  SpotTickerView,
} from "../../src/protocol/index.ts";
import type {
  Bill,
  Candle,
  EndedSpotOrder,
  FundingMovement,
  PublicTrade,
  SpotFill,
  Transfer,
} from "../../src/queries/index.ts";
import { DOUBLE_TIME_MS, type EngineScript, type HistoryScript } from "./exchange-double.ts";

export const ASSETS: readonly AssetView[] = [
  { asset: "BTC", coinId: 1, name: "Bitcoin", scale: 8 },
  { asset: "USDT", coinId: 2, name: "Tether", scale: 6 },
  { asset: "ETH", coinId: 3, name: "Ether", scale: 8 },
];

export const BTC_MARKET: SpotMarketView = {
  symbol: "BTCUSDT",
  baseAsset: "BTC",
  quoteAsset: "USDT",
  baseScale: 8,
  quoteScale: 6,
  tickSize: "0.01",
  stepSize: "0.00001",
  minTradeAmount: "0.0001",
  maxTradeAmount: "9000",
  minNotional: "1",
  makerFeeRate: "0.001",
  takerFeeRate: "0.0012",
  buyLimitPriceRatio: "0.1",
  sellLimitPriceRatio: "0.2",
  maxOpenOrders: 200,
  state: "trading",
};

const ETH_MARKET: SpotMarketView = {
  ...BTC_MARKET,
  symbol: "ETHUSDT",
  baseAsset: "ETH",
  tickSize: "0.05",
  stepSize: "0.001",
  makerFeeRate: "0.0008",
  takerFeeRate: "0.001",
  sellLimitPriceRatio: "0.1",
  state: "cancel-only",
};

const MARKETS = [BTC_MARKET, ETH_MARKET];

const BTC_TICKER: SpotTickerView = {
  symbol: "BTCUSDT",
  priceChange: "-1000",
  priceChangePercent: "-0.01",
  trades: 3,
  baseVolume: "1.5",
  quoteVolume: "149500",
  high: "101000",
  low: "98000",
  open: "100000",
  close: "99000",
  highMs: DOUBLE_TIME_MS - 3_000,
  lowMs: DOUBLE_TIME_MS - 2_000,
  windowStartMs: DOUBLE_TIME_MS - 86_400_000,
  windowEndMs: DOUBLE_TIME_MS,
  lastPrice: "99000",
  bidPrice: "98999.99",
  bidQuantity: "0.25",
  askPrice: "99000.01",
  askQuantity: "0.5",
};

const ETH_TICKER: SpotTickerView = {
  ...BTC_TICKER,
  symbol: "ETHUSDT",
  priceChange: "0",
  priceChangePercent: "0",
  trades: 0,
  baseVolume: "0",
  quoteVolume: "0",
  high: "0",
  low: "0",
  open: "0",
  close: "0",
  highMs: 0,
  lowMs: 0,
  lastPrice: "0",
  bidPrice: "0",
  bidQuantity: "0",
  askPrice: "0",
  askQuantity: "0",
};

const TICKERS = [BTC_TICKER, ETH_TICKER];

function toBookTicker(ticker: SpotTickerView): SpotBookTickerView {
  const { symbol, bidPrice, bidQuantity, askPrice, askQuantity, lastPrice } = ticker;
  return { symbol, bidPrice, bidQuantity, askPrice, askQuantity, lastPrice };
}

function bySymbol<Row extends { readonly symbol: string }>(rows: readonly Row[]) {
  return ({ symbol }: { readonly symbol: string | null }) => {
    const chosen = symbol === null ? rows : rows.filter((row) => row.symbol === symbol);
    return chosen.length === 0 ? reject("unknown-symbol", "symbol") : accept(chosen);
  };
}

/** Of the book after each command. */
export const BOOK_VERSION = 41;

function cancelled(symbol: string) {
  return { orderId: 77, clientOrderId: "mine-77", symbol, bookVersion: BOOK_VERSION };
}

export const OPEN_ORDER: SpotOrderView = {
  orderId: 77,
  clientOrderId: "mine-77",
  symbol: "BTCUSDT",
  uid: 9,
  side: "BUY",
  orderType: "LIMIT",
  timeInForce: "GTC",
  status: "NEW",
  price: "98000",
  quantity: "0.5",
  filledQuantity: "0.2",
  filledQuote: "19600",
  createdMs: DOUBLE_TIME_MS - 500,
  updatedMs: DOUBLE_TIME_MS - 400,
};

export const ENDED_ORDER: EndedSpotOrder = {
  orderId: 70,
  uid: 9,
  symbol: "BTCUSDT",
  clientOrderId: "mine-70",
  side: "SELL",
  orderType: "MARKET",
  timeInForce: "IOC",
  price: "0",
  quantity: "0.1",
  quoteAmount: "0",
  filledQuantity: "0.1",
  filledQuote: "9900",
  status: "FILLED",
  reason: "filled",
  createdMs: DOUBLE_TIME_MS - 900,
  endedMs: DOUBLE_TIME_MS - 900,
};

export const FILL: SpotFill = {
  tradeId: 12,
  orderId: 70,
  uid: 9,
  symbol: "BTCUSDT",
  side: "SELL",
  maker: false,
  price: "99000",
  quantity: "0.1",
  quoteQuantity: "9900",
  fee: "11.88",
  feeAsset: "USDT",
  timeMs: DOUBLE_TIME_MS - 900,
};

const PUBLIC_TRADE: PublicTrade = {
  tradeId: 12,
  symbol: "BTCUSDT",
  price: "99000",
  quantity: "0.1",
  quoteQuantity: "9900",
  timeMs: DOUBLE_TIME_MS - 900,
  buyerIsMaker: true,
};

export const CANDLE: Candle = {
  openMs: DOUBLE_TIME_MS - 20_000,
  closeMs: DOUBLE_TIME_MS + 39_999,
  open: "99500",
  high: "99600",
  low: "98900",
  close: "99000",
  baseVolume: "0.3",
  quoteVolume: "29700",
  trades: 2,
  takerBaseVolume: "0.2",
  takerQuoteVolume: "19800",
};

const BILL: Bill = {
  billId: 5,
  uid: 9,
  asset: "USDT",
  billType: "trade_in",
  fillQuantity: "0.1",
  fillValue: "9900",
  delta: "9888.12",
  after: "10888.12",
  fee: "11.88",
  timeMs: DOUBLE_TIME_MS - 900,
};

const WITHDRAWAL: FundingMovement = {
  movementId: 3,
  requestId: "w-1",
  uid: 9,
  kind: "withdrawal",
  wallet: "spot",
  asset: "USDT",
  amount: "250.5",
  after: "749.5",
  timeMs: DOUBLE_TIME_MS - 700,
};

const TRANSFER: Transfer = {
  requestId: "t-1",
  uid: 9,
  asset: "USDT",
  amount: "20",
  from: "spot",
  to: "contract",
  timeMs: DOUBLE_TIME_MS - 600,
};

/** User 9 has one open order and one that ended; every other question has one row as its answer. */
export const ENGINE: EngineScript = {
  status: () =>
    accept({
      rulesVersion: 1,
      clockOffsetMs: 0,
      clockSpeedE3: null,
      users: 1,
      apiKeys: 1,
      spotMarkets: 2,
      openOrders: 1,
      rememberedClientOrderIds: 2,
      contractMarkets: 0,
      positions: 0,
      contractOpenOrders: 0,
      algoOrders: 0,
      unfinishedRisk: false,
    }),
  assets: () => accept(ASSETS),
  "spot-markets": bySymbol(MARKETS),
  "contract-markets": () => accept([]),
  "spot-tickers": bySymbol(TICKERS),
  "spot-book-tickers": bySymbol(TICKERS.map(toBookTicker)),
  "spot-depth": ({ symbol }) =>
    symbol === "BTCUSDT"
      ? accept({
          symbol,
          version: 31,
          bids: [
            ["98999.99", "0.25"],
            ["98000", "0.3"],
          ],
          asks: [["99000.01", "0.5"]],
        })
      : reject("unknown-symbol", "symbol"),
  "spot-balances": () =>
    accept([
      { asset: "BTC", coinId: 1, available: "1.5", frozen: "0", equity: "1.5" },
      { asset: "USDT", coinId: 2, available: "500.25", frozen: "29400", equity: "29900.25" },
      { asset: "ETH", coinId: 3, available: "0", frozen: "0", equity: "0" },
    ]),
  user: ({ uid }) =>
    accept({
      uid,
      inviteCode: "ABCDEF",
      inviterUid: null,
      kyc: false,
      state: "active",
      house: false,
      selfTradePrevention: "NONE",
      registeredMs: 1,
      feeRates: [],
    }),
  "spot-order": ({ orderId, clientOrderId }) =>
    orderId === OPEN_ORDER.orderId || clientOrderId === OPEN_ORDER.clientOrderId
      ? accept(OPEN_ORDER)
      : reject("order-not-found", "orderId"),
  "spot-open-orders": ({ symbol }) =>
    symbol === null || symbol === "BTCUSDT"
      ? accept([OPEN_ORDER])
      : reject("unknown-symbol", "symbol"),
  "place-spot-order": (command) =>
    accept({
      orderId: 78,
      clientOrderId: command.clientOrderId,
      symbol: command.symbol,
      createdMs: DOUBLE_TIME_MS,
      bookVersion: BOOK_VERSION,
    }),
  "cancel-spot-order": ({ orderId, clientOrderId }) =>
    orderId === OPEN_ORDER.orderId || clientOrderId === OPEN_ORDER.clientOrderId
      ? accept(cancelled("BTCUSDT"))
      : reject("order-not-found", "orderId"),
  "cancel-all-spot-orders": ({ symbol }) =>
    symbol === "BTCUSDT" ? accept([cancelled(symbol)]) : reject("unknown-symbol", "symbol"),
};

export const HISTORY: HistoryScript = {
  "ended-spot-order": ({ orderId, clientOrderId }) =>
    orderId === ENDED_ORDER.orderId || clientOrderId === ENDED_ORDER.clientOrderId
      ? ENDED_ORDER
      : null,
  "ended-spot-orders": ({ offset, limit }) => [ENDED_ORDER].slice(offset, offset + limit),
  "spot-fills": () => [FILL],
  "spot-fill-prices": ({ orderIds }) =>
    orderIds.map((orderId) => ({
      ...{ orderId, last: "97000", lowest: "97000", highest: "98000" },
    })),
  "public-spot-trades": () => [PUBLIC_TRADE],
  "spot-candles": () => [CANDLE],
  bills: () => [BILL],
  "funding-movements": () => ({ rows: [WITHDRAWAL], total: 11 }),
  transfers: () => [TRANSFER],
};
