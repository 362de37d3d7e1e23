/**
 * Goal: gateways in threads are one exchange. Whatever a connection's gateway, a revoked key is
 * refused as soon as the operator's call is answered, limits are counted once, a user's streams
 * tell the same, the clock is the same; and a port belongs to one exchange. Method: two gateways in
 * a real process, and so many connections that both have some.
 */
import assert from "node:assert/strict";
import test, { type TestContext } from "node:test";
import { ExchangeProcess, StartRefused } from "../support/exchange-process.ts";
import {
  type Account,
  issueKey,
  listStandardMarkets,
  openAccount,
} from "../support/exchange-setup.ts";
import { HttpConnection } from "../support/http-exchange.ts";
import { SignedClient } from "../support/signed-client.ts";
import { StreamClient } from "../support/stream-client.ts";

const GATEWAYS = ["--gateways", "2", "--public-metrics"];
/** All on one gateway: once in two to the power of 23. */
const CONNECTIONS = 24;

/** Connections per gateway, as the metrics say. */
async function connectionsByGateway(exchange: ExchangeProcess): Promise<Map<string, number>> {
  const { text } = await exchange.operator.send("GET", "/metrics");
  const rows = text.matchAll(/^rialto_gateway_connections\{gateway="([^"]+)"\} (\d+)$/gm);
  return new Map([...rows].map(([, name = "", count]) => [name, Number(count)]));
}

test("two gateways are one exchange", async (t) => {
  const exchange = await ExchangeProcess.start({ flags: GATEWAYS });
  t.after(() => exchange.stop());
  await listStandardMarkets(exchange);
  const account = await openAccount(exchange, { USDT: "1000000", BTC: "100" });
  await connectionTests(t, exchange, account);
  await stateTests(t, exchange, account);
});

async function connectionTests(
  t: TestContext,
  exchange: ExchangeProcess,
  account: Account,
): Promise<void> {
  await t.test("connections are spread, counted and given back", async () => {
    const connections = Array.from({ length: CONNECTIONS }, () => {
      return new HttpConnection(exchange.port, 1);
    });
    const ready = { method: "GET", path: "/health/ready" };
    await Promise.all(connections.map((connection) => connection.send(ready)));
    const held = await connectionsByGateway(exchange);
    assert.deepEqual([...held.keys()].sort(), ["gateway-1", "gateway-2"]);
    assert.ok(held.values().every((count) => count > 0));
    assert.ok([...held.values()].reduce((a, b) => a + b) >= CONNECTIONS);
    // Each asks the whole process for them.
    const asked = connections.map((one) => one.send({ method: "GET", path: "/metrics" }));
    for (const { status, text } of await Promise.all(asked)) {
      assert.equal(status, 200);
      assert.match(text, /^rialto_gateway_connections\{gateway="gateway-2"\} \d+$/m);
    }
    for (const connection of connections) connection.close();
  });

  await t.test("a revoked key is refused by both at once", async () => {
    const key = await issueKey(exchange, account.uid, ["read"]);
    const clients = Array.from({ length: CONNECTIONS }, () => {
      return new SignedClient(exchange.port, key, 1);
    });
    const statuses = async () => {
      const answers = clients.map((client) => client.get("/api/v2/account/assets"));
      return new Set((await Promise.all(answers)).map(({ status }) => status));
    };
    assert.deepEqual(await statuses(), new Set([200]));
    await exchange.operator.call("DELETE", `/operator/v1/api-keys/${key.apiKey}`);
    // What v2 answers to an unknown key.
    assert.deepEqual(await statuses(), new Set([400]));
    for (const client of clients) client.close();
  });
}

