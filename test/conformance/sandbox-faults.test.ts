/**
 * Goal: each fault is what a program really sees: unmodified ccxt over REST, our client over HTTP
 * and over the trading WebSocket, and plain clients of the streams; faults are counted over all
 * gateways together; and an order whose acknowledgement was lost exists once.
 * Method: a real exchange, one rule at a time, and what each program then does.
 */
import assert from "node:assert/strict";
import test, { after, before, type TestContext } from "node:test";
import ccxt from "ccxt";
import { NetworkError, type RialtoClient, RialtoError } from "../../src/client/index.ts";
import {
  type ClientFixture,
  clientOf,
  openClientFixture,
  type Party,
} from "../support/client-fixture.ts";
import type { ExchangeProcess } from "../support/exchange-process.ts";
import { HttpConnection, NoAnswer } from "../support/http-exchange.ts";
import { StreamClient } from "../support/stream-client.ts";
import { waitUntil } from "../support/wait-until.ts";
import { BTC, ccxtClient } from "./ccxt-client.ts";

const SANDBOX = "/operator/v1/sandbox";
const PLACE = "POST /api/v3/order";
const symbol = "BTCUSDT";
const ORDER = { symbol, side: "BUY", type: "LIMIT", quantity: "0.1", price: "50000" } as const;
/** How long what must not come is waited for; a slow machine only looks less closely. */
const SILENCE_MS = 150;
const HELD_MS = 300;

interface Rule {
  readonly id: string;
  readonly hits: number;
}

interface Logged {
  readonly route: string;
  readonly method: string | null;
  readonly transport: string;
  readonly status: number | null;
  readonly code: string | number | null;
  readonly fault: string | null;
  readonly ms: number;
}

async function setRule(exchange: ExchangeProcess, id: string, rule: object): Promise<void> {
  await exchange.operator.call("PUT", `${SANDBOX}/faults/${id}`, rule);
}

/** The hits of the rule, which is removed. */
async function removeRule(exchange: ExchangeProcess, id: string): Promise<number> {
  const { hits } = await exchange.operator.call<Rule>("DELETE", `${SANDBOX}/faults/${id}`);
  return hits;
}

/** Once, for the next request of a route. */
async function next(exchange: ExchangeProcess, fault: object, route = PLACE): Promise<void> {
  await setRule(exchange, "next", { match: { route }, when: { next: 1 }, fault });
}

async function untilHit(exchange: ExchangeProcess, id: string): Promise<void> {
  const path = `${SANDBOX}/faults/${id}`;
  while ((await exchange.operator.call<Rule>("GET", path)).hits === 0);
}

async function logged(exchange: ExchangeProcess, uid: number): Promise<readonly Logged[]> {
  const path = `${SANDBOX}/requests?uid=${uid}&limit=1000`;
  return (await exchange.operator.call<{ items: readonly Logged[] }>("GET", path)).items;
}

async function quiet(exchange: ExchangeProcess): Promise<void> {
  await exchange.operator.call("GET", `${SANDBOX}/quiet`);
}

function errorOf(work: Promise<unknown>): Promise<Error> {
  return work.then(
    () => assert.fail("it was answered"),
    (error: Error) => error,
  );
}

/** Requests that are carried out although no answer arrives, and those that are not. */
const LOST = ["drop-answer", "truncate-answer"] as const;
const NOT_DONE = [{ kind: "drop-request" }, { kind: "stall", ms: HELD_MS }] as const;

let fixture: ClientFixture;

before(async () => {
  fixture = await openClientFixture();
});
after(() => fixture.exchange.stop());

let ids = 0;

