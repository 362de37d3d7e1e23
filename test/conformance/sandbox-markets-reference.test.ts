/**
 * Proves that the examples of docs/reference/sandbox-markets.md are what the exchange answers: the
 * session is played to a process whose clock stands still. With RIALTO_WRITE_EXAMPLES=1 the page is
 * written anew.
 */
import assert from "node:assert/strict";
import test from "node:test";
import { ExchangeProcess } from "../support/exchange-process.ts";
import { issueKey, listStandardMarkets } from "../support/exchange-setup.ts";
import { HttpConnection } from "../support/http-exchange.ts";
import {
  checkExamples,
  RECORDED_AT_MS,
  RecordedCalls,
  STOP_CLOCK,
} from "../support/recorded-page.ts";
import { signedHeaders } from "../support/signed-client.ts";

const PAGE = "docs/reference/sandbox-markets.md";
const TEST = "test/conformance/sandbox-markets-reference.test.ts";
const UID = 1001;
const JSON_TYPE = { "Content-Type": "application/json" };

const BOOK = {
  bids: [
    ["59990", "1"],
    ["59980", "2.5"],
  ],
  asks: [["60010", "0.5"]],
};

const CONTRACT = {
  ...{ baseAsset: "BTC", quoteAsset: "USDT", tickSize: "0.1", stepSize: "0.001" },
  tiers: [
    { maxNotional: "1000000", maintenanceMarginRate: "0.005", maxLeverage: 100 },
    { maxNotional: "5000000", maintenanceMarginRate: "0.01", maxLeverage: 50 },
  ],
};

/** One bitcoin long, bought from the house. */
async function openPosition(exchange: ExchangeProcess): Promise<void> {
  const { operator } = exchange;
  await operator.call("POST", "/operator/v1/users", { uid: UID });
  const deposit = { id: "d", account: "contract", asset: "USDT", amount: "5000" };
  await operator.call("POST", `/operator/v1/users/${UID}/deposits`, deposit);
  const offer = { product: "contract", bids: [], asks: [["58510", "1"]] };
  await operator.call("POST", "/operator/v1/sandbox/markets/BTCUSDT/book", offer);
  const key = await issueKey(exchange, UID, ["read", "contract"]);
  const body = JSON.stringify({
    ...{ symbol: "BTCUSDT", side: "BUY", positionSide: "LONG", type: "MARKET", quantity: "1" },
    newClientOrderId: "opens",
  });
  const request = { method: "POST", path: "/capi/v3/order", body };
  const headers = { ...signedHeaders(key, request, String(RECORDED_AT_MS)), ...JSON_TYPE };
  const connection = new HttpConnection(exchange.port, 1);
  const placed = await connection.send({ ...request, headers });
  assert.equal(placed.status, 200, placed.text);
  connection.close();
}

async function playSession(exchange: ExchangeProcess): Promise<string> {
  await listStandardMarkets(exchange);
  await exchange.operator.call("PUT", "/operator/v1/markets/contract/BTCUSDT", CONTRACT);
  await exchange.operator.call("PUT", "/operator/v1/index-prices/BTCUSDT", { price: "60000" });
  const session = new RecordedCalls(exchange.operator);
  const book = "markets/BTCUSDT/book";
  await session.shows("Make a book", "POST", book, BOOK);
  const price = "markets/BTCUSDT/price";
  await session.shows("Move the price, and the contract with it", "POST", price, { to: "58000" });
  await session.shows("The book moved with it", "GET", book);
  const crossed = { bids: [["58001", "1"]], asks: [["58000", "1"]] };
  await session.shows("A crossed book", "POST", book, crossed);
  await session.shows("Freeze the clock", "POST", "clock", { freeze: true });
  const walk = { to: "58500", inMs: 2_000, path: "random-walk", volatility: 0.01, seed: 7 };
  await session.shows("Walk for two seconds", "POST", price, walk);
  await session.shows("Pin the mark", "POST", price, { mark: "45000" });
  await session.shows("Unpin the mark", "POST", price, { mark: null });
  const funding = "markets/BTCUSDT/funding";
  await session.shows("Set the next funding rate", "POST", funding, { rate: "-0.0125" });
  const thin = { model: "thin", spread: "0.01", depth: "300" };
  await session.shows("Quote by a model", "PUT", "markets/BTCUSDT/liquidity", thin);
  await session.shows("Clear the book", "DELETE", book);
  await openPosition(exchange);
  const liquidate = { scenario: "liquidate", uid: UID };
  await session.shows("Liquidate a user", "POST", "trigger", liquidate);
  await session.shows("A user without a position", "POST", "trigger", liquidate);
  const crash = { scenario: "flash-crash", symbol: "BTCUSDT" };
  await session.shows("A crash", "POST", "trigger", crash);
  await session.shows("No such scenario", "POST", "trigger", { scenario: "meteor" });
  return session.text;
}

test("the examples are what the exchange answers", async (t) => {
  const exchange = await ExchangeProcess.start({ env: { NODE_OPTIONS: STOP_CLOCK } });
  t.after(() => exchange.stop());
  checkExamples(PAGE, await playSession(exchange), TEST);
});
