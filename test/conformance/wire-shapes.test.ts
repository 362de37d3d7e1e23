/**
 * Proves the golden wire shapes of the specification's four endpoints: names, JSON types,
 * nullability and the whole envelopes of success and refusal, as a client of another language would
 * read them.
 */
import assert from "node:assert/strict";
import test, { type TestContext } from "node:test";
import { ExchangeProcess } from "../support/exchange-process.ts";
import { type Account, listStandardMarkets, openAccount } from "../support/exchange-setup.ts";
import type { PlaceOrderBody } from "../support/signed-client.ts";
import {
  ASSET,
  assertRefused,
  assertSuccess,
  CANCEL_RESULT,
  PLACED_ORDER,
  TICKER,
} from "../support/v2-answers.ts";

const ORDER: PlaceOrderBody = {
  symbol: "BTCUSDT",
  side: "buy",
  orderType: "limit",
  force: "normal",
  price: "40000.00",
  quantity: "0.0100",
  clientOrderId: "shape-1",
};

function order(change: Partial<Record<keyof PlaceOrderBody, unknown>>): PlaceOrderBody {
  return { ...ORDER, ...change } as PlaceOrderBody;
}

/** What is wrong, and which of the codes for it may be said. */
const REFUSALS: readonly (readonly [what: string, change: object, codes: string])[] = [
  ["unknown symbol", { symbol: "NOPEUSDT" }, "40034"],
  ["no symbol", { symbol: undefined }, "40017 40019"],
  ["no side", { side: undefined }, "40017 40019"],
  ["no orderType", { orderType: undefined }, "40017 40019"],
  ["no force", { force: undefined }, "40017 40019"],
  ["no quantity", { quantity: undefined }, "40017 40019"],
  ["no clientOrderId", { clientOrderId: undefined }, "40017 40019"],
  ["null clientOrderId", { clientOrderId: null }, "40017 40019 40020"],
  ["empty clientOrderId", { clientOrderId: "" }, "40017 40019 40020"],
  ["no price of a limit order", { price: undefined }, "40017 40019"],
  ["side that is neither", { side: "hold" }, "40017 40020"],
  ["orderType that is neither", { orderType: "stop" }, "40017 40020"],
  ["force of another name", { force: "gtd" }, "40017 40020"],
  ["price as a number", { price: 40000 }, "40017 40020"],
  ["exponent", { quantity: "1e-2" }, "40017 40020"],
  ["sign", { quantity: "+0.01" }, "40017 40020"],
  ["negative", { quantity: "-0.01" }, "40017 40020"],
  ["leading zero", { quantity: "00.01" }, "40017 40020"],
  ["white space", { price: " 40000" }, "40017 40020"],
  ["unicode digits", { price: "４0000" }, "40017 40020"],
  ["off the price grid", { price: "40000.001" }, "40017 40020"],
  ["off the quantity grid", { quantity: "0.010001" }, "40017 40020"],
  ["zero", { quantity: "0" }, "40017 40020 43006"],
  ["below the minimum", { quantity: "0.00009" }, "43006"],
  ["above the maximum", { quantity: "9000.00001" }, "43006"],
  ["below the least notional", { price: "0.01", quantity: "0.001" }, "45110"],
  ["more than the balance", { quantity: "8000" }, "43012"],
  ["client id of 41 characters", { clientOrderId: "x".repeat(41) }, "40017"],
  ["client id with a space", { clientOrderId: "a b" }, "40017"],
];

async function placing(t: TestContext, { client }: Account): Promise<void> {
  await t.test("Place Order", async () => {
    const answer = await client.place(ORDER);
    assertSuccess(answer, PLACED_ORDER);
    const { data, requestTime } = answer.body as {
      data: { orderId: number; clientOrderId: string };
      requestTime: number;
    };
    assert.equal(data.clientOrderId, "shape-1");
    assert.ok(data.orderId > 0);
    assert.ok(Math.abs(requestTime - Date.now()) < 60_000);
    assert.match(answer.text, new RegExp(`"orderId":${data.orderId}[,}]`));
  });

  await t.test("Place Order takes both spellings of symbol, side in any case", async () => {
    for (const [i, change] of [
      { symbol: "BTCUSDT_SPBL" },
      { symbol: "btcusdt" },
      { symbol: "btcusdt_spbl", side: "BUY" },
      { side: "Buy", force: "postOnly" },
    ].entries()) {
      const answer = await client.place(order({ ...change, clientOrderId: `spelling-${i}` }));
      assertSuccess(answer, PLACED_ORDER);
    }
  });

  await t.test("Place Order ignores fields that it does not know", async () => {
    const body = { ...ORDER, clientOrderId: "unknown-field", stopLoss: { deep: [1, null] } };
    assertSuccess(await client.post("/api/v2/trade/orders", body), PLACED_ORDER);
  });

  await t.test(`Place Order: ${REFUSALS.length} refusals in the family's envelope`, async () => {
    for (const [what, change, codes] of REFUSALS) {
      const answer = await client.place(order({ clientOrderId: "refused", ...change }));
      const { code } = answer.body as { code: string };
      assert.ok(codes.split(" ").includes(code), `${what}: ${answer.text}`);
      assertRefused(answer, code);
    }
  });
}