async function clientTests(t: TestContext, client: RialtoClient): Promise<void> {
  const { exchange } = fixture;
  const open = async (): Promise<string[]> => {
    return (await client.spot.openOrders({ symbol })).map(({ clientOrderId }) => clientOrderId);
  };
  const place = (id: string) => client.spot.placeOrder({ ...ORDER, newClientOrderId: id });
  await t.test(
    "an answer with a status is an error with its code, and nothing is done",
    async () => {
      for (const [status, code] of [
        [429, -1003],
        [503, -1000],
        [500, -1000],
        [418, -1000],
      ] as const) {
        await next(exchange, { kind: "answer", status, retryAfterS: 7 });
        const error = await errorOf(place("answered"));
        assert.ok(error instanceof RialtoError, String(error));
        assert.deepEqual([error.status, error.code], [status, code]);
      }
      await next(exchange, { kind: "answer", status: 400, code: -2010 });
      const error = await errorOf(place("answered"));
      assert.ok(error instanceof RialtoError && error.code === -2010, String(error));
      assert.deepEqual(await open(), []);
    },
  );
  await t.test(
    "a request that is dropped or stalled is a broken connection, not done",
    async () => {
      for (const fault of NOT_DONE) {
        await next(exchange, fault);
        assert.ok((await errorOf(place("dropped"))) instanceof NetworkError, fault.kind);
      }
      assert.deepEqual(await open(), []);
    },
  );
  await t.test("a lost answer is an order, which the retry returns", async () => {
    for (const kind of LOST) {
      // An id is remembered after its order has ended.
      const id = `${kind}-${++ids}`;
      await next(exchange, { kind });
      assert.ok((await errorOf(place(id))) instanceof NetworkError, kind);
      const [placed] = await client.spot.openOrders({ symbol });
      assert.deepEqual([placed?.clientOrderId, (await open()).length], [id, 1]);
      assert.equal((await place(id)).orderId, placed?.orderId);
      assert.deepEqual(await open(), [id]);
      await client.spot.cancelOrder({ origClientOrderId: id });
    }
  });
  await t.test("a delayed request is answered, later", async () => {
    await next(exchange, { kind: "delay", ms: [HELD_MS, HELD_MS + 50] });
    const id = `late-${++ids}`;
    await place(id);
    const last = async () => (await logged(exchange, fixture.alice.uid)).at(-1);
    // The log may have a request a moment after its answer has come.
    await waitUntil("the log has it", async () => (await last())?.fault === "next");
    const ms = (await last())?.ms ?? 0;
    assert.ok(ms >= HELD_MS, `${ms}`);
    await client.spot.cancelOrder({ origClientOrderId: id });
  });
  assert.equal(await removeRule(exchange, "next"), 1);
}

test("our client", async (t) => {
  const { exchange, alice, bob } = fixture;
  const once = { attempts: 1 };
  await t.test("over HTTP", (inner) => {
    return clientTests(inner, clientOf(exchange, alice, once));
  });
  await t.test("over the trading WebSocket", async (inner) => {
    const client = clientOf(exchange, alice, { ...once, transport: "websocket" });
    inner.after(() => client.close());
    await clientTests(inner, client);
    const last = (await logged(exchange, alice.uid)).at(-1);
    assert.deepEqual([last?.transport, last?.method], ["websocket", "order.cancel"]);
  });
  await t.test("with its retries it places one order through all of them", async () => {
    const client = clientOf(exchange, bob, { attempts: 6 });
    await setRule(exchange, "limit", {
      match: { uid: bob.uid, route: PLACE },
      when: { next: 1 },
      fault: { kind: "answer", status: 429, retryAfterS: 1 },
    });
    for (const kind of LOST) {
      const match = { uid: bob.uid, route: PLACE };
      await setRule(exchange, kind, { match, when: { next: 1 }, fault: { kind } });
    }
    const { orderId } = await client.spot.placeOrder(ORDER);
    const open = await client.spot.openOrders({ symbol });
    assert.deepEqual(
      open.map((order) => order.orderId),
      [orderId],
    );
    const met = (await logged(exchange, bob.uid)).filter(({ route }) => route === PLACE);
    assert.deepEqual(
      met.map(({ fault, status }) => [fault, status]),
      [
        ["limit", 429],
        ["drop-answer", null],
        ["truncate-answer", 200],
        [null, 200],
      ],
    );
    await exchange.operator.call("DELETE", `${SANDBOX}/faults`);
  });
  await t.test("a rule for a method is about the WebSocket alone, one for a call about both", () =>
    transportTests(exchange, alice),
  );
});

