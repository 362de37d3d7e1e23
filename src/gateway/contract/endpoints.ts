/** Every contract endpoint. */
import type { Endpoint } from "../endpoint.ts";
import { incomeEndpoint } from "./account.ts";
import { accountConfigEndpoint } from "./account-config.ts";
import { allAlgoOrdersEndpoint } from "./all-algo-orders.ts";
import { contractTradingSymbolsEndpoint } from "./api-trading-symbols.ts";
import { balanceEndpoint } from "./balance.ts";
import { cancelAlgoOrderEndpoint } from "./cancel-algo-order.ts";
import { cancelAllAlgoOrdersEndpoint, cancelAllOrdersEndpoint } from "./cancel-all-orders.ts";
import { cancelOrderEndpoint } from "./cancel-order.ts";
import { cancelOrdersEndpoint } from "./cancel-orders.ts";
import { closePositionsEndpoint } from "./close-positions.ts";
import { commissionRateEndpoint } from "./commission-rate.ts";
import { placeAlgoOrderEndpoint } from "./conditional-orders.ts";
import {
  demoBalanceEndpoint,
  demoOrderHistoryEndpoint,
  demoPlaceOrderEndpoint,
  demoPositionsEndpoint,
} from "./demo-account.ts";
import { contractDepthEndpoint } from "./depth.ts";
import { contractExchangeInfoEndpoint } from "./exchange-info.ts";
import { fundingRateEndpoint } from "./funding-rate.ts";
import { leverageEndpoint } from "./leverage.ts";
import { marginTypeEndpoint } from "./margin-type.ts";
import {
  contractKlinesEndpoint,
  historyKlinesEndpoint,
  indexPriceKlinesEndpoint,
  markPriceKlinesEndpoint,
} from "./market.ts";
import { modifyTpSlOrderEndpoint } from "./modify-tp-sl-order.ts";
import { openAlgoOrdersEndpoint } from "./open-algo-orders.ts";
import { openOrdersEndpoint } from "./open-orders.ts";
import { orderEndpoint } from "./order.ts";
import { orderHistoryEndpoint } from "./order-history.ts";
import { placeOrdersEndpoint } from "./orders.ts";
import { placeOrderEndpoint } from "./place-order.ts";
import { placeTpSlOrderEndpoint } from "./place-tp-sl-order.ts";
import { autoAppendMarginEndpoint, positionMarginEndpoint } from "./position-margin.ts";
import { allPositionsEndpoint, singlePositionEndpoint } from "./positions.ts";
import { openInterestEndpoint, premiumIndexEndpoint, symbolPriceEndpoint } from "./prices.ts";
import { contractTimeEndpoint } from "./server-time.ts";
import { symbolConfigEndpoint } from "./symbol-config.ts";
import { contractBookTickerEndpoint, contractTicker24hrEndpoint } from "./tickers.ts";
import { contractTradesEndpoint } from "./trades.ts";
import { userTradesEndpoint } from "./user-trades.ts";

export const CONTRACT_ENDPOINTS: readonly Endpoint[] = [
  contractTimeEndpoint,
  contractExchangeInfoEndpoint,
  contractTradingSymbolsEndpoint,
  contractDepthEndpoint,
  contractTicker24hrEndpoint,
  contractBookTickerEndpoint,
  contractTradesEndpoint,
  contractKlinesEndpoint,
  indexPriceKlinesEndpoint,
  markPriceKlinesEndpoint,
  historyKlinesEndpoint,
  symbolPriceEndpoint,
  openInterestEndpoint,
  premiumIndexEndpoint,
  fundingRateEndpoint,
  balanceEndpoint,
  accountConfigEndpoint,
  symbolConfigEndpoint,
  commissionRateEndpoint,
  leverageEndpoint,
  marginTypeEndpoint,
  positionMarginEndpoint,
  autoAppendMarginEndpoint,
  incomeEndpoint,
  allPositionsEndpoint,
  singlePositionEndpoint,
  placeOrderEndpoint,
  placeOrdersEndpoint,
  orderEndpoint,
  cancelOrderEndpoint,
  cancelOrdersEndpoint,
  cancelAllOrdersEndpoint,
  closePositionsEndpoint,
  openOrdersEndpoint,
  orderHistoryEndpoint,
  userTradesEndpoint,
  placeAlgoOrderEndpoint,
  cancelAlgoOrderEndpoint,
  cancelAllAlgoOrdersEndpoint,
  placeTpSlOrderEndpoint,
  modifyTpSlOrderEndpoint,
  openAlgoOrdersEndpoint,
  allAlgoOrdersEndpoint,
  demoBalanceEndpoint,
  demoPositionsEndpoint,
  demoPlaceOrderEndpoint,
  demoOrderHistoryEndpoint,
];
