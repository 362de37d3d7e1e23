/**
 * Two contract markets and one user's affairs as the engine and the store describe them, for tests
 * of endpoints.
 */
import { accept, reject } from "../../src/domain/index.ts";
import type {
  AlgoOrderView,
  ContractMarketView,
  ContractOrderView,
  ContractPricesView,
  ContractSettingsView,
  ContractTickerView,
  PositionView,
} from "../../src/protocol/index.ts";
import type {
  Candle,
  ContractFill,
  EndedContractOrder,
  FundingRate,
  Income,
  PublicTrade,
} from "../../src/queries/index.ts";
import { CALLER_UID } from "./endpoint-call.ts";
import { DOUBLE_TIME_MS, type EngineScript, type HistoryScript } from "./exchange-double.ts";
import { BTC_CONTRACT } from "./listings.ts";
import { ENGINE as SPOT_ENGINE } from "./spot-fixture.ts";

const BTC_MARKET: ContractMarketView = {
  ...BTC_CONTRACT,
  indexSource: "operator",
  indexAgeMs: 1_000,
  quoteScale: 8,
  sellLimitPriceRatio: "0.04",
  tiers: BTC_CONTRACT.tiers.slice(0, 1),
};

const ETH_CONTRACT: ContractMarketView = {
  ...BTC_MARKET,
  symbol: "ETHUSDT",
  baseAsset: "ETH",
  fundingIntervalMinutes: 90,
  state: "halted",
};

const BTC_PRICES: ContractPricesView = {
  symbol: "BTCUSDT",
  markPrice: "61000.5",
  indexPrice: "60990",
  indexMs: DOUBLE_TIME_MS - 1_000,
  isStale: false,
  isPinned: false,
  lastPrice: "61002",
  openInterest: "12.5",
  forecastFundingRate: "0.00012",
  lastFundingRate: "-0.0001",
  interestRate: "0.0001",
  nextFundingMs: DOUBLE_TIME_MS + 3_600_000,
  fundingIntervalMinutes: 480,
};

const ETH_PRICES: ContractPricesView = {
  ...BTC_PRICES,
  symbol: "ETHUSDT",
  markPrice: "0",
  indexPrice: "0",
  openInterest: "0",
};

const BTC_TICKER: ContractTickerView = {
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
  bidPrice: "98999.9",
  bidQuantity: "0.25",
  askPrice: "99000.1",
  askQuantity: "0.5",
  markPrice: "61000.5",
  indexPrice: "60990",
};

const OPEN_ORDER: ContractOrderView = {
  orderId: 77,
  clientOrderId: "mine-77",
  symbol: "BTCUSDT",
  uid: CALLER_UID,
  side: "BUY",
  positionSide: "LONG",
  orderType: "LIMIT",
  timeInForce: "GTC",
  status: "NEW",
  price: "59850",
  quantity: "0.25",
  filledQuantity: "0.1",
  filledValue: "5985",
  avgPrice: "59850",
  reduceOnly: false,
  createdMs: DOUBLE_TIME_MS - 500,
  updatedMs: DOUBLE_TIME_MS - 400,
};

/** Ids 77, 80 and 81, placed a tenth of a second apart. */
const OPEN_ORDERS: readonly ContractOrderView[] = [
  OPEN_ORDER,
  { ...OPEN_ORDER, orderId: 80, side: "SELL", createdMs: DOUBLE_TIME_MS - 400, reduceOnly: true },
  { ...OPEN_ORDER, orderId: 81, symbol: "ETHUSDT", createdMs: DOUBLE_TIME_MS - 300 },
];

export const ENDED_ORDER: EndedContractOrder = {
  orderId: 70,
  uid: CALLER_UID,
  symbol: "BTCUSDT",
  clientOrderId: "mine-70",
  side: "SELL",
  positionSide: "LONG",
  orderType: "MARKET",
  timeInForce: "IOC",
  origin: "user",
  algoId: 0,
  price: "0",
  quantity: "0.4",
  filledQuantity: "0.4",
  filledValue: "24600",
  avgPrice: "61500",
  reduceOnly: true,
  status: "FILLED",
  reason: "filled",
  createdMs: DOUBLE_TIME_MS - 900,
  endedMs: DOUBLE_TIME_MS - 890,
};

export const FILL: ContractFill = {
  tradeId: 12,
  orderId: 70,
  uid: CALLER_UID,
  symbol: "BTCUSDT",
  side: "SELL",
  positionSide: "LONG",
  kind: "book",
  maker: false,
  isClosing: true,
  price: "61500",
  quantity: "0.4",
  value: "24600",
  fee: "19.68",
  feeAsset: "USDT",
  realizedPnl: "600",
  timeMs: DOUBLE_TIME_MS - 890,
};

