/**
 * Proves trading over WebSocket against a real process, with a plain client: every method answers
 * with the shape of its call and does what the call does over REST; messages that are sent together
 * have the outcome of messages that are sent one after the other; a repeated order is a retry, also
 * after `kill -9`; the dead-man switch fires without its client; and connections end with the codes
 * that the reference names.
 */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { Compile } from "typebox/schema";
import { SOCKET_METHODS } from "../../src/api/socket-routes.ts";
import { ExchangeProcess } from "../support/exchange-process.ts";
import { type Account, issueKey } from "../support/exchange-setup.ts";
import type { Query } from "../support/signed-client.ts";
import {
  contractOrder,
  listBothProducts,
  openTrader,
  spotOrder,
} from "../support/socket-accounts.ts";
import { refusedHandshake } from "../support/stream-client.ts";
import { logonParams, TradingSocket } from "../support/trading-socket.ts";

interface Placed {
  readonly orderId: number | string;
  readonly clientOrderId: string;
  readonly lastUpdateId?: number;
}

let exchange: ExchangeProcess;
let trader: Account;

before(async () => {
  exchange = await ExchangeProcess.start({ process: "shared" });
  await listBothProducts(exchange);
  trader = await openTrader(exchange);
});

after(() => exchange.stop());

const open = () => TradingSocket.open(exchange.port, trader.credentials);

/** Parameters with which each method succeeds, given an order of its own that rests. */
type Params = (placed: (product: "spot" | "contract") => Promise<Placed>) => Promise<object>;

const none: Params = async () => ({});
const symbol: Params = async () => ({ symbol: "BTCUSDT" });
const countdown: Params = async () => ({ countdownMs: 60_000, symbol: "BTCUSDT" });

const PARAMS: Readonly<Record<string, Params>> = {
  time: none,
  ping: none,
  "order.place": async () => spotOrder(),
  "order.test": async () => spotOrder(),
  "order.amend": async (placed) => ({ orderId: (await placed("spot")).orderId, quantity: "0.02" }),
  "order.cancel": async (placed) => ({ orderId: (await placed("spot")).orderId }),
  "order.status": async (placed) => ({ orderId: (await placed("spot")).orderId }),
  "orders.place": async () => ({ orders: [spotOrder(), spotOrder({ price: "1" })] }),
  "openOrders.status": symbol,
  "openOrders.cancelAll": symbol,
  "openOrders.cancelAllAfter": countdown,
  "account.status": none,
  "contract.order.place": async () => contractOrder(),
  "contract.order.test": async () => contractOrder(),
  "contract.order.amend": async (placed) => {
    return { orderId: (await placed("contract")).orderId, quantity: "0.02" };
  },
  "contract.order.cancel": async (placed) => ({ orderId: (await placed("contract")).orderId }),
  "contract.order.status": async (placed) => ({ orderId: (await placed("contract")).orderId }),
  "contract.orders.place": async () => {
    return { batchOrders: [contractOrder(), contractOrder({ price: "1" })] };
  },
  "contract.openOrders.status": async () => ({ symbol: "BTCUSDT", limit: 5 }),
  "contract.openOrders.cancelAll": symbol,
  "contract.openOrders.cancelAllAfter": countdown,
  "contract.account.status": none,
};

for (const { name, route } of SOCKET_METHODS) {
  test(`${name} is answered as its call says`, async () => {
    const client = await open();
    const params = PARAMS[name];
    assert.ok(params !== undefined, "a method without parameters here");
    const sent = await params((product) =>
      product === "spot"
        ? client.result<Placed>("order.place", spotOrder())
        : client.result<Placed>("contract.order.place", contractOrder()),
    );
    const result = await client.result<unknown>(name, sent);
    const [valid, errors] = Compile(route.answer as object).Errors(result);
    assert.ok(valid, `${JSON.stringify(result)}: ${JSON.stringify(errors.slice(0, 3))}`);
    await client.close();
  });
}

/** Reads of both ways, which have to be the same. */
const SAME_READS: readonly (readonly [method: string, path: string, query: Query])[] = [
  ["openOrders.status", "/api/v3/openOrders", { symbol: "BTCUSDT" }],
  ["account.status", "/api/v3/account/", {}],
  ["contract.openOrders.status", "/capi/v3/openOrders", {}],
  ["contract.account.status", "/capi/v3/account/balance", {}],
];

