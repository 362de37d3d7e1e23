/**
 * Proves the v2 calls that place and cancel many orders, on the real process: each item is accepted
 * or rejected by itself, limits have their codes, and the v3 list of open orders agrees after each.
 */
import assert from "node:assert/strict";
import test, { type TestContext } from "node:test";
import { ExchangeProcess } from "../support/exchange-process.ts";
import { type Account, listStandardMarkets, openAccount } from "../support/exchange-setup.ts";
import { dataOf } from "../support/signed-client.ts";
import { assertRefused, BATCH, CANCELLED } from "../support/v2-answers.ts";
import { NAME, order, type Placed, place, post, type Row, SYMBOL } from "./v2-calls.ts";

interface Cancelled {
  readonly successList: string[];
  readonly failureList: { orderId: string; clientOid?: string; errMsg: string }[];
}

async function openIds({ client }: Account): Promise<string[]> {
  const open = await client.v3<Row[]>("/api/v3/openOrders", { symbol: NAME });
  return open.map(({ orderId }) => String(orderId));
}

async function placing(t: TestContext, alice: Account): Promise<void> {
  const { client } = alice;
  await t.test("a batch answers for every order by itself", async () => {
    const before = await openIds(alice);
    const orderList = [
      order({ price: "45000" }),
      order({ quantity: "8000" }),
      order({ price: "45000.001" }),
      order({ side: "hold" }),
    ];
    const body = { symbol: SYMBOL, orderList };
    const { resultList } = await post<Placed>(alice, "trade/batch-orders", body, BATCH);
    const codes = resultList.map(({ err_code }) => err_code);
    assert.deepEqual(codes, [null, "43012", "40020", "40020"]);
    assert.deepEqual(await openIds(alice), [String(resultList[0]?.orderId), ...before]);
    const again = await post<Placed>(alice, "trade/batch-orders", body, BATCH);
    assert.deepEqual(again, { resultList }, "sent again, the same orders are meant");
    const list = (length: number) => Array.from({ length }, () => order({ price: "1" }));
    const tooMany = { symbol: SYMBOL, orderList: list(51) };
    assertRefused(await client.post("/api/v2/trade/batch-orders", tooMany), "40020");
    const strange = { symbol: "NOPEUSDT", orderList: list(2) };
    assertRefused(await client.post("/api/v2/trade/batch-orders", strange), "40034");
  });
}

async function cancelling(t: TestContext, alice: Account): Promise<void> {
  const { client } = alice;
  await t.test("fifty orders are placed, and cancelled by either id", async () => {
    const before = await openIds(alice);
    const orders = Array.from({ length: 50 }, (_, i) => order({ price: String(40_000 + i) }));
    const ids = (await place(alice, orders)).map(String);
    assert.deepEqual(await openIds(alice), [...ids.toReversed(), ...before]);
    const path = "trade/cancel-batch-orders";
    const orderIds = [...ids.slice(0, 30), "987654321"];
    const first = await post<Cancelled>(alice, path, { symbol: SYMBOL, orderIds }, CANCELLED);
    assert.deepEqual(first.successList, ids.slice(0, 30));
    const missing = [{ orderId: "987654321", errMsg: "FAILED_ORDER_NOT_FOUND" }];
    assert.deepEqual(first.failureList, missing);
    const clientOids = orders.map(({ clientOrderId }) => String(clientOrderId));
    const second = await client.post(`/api/v2/${path}`, { symbol: SYMBOL, clientOids });
    const { successList, failureList } = dataOf<Cancelled>(second, path);
    assert.deepEqual(successList, ids.slice(30));
    assert.deepEqual(
      failureList,
      clientOids
        .slice(0, 30)
        .map((clientOid) => ({ orderId: "", clientOid, errMsg: "FAILED_ORDER_NOT_FOUND" })),
    );
    assert.deepEqual(await openIds(alice), before);
    const tooMany = { symbol: SYMBOL, orderIds: Array.from({ length: 51 }, (_, i) => i + 1) };
    assertRefused(await client.post(`/api/v2/${path}`, tooMany), "40912");
    assertRefused(await client.post(`/api/v2/${path}`, { symbol: SYMBOL }), "40913");
    const other = { symbol: "ETHUSDT_SPBL", orderIds: before.slice(0, 1) };
    const elsewhere = await post<Cancelled>(alice, path, other, CANCELLED);
    assert.deepEqual(elsewhere.successList, [], "an order of another market stays");
    assert.deepEqual(await openIds(alice), before);
  });

  await t.test("cancel-symbol-order ends the orders of one market", async () => {
    const before = await openIds(alice);
    assert.ok(before.length > 1);
    const path = "trade/cancel-symbol-order";
    const none = await post<Cancelled>(alice, path, { symbol: "ETHUSDT_SPBL" }, CANCELLED);
    assert.deepEqual(none, { successList: [], failureList: [] });
    const all = await post<Cancelled>(alice, path, { symbol: SYMBOL }, CANCELLED);
    assert.deepEqual(all.successList.toSorted(), before.toSorted());
    assert.deepEqual(await openIds(alice), []);
    assertRefused(await client.post(`/api/v2/${path}`, { symbol: "NOPEUSDT" }), "40034");
  });
}

test("v2 batches", async (t) => {
  const exchange = await ExchangeProcess.start({ process: "shared" });
  t.after(() => exchange.stop());
  await listStandardMarkets(exchange);
  const alice = await openAccount(exchange, { USDT: "100000", BTC: "1" });
  await place(alice, [order({ price: "49000" }), order({ side: "sell", price: "51000" })]);
  await placing(t, alice);
  await cancelling(t, alice);
  alice.client.close();
});