async function cancelling(t: TestContext, { client }: Account): Promise<void> {
  await t.test("Cancel Order by id, by client id, and in the caller's spelling", async () => {
    const orderId = await client.placed(order({ clientOrderId: "to-cancel-1" }));
    const byId = await client.cancel({ symbol: "BTCUSDT", orderId: String(orderId) });
    assertSuccess(byId, CANCEL_RESULT);
    const { data } = byId.body as { data: Record<string, unknown> };
    assert.equal(data.order_id, String(orderId));
    assert.equal(data.symbol, "BTCUSDT");
    assert.equal(data.result, true);
    assert.equal(data.err_code, null);
    assert.equal(data.err_msg, null);

    const other = await client.placed(order({ clientOrderId: "to-cancel-2" }));
    const byClientId = await client.cancel({ symbol: "btcusdt_spbl", clientOid: "to-cancel-2" });
    assertSuccess(byClientId, CANCEL_RESULT);
    const result = (byClientId.body as { data: Record<string, unknown> }).data;
    assert.equal(result.order_id, String(other));
    assert.equal(result.client_oid, "to-cancel-2");
    assert.equal(result.symbol, "btcusdt_spbl");
    assert.equal(result.result, true);
  });

  await t.test(
    "Cancel Order of what cannot be cancelled: 200, result false, both errors",
    async () => {
      for (const body of [
        { symbol: "BTCUSDT", clientOid: "to-cancel-2" },
        { symbol: "BTCUSDT", orderId: "999999999" },
        { symbol: "BTCUSDT", clientOid: "never-placed" },
      ]) {
        const answer = await client.cancel(body);
        const { data } = answer.body as { data: Record<string, unknown> };
        assert.equal(answer.status, 200, answer.text);
        assert.equal(data.result, false, answer.text);
        assert.equal(typeof data.err_code, "string");
        assert.equal(typeof data.err_msg, "string");
        assert.deepEqual(Object.keys(data).sort(), Object.keys(CANCEL_RESULT).sort());
      }
    },
  );

  await t.test("Cancel Order: refusals", async () => {
    assertRefused(await client.cancel({ symbol: "BTCUSDT" }), "40913");
    assertRefused(await client.cancel({ symbol: "NOPEUSDT", orderId: "1" }), "40034");
    const answer = await client.post("/api/v2/trade/cancel-order", { orderId: "1" });
    assert.match((answer.body as { code: string }).code, /^400(17|19)$/);
  });
}

async function reading(t: TestContext, { client }: Account): Promise<void> {
  await t.test("Get Account Assets", async () => {
    const answer = await client.get("/api/v2/account/assets");
    assertSuccess(answer, [ASSET]);
    const { data } = answer.body as { data: { coinName: string; coinId: number }[] };
    const ids = new Map(data.map(({ coinName, coinId }) => [coinName, coinId]));
    assert.equal(ids.size, data.length);
    assert.equal(ids.get("BTC"), 1);
    assert.equal(ids.get("USDT"), 2);
  });

  await t.test("Get Single Ticker, unsigned, in the caller's spelling", async () => {
    for (const symbol of ["BTCUSDT", "BTCUSDT_SPBL", "btcusdt"]) {
      const path = `/api/v2/market/ticker?symbol=${symbol}`;
      const answer = await client.raw({ method: "GET", path });
      assertSuccess(answer, TICKER);
      assert.equal((answer.body as { data: { symbol: string } }).data.symbol, symbol);
    }
    const unknown = { method: "GET", path: "/api/v2/market/ticker?symbol=NOPEUSDT" };
    assertRefused(await client.raw(unknown), "40034");
    const missing = await client.raw({ method: "GET", path: "/api/v2/market/ticker" });
    assert.match((missing.body as { code: string }).code, /^400(17|19)$/);
  });
}

async function outside(t: TestContext, { client }: Account): Promise<void> {
  await t.test("unknown paths and wrong methods, in both families", async () => {
    assertRefused(await client.get("/api/v2/trade/nothing"), "40404", 404);
    const method = await client.get("/api/v2/trade/orders");
    assert.equal(method.status, 405, method.text);
    assert.equal(typeof (method.body as { code: unknown }).code, "string");
    for (const [answer, status] of [
      [await client.get("/api/v3/nothing"), 404],
      [await client.post("/api/v3/order/batch", {}), 405],
    ] as const) {
      assert.equal(answer.status, status, answer.text);
      const body = answer.body as Record<string, unknown>;
      assert.deepEqual(Object.keys(body).sort(), ["code", "msg"]);
      assert.ok(Number.isInteger(body.code) && (body.code as number) < 0, answer.text);
    }
  });
}

test("golden wire shapes of the four endpoints", async (t) => {
  const exchange = await ExchangeProcess.start({ process: "shared" });
  t.after(() => exchange.stop());
  await listStandardMarkets(exchange);
  const account = await openAccount(exchange, { USDT: "100000", BTC: "1" });
  await placing(t, account);
  await cancelling(t, account);
  await reading(t, account);
  await outside(t, account);
  account.client.close();
});
