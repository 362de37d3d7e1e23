/**
 * Proves the kit's faults and its view of requests: short forms do what they say, once; a request
 * is expected before and after it arrives; and `quiet` comes behind history and streams.
 */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { SignedClient } from "../../test/support/signed-client.ts";
import {
  OperatorRefusal,
  RequestMissing,
  startExchange,
  type TestExchange,
  type TestUser,
} from "./index.ts";

const PLACE = "POST /api/v3/order";
const TIME = "GET /api/v3/time";
const ORDER = {
  symbol: "BTCUSDT",
  side: "BUY",
  type: "LIMIT",
  timeInForce: "GTC",
  price: "50000",
  quantity: "0.1",
};

let exchange: TestExchange;
let alice: TestUser;
let client: SignedClient;

before(async () => {
  exchange = await startExchange({ spot: ["BTCUSDT"] });
  alice = await exchange.createUser({ spot: { USDT: "100000" } });
  client = new SignedClient(Number(new URL(exchange.url).port), alice);
});
after(async () => {
  client.close();
  await exchange.stop();
});

function time(): Promise<number> {
  return fetch(`${exchange.url}/api/v3/time`).then(({ status }) => status);
}

test("the next answer is lost, and its order is there", async () => {
  await exchange.faults.loseNextAnswer({ user: alice, route: PLACE });
  await assert.rejects(client.post("/api/v3/order", { ...ORDER, newClientOrderId: "lost" }));
  const lost = await exchange.expectRequest({ user: alice, route: PLACE, status: null });
  assert.equal(lost.uid, alice.uid);
  const { body } = await client.get("/api/v3/openOrders");
  assert.deepEqual(
    (body as { clientOrderId: string }[]).map(({ clientOrderId }) => clientOrderId),
    ["lost"],
  );
  const again = await client.post("/api/v3/order", { ...ORDER, newClientOrderId: "lost" });
  assert.equal(again.status, 200);
  assert.equal((await exchange.faults.list()).at(-1)?.hits, 1);
});

test("so many requests are limited, with the seconds to wait", async () => {
  await exchange.faults.rateLimitNext({ route: TIME, count: 2, retryAfterS: 3 });
  const limited = await fetch(`${exchange.url}/api/v3/time`);
  assert.deepEqual([limited.status, limited.headers.get("retry-after")], [429, "3"]);
  assert.deepEqual([await time(), await time()], [429, 200]);
});

test("rules are set, replaced, listed and removed, and refused with their field", async () => {
  const { faults } = exchange;
  await faults.clear();
  const rule = { match: { route: TIME }, fault: { kind: "answer", status: 503 } } as const;
  const set = await faults.set("out", rule);
  assert.partialDeepStrictEqual(set, { id: "out", ...rule, hits: 0 });
  assert.equal(await time(), 503);
  assert.deepEqual(await faults.list(), [{ ...set, hits: 1 }]);
  await faults.set("out", { ...rule, when: { every: 2 } });
  assert.deepEqual([await time(), await time()], [200, 503]);
  assert.equal((await faults.remove("out")).hits, 1);
  assert.equal(await time(), 200);
  const wrong = faults.set("x", { fault: { kind: "explode" } as never });
  await assert.rejects(wrong, ({ field }: OperatorRefusal) => field === "fault.kind");
  await assert.rejects(faults.remove("x"), OperatorRefusal);
});

test("requests are expected before they come, and told when they do not", async () => {
  const [last] = (await exchange.requests()).slice(-1);
  const from = last?.id ?? 0;
  const expected = exchange.expectRequest({ route: "GET /api/v3/coins", after: from });
  const missing = exchange.expectRequest({ route: TIME, after: from }, { timeoutMs: 30 });
  await assert.rejects(missing, RequestMissing);
  await fetch(`${exchange.url}/api/v3/coins`);
  const { status, code, fault, transport } = await expected;
  assert.deepEqual([status, code, fault, transport], [200, null, null, "http"]);
  await client.post("/api/v3/order", { ...ORDER, price: "-1" });
  const refused = (await exchange.requests({ user: alice, after: from })).at(-1);
  assert.partialDeepStrictEqual(refused, { route: PLACE, status: 400, uid: alice.uid });
  assert.ok(Number(refused?.code) < 0);
});

test("quiet: what was done is in the history", async () => {
  const bob = await exchange.createUser({ spot: { BTC: "1" } });
  const seller = new SignedClient(Number(new URL(exchange.url).port), bob);
  const sold = await seller.post("/api/v3/order", { ...ORDER, side: "SELL", quantity: "0.05" });
  assert.equal(sold.status, 200);
  await exchange.quiet();
  const { body } = await seller.get("/api/v3/myTrades?symbol=BTCUSDT");
  assert.equal((body as unknown[]).length, 1);
  seller.close();
});

test("a stream is cut once", async () => {
  const url = exchange.url.replace("http:", "ws:");
  const stream = new WebSocket(`${url}/v3/ws/public`);
  await new Promise((resolve) => stream.addEventListener("open", resolve));
  await exchange.faults.cutNextStream({ channel: "BTCUSDT@depth15" });
  const closed = new Promise<number>((resolve) => {
    stream.addEventListener("close", ({ code }) => resolve(code));
  });
  stream.send(JSON.stringify({ method: "SUBSCRIBE", params: ["BTCUSDT@depth15"], id: 1 }));
  assert.equal(await closed, 1006);
});
