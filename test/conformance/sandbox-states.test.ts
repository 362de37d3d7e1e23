/**
 * Goal: a sandbox goes back as a whole, under traffic, over all that a client sees. Method: a real
 * process without gateway threads and with two: orders under way, streams and trading sockets open,
 * questions about history; after the restore books, balances, history, clock, keys and the state
 * hash are the checkpoint's, streams have said so and begun anew, the journal verifies, and all of
 * it survives a stop and a kill.
 */
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { after, describe, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { promisify } from "node:util";
import { type ExchangeOptions, ExchangeProcess } from "../support/exchange-process.ts";
import {
  type Account,
  issueKey,
  listStandardMarkets,
  openAccount,
} from "../support/exchange-setup.ts";
import { PROGRAM } from "../support/program.ts";
import { scaled } from "../support/random.ts";
import { SignedClient } from "../support/signed-client.ts";
import { StreamClient, type StreamMessage } from "../support/stream-client.ts";
import { TradingSocket } from "../support/trading-socket.ts";

const run = promisify(execFile);
const SANDBOX = "/operator/v1/sandbox";
const HASH = /^[0-9a-f]{64}$/;

interface Checkpoint {
  readonly name: string;
  readonly sequence: number;
  readonly stateHash: string;
}

function checkpoint(exchange: ExchangeProcess, name: string): Promise<Checkpoint> {
  return exchange.operator.call("POST", `${SANDBOX}/checkpoints`, { name });
}

function restore(exchange: ExchangeProcess, name: string): Promise<Checkpoint> {
  return exchange.operator.call("POST", `${SANDBOX}/restore`, { name });
}

async function hashOf({ operator }: ExchangeProcess): Promise<string> {
  const checked = await operator.invariants();
  assert.ok(checked.ok, checked.violations.join("; "));
  return checked.stateHash;
}

async function timeOf({ operator }: ExchangeProcess): Promise<number> {
  return (await operator.call<{ time: number }>("GET", `${SANDBOX}/clock`)).time;
}

async function verifyJournal(exchange: ExchangeProcess): Promise<string> {
  const flags = ["journal", "verify", "--replay", "--json", "--data-dir", exchange.dataFolder];
  const { stdout } = await run(process.execPath, [PROGRAM, ...flags]);
  const verdict = JSON.parse(stdout);
  assert.ok(verdict.ok, stdout);
  return verdict.replay.stateHash;
}

interface View {
  readonly hash: string;
  readonly book: unknown;
  readonly balances: unknown;
  readonly open: unknown;
  readonly trades: unknown;
  readonly orders: unknown;
  readonly bills: unknown;
}

/** All that a user and the public see. */
async function viewOf(exchange: ExchangeProcess, { client }: Account): Promise<View> {
  const get = async (path: string) => {
    const answer = await client.get(path, { symbol: "BTCUSDT" });
    assert.equal(answer.status, 200, answer.text);
    return answer.body;
  };
  const bills = await client.post("/api/v3/account/bills", {});
  assert.equal(bills.status, 200, bills.text);
  return {
    hash: await hashOf(exchange),
    book: await get("/api/v3/market/depth"),
    // Without the time of the answer.
    balances: ((await client.get("/api/v3/account")).body as { balances: unknown }).balances,
    open: await get("/api/v3/openOrders"),
    trades: await get("/api/v3/myTrades"),
    orders: await get("/api/v3/allOrders"),
    bills: bills.body,
  };
}

let ids = 0;

function order(side: "BUY" | "SELL", price: number, quantity = "0.01") {
  ids++;
  const terms = { type: "LIMIT", timeInForce: "GTC", quantity, price: String(price) };
  return { symbol: "BTCUSDT", side, ...terms, newClientOrderId: `order-${ids}` };
}

async function place({ client }: Account, sent: object): Promise<void> {
  const answer = await client.post("/api/v3/order", sent);
  assert.equal(answer.status, 200, answer.text);
}

const FUNDS = { BTC: "100", USDT: "10000000" };

async function twoTraders(exchange: ExchangeProcess): Promise<readonly [Account, Account]> {
  await listStandardMarkets(exchange);
  const one = await openAccount(exchange, FUNDS);
  const other = await openAccount(exchange, FUNDS);
  for (let level = 0; level < 5; level++) {
    await place(one, order("BUY", 50_000 - level));
    await place(other, order("SELL", 50_010 + level));
  }
  await place(one, order("BUY", 50_010, "0.005"));
  return [one, other];
}

function noticesOf({ messages }: StreamClient): readonly StreamMessage[] {
  return messages.filter(({ event }) => event === "restored");
}

function showsBookAfterRestores(market: StreamClient, restores: number): boolean {
  const notices = noticesOf(market);
  if (notices.length < restores) return false;
  const last = market.messages.indexOf(notices.at(-1) as StreamMessage);
  return market.messages.slice(last).some(({ e }) => e === "depthSnapshot");
}

for (const gateways of ["0", "2"]) {
  const options: ExchangeOptions = { flags: ["--gateways", gateways] };
  describe(`a sandbox with --gateways ${gateways}`, () => {
    const running: ExchangeProcess[] = [];
    const start = async (more: ExchangeOptions = {}): Promise<ExchangeProcess> => {
      const exchange = await ExchangeProcess.start({ ...options, ...more });
      running.push(exchange);
      return exchange;
    };
    after(async () => {
      for (const exchange of running) await exchange.stop();
    });

    test("goes back under traffic, and everything is the checkpoint's", async () => {
      const exchange = await start();
      const [one, other] = await twoTraders(exchange);
      const kept = await viewOf(exchange, one);
      const keptTime = await timeOf(exchange);
      const made = await checkpoint(exchange, "kept");
      assert.equal(made.stateHash, kept.hash);
      await exchange.operator.call("POST", `${SANDBOX}/clock/advance`, { ms: 3_600_000 });

      const market = await StreamClient.open(exchange.port, "/v3/ws/public");
      await market.subscribe("BTCUSDT@depth15");
      const account = await StreamClient.open(exchange.port, "/v3/ws/private", one.credentials);
      await account.subscribe("account", "orders", "fill");
      const depths = () => market.of("depthSnapshot");
      await market.until(() => depths().length > 0, "the book");

      let isOver = false;
      const trading = [one, other].map(async ({ client }, i) => {
        const side = i === 0 ? "BUY" : "SELL";
        while (!isOver) {
          const { status } = await client.post("/api/v3/order", order(side, 50_005));
          assert.ok(status === 200 || status === 503, String(status));
          const asked = await client.get("/api/v3/myTrades", { symbol: "BTCUSDT" });
          assert.ok(asked.status === 200 || asked.status === 503, asked.text);
        }
      });
      const traffic = Promise.all(trading).catch((error: unknown) => {
        const end = JSON.stringify(exchange.exit);
        throw new Error(`traffic broke off, exchange ended: ${end}\n${exchange.output}`, {
          cause: error,
        });
      });
      const rounds = scaled(3);
      for (let round = 0; round < rounds; round++) {
        await sleep(50);
        assert.deepEqual(await restore(exchange, "kept"), made);
      }
      isOver = true;
      await traffic;
      await place(one, order("BUY", 49_000));
      assert.notEqual(await hashOf(exchange), kept.hash, "trading goes on after a restore");
      assert.equal(market.socket.readyState, 1);
      const isToldAgain = () => showsBookAfterRestores(market, rounds);
      await market.until(isToldAgain, "the book after every restore");
      await account.until(() => noticesOf(account).length === rounds, "every notice");
      market.forget();
      account.forget();

      await restore(exchange, "kept");
      assert.deepEqual(await viewOf(exchange, one), kept);
      const time = await timeOf(exchange);
      assert.ok(time >= keptTime && time < keptTime + 3_600_000, "the clock went back");
      await market.until(() => depths().length > 0, "the book after the restore");
      // The last update before it may still have been on its way.
      const first = (...events: string[]) =>
        market.messages.findIndex(({ event, e }) => events.includes(String(event ?? e)));
      assert.ok(first("restored") >= 0 && first("restored") < first("depthSnapshot"));
      const shown = depths().at(-1) as Record<string, unknown>;
      const book = kept.book as Record<string, unknown>;
      assert.deepEqual([shown.b, shown.a], [book.bids, book.asks]);
      const isTold = () => noticesOf(account).length > 0;
      await account.until(isTold, "the notice of the restore");

      // Streams go on behind the restored state.
      await place(one, order("BUY", 49_000));
      await market.until(() => market.of("depth").length > 0, "an update of the book");
      await account.until(() => account.messages.length > 1, "the new order");
      assert.equal(await verifyJournal(exchange), await hashOf(exchange));
    });

    test("keys follow, and a socket whose key is gone ends", async () => {
      const exchange = await start();
      const [one] = await twoTraders(exchange);
      const kept = await issueKey(exchange, one.uid);
      const keptClient = new SignedClient(exchange.port, kept);
      await checkpoint(exchange, "keys");
      await exchange.operator.call("DELETE", `/operator/v1/api-keys/${kept.apiKey}`);
      assert.equal((await keptClient.get("/api/v3/account")).status, 401);
      const later = await issueKey(exchange, one.uid, ["read", "spot"]);
      const laterClient = new SignedClient(exchange.port, later);
      assert.equal((await laterClient.get("/api/v3/account")).status, 200);
      const socket = await TradingSocket.open(exchange.port, later);
      const staying = await TradingSocket.open(exchange.port, one.credentials);
      const stream = await StreamClient.open(exchange.port, "/v3/ws/private", later);

      await restore(exchange, "keys");
      assert.equal((await keptClient.get("/api/v3/account")).status, 200);
      assert.equal((await laterClient.get("/api/v3/account")).status, 401);
      await Promise.all([socket.closed, stream.closed]);
      const answer = await staying.ask("account.status", {});
      assert.equal(answer.status, 200, JSON.stringify(answer));
    });

    test("checkpoints and the restored state survive a stop and a kill", async () => {
      const exchange = await start();
      const [one] = await twoTraders(exchange);
      const made = await checkpoint(exchange, "kept");
      const { book, trades, orders, balances } = await viewOf(exchange, one);
      await place(one, order("BUY", 49_999));
      await restore(exchange, "kept");
      for (const signal of ["SIGTERM", "SIGKILL"] as const) {
        await exchange.kill(signal);
        await exchange.restart();
        const client = new SignedClient(exchange.port, one.credentials);
        const seen = await viewOf(exchange, { ...one, client });
        const { book: _, ...past } = { book, trades, orders, balances };
        assert.deepEqual(
          { trades: seen.trades, orders: seen.orders, balances: seen.balances },
          past,
        );
        await place({ ...one, client }, order("BUY", 49_000));
        await restore(exchange, "kept");
        assert.equal(await hashOf(exchange), made.stateHash);
      }
      const { items } = await exchange.operator.call<{ items: Checkpoint[] }>(
        "GET",
        `${SANDBOX}/checkpoints`,
      );
      assert.deepEqual(items, [made]);
      assert.equal(await verifyJournal(exchange), made.stateHash);
    });

    test("reset goes back to the start, or to what was marked", async () => {
      const exchange = await start();
      const begun = await hashOf(exchange);
      await twoTraders(exchange);
      const reset = () => exchange.operator.call<Checkpoint>("POST", `${SANDBOX}/reset`);
      const first = await reset();
      assert.equal(first.stateHash, begun);
      assert.equal(await hashOf(exchange), begun);
      const [one] = await twoTraders(exchange);
      const marked = await hashOf(exchange);
      await exchange.operator.call("PUT", `${SANDBOX}/reset`);
      for (let round = 0; round < scaled(3); round++) {
        await place(one, order("BUY", 49_000));
        assert.equal((await reset()).stateHash, marked);
        assert.equal(await hashOf(exchange), marked);
      }
      const { items } = await exchange.operator.call<{ items: unknown[] }>(
        "GET",
        `${SANDBOX}/checkpoints`,
      );
      assert.deepEqual(items, []);
    });
  });
}

test("names are checked, and unknown ones are 404", async () => {
  const exchange = await ExchangeProcess.start();
  const { operator } = exchange;
  for (const name of ["", "../x", ".x", "a b", "x".repeat(65), 7]) {
    const { status, body } = await operator.send("POST", `${SANDBOX}/checkpoints`, { name });
    assert.equal(status, 400);
    assert.equal((body as { error: { field: string } }).error.field, "name");
  }
  const made = await checkpoint(exchange, "a");
  assert.match(made.stateHash, HASH);
  assert.equal((await operator.send("POST", `${SANDBOX}/checkpoints`, { name: "a" })).status, 409);
  for (const [method, path, body] of [
    ["POST", "restore", { name: "b" }],
    ["DELETE", "checkpoints/b", undefined],
  ] as const) {
    const answer = await operator.send(method, `${SANDBOX}/${path}`, body);
    assert.equal(answer.status, 404, answer.text);
    assert.equal((answer.body as { error: { field: string } }).error.field, "name");
  }
  const folder = join(exchange.dataFolder, "checkpoints");
  assert.equal(statSync(folder).mode & 0o077, 0);
  await operator.call("DELETE", `${SANDBOX}/checkpoints/a`);
  assert.deepEqual(
    readdirSync(folder).filter((name) => !name.startsWith(".")),
    [],
  );
  await exchange.stop();
});

test("without --sandbox every call is refused", async () => {
  const options = { sandbox: false, env: { RIALTO_OPERATOR_TOKEN: "x".repeat(32) } };
  const exchange = await ExchangeProcess.start({ ...options, operatorToken: "x".repeat(32) });
  for (const [method, path, body] of [
    ["POST", "checkpoints", { name: "a" }],
    ["GET", "checkpoints", undefined],
    ["DELETE", "checkpoints/a", undefined],
    ["POST", "restore", { name: "a" }],
    ["POST", "reset", {}],
    ["PUT", "reset", {}],
  ] as const) {
    const answer = await exchange.operator.send(method, `${SANDBOX}/${path}`, body);
    assert.equal(answer.status, 409, `${method} ${path}`);
    assert.equal((answer.body as { error: { code: string } }).error.code, "sandbox-only");
  }
  await exchange.stop();
});

test("a kill at any moment of a restore leaves the state before it or after it", async () => {
  const exchange = await ExchangeProcess.start();
  const [one] = await twoTraders(exchange);
  await checkpoint(exchange, "kept");
  const keptOpen = await openIds(exchange, one);
  for (let round = 0; round < scaled(2); round++) {
    await place(
      { ...one, client: new SignedClient(exchange.port, one.credentials) },
      order("BUY", 49_000),
    );
    const before = await openIds(exchange, one);
    const restoring = restore(exchange, "kept").catch(() => null);
    await sleep(round * 12);
    await exchange.kill("SIGKILL");
    await restoring;
    await exchange.restart();
    const found = await openIds(exchange, one);
    const isAfter = JSON.stringify(found) === JSON.stringify(keptOpen);
    assert.deepEqual(found, isAfter ? keptOpen : before);
    await verifyJournal(exchange);
    await restore(exchange, "kept");
    assert.deepEqual(await openIds(exchange, one), keptOpen);
  }
  await exchange.stop();
});

async function openIds(exchange: ExchangeProcess, { credentials }: Account): Promise<unknown> {
  const client = new SignedClient(exchange.port, credentials);
  const { body, text } = await client.get("/api/v3/openOrders", { symbol: "BTCUSDT" });
  assert.ok(Array.isArray(body), text);
  client.close();
  return (body as { orderId: string }[]).map(({ orderId }) => orderId);
}
