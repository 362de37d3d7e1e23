/**
 * Proves that the client's retries are safe: an order whose answer is lost, once or several times,
 * is one order; rate limits are waited for; a clock that is wrong by hours is corrected; and a
 * killed and restarted exchange is found again.
 */
import assert from "node:assert/strict";
import test from "node:test";
import { NetworkError, type RialtoError } from "../../src/client/index.ts";
import { clientOf, openClientFixture } from "../support/client-fixture.ts";
import { TcpProxy } from "../support/tcp-proxy.ts";

const symbol = "BTCUSDT";
const ORDER = { symbol, side: "BUY", type: "LIMIT", quantity: "0.1", price: "50000" } as const;
const CONTRACT_ORDER = { ...ORDER, positionSide: "LONG", timeInForce: "GTC" } as const;

test("answers that are lost", async (t) => {
  const { exchange, alice } = await openClientFixture({ process: "shared" });
  t.after(() => exchange.stop());
  const proxy = await TcpProxy.open(exchange.port);
  t.after(() => proxy.close());
  const { spot, contract } = clientOf(proxy, alice);

  await t.test("an order is placed once, however often its answer is lost", async () => {
    for (const lost of [1, 2, 3]) {
      proxy.answersToLose = lost;
      const placed = await spot.placeOrder(ORDER);
      assert.equal(proxy.answersToLose, 0);
      const open = await spot.openOrders({ symbol });
      assert.deepEqual(
        open.map(({ orderId }) => orderId),
        [placed.orderId],
      );
      await spot.cancelOrder({ orderId: placed.orderId });
    }
    proxy.answersToLose = 2;
    await contract.placeOrders([CONTRACT_ORDER, CONTRACT_ORDER]);
    assert.equal((await contract.openOrders()).length, 2);
  });

  await t.test("funds are transferred once", async () => {
    proxy.answersToLose = 2;
    const transfer = { fromType: "SPOT", toType: "CONTRACT", coinName: "USDT" } as const;
    await spot.transfer({ ...transfer, amount: "10" });
    assert.equal((await spot.transfers()).length, 1);
  });

  await t.test("a cancel whose answer was lost says that it was not the first", async () => {
    const { orderId } = await spot.placeOrder(ORDER);
    proxy.answersToLose = 1;
    await assert.rejects(
      spot.cancelOrder({ orderId }),
      ({ code, attempts }: RialtoError) => code === -2200 && attempts === 2,
    );
    assert.equal((await spot.order({ orderId })).status, "CANCELED");
  });

  await t.test("what could happen twice is left to the caller", async () => {
    await spot.placeOrder(ORDER);
    proxy.answersToLose = 1;
    await assert.rejects(spot.cancelOpenOrders({ symbol }), NetworkError);
    assert.equal(proxy.answersToLose, 0);
    assert.deepEqual(await spot.openOrders(), []);
  });
});

test("limits are waited for", async (t) => {
  const { exchange, alice } = await openClientFixture({
    rateLimits: "standard",
    process: "shared",
  });
  t.after(() => exchange.stop());
  const { spotV2 } = clientOf(exchange, alice);
  const statuses: number[] = [];
  const counting = clientOf(exchange, alice, {
    attempts: 8,
    fetch: async (input, init) => {
      const answer = await fetch(input, init);
      statuses.push(answer.status);
      return answer;
    },
  });
  // Ten a second are allowed, all at once at first.
  const calls = Array.from({ length: 14 }, () => counting.spotV2.assets());
  assert.equal((await Promise.all(calls)).length, 14);
  assert.ok(statuses.includes(429), `${statuses}`);
  assert.equal(statuses.filter((status) => status === 200).length, 14);
  const impatient = Array.from({ length: 14 }, () => spotV2.assets({ attempts: 1 }));
  const refused = (await Promise.allSettled(impatient)).filter(
    ({ status }) => status === "rejected",
  ) as PromiseRejectedResult[];
  assert.ok(refused.length > 0);
  for (const { reason } of refused) {
    const { status, retryAfterMs, family, code } = reason as RialtoError;
    assert.deepEqual([status, family, code], [429, "v2", "429"]);
    assert.ok(retryAfterMs !== null && retryAfterMs >= 1_000);
  }
});

test("a clock that is wrong by hours is put right, for calls and for streams", async (t) => {
  const { exchange, alice } = await openClientFixture({ process: "shared" });
  t.after(() => exchange.stop());
  const rightNow = Date.now;
  for (const hours of [-5, 7]) {
    const wrong = t.mock.method(Date, "now", () => rightNow() + hours * 3_600_000);
    const client = clientOf(exchange, alice);
    const { clientOrderId } = await client.spot.placeOrder(ORDER);
    assert.ok(clientOrderId.length > 0);
    assert.ok(Math.abs(client.timeOffsetMs + hours * 3_600_000) < 60_000);

    const fresh = clientOf(exchange, alice);
    const account = fresh.streams.spotAccount();
    await account.orders().ready;
    account.close();
    assert.ok(Math.abs(fresh.timeOffsetMs + hours * 3_600_000) < 60_000);
    wrong.mock.restore();
  }
});

test("an exchange that comes back is found", async (t) => {
  const { exchange, alice } = await openClientFixture();
  t.after(() => exchange.stop());
  const proxy = await TcpProxy.open(exchange.port);
  t.after(() => proxy.close());
  const { spot } = clientOf(proxy, alice, { attempts: 40 });
  const { orderId } = await spot.placeOrder(ORDER);
  await exchange.kill("SIGKILL");
  const reading = spot.order({ orderId });
  await exchange.restart();
  proxy.target = exchange.port;
  assert.equal((await reading).status, "NEW");
});