async function transportTests(exchange: ExchangeProcess, party: Party): Promise<void> {
  const http = clientOf(exchange, party, { attempts: 1 });
  const socket = clientOf(exchange, party, { attempts: 1, transport: "websocket" });
  const fault = { kind: "answer", status: 503 };
  const isRefused = async (client: RialtoClient): Promise<boolean> => {
    return client.spot.openOrders().then(
      () => false,
      () => true,
    );
  };
  for (const [route, expected] of [
    ["openOrders.status", [false, true]],
    ["GET /api/v3/openOrders", [true, true]],
    ["GET *", [true, true]],
    ["POST *", [false, false]],
  ] as const) {
    await setRule(exchange, "both", { match: { route }, fault });
    assert.deepEqual([await isRefused(http), await isRefused(socket)], expected, route);
  }
  await removeRule(exchange, "both");
  socket.close();
}

test("unmodified ccxt", async (t) => {
  const { exchange, alice } = fixture;
  const client = ccxtClient(exchange, new Set(), alice.credentials);
  await client.loadMarkets();
  const place = (clientOrderId: string) => {
    return client.createOrder(BTC, "limit", "buy", 0.1, 50_000, { clientOrderId });
  };
  await t.test("an answer with a status: its error for our code", async () => {
    for (const status of [429, 503, 500]) {
      await next(exchange, { kind: "answer", status });
      const error = await errorOf(place("refused"));
      assert.ok(error instanceof ccxt.ExchangeError, String(error));
    }
    await next(exchange, { kind: "answer", status: 401, code: -1041 });
    assert.ok((await errorOf(place("refused"))) instanceof ccxt.AuthenticationError);
  });
  await t.test("dropped and stalled: a network error", async () => {
    for (const fault of NOT_DONE) {
      await next(exchange, fault);
      assert.ok((await errorOf(place("dropped"))) instanceof ccxt.NetworkError, fault.kind);
    }
    assert.deepEqual(await client.fetchOpenOrders(BTC), []);
  });
  await t.test("a lost answer: the order is there, and the retry is the same", async () => {
    for (const kind of LOST) {
      await next(exchange, { kind });
      // Of half an answer it passes the error of the socket on as it is.
      const error = await errorOf(place(kind));
      assert.ok(kind === "truncate-answer" || error instanceof ccxt.NetworkError, String(error));
      const open = await client.fetchOpenOrders(BTC);
      assert.deepEqual(
        open.map((order) => order.clientOrderId),
        [kind],
      );
      assert.equal((await place(kind)).id, open[0]?.id);
      await client.cancelOrder(open[0]?.id as string, BTC);
    }
  });
  await t.test("a delay: the answer", async () => {
    await next(exchange, { kind: "delay", ms: HELD_MS });
    assert.ok((await place("late")).id);
  });
});

/** A maker's order that is large enough for all, and a taker of a little of it. */
async function openMarket({ exchange, alice, bob }: ClientFixture) {
  const maker = clientOf(exchange, alice);
  const taker = clientOf(exchange, bob);
  await maker.spot.placeOrder({ ...ORDER, side: "SELL", quantity: "50", price: "60000" });
  const take = async (): Promise<void> => {
    await taker.spot.placeOrder({ symbol, side: "BUY", type: "MARKET", quantity: "0.01" });
  };
  return { maker, take };
}

