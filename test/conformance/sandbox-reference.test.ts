/**
 * Proves that the examples of docs/reference/sandbox.md are what the exchange answers: the session
 * is played to a process whose clock stands still. With RIALTO_WRITE_EXAMPLES=1 the page is written
 * anew.
 */
import assert from "node:assert/strict";
import test from "node:test";
import { ExchangeProcess } from "../support/exchange-process.ts";
import { issueKey, listStandardMarkets } from "../support/exchange-setup.ts";
import { type HttpAnswer, HttpConnection, NoAnswer } from "../support/http-exchange.ts";
import {
  checkExamples,
  RECORDED_AT_MS,
  RecordedCalls,
  STOP_CLOCK,
} from "../support/recorded-page.ts";
import { signedHeaders } from "../support/signed-client.ts";

const PAGE = "docs/reference/sandbox.md";
const TEST = "test/conformance/sandbox-reference.test.ts";
const UID = 1001;
const KEY_SHOWN = "rialto_0123456789abcdef0123456789abcdef";

const ROUTE = "POST /api/v3/order";
const LOST = { match: { uid: UID, route: ROUTE }, when: { next: 1 }, seed: 1 };
const ORDER = {
  ...{ symbol: "BTCUSDT", side: "BUY", type: "LIMIT", timeInForce: "GTC" },
  ...{ price: "60000", quantity: "0.01", newClientOrderId: "bot-1" },
};

async function playSession(exchange: ExchangeProcess): Promise<string> {
  await listStandardMarkets(exchange);
  await exchange.operator.call("POST", "/operator/v1/users", { uid: UID });
  const deposit = { id: "d", account: "spot", asset: "USDT", amount: "10000" };
  await exchange.operator.call("POST", `/operator/v1/users/${UID}/deposits`, deposit);
  const key = await issueKey(exchange, UID, ["read", "spot"]);
  const connection = new HttpConnection(exchange.port, 1);
  const ask = (method: string, path: string, order?: object): Promise<HttpAnswer> => {
    const body = order === undefined ? null : JSON.stringify(order);
    const request = { method, path, body };
    const signed = signedHeaders(key, request, String(RECORDED_AT_MS));
    const type = body === null ? {} : { "Content-Type": "application/json" };
    return connection.send({ ...request, headers: { ...signed, ...type } });
  };
  // How long a request took is another figure each time.
  const pin = (code: string): string =>
    code.replaceAll(/"ms":[\d.]+,"fault"/g, '"ms":1.5,"fault"').replaceAll(key.apiKey, KEY_SHOWN);
  const session = new RecordedCalls(exchange.operator, pin);
  const dropped = { ...LOST, fault: { kind: "drop-answer" } };
  await session.shows("Lose the next acknowledgement", "PUT", "faults/lost", dropped);
  await assert.rejects(ask("POST", "/api/v3/order", ORDER), NoAnswer);
  const again = await ask("POST", "/api/v3/order", ORDER);
  session.show(
    "The connection closed; a retry returns the same order",
    `${ROUTE} ${JSON.stringify(ORDER)}\n${again.status} ${again.text}`,
  );
  await session.shows("The rule has one hit", "GET", "faults");
  const limit = { match: { route: "GET *" }, when: { next: 1 }, seed: 2 };
  const answer = { ...limit, fault: { kind: "answer", status: 429, retryAfterS: 2 } };
  await session.shows("Limit the next read", "PUT", "faults/limit", answer);
  const limited = await ask("GET", "/api/v3/openOrders");
  session.show("The API's error", `GET /api/v3/openOrders\n${limited.status} ${limited.text}`);
  await session.shows("List the requests", "GET", `requests?uid=${UID}`);
  await session.shows("Wait for history and streams", "GET", "quiet");
  const wrong = { fault: { kind: "explode" } };
  await session.shows("An invalid rule", "PUT", "faults/x", wrong);
  await session.shows("Remove a rule", "DELETE", "faults/limit");
  await session.shows("Remove all", "DELETE", "faults");
  connection.close();
  return session.text;
}

test("the examples are what the exchange answers", async (t) => {
  const exchange = await ExchangeProcess.start({ env: { NODE_OPTIONS: STOP_CLOCK } });
  t.after(() => exchange.stop());
  checkExamples(PAGE, await playSession(exchange), TEST);
});
