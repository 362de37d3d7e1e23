/** Every v3 endpoint. */
import type { Endpoint } from "../endpoint.ts";
import { accountEndpoint } from "../spot/account.ts";
import { klinesEndpoint } from "../spot/market.ts";
import { myTradesEndpoint } from "../spot/order-reads.ts";
import { cancelOrdersEndpoint } from "../spot/orders.ts";
import { allOrdersEndpoint } from "./all-orders.ts";
import { apiTradingSymbolsEndpoint } from "./api-trading-symbols.ts";
import { billsEndpoint } from "./bills.ts";
import { bookTickerEndpoint } from "./book-ticker.ts";
import { cancelOpenOrdersEndpoint } from "./cancel-open-orders.ts";
import { cancelOrderEndpoint } from "./cancel-order.ts";
import { coinsEndpoint } from "./coins.ts";
import { depthEndpoint } from "./depth.ts";
import { exchangeInfoEndpoint } from "./exchange-info.ts";
import { fundingBillsEndpoint } from "./funding-bills.ts";
import { openOrdersEndpoint } from "./open-orders.ts";
import { orderEndpoint } from "./order.ts";
import { pingEndpoint } from "./ping.ts";
import { placeOrderEndpoint } from "./place-order.ts";
import { serverTimeEndpoint } from "./server-time.ts";
import { ticker24hrEndpoint } from "./ticker-24hr.ts";
import { tickerPriceEndpoint } from "./ticker-price.ts";
import { tradesEndpoint } from "./trades.ts";
import { transferEndpoint } from "./transfer.ts";
import { transferRecordsEndpoint } from "./transfer-records.ts";

export const V3_ENDPOINTS: readonly Endpoint[] = [
  serverTimeEndpoint,
  pingEndpoint,
  coinsEndpoint,
  exchangeInfoEndpoint,
  apiTradingSymbolsEndpoint,
  tickerPriceEndpoint,
  ticker24hrEndpoint,
  bookTickerEndpoint,
  depthEndpoint,
  klinesEndpoint,
  tradesEndpoint,
  accountEndpoint,
  billsEndpoint,
  fundingBillsEndpoint,
  transferRecordsEndpoint,
  transferEndpoint,
  placeOrderEndpoint,
  orderEndpoint,
  cancelOrderEndpoint,
  cancelOrdersEndpoint,
  openOrdersEndpoint,
  cancelOpenOrdersEndpoint,
  allOrdersEndpoint,
  myTradesEndpoint,
];