test("streams", async (t) => {
  const { exchange } = fixture;
  const { maker, take } = await openMarket(fixture);
  const stream = await StreamClient.open(exchange.port, "/v3/ws/public");
  t.after(() => stream.close());
  const channel = `${symbol}@trade`;
  await stream.subscribe(channel);
  const onTrades = (fault: object, when: object = { next: 1 }) =>
    setRule(exchange, "stream", { match: { channel }, when, fault });
  /** Messages of this many trades, one after the other. */
  const messagesOf = async (trades: number): Promise<number> => {
    stream.forget();
    for (let i = 0; i < trades; i++) {
      await take();
      await quiet(exchange);
    }
    // What was written is on its way: a request's answer comes behind it.
    await stream.subscribe(channel);
    return stream.of("trade").length;
  };
  await t.test("without a fault each trade is a message", async () => {
    assert.equal(await messagesOf(3), 3);
  });
  await t.test("gap: so many updates are left out", async () => {
    await onTrades({ kind: "gap", updates: 3 });
    assert.equal(await messagesOf(5), 2);
    await onTrades({ kind: "gap", updates: 1 }, { every: 2 });
    assert.equal(await messagesOf(6), 3);
  });
  await t.test("duplicate: it comes twice", async () => {
    await onTrades({ kind: "duplicate" });
    assert.equal(await messagesOf(2), 3);
  });
  await t.test("delay and freeze: nothing comes for a time, then all of it in order", async () => {
    for (const fault of [
      { kind: "delay", ms: HELD_MS },
      { kind: "freeze", ms: HELD_MS },
    ]) {
      await onTrades(fault);
      stream.forget();
      const startedMs = performance.now();
      await take();
      await untilHit(exchange, "stream");
      await take();
      // The connection is there, and what comes behind is answered behind.
      await stream.subscribe(channel);
      assert.ok(performance.now() - startedMs >= HELD_MS - 10, fault.kind);
      assert.ok(stream.of("trade").length >= 1, fault.kind);
      await stream.until(() => stream.of("trade").length === 2, "the held trades");
      const ids = stream.of("trade").flatMap(({ d }) => (d as { t: string }[]).map(({ t }) => t));
      assert.deepEqual(ids, ids.toSorted(), fault.kind);
    }
    await quiet(exchange);
  });
  await t.test("cut: the connection breaks without a close", async () => {
    await onTrades({ kind: "cut" });
    await take();
    assert.equal((await stream.closed).code, 1006);
  });
  await t.test("only what matches: another user's channel goes on", () => {
    return matchTests(fixture, take);
  });
  await t.test("our client's book finds every gap and every cut", () => bookTests(exchange, maker));
});

async function matchTests(
  { exchange, alice, bob }: ClientFixture,
  take: () => Promise<void>,
): Promise<void> {
  const match = { uid: bob.uid, channel: "fill" };
  await setRule(exchange, "stream", { match, fault: { kind: "cut" } });
  const other = await StreamClient.open(exchange.port, "/v3/ws/private", alice.credentials);
  const own = await StreamClient.open(exchange.port, "/v3/ws/private", bob.credentials);
  await other.subscribe("fill");
  await own.subscribe("fill");
  await take();
  assert.equal((await own.closed).code, 1006);
  await other.until(() => other.of("fill").length > 0, "the fill");
  await other.close();
  await removeRule(exchange, "stream");
}

async function bookTests(exchange: ExchangeProcess, maker: RialtoClient): Promise<void> {
  const market = maker.streams.spot();
  const book = market.orderBook(symbol);
  await book.ready;
  const channel = `${symbol}@depth200`;
  for (const fault of [{ kind: "gap", updates: 2 }, { kind: "duplicate" }, { kind: "cut" }]) {
    await setRule(exchange, "book", { match: { channel }, when: { every: 3 }, fault });
    for (let i = 0; i < 8; i++) {
      await maker.spot.placeOrder({ ...ORDER, price: String(50_001 + i) });
      await quiet(exchange);
    }
    assert.ok((await removeRule(exchange, "book")) > 0);
    // An update without a fault, which shows what was missed.
    await maker.spot.placeOrder({ ...ORDER, price: "50100" });
    const { lastUpdateId, bids, asks } = await maker.spot.depth({ symbol, limit: 200 });
    const isBook = (): boolean => book.isLive && book.version >= lastUpdateId;
    if (!isBook()) for await (const _ of book) if (isBook()) break;
    assert.deepEqual([book.bids, book.asks], [bids, asks], fault.kind);
    await maker.spot.cancelOpenOrders({ symbol });
  }
  market.close();
}

