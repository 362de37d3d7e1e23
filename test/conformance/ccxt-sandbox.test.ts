/**
 * Proves that the public client (npm `ccxt`, class `weex`) works in its sandbox mode, where it
 * calls the demo account's four calls alone: balance, orders, positions and ended orders are those
 * that the same account has in the client's ordinary mode.
 */
import assert from "node:assert/strict";
import test, { type TestContext } from "node:test";
import type { weex } from "ccxt";
import { listStandardContracts, openContractAccount } from "../support/contract-setup.ts";
import { ExchangeProcess } from "../support/exchange-process.ts";
import { BTC_SWAP, ccxtClient } from "./ccxt-client.ts";

const UNAVAILABLE = /is not available in sandbox mode|does not support|only supports/;

/** Sandbox mode takes the addresses that are meant for it. */
function sandboxClient(...args: Parameters<typeof ccxtClient>): weex {
  const client = ccxtClient(...args);
  client.urls.test = client.urls.api;
  client.setSandboxMode(true);
  return client;
}

interface Clients {
  readonly demo: weex;
  /** The same account in the ordinary mode. */
  readonly live: weex;
  readonly maker: weex;
}

async function trading(t: TestContext, { demo, live, maker }: Clients): Promise<void> {
  await t.test("fetchBalance, without and with a type", async () => {
    const expected = (await live.fetchBalance()).USDT;
    assert.equal(expected?.total, 100_000);
    assert.deepEqual((await demo.fetchBalance()).USDT, expected);
    assert.deepEqual((await demo.fetchBalance({ type: "swap" })).USDT, expected);
  });

  await t.test("createOrder: limit and market, opening and closing", async () => {
    await maker.createOrder(BTC_SWAP, "limit", "sell", 0.02, 60_000);
    const bought = await demo.createOrder(BTC_SWAP, "limit", "buy", 0.02, 60_000);
    assert.ok(Number(bought.id) > 0);
    await maker.createOrder(BTC_SWAP, "limit", "buy", 0.01, 60_010);
    await demo.createOrder(BTC_SWAP, "market", "sell", 0.01, undefined, { reduceOnly: true });
    const read = await live.fetchOrder(bought.id as string, BTC_SWAP);
    assert.deepEqual([read.symbol, read.status, read.filled], [BTC_SWAP, "closed", 0.02]);
  });
}

async function lists(t: TestContext, { demo, live }: Clients): Promise<void> {
  await t.test("fetchPositions, fetchPositionsForSymbol", async () => {
    const expected = await live.fetchPositions();
    const positions = await demo.fetchPositions();
    assert.deepEqual(
      positions.map(({ info: _, ...rest }) => rest),
      expected.map(({ info: _, ...rest }) => rest),
    );
    assert.equal(positions.length, 1);
    assert.deepEqual(
      [positions[0]?.symbol, positions[0]?.side, positions[0]?.contracts],
      [BTC_SWAP, "long", 0.01],
    );
    assert.deepEqual(await demo.fetchPositionsForSymbol(BTC_SWAP), positions);
    const info = positions[0]?.info as { symbol: string; asset: string };
    assert.deepEqual([info.symbol, info.asset], ["BTCSUSDT", "SUSDT"]);
  });

  await t.test("ended orders: closed, cancelled, both", async () => {
    for (const list of ["fetchClosedOrders", "fetchCanceledAndClosedOrders"] as const) {
      const [ofDemo, ofLive] = [await demo[list](BTC_SWAP), await live[list](BTC_SWAP)];
      const ids = ofLive.map(({ id, symbol, status }) => [id, symbol, status]);
      assert.equal(ids.length, 2, list);
      assert.deepEqual(
        ofDemo.map(({ id, symbol, status }) => [id, symbol, status]),
        ids,
        list,
      );
    }
    assert.deepEqual(await demo.fetchCanceledOrders(BTC_SWAP), []);
  });

  await t.test(
    "refusals arrive as in the ordinary mode; what has no demo call is not sent",
    async () => {
      const tooMuch = demo.createOrder(BTC_SWAP, "limit", "buy", 900, 60_000);
      await assert.rejects(tooMuch, { name: "InsufficientFunds" });
      const spot = demo.fetchBalance({ type: "spot" });
      await assert.rejects(spot, { name: "NotSupported", message: UNAVAILABLE });
      const open = demo.fetchOpenOrders(BTC_SWAP);
      await assert.rejects(open, { name: "NotSupported", message: UNAVAILABLE });
    },
  );
}

test("ccxt weex in sandbox mode", async (t) => {
  const exchange = await ExchangeProcess.start({ process: "shared", threads: "many" });
  t.after(() => exchange.stop());
  await listStandardContracts(exchange);
  const called = new Set<string>();
  const account = await openContractAccount(exchange, "100000");
  const other = await openContractAccount(exchange, "100000");
  const clients: Clients = {
    demo: sandboxClient(exchange, called, account.credentials, "swap"),
    live: ccxtClient(exchange, called, account.credentials, "swap"),
    maker: sandboxClient(exchange, called, other.credentials, "swap"),
  };
  await trading(t, clients);
  await lists(t, clients);
  account.client.close();
  other.client.close();
});
