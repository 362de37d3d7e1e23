/**
 * Proves that a signed request is carried out once: when its captured bytes are sent again,
 * unchanged or with its headers written differently, at once or after `kill -9` and a restart,
 * there is no second order, payment or change, and the answer is that of the first one. Two
 * requests that differ in any signed part are two.
 */
import assert from "node:assert/strict";
import { connect } from "node:net";
import test from "node:test";
import { openAffiliate, openInvitee } from "../support/affiliate-setup.ts";
import { listStandardContracts, openContractAccount } from "../support/contract-setup.ts";
import {
  BUY_LONG,
  isolate,
  openBoth,
  place,
  positionOf,
  positionsOf,
  SELL_LONG,
  SELL_SHORT,
  SYMBOL,
} from "../support/contract-trading.ts";
import { ExchangeProcess } from "../support/exchange-process.ts";
import {
  type Account,
  issueKey,
  listStandardMarkets,
  openAccount,
} from "../support/exchange-setup.ts";
import { SignedClient, signedHeaders } from "../support/signed-client.ts";

const FIRST_UNUSED_BIT = 1;
const BASE64 = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

interface Captured {
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** A request that is signed ahead is good for nearly a minute, however slow the machine is. */
const SIGNED_AHEAD_MS = 25_000;

let lastTimestampMs = 0;

function nextTimestampMs(): number {
  return Math.max(Date.now() + SIGNED_AHEAD_MS, lastTimestampMs + 1);
}

/** A signed request as it goes on the wire; each has a timestamp of its own unless one is given. */
function capture(
  { credentials }: Account,
  method: string,
  path: string,
  content: object,
  timestampMs = nextTimestampMs(),
): Captured {
  lastTimestampMs = timestampMs;
  const body = JSON.stringify(content);
  const headers = signedHeaders(credentials, { method, path, body }, String(timestampMs));
  return { method, path, headers, body };
}

function bytesOf({ method, path, headers, body }: Captured, colon = ": "): string {
  const lines = Object.entries(headers).map(([name, value]) => `${name}${colon}${value}`);
  const length = Buffer.byteLength(body);
  return [
    `${method} ${path} HTTP/1.1`,
    "Host: 127.0.0.1",
    "Connection: close",
    "Content-Type: application/json",
    `Content-Length: ${length}`,
    ...lines,
    "",
    body,
  ].join("\r\n");
}

interface Answer {
  readonly status: number;
  readonly body: unknown;
}

/** Sends bytes over a socket of their own. */
function sendBytes(port: number, bytes: string): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const socket = connect(port, "127.0.0.1", () => socket.write(bytes));
    let text = "";
    socket.setEncoding("utf8");
    socket.on("data", (chunk) => {
      text += chunk;
    });
    socket.on("error", reject);
    socket.on("end", () => {
      const status = Number(text.slice(9, 12));
      resolve({ status, body: JSON.parse(text.slice(text.indexOf("\r\n\r\n") + 4)) });
    });
  });
}

/** The same request, its headers in other letters, with other whitespace, in another order. */
function spellings(request: Captured): string[] {
  const renamed = (change: (name: string) => string): Captured => ({
    ...request,
    headers: Object.fromEntries(
      Object.entries(request.headers).map(([name, value]) => [change(name), value]),
    ),
  });
  const reversed = Object.fromEntries(Object.entries(request.headers).reverse());
  return [
    bytesOf(request),
    bytesOf(renamed((name) => name.toLowerCase())),
    bytesOf(renamed((name) => name.charAt(0) + name.slice(1).toLowerCase())),
    bytesOf(request, ":"),
    bytesOf(request, ":  \t "),
    bytesOf({ ...request, headers: reversed }),
    bytesOf({ ...request, headers: { ...request.headers, locale: "en-US", "X-Any": "1" } }),
  ];
}