test("ccxt.pro goes on after a gap, a duplicate and a cut", { timeout: 120_000 }, async (t) => {
  const { exchange } = fixture;
  const { take } = await openMarket(fixture);
  const ws = exchange.baseUrl.replace("http:", "ws:");
  const client = new ccxt.pro.weex({ enableRateLimit: false, timeout: 20_000 });
  const url = exchange.baseUrl;
  const urls = { public: url, private: url, contract: url, contractPrivate: url };
  client.urls.api = { ...urls, ws: { spot: `${ws}/v3/ws`, contract: `${ws}/contract/v3/ws` } };
  await client.loadHttpProxyAgent();
  await client.loadMarkets();
  t.after(() => client.close());
  const channel = `${symbol}@trade`;
  /** Takes until the client hears of it: its subscription is on its way at first. */
  const watchOne = async () => {
    let isOver = false;
    const watched = client.watchTrades(BTC).finally(() => {
      isOver = true;
    });
    watched.catch(() => undefined);
    for (; !isOver; await new Promise((resolve) => setTimeout(resolve, 20))) await take();
    return watched;
  };
  await watchOne();
  await setRule(exchange, "pro", {
    match: { channel },
    when: { next: 1 },
    fault: { kind: "gap", updates: 1 },
  });
  assert.ok((await watchOne()).length > 0);
  await setRule(exchange, "pro", {
    match: { channel },
    when: { next: 1 },
    fault: { kind: "duplicate" },
  });
  assert.ok((await watchOne()).length > 0);
  const kept = client.trades[BTC] as unknown as { id: string }[];
  assert.ok(new Set(kept.map(({ id }) => id)).size < kept.length, "it keeps duplicates");
  await setRule(exchange, "pro", { match: { channel }, when: { next: 1 }, fault: { kind: "cut" } });
  assert.ok((await errorOf(watchOne())) instanceof ccxt.NetworkError);
  assert.ok((await watchOne()).length > 0);
});

test("counts are exact over all gateways", async (t) => {
  const { exchange, alice } = await openClientFixture({ flags: ["--gateways", "2"] });
  t.after(() => exchange.stop());
  const connections = Array.from({ length: 12 }, () => new HttpConnection(exchange.port, 1));
  t.after(() => {
    for (const connection of connections) connection.close();
  });
  const request = { method: "GET", path: "/api/v3/time" };
  const askAll = () => {
    return Promise.all(
      connections.flatMap((connection) =>
        Array.from({ length: 5 }, () => connection.send(request).then(({ status }) => status)),
      ),
    );
  };
  const fault = { kind: "answer", status: 418 };
  for (const [when, hits] of [
    [{ next: 7 }, 7],
    [{ every: 4 }, 15],
    [{ after: 50 }, 10],
  ] as const) {
    await setRule(exchange, "count", { match: { route: "GET /api/v3/time" }, when, fault });
    const statuses = await askAll();
    assert.equal(statuses.filter((status) => status === 418).length, hits, JSON.stringify(when));
    assert.equal(await removeRule(exchange, "count"), hits);
    assert.ok(
      (await askAll()).every((status) => status === 200),
      "it is gone everywhere",
    );
  }
  const path = `${SANDBOX}/requests?limit=1000`;
  const { items } = await exchange.operator.call<{ items: { id: number }[] }>("GET", path);
  assert.deepEqual(
    items.map(({ id }) => id),
    items.map((_, i) => i + 1),
    "the log has them all",
  );
  // The seed says which of the requests meet it.
  const met: boolean[][] = [];
  const [connection] = connections as [HttpConnection];
  for (let round = 0; round < 2; round++) {
    const match = { route: "GET /api/v3/time" };
    await setRule(exchange, "seed", { match, when: { probability: 0.5 }, seed: 11, fault });
    const seen: boolean[] = [];
    for (let i = 0; i < 20; i++) seen.push((await connection.send(request)).status === 418);
    met.push(seen);
  }
  assert.deepEqual(met[0], met[1]);
  assert.ok(met[0]?.includes(true) && met[0].includes(false));
  await clientOf(exchange, alice).spot.account();
});

test("a stop waits for no fault", async () => {
  const { exchange } = fixture;
  await setRule(exchange, "outage", { match: {}, fault: { kind: "stall", ms: 600_000 } });
  const connection = new HttpConnection(exchange.port, 1);
  const stalled = connection.send({ method: "GET", path: "/api/v3/time" });
  const outcome = stalled.then(
    () => "answered",
    (error: Error) => error,
  );
  // A rule of the outage never reaches the operator.
  await exchange.operator.call("GET", `${SANDBOX}/faults`);
  await new Promise((resolve) => setTimeout(resolve, SILENCE_MS));
  await exchange.stop();
  assert.ok((await outcome) instanceof NoAnswer);
  connection.close();
});
