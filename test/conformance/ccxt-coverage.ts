/** Which of the methods that ccxt marks as available are called, and which are left out and why. */
import assert from "node:assert/strict";
import type { TestContext } from "node:test";
import type { CcxtVenue } from "./ccxt-client.ts";

/** Of the derivatives alone: `weex.js` sends them to contract paths or refuses spot markets. */
const CONTRACT_ONLY = [
  "addMargin",
  "closeAllPositions",
  "closePosition",
  "createOrderWithTakeProfitAndStopLoss",
  "createReduceOnlyOrder",
  "createStopLossOrder",
  "createTakeProfitOrder",
  "createTriggerOrder",
  "fetchCanceledAndClosedOrders",
  "fetchFundingHistory",
  "fetchFundingRate",
  "fetchFundingRateHistory",
  "fetchFundingRates",
  "fetchIndexOHLCV",
  "fetchLeverage",
  "fetchLeverages",
  "fetchMarginMode",
  "fetchMarginModes",
  "fetchMarkOHLCV",
  "fetchMarkPrice",
  "fetchMarkPrices",
  "fetchOpenInterest",
  "fetchPosition",
  "fetchPositionMode",
  "fetchPositions",
  "fetchPositionsForSymbol",
  "fetchTradingFee",
  "reduceMargin",
  "setLeverage",
  "setMarginMode",
  "setPositionMode",
];

/** Flags of kinds of market, and methods of the WebSocket class. */
const NO_REST_METHOD = ["spot", "swap", "sandbox", "createMarketOrderWs", "fetchCurrenciesWs"];

/** Where the capability and the method differ in name. */
const METHOD_OF: Readonly<Record<string, string>> = {
  cancelOrdersWithClientOrderId: "cancelOrdersWithClientOrderIds",
};

export async function coverageTests(t: TestContext, venue: CcxtVenue): Promise<void> {
  await t.test("every spot method that the client marks as available was called", () => {
    const available = Object.entries(venue.anonymous.has)
      .filter(([, value]) => value === true || value === "emulated")
      .map(([name]) => name);
    const leftOut = new Set([...CONTRACT_ONLY, ...NO_REST_METHOD]);
    const spot = available.filter((name) => !leftOut.has(name));
    const missing = spot.filter((name) => !venue.called.has(METHOD_OF[name] ?? name));
    t.diagnostic(`covered (${spot.length}): ${spot.join(" ")}`);
    t.diagnostic(`left out, contracts (${CONTRACT_ONLY.length}): ${CONTRACT_ONLY.join(" ")}`);
    t.diagnostic(`left out, no REST method: ${NO_REST_METHOD.join(" ")}`);
    assert.deepEqual(missing, []);
    assert.deepEqual(
      [...leftOut].filter((name) => !available.includes(name)),
      [],
    );
  });
}
