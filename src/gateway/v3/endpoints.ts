/** Every v3 endpoint. */
import type { Endpoint } from "../endpoint.ts";
import { accountEndpoint } from "./account.ts";
import { allOrdersEndpoint } from "./all-orders.ts";
import { apiTradingSymbolsEndpoint } from "./api-trading-symbols.ts";
import { billsEndpoint } from "./bills.ts";
import { bookTickerEndpoint } from "./book-ticker.ts";
import { cancelOpenOrdersEndpoint } from "./cancel-open-orders.ts";
import { cancelOrderEndpoint } from "./cancel-order.ts";
import { cancelOrdersEndpoint } from "./cancel-orders.ts";
import { coinsEndpoint } from "./coins.ts";
import { depthEndpoint } from "./depth.ts";
import { exchangeInfoEndpoint } from "./exchange-info.ts";
import { fundingBillsEndpoint } from "./funding-bills.ts";
import { klinesEndpoint } from "./klines.ts";
import { myTradesEndpoint } from "./my-trades.ts";
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