test("what REST shows of the same orders and wallets is the same", async () => {
  const client = await open();
  const spot = await client.result<Placed>("order.place", spotOrder());
  const contract = await client.result<Placed>("contract.order.place", contractOrder());
  for (const [method, path, query] of SAME_READS) {
    const params = Object.keys(query).length === 0 ? undefined : query;
    const untimed = (value: unknown) => JSON.stringify(value).replace(/"updateTime":\d+/g, "");
    const overSocket = untimed(await client.result(method, params));
    assert.equal(overSocket, untimed(await trader.client.v3(path, query)), method);
    assert.match(overSocket, /"(orderId|free|balance)"/);
  }
  for (const [method, path, { orderId, clientOrderId }] of [
    ["order.status", "/api/v3/order", spot],
    ["contract.order.status", "/capi/v3/order", contract],
  ] as const) {
    const expected = await trader.client.v3(path, { orderId });
    const names = [Number(orderId), String(orderId)].map((id) => ({ orderId: id }));
    for (const params of [...names, { origClientOrderId: clientOrderId }]) {
      assert.deepEqual(await client.result(method, params), expected);
    }
  }
  await client.close();
});

test("an order that has ended is found by its client order id", async () => {
  const client = await open();
  for (const [prefix, order] of [
    ["", spotOrder()],
    ["contract.", contractOrder()],
  ] as const) {
    await client.result(`${prefix}order.place`, order);
    const origClientOrderId = order.newClientOrderId;
    await client.result(`${prefix}order.cancel`, { origClientOrderId });
    const found = await client.result<{ status: string }>(`${prefix}order.status`, {
      origClientOrderId,
    });
    assert.equal(found.status, "CANCELED");
  }
  await client.close();
});

test("a repeated order is a retry, on whichever way it comes", async () => {
  const [one, other] = [await open(), await open()];
  const order = spotOrder();
  const first = await one.result<Placed>("order.place", order);
  assert.deepEqual(await one.result("order.place", order), first);
  assert.deepEqual(await other.result("order.place", order), first);
  const [row] = await other.result<Placed[]>("orders.place", { orders: [order] });
  assert.deepEqual(row, first);
  const posted = await trader.client.post("/api/v3/order", order);
  assert.deepEqual(posted.body, first);
  const changed = { ...order, quantity: "0.03" };
  assert.equal(await one.code("order.place", changed), -2202);
  await Promise.all([one.close(), other.close()]);
});

test("orders without a client order id are refused, and the parameter is named", async () => {
  const client = await open();
  const { newClientOrderId: _, ...order } = spotOrder();
  const { newClientOrderId: __, ...contract } = contractOrder();
  for (const [method, params, code] of [
    ["order.place", order, -1141],
    ["order.place", { ...order, newClientOrderId: "" }, -1141],
    ["order.test", order, -1141],
    ["contract.order.place", contract, -1140],
    ["contract.order.test", contract, -1140],
  ] as const) {
    const { error } = await client.ask(method, params);
    assert.deepEqual([error?.code, error?.msg.split(" (")[0]], [code, MISSING], method);
  }
  const [row] = await client.result<object[]>("orders.place", { orders: [order] });
  assert.deepEqual(row, { clientOrderId: "", code: -1141, msg: MISSING });
  await client.close();
});

const MISSING = "Parameter is required: newClientOrderId";

test("a disconnect cancels nothing, the dead-man switch does", async () => {
  const user = await openTrader(exchange);
  const client = await TradingSocket.open(exchange.port, user.credentials);
  await client.result("order.place", spotOrder());
  await client.result("contract.order.place", contractOrder());
  await client.result("openOrders.cancelAllAfter", { countdownMs: 30_000 });
  await client.result("contract.openOrders.cancelAllAfter", { countdownMs: 60_000 });
  await client.close();
  const openOrders = async (): Promise<number[]> => {
    const spot = await user.client.v3<unknown[]>("/api/v3/openOrders");
    const contract = await user.client.v3<unknown[]>("/capi/v3/openOrders");
    return [spot.length, contract.length];
  };
  assert.deepEqual(await openOrders(), [1, 1]);
  await exchange.operator.advanceClock(31_000);
  assert.deepEqual(await openOrders(), [0, 1]);
  await exchange.operator.advanceClock(30_000);
  assert.deepEqual(await openOrders(), [0, 0]);
});

test("a key that the operator narrows refuses, one that is revoked ends with 1008", async () => {
  const key = await issueKey(exchange, trader.uid, ["spot"]);
  const path = `/operator/v1/api-keys/${key.apiKey}`;
  const client = await TradingSocket.open(exchange.port, key);
  assert.equal(await client.code("order.test", spotOrder()), null);
  await exchange.operator.call("PATCH", path, { permissions: ["read"] });
  assert.equal(await client.code("order.test", spotOrder()), -1052);
  assert.equal(await client.code("openOrders.status"), null);
  await exchange.operator.call("PATCH", path, { permissions: ["spot"] });
  assert.equal(await client.code("order.test", spotOrder()), null);
  await exchange.operator.call("DELETE", path);
  assert.deepEqual(await client.closed, { code: 1008, reason: "the API key has ended" });
});