async function stateTests(
  t: TestContext,
  exchange: ExchangeProcess,
  account: Account,
): Promise<void> {
  await t.test("streams of one user tell the same, whatever their gateway", async () => {
    const streams = await Promise.all(
      Array.from({ length: CONNECTIONS }, () => {
        return StreamClient.open(exchange.port, "/v3/ws/private", account.credentials);
      }),
    );
    for (const stream of streams) await stream.subscribe("orders");
    for (let i = 0; i < 5; i++) {
      const placed = await account.client.place({
        symbol: "BTCUSDT",
        side: "buy",
        orderType: "limit",
        force: "normal",
        price: "20000",
        quantity: "0.001",
        clientOrderId: `told-${i}`,
      });
      assert.equal(placed.status, 200, placed.text);
    }
    const [first] = streams;
    for (const stream of streams) {
      await stream.until(() => JSON.stringify(stream.messages).includes("told-4"), "the orders");
      assert.deepEqual(stream.messages, first?.messages);
    }
    for (const stream of streams) await stream.close();
  });

  await t.test("the clock jumps in both before the operator's call is answered", async () => {
    await exchange.operator.advanceClock(86_400_000);
    const clients = Array.from({ length: CONNECTIONS }, () => {
      return new HttpConnection(exchange.port, 1);
    });
    const answers = clients.map((client) => client.send({ method: "GET", path: "/api/v3/time" }));
    for (const { body } of await Promise.all(answers)) {
      const { serverTime } = body as { readonly serverTime: number };
      assert.ok(serverTime - Date.now() > 80_000_000, String(serverTime));
    }
    for (const client of clients) client.close();
  });

  await t.test("what was answered is there after kill -9", async () => {
    await exchange.kill("SIGKILL");
    await exchange.restart();
    const client = new SignedClient(exchange.port, account.credentials);
    const open = await client.v3<readonly unknown[]>("/api/v3/openOrders", { symbol: "BTCUSDT" });
    assert.equal(open.length, 5);
    assert.ok((await exchange.operator.invariants()).ok);
    client.close();
  });
}

test("limits are counted once for all gateways", async (t) => {
  const exchange = await ExchangeProcess.start({ flags: GATEWAYS, rateLimits: "standard" });
  t.after(() => exchange.stop());
  await listStandardMarkets(exchange);
  const { credentials } = await openAccount(exchange);
  const clients = Array.from({ length: CONNECTIONS }, () => {
    return new SignedClient(exchange.port, credentials, 1);
  });
  // Weight 3 of 500 in ten seconds and a user: it fills up by one every 20 ms.
  const startedMs = performance.now();
  let admitted = 0;
  for (let round = 0; round < 20; round++) {
    const answers = clients.map((client, i) =>
      client.cancel({ symbol: "BTCUSDT", clientOid: `none-${round}-${i}` }),
    );
    for (const { status } of await Promise.all(answers)) if (status === 200) admitted++;
  }
  const regained = (performance.now() - startedMs) / 20;
  // Each thread reads its own clock: all together are at most one request ahead.
  assert.ok(admitted * 3 <= 500 + regained + 3, `${admitted} in ${regained * 20} ms`);
  assert.ok(admitted >= 166, String(admitted));
  for (const client of clients) client.close();
});

test("a port belongs to one exchange", async (t) => {
  const exchange = await ExchangeProcess.start({ flags: GATEWAYS });
  t.after(() => exchange.stop());
  const port = ["--port", String(exchange.port)];
  for (const gateways of ["0", "2"]) {
    await assert.rejects(
      ExchangeProcess.start({ flags: [...port, "--gateways", gateways] }),
      (error) => {
        assert.ok(error instanceof StartRefused);
        assert.match(error.message, /is in use by another process.*--port/s);
        return true;
      },
    );
  }
});

test("of two that start at once on one port one is refused", async (t) => {
  const first = await ExchangeProcess.start({ flags: GATEWAYS });
  const { port } = first;
  await first.stop();
  const flags = [...GATEWAYS, "--port", String(port)];
  const both = await Promise.allSettled([
    ExchangeProcess.start({ flags }),
    ExchangeProcess.start({ flags }),
  ]);
  t.after(async () => {
    for (const one of both) if (one.status === "fulfilled") await one.value.stop();
  });
  assert.deepEqual(both.map(({ status }) => status).sort(), ["fulfilled", "rejected"]);
});