export const ALGO_ORDER: AlgoOrderView = {
  algoId: 91,
  clientAlgoId: "sl-91",
  orderType: "STOP_MARKET",
  symbol: "BTCUSDT",
  side: "SELL",
  positionSide: "LONG",
  timeInForce: "IOC",
  quantity: "0.25",
  status: "UNTRIGGERED",
  actualOrderId: null,
  actualPrice: "0",
  triggerPrice: "58100",
  price: "0",
  tpTriggerPrice: null,
  tpPrice: null,
  slTriggerPrice: null,
  slPrice: null,
  tpOrderType: null,
  workingType: "CONTRACT_PRICE",
  closePosition: false,
  reduceOnly: true,
  createdMs: DOUBLE_TIME_MS - 700,
  updatedMs: DOUBLE_TIME_MS - 700,
  triggeredMs: 0,
};

const ENTRY_ALGO_ORDER: AlgoOrderView = {
  ...ALGO_ORDER,
  algoId: 95,
  clientAlgoId: "entry-95",
  orderType: "STOP",
  side: "BUY",
  timeInForce: "GTC",
  triggerPrice: "62000",
  price: "62010",
  tpTriggerPrice: "65000",
  tpPrice: "0",
  slTriggerPrice: "61000",
  slPrice: "0",
  tpOrderType: "MARK_PRICE",
  reduceOnly: false,
  createdMs: DOUBLE_TIME_MS - 600,
};

const FIRED_ALGO_ORDER: AlgoOrderView = {
  ...ALGO_ORDER,
  algoId: 60,
  status: "FILLED",
  actualOrderId: 70,
  actualPrice: "61500",
  triggeredMs: DOUBLE_TIME_MS - 900,
};

/** What the worked example of the documentation holds after its fourth step. */
export const POSITION: PositionView = {
  id: 71,
  asset: "USDT",
  symbol: "BTCUSDT",
  side: "LONG",
  marginType: "ISOLATED",
  separatedMode: "COMBINED",
  separatedOpenOrderId: 0,
  leverage: "20",
  size: "0.6",
  openValue: "36000",
  openFee: "28.8",
  fundingFee: "3.66",
  marginSize: "1796.34",
  isolatedMargin: "1796.34",
  isAutoAppendIsolatedMargin: false,
  cumOpenSize: "1",
  cumOpenValue: "60000",
  cumOpenFee: "48",
  cumCloseSize: "0.4",
  cumCloseValue: "24600",
  cumCloseFee: "19.68",
  cumFundingFee: "6.1",
  cumLiquidateFee: "0",
  createdMatchSequenceId: 1001,
  updatedMatchSequenceId: 1044,
  createdTime: DOUBLE_TIME_MS - 5_000,
  updatedTime: DOUBLE_TIME_MS - 890,
  unrealizePnl: "900",
  liquidatePrice: "57338.7",
};

export const SETTINGS: ContractSettingsView = {
  symbol: "BTCUSDT",
  marginType: "ISOLATED",
  separatedType: "COMBINED",
  crossLeverage: 20,
  isolatedLongLeverage: 25,
  isolatedShortLeverage: 30,
};

export const INCOME: Income = {
  incomeId: 9,
  uid: CALLER_UID,
  asset: "USDT",
  symbol: "BTCUSDT",
  incomeType: "position_close_long",
  income: "580.32",
  balance: "10526.22",
  fillFee: "19.68",
  transferReason: "UNKNOWN_TRANSFER_REASON",
  timeMs: DOUBLE_TIME_MS - 890,
};

const PUBLIC_TRADE: PublicTrade = {
  tradeId: 12,
  symbol: "BTCUSDT",
  price: "61500",
  quantity: "0.4",
  quoteQuantity: "24600",
  timeMs: DOUBLE_TIME_MS - 890,
  buyerIsMaker: true,
};