test("a captured logon opens no other connection", async () => {
  const logon = logonParams(trader.credentials);
  const [one, other] = [
    await TradingSocket.open(exchange.port),
    await TradingSocket.open(exchange.port),
  ];
  assert.equal(await one.code("session.logon", logon), null);
  assert.equal(await other.code("session.logon", logon), -1047);
  assert.equal(await other.code("openOrders.status"), -1040);
  await Promise.all([one.close(), other.close()]);
});

test("gateways in threads have one memory of logons and one set of keys", async (t) => {
  const threaded = await ExchangeProcess.start({ flags: ["--gateways", "3"], process: "shared" });
  t.after(() => threaded.stop());
  await listBothProducts(threaded);
  const user = await openTrader(threaded);
  const logon = logonParams(user.credentials);
  const clients: TradingSocket[] = [];
  // The kernel spreads connections over the gateways.
  for (let i = 0; i < 24; i++) clients.push(await TradingSocket.open(threaded.port));
  const codes = await Promise.all(clients.map((client) => client.code("session.logon", logon)));
  assert.ok(codes.filter((code) => code === null).length <= 1, JSON.stringify(codes));
  assert.ok(
    codes.every((code) => code === null || code === -1047),
    JSON.stringify(codes),
  );
  for (const client of clients) {
    await client.result("session.logon", logonParams(user.credentials));
    await client.result("order.place", spotOrder());
  }
  const { apiKey } = user.credentials;
  await threaded.operator.call("DELETE", `/operator/v1/api-keys/${apiKey}`);
  for (const client of clients) assert.equal((await client.closed).code, 1008);
});

test("a plain request is told to upgrade", async () => {
  for (const [method, status] of [
    ["GET", 426],
    ["POST", 405],
  ] as const) {
    const answer = await trader.client.raw({ method, path: "/v3/ws/api" });
    assert.equal(answer.status, status);
    assert.equal((answer.body as { code: number }).code, -1150);
  }
});

test("connections of an address are limited together with its streams", async (t) => {
  const limited = await ExchangeProcess.start({ rateLimits: "standard", process: "shared" });
  t.after(() => limited.stop());
  const clients: TradingSocket[] = [];
  for (let i = 0; i < 100; i++) clients.push(await TradingSocket.open(limited.port));
  for (const path of ["/v3/ws/api", "/v3/ws/public"]) {
    const { status, body } = await refusedHandshake(limited.port, path);
    assert.deepEqual([status, (body as { code: number }).code], [429, -1003], path);
  }
  await clients[0]?.close();
  await Promise.all(clients.map((client) => client.close()));
});

test("a stopping exchange says so with 1001", async () => {
  const other = await ExchangeProcess.start();
  const client = await TradingSocket.open(other.port);
  await other.kill("SIGTERM");
  assert.deepEqual(await client.closed, { code: 1001, reason: "the exchange is stopping" });
  await other.stop();
});

test("orders that were answered survive kill -9, and a retry finds them", async (t) => {
  const victim = await ExchangeProcess.start();
  t.after(() => victim.stop());
  await listBothProducts(victim);
  const user = await openTrader(victim);
  const client = await TradingSocket.open(victim.port, user.credentials);
  const orders = Array.from({ length: 200 }, () => spotOrder());
  const answered = new Map<string, Placed>();
  const enough = new Promise<void>((resolve) => {
    for (const order of orders) {
      client.result<Placed>("order.place", order).then(
        (placed) => {
          answered.set(placed.clientOrderId, placed);
          if (answered.size === 60) resolve();
        },
        () => undefined,
      );
    }
  });
  await enough;
  await victim.kill("SIGKILL");
  await client.closed;
  await victim.restart();
  const again = await TradingSocket.open(victim.port, user.credentials);
  const placed = await Promise.all(
    orders.map((order) => again.result<Placed>("order.place", order)),
  );
  for (const order of placed) {
    const before = answered.get(order.clientOrderId);
    // The version of the book is the present one.
    const { lastUpdateId } = order;
    if (before !== undefined) assert.deepEqual(order, { ...before, lastUpdateId });
  }
  assert.ok(answered.size >= 60);
  assert.equal((await again.result<unknown[]>("openOrders.status")).length, orders.length);
  await again.close();
});
