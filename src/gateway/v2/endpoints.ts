/** Every v2 endpoint. */
import type { Endpoint } from "../endpoint.ts";
import { accountAssets } from "../spot/account-v2.ts";
import { depth } from "../spot/market-v2.ts";
import { cancelOrder } from "../spot/orders-v2.ts";
import { bills } from "./bills.ts";
import { cancelOrders } from "./cancel-orders.ts";
import { cancelSymbolOrders } from "./cancel-symbol-orders.ts";
import { candles } from "./candles.ts";
import { currencies } from "./currencies.ts";
import { exchangeInfo } from "./exchange-info.ts";
import { fills } from "./fills.ts";
import { fundingBills } from "./funding-bills.ts";
import { openOrders } from "./open-orders.ts";
import { order } from "./order.ts";
import { orderHistory } from "./order-history.ts";
import { placeOrder } from "./place-order.ts";
import { placeOrders } from "./place-orders.ts";
import { products } from "./products.ts";
import { publicFills } from "./public-fills.ts";
import { serverTime } from "./server-time.ts";
import { ticker } from "./ticker.ts";
import { tickers } from "./tickers.ts";
import { transferRecords } from "./transfer-records.ts";

export const V2_ENDPOINTS: readonly Endpoint[] = [
  serverTime,
  currencies,
  products,
  exchangeInfo,
  ticker,
  tickers,
  publicFills,
  candles,
  depth,
  placeOrder,
  placeOrders,
  cancelOrder,
  cancelOrders,
  cancelSymbolOrders,
  order,
  openOrders,
  orderHistory,
  fills,
  accountAssets,
  bills,
  fundingBills,
  transferRecords,
];