const CANDLE: Candle = {
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

export const FUNDING: FundingRate = {
  symbol: "BTCUSDT",
  slotMs: DOUBLE_TIME_MS - 3_600_000,
  rate: "-0.0001",
  indexPrice: "60500",
  markPrice: "60510.5",
};

function bySymbol<Row extends { readonly symbol: string }>(rows: readonly Row[]) {
  return ({ symbol }: { readonly symbol: string | null }) => {
    const chosen = symbol === null ? rows : rows.filter((row) => row.symbol === symbol);
    return chosen.length === 0 ? reject("unknown-symbol", "symbol") : accept(chosen);
  };
}

/** Rows of one user; a symbol that is not listed is refused, one without rows is not. */
function ownBySymbol<Row extends { readonly symbol: string }>(rows: readonly Row[]) {
  return ({ symbol, uid }: { readonly symbol: string | null; readonly uid: number }) => {
    if (symbol !== null && symbol !== "BTCUSDT" && symbol !== "ETHUSDT") {
      return reject("unknown-symbol", "symbol");
    }
    if (uid !== CALLER_UID) return accept([]);
    return accept(symbol === null ? rows : rows.filter((row) => row.symbol === symbol));
  };
}

export const CONTRACT_ENGINE: EngineScript = {
  ...SPOT_ENGINE,
  user: ({ uid }) =>
    accept({
      uid,
      inviteCode: "CODE9",
      inviterUid: null,
      kyc: true,
      state: "active",
      house: false,
      selfTradePrevention: "NONE",
      registeredMs: DOUBLE_TIME_MS - 1_000_000,
      feeRates: [],
    }),
  "contract-markets": bySymbol([BTC_MARKET, ETH_CONTRACT]),
  "contract-prices": bySymbol([BTC_PRICES, ETH_PRICES]),
  "contract-tickers": bySymbol([BTC_TICKER]),
  "contract-book-tickers": bySymbol([BTC_TICKER]),
  "contract-depth": ({ symbol }) =>
    symbol === "BTCUSDT"
      ? accept({
          symbol,
          version: 31,
          bids: [
            ["98999.9", "0.25"],
            ["98000", "0.3"],
          ],
          asks: [["99000.1", "0.5"]],
        })
      : reject("unknown-symbol", "symbol"),
  "contract-balances": () =>
    accept([
      {
        asset: "USDT",
        balance: "10526.22",
        availableBalance: "8729.88",
        frozen: "12.5",
        unrealizePnl: "900",
        available: "8729.88",
        orderMargin: "12.5",
        positionMargin: "1796.34",
      },
    ]),
  "contract-positions": ownBySymbol([POSITION]),
  "contract-settings": ownBySymbol([SETTINGS]),
  "contract-fee-rates": ({ symbol }) =>
    symbol === "BTCUSDT"
      ? accept({ symbol, makerFeeRate: "0.0002", takerFeeRate: "0.0007" })
      : reject("unknown-symbol", "symbol"),
  "contract-order": ({ uid, orderId, clientOrderId }) =>
    uid === CALLER_UID && (orderId === 77 || (orderId === null && clientOrderId === "mine-77"))
      ? accept(OPEN_ORDER)
      : reject("order-not-found"),
  "contract-open-orders": ownBySymbol(OPEN_ORDERS),
  "algo-open-orders": ownBySymbol([ALGO_ORDER, ENTRY_ALGO_ORDER]),
};

/** Lists answer as many rows as were asked for, with falling ids. */
function rowsOf<Row>(limit: number, row: (index: number) => Row): readonly Row[] {
  return Array.from({ length: Math.min(limit, 3) }, (_, index) => row(index));
}

export const CONTRACT_HISTORY: HistoryScript = {
  "ended-contract-order": ({ uid, orderId, clientOrderId }) =>
    uid === CALLER_UID &&
    (orderId ?? ENDED_ORDER.orderId) === ENDED_ORDER.orderId &&
    (clientOrderId ?? ENDED_ORDER.clientOrderId) === ENDED_ORDER.clientOrderId
      ? ENDED_ORDER
      : null,
  "ended-contract-orders": ({ limit }) =>
    rowsOf(limit, (index) => ({ ...ENDED_ORDER, orderId: ENDED_ORDER.orderId - index })),
  "contract-fills": ({ limit }) =>
    rowsOf(limit, (index) => ({ ...FILL, tradeId: FILL.tradeId - index })),
  "algo-orders": ({ limit }) =>
    rowsOf(limit, (index) => ({ ...FIRED_ALGO_ORDER, algoId: FIRED_ALGO_ORDER.algoId - index })),
  income: ({ limit }) =>
    rowsOf(limit, (index) => ({ ...INCOME, incomeId: INCOME.incomeId - index })),
  "funding-rates": ({ limit }) => rowsOf(Math.min(limit, 1), () => FUNDING),
  "public-contract-trades": () => [PUBLIC_TRADE],
  "contract-candles": () => [CANDLE],
};
