/**
 * Which of the methods that ccxt marks as available are called, on spot markets and on contracts,
 * and which exist for one of the two alone.
 */
import assert from "node:assert/strict";
import type { TestContext } from "node:test";
import type { CcxtFixture } from "./ccxt-client.ts";

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

/** Of spot alone: `weex.js` refuses contracts or has no contract path for them. */
const SPOT_ONLY = [
  "fetchCurrencies",
  "fetchLastPrices",
  "fetchOrders",
  "fetchOrderWithClientOrderId",
  "fetchStatus",
  "fetchTransfers",
];

/** Flags of kinds of market, and methods of the streaming class, whose test calls them. */
const NO_REST_METHOD = ["spot", "swap", "sandbox", "createMarketOrderWs", "fetchCurrenciesWs"];

/** Where the capability and the method differ in name. */
const METHOD_OF: Readonly<Record<string, string>> = {
  cancelOrdersWithClientOrderId: "cancelOrdersWithClientOrderIds",
};

/** The two runs together leave out nothing: each list is what the other run must call. */
export async function coverageTests(
  t: TestContext,
  fixture: CcxtFixture,
  kind: "spot" | "contract",
): Promise<void> {
  const ofOtherKind = kind === "spot" ? CONTRACT_ONLY : SPOT_ONLY;
  await t.test(`every ${kind} method that the client marks as available was called`, () => {
    const available = Object.entries(fixture.anonymous.has)
      .filter(([, value]) => value === true || value === "emulated")
      .map(([name]) => name);
    const leftOut = new Set([...ofOtherKind, ...NO_REST_METHOD]);
    const wanted = available.filter((name) => !leftOut.has(name));
    const missing = wanted.filter((name) => !fixture.called.has(METHOD_OF[name] ?? name));
    t.diagnostic(`covered (${wanted.length}): ${wanted.join(" ")}`);
    t.diagnostic(`not of this kind of market: ${ofOtherKind.join(" ")}`);
    t.diagnostic(`left out, no REST method: ${NO_REST_METHOD.join(" ")}`);
    assert.deepEqual(missing, []);
    assert.deepEqual(
      [...leftOut].filter((name) => !available.includes(name)),
      [],
    );
    assert.deepEqual(
      SPOT_ONLY.filter((name) => CONTRACT_ONLY.includes(name)),
      [],
    );
  });
}