/** The same signature in other letters: other unused bits, no padding, the alphabet of URLs. */
function otherBase64(request: Captured): string[] {
  const sign = request.headers["ACCESS-SIGN"] as string;
  const last = BASE64.indexOf(sign.charAt(42)) ^ FIRST_UNUSED_BIT;
  const texts = [
    `${sign.slice(0, 42)}${BASE64.charAt(last)}=`,
    sign.slice(0, 43),
    `${sign}=`,
    `${sign.slice(0, 20)} ${sign.slice(20)}`,
    Buffer.from(sign, "base64").toString("hex"),
  ];
  return texts.map((text) =>
    bytesOf({ ...request, headers: { ...request.headers, "ACCESS-SIGN": text } }),
  );
}

class Replays {
  readonly #exchange: ExchangeProcess;

  constructor(exchange: ExchangeProcess) {
    this.#exchange = exchange;
  }

  /** Sends a request that must be accepted; gives what its answer is without the time of it. */
  async first(request: Captured): Promise<unknown> {
    const answer = await sendBytes(this.#exchange.port, bytesOf(request));
    assert.equal(answer.status, 200, JSON.stringify(answer.body));
    return withoutTime(answer.body);
  }

  /** Everything that a captor can do with a request that was answered so. */
  async again(request: Captured, answered: unknown): Promise<void> {
    for (const bytes of spellings(request)) {
      const answer = await sendBytes(this.#exchange.port, bytes);
      assert.deepEqual(
        { status: answer.status, body: withoutTime(answer.body) },
        { status: 200, body: answered },
        bytes,
      );
    }
    for (const bytes of otherBase64(request)) {
      const answer = await sendBytes(this.#exchange.port, bytes);
      assert.ok(answer.status === 400 || answer.status === 401, bytes);
    }
  }

  async killAndStart(): Promise<void> {
    await this.#exchange.kill("SIGKILL");
    await this.#exchange.restart();
  }

  /** The account on a connection to the present life of the process. */
  on(account: Account): Account {
    account.client.close();
    return { ...account, client: new SignedClient(this.#exchange.port, account.credentials) };
  }
}

type Fields = Record<string, unknown>;

function withoutTime(body: unknown): unknown {
  if (typeof body !== "object" || body === null || Array.isArray(body)) return body;
  // The book's version is the present one, like the time.
  const { requestTime: _, timestamp: __, lastUpdateId: ___, ...rest } = body as Fields;
  return rest;
}

const V3_ORDER = {
  symbol: SYMBOL,
  side: "BUY",
  type: "LIMIT",
  timeInForce: "GTC",
  quantity: "0.01",
  price: "40000",
};

interface OpenOrder {
  readonly orderId: number;
  readonly clientOrderId: string;
}

async function openOrders(account: Account): Promise<readonly OpenOrder[]> {
  return await account.client.v3("/api/v3/openOrders", { symbol: SYMBOL });
}

async function spotBalance(account: Account, coin: string): Promise<string> {
  return (await account.client.assets()).get(coin)?.equity ?? "0";
}

test("spot orders and payments", async (t) => {
  const exchange = await ExchangeProcess.start();
  t.after(() => exchange.stop());
  await listStandardMarkets(exchange);
  const replays = new Replays(exchange);
  let alice = await openAccount(exchange, { USDT: "100000" });

  await t.test("an order of version 3 without an id of its own is one order", async () => {
    const request = capture(alice, "POST", "/api/v3/order", V3_ORDER);
    const answered = await replays.first(request);
    await replays.again(request, answered);
    assert.equal((await openOrders(alice)).length, 1);
    await replays.killAndStart();
    alice = replays.on(alice);
    await replays.again(request, answered);
    const [order, ...others] = await openOrders(alice);
    assert.deepEqual(others, []);
    assert.match(order?.clientOrderId ?? "", /^[A-Za-z0-9._:/#-]{1,40}$/);

    // Also when it has ended: a captor does not bring it back.
    await alice.client.delete("/api/v3/order", { orderId: order?.orderId ?? 0 });
    await replays.again(request, answered);
    assert.deepEqual(await openOrders(alice), []);
  });

  await t.test("what is signed differently is another order", async () => {
    const nowMs = nextTimestampMs();
    const requests = [
      capture(alice, "POST", "/api/v3/order", V3_ORDER, nowMs),
      capture(alice, "POST", "/api/v3/order", V3_ORDER, nowMs + 1),
      capture(alice, "POST", "/api/v3/order", { ...V3_ORDER, price: "40001" }, nowMs),
      capture(alice, "POST", "/api/v3/order", { ...V3_ORDER, newClientOrderId: "mine" }, nowMs),
      capture(alice, "POST", "/api/v3/order", { ...V3_ORDER, newClientOrderId: "more" }, nowMs),
    ];
    for (const request of requests) await replays.first(request);
    const ids = (await openOrders(alice)).map(({ clientOrderId }) => clientOrderId);
    assert.equal(new Set(ids).size, requests.length);
    assert.equal(ids.length, requests.length);
  });

  await t.test("an amendment is not taken up again after another one", async () => {
    const [order] = await openOrders(alice);
    const { orderId } = order as OpenOrder;
    const change = (price: string): Captured =>
      capture(alice, "PUT", "/api/v3/order", { orderId, price });
    const captured = change("39000");
    const answered = await replays.first(captured);
    await replays.first(change("38000"));
    await replays.again(captured, answered);
    const read = await alice.client.v3<{ price: string }>("/api/v3/order", { orderId });
    assert.equal(read.price, "38000");
  });
});

test("internal withdrawals", async (t) => {
  const exchange = await ExchangeProcess.start();
  t.after(() => exchange.stop());
  const replays = new Replays(exchange);
  await t.test("without an id of its own one pays once", async () => {
    let payer = await openAffiliate(exchange);
    await exchange.operator.call("POST", `/operator/v1/users/${payer.uid}/deposits`, {
      ...{ id: "payer", account: "spot", asset: "USDT", amount: "1000" },
    });
    const payee = await openInvitee(exchange, payer.uid);
    for (const version of ["v2", "v3"]) {
      const before = Number(await spotBalance(payer, "USDT"));
      const path = `/api/${version}/rebate/affiliate/internalWithdrawal`;
      const body = { toUserId: String(payee.uid), coin: "USDT", amount: "100" };
      const request = capture(payer, "POST", path, body);
      const answered = await replays.first(request);
      await replays.again(request, answered);
      await replays.killAndStart();
      payer = replays.on(payer);
      await replays.again(request, answered);
      assert.equal(Number(await spotBalance(payer, "USDT")), before - 100);
      await replays.first(capture(payer, "POST", path, body));
      assert.equal(Number(await spotBalance(payer, "USDT")), before - 200);
    }
  });
});

test("withdrawals and address books", async (t) => {
  const exchange = await ExchangeProcess.start();
  t.after(() => exchange.stop());
  const replays = new Replays(exchange);
  const rules = { minAmount: "1", addressHoldMs: 0, keyHoldMs: 0 };
  await exchange.operator.call("PUT", "/operator/v1/withdrawal-rules/USDT", rules);
  const { uid } = await openAccount(exchange, { USDT: "1000" });
  const credentials = await issueKey(exchange, uid, ["read", "withdraw"]);
  let alice = { uid, credentials, client: new SignedClient(exchange.port, credentials) };
  const book = "/api/v3/withdrawal/address";
  const target = { asset: "USDT", network: "main", address: "a1" };
  const adding = capture(alice, "POST", book, target);
  const added = (await replays.first(adding)) as { addressId: number };
  const { addressId } = added;
  await t.test("one without an id of its own freezes once", async () => {
    const request = capture(alice, "POST", "/api/v3/withdrawal", { addressId, amount: "100" });
    const answered = await replays.first(request);
    await replays.again(request, answered);
    await replays.killAndStart();
    alice = replays.on(alice);
    await replays.again(request, answered);
    assert.equal((await alice.client.assets()).get("USDT")?.frozen, "100");
  });
  await t.test("an address that was removed stays so", async () => {
    assert.equal((await alice.client.delete(book, { addressId })).status, 200);
    await replays.again(adding, added);
    assert.deepEqual(await alice.client.v3(`${book}es`), []);
    alice.client.close();
  });
});

test("API keys: one request makes one key, and its secret is not told again", async (t) => {
  const exchange = await ExchangeProcess.start();
  t.after(() => exchange.stop());
  const replays = new Replays(exchange);
  const { uid } = await openAccount(exchange, {});
  const credentials = await issueKey(exchange, uid, ["read", "keys"]);
  const alice = { uid, credentials, client: new SignedClient(exchange.port, credentials) };
  const terms = { permissions: ["read"], passphrase: "replayed-1" };
  const request = capture(alice, "POST", "/api/v3/apiKey", terms);
  const { apiKey } = (await replays.first(request)) as { apiKey: string };
  const refused = async (): Promise<void> => {
    const answer = await sendBytes(exchange.port, bytesOf(request));
    assert.deepEqual([answer.status, (answer.body as Fields).code], [400, -1140]);
    assert.doesNotMatch(JSON.stringify(answer.body), /secret"/);
  };
  await refused();
  await replays.killAndStart();
  await refused();
  const again = replays.on(alice);
  assert.equal((await again.client.delete("/api/v3/apiKey", { apiKey })).status, 200);
  // A captor does not bring it back.
  await refused();
  const keys = await again.client.v3<{ apiKey: string }[]>("/api/v3/apiKeys");
  assert.ok(keys.every((key) => key.apiKey !== apiKey));
  again.client.close();
});

test("contracts", async (t) => {
  const exchange = await ExchangeProcess.start();
  t.after(() => exchange.stop());
  await listStandardContracts(exchange);
  const replays = new Replays(exchange);
  let alice = await openContractAccount(exchange, "100000");
  let bob = await openContractAccount(exchange, "100000");
  await isolate(alice, 20);
  await openBoth(alice, bob, "0.1", "60000");

  await t.test("margin is added once, and taken out once", async () => {
    const { id } = await positionOf(alice);
    for (const [type, after] of [
      [1, "800"],
      [2, "350"],
    ] as const) {
      const amount = type === 1 ? "500" : "450";
      const body = { isolatedPositionId: id, amount, type };
      const request = capture(alice, "POST", "/capi/v3/account/positionMargin", body);
      const answered = await replays.first(request);
      await replays.again(request, answered);
      assert.equal((await positionOf(alice)).isolatedMargin, after);
      await replays.killAndStart();
      alice = replays.on(alice);
      await replays.again(request, answered);
      assert.equal((await positionOf(alice)).isolatedMargin, after);
    }
  });

  await t.test("leverage goes back for nobody", async () => {
    const set = (leverage: number): Captured =>
      capture(alice, "POST", "/capi/v3/account/leverage", {
        ...{ symbol: SYMBOL, isolatedLongLeverage: leverage, isolatedShortLeverage: leverage },
      });
    const captured = set(25);
    const answered = await replays.first(captured);
    await replays.first(set(20));
    await replays.again(captured, answered);
    const [config] = await alice.client.v3<{ isolatedLongLeverage: string }[]>(
      "/capi/v3/account/symbolConfig",
      { symbol: SYMBOL },
    );
    assert.equal(config?.isolatedLongLeverage, "20");
  });

  await t.test("a position is closed once; the next one stays open", async () => {
    bob = replays.on(bob);
    await place(bob, BUY_LONG, "0.2", "59990");
    const request = capture(alice, "POST", "/capi/v3/closePositions", {});
    const answered = await replays.first(request);
    assert.deepEqual(await positionsOf(alice), []);
    await place(bob, SELL_SHORT, "0.1", "60000");
    await place(alice, BUY_LONG, "0.1", "60000");
    await replays.again(request, answered);
    assert.equal((await positionOf(alice)).size, "0.1");
    await replays.killAndStart();
    [alice, bob] = [replays.on(alice), replays.on(bob)];
    await replays.again(request, answered);
    assert.equal((await positionOf(alice)).size, "0.1");
    await place(alice, SELL_LONG, "0.1", "59990");
  });
});

test("countdowns", async (t) => {
  const exchange = await ExchangeProcess.start();
  t.after(() => exchange.stop());
  const replays = new Replays(exchange);
  const alice = await openContractAccount(exchange);
  await t.test("one that was switched off stays off", async () => {
    const path = "/capi/v3/order/cancelAllAfter";
    const captured = capture(alice, "POST", path, { countdownMs: 60_000 });
    const answered = await replays.first(captured);
    await replays.first(capture(alice, "POST", path, { countdownMs: 0 }));
    await replays.again(captured, answered);
    assert.deepEqual(await alice.client.v3(path), []);
  });
});
