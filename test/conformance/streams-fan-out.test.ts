/**
 * Proves that subscribers of different kinds receive the same messages: clients with and without
 * compression, and the client built into Node, during a burst of orders. Each has every trade of
 * the REST history once and in order, a depth stream without a gap that ends at the REST book, and
 * the same messages as all others. Compression is used where a suitable offer is made, on market
 * data only.
 */
import assert from "node:assert/strict";
import type { IncomingMessage } from "node:http";
import type { Socket } from "node:net";
import test from "node:test";
import { WebSocket as NpmWebSocket } from "ws";
import { ExchangeProcess } from "../support/exchange-process.ts";
import { type Account, listStandardMarkets, openAccount } from "../support/exchange-setup.ts";
import { bookText, type DepthMessage, LocalBook } from "../support/local-book.ts";
import { scaled, seededRandom } from "../support/random.ts";
import { handshakeHeaders, type StreamMessage } from "../support/stream-client.ts";
import { waitUntil } from "../support/wait-until.ts";

const random = seededRandom("conformance/streams-fan-out");
const PUBLIC = "/v3/ws/public";
const PRIVATE = "/v3/ws/private";
const FUNDS = { USDT: "100000000", BTC: "100000" };
const CHANNELS = ["ticker", "depth200", "trade", "bookTicker"].map((name) => `BTCUSDT@${name}`);
const SUBSCRIBE = JSON.stringify({ method: "SUBSCRIBE", params: CHANNELS, id: 1 });
const OF_EACH_KIND = 15;
const ORDERS = Math.min(scaled(600), 1_500);
const BURST = 100;

interface Subscriber {
  readonly messages: StreamMessage[];
  readonly extensions: () => string;
  readonly close: () => void;
}

/** Resolves when the subscription is answered. */
function npmSubscriber(port: number, compresses: boolean): Promise<Subscriber & { raw: Socket }> {
  const url = `ws://127.0.0.1:${port}${PUBLIC}`;
  const socket = new NpmWebSocket(url, { perMessageDeflate: compresses });
  const messages: StreamMessage[] = [];
  return new Promise((resolve, reject) => {
    let raw: Socket;
    socket.once("upgrade", (response: IncomingMessage) => {
      raw = response.socket;
    });
    socket.once("error", reject);
    socket.once("open", () => socket.send(SUBSCRIBE));
    socket.once("message", () => {
      resolve({
        messages,
        raw,
        extensions: () => socket.extensions,
        close: () => socket.terminate(),
      });
    });
    socket.on("message", (data) => messages.push(JSON.parse(String(data)) as StreamMessage));
  });
}

function nodeSubscriber(port: number): Promise<Subscriber> {
  const socket = new WebSocket(`ws://127.0.0.1:${port}${PUBLIC}`);
  const messages: StreamMessage[] = [];
  return new Promise((resolve, reject) => {
    socket.addEventListener("error", () => reject(new Error("no connection")));
    socket.addEventListener("open", () => socket.send(SUBSCRIBE));
    socket.addEventListener("message", ({ data }) => {
      messages.push(JSON.parse(String(data)) as StreamMessage);
      if (messages.length > 1) return;
      resolve({ messages, extensions: () => socket.extensions, close: () => socket.close() });
    });
  });
}

async function burst(accounts: readonly Account[], first: number): Promise<void> {
  const orders = Array.from({ length: BURST }, async (_, i) => {
    const side = random.pick(["buy", "sell"]);
    const away = random.integer(-20, 60) * (side === "buy" ? -1 : 1);
    await random.pick(accounts).client.place({
      symbol: "BTCUSDT",
      side,
      orderType: "limit",
      force: "normal",
      price: (50_000 + away / 100).toFixed(2),
      quantity: String(random.integer(1, 500) / 1000),
      clientOrderId: `o-${first + i}`,
    });
  });
  await Promise.all(orders);
}

interface Trade {
  readonly t: string;
}

function tradesOf({ messages }: Subscriber): string[] {
  const entries = messages.filter(({ e }) => e === "trade").flatMap(({ d }) => d as Trade[]);
  return entries.map(({ t }) => t);
}

/** The book at the end, and that no update was missing on the way. */
function bookOf({ messages }: Subscriber): LocalBook {
  const book = new LocalBook();
  for (const message of messages) {
    if (message.e === "depth" || message.e === "depthSnapshot") {
      book.apply(message as unknown as DepthMessage);
    }
  }
  return book;
}

test("many subscribers of every kind are told the same, all of it, in order", async (t) => {
  const exchange = await ExchangeProcess.start({ process: "shared" });
  t.after(() => exchange.stop());
  await listStandardMarkets(exchange);
  const { port } = exchange;
  const accounts = [await openAccount(exchange, FUNDS), await openAccount(exchange, FUNDS)];
  const times = Array.from({ length: OF_EACH_KIND });
  const packed = await Promise.all(times.map(() => npmSubscriber(port, true)));
  const plain = await Promise.all(times.map(() => npmSubscriber(port, false)));
  const builtIn = await Promise.all(times.map(() => nodeSubscriber(port)));
  const all: readonly Subscriber[] = [...packed, ...plain, ...builtIn];
  for (let orders = 0; orders < ORDERS; orders += BURST) await burst(accounts, orders);

  const get = async (path: string): Promise<unknown> =>
    (await accounts[0]?.client.raw({ method: "GET", path }))?.body;
  const history = (await get("/api/v3/market/trades?symbol=BTCUSDT&limit=1000")) as {
    readonly id: string;
  }[];
  const expected = history.map(({ id }) => String(id)).toReversed();
  assert.ok(expected.length > 20 && expected.length < 1_000, `${expected.length} trades`);
  const last = (subscriber: Subscriber): string | undefined => tradesOf(subscriber).at(-1);
  const isTraded = async () => all.every((one) => last(one) === expected.at(-1));
  await waitUntil("the last trade has come", isTraded);
  const depth = (await get("/api/v3/market/depth?symbol=BTCUSDT&limit=200")) as {
    readonly lastUpdateId: number;
    readonly bids: [string, string][];
    readonly asks: [string, string][];
  };
  const text = bookText(depth.bids, depth.asks, 200);
  await waitUntil("the last book has come", async () =>
    all.every((one) => bookOf(one).text === text),
  );
  // A ticker may come behind the book, to one before another.
  const lastTicker = ({ messages }: Subscriber): unknown =>
    messages.findLast(({ e }) => e === "ticker")?.E;
  const tickers = () => new Set(all.map(lastTicker));
  await waitUntil("the last ticker has come", async () => tickers().size === 1);
  for (const subscriber of all) {
    assert.deepEqual(tradesOf(subscriber), expected);
    assert.ok(bookOf(subscriber).version <= depth.lastUpdateId);
    for (const event of ["depth", "ticker", "bookTicker"]) {
      const seen = (one: Subscriber): StreamMessage[] =>
        one.messages.filter(({ e }) => e === event);
      // Who came later has not seen what was before; the end is the same for all.
      const [those, first] = [seen(subscriber), seen(all[0] as Subscriber)];
      const shared = Math.min(those.length, first.length);
      assert.ok(shared > 1, event);
      assert.deepEqual(those.slice(-shared), first.slice(-shared));
    }
  }
  for (const one of packed) assert.match(one.extensions(), /^permessage-deflate/);
  for (const one of builtIn) assert.match(one.extensions(), /^permessage-deflate/);
  for (const one of plain) assert.equal(one.extensions(), "");
  const most = Math.max(...packed.map(({ raw }) => raw.bytesRead));
  const least = Math.min(...plain.map(({ raw }) => raw.bytesRead));
  // By how much depends on how many messages go out together: fewer on a busy machine.
  assert.ok(most < least, `${most} bytes compressed, ${least} not`);
  for (const one of all) one.close();
});

test("compression is agreed as offered, never on a private connection", async (t) => {
  const exchange = await ExchangeProcess.start({ process: "shared" });
  t.after(() => exchange.stop());
  await listStandardMarkets(exchange);
  const { credentials } = await openAccount(exchange);
  const agreed = (path: string, offer: object | boolean, headers = {}): Promise<string> =>
    new Promise((resolve, reject) => {
      const options = { perMessageDeflate: offer, headers };
      const socket = new NpmWebSocket(`ws://127.0.0.1:${exchange.port}${path}`, options);
      socket.once("error", reject);
      socket.once("upgrade", (response: IncomingMessage) => {
        resolve(response.headers["sec-websocket-extensions"] ?? "");
        socket.once("open", () => socket.terminate());
      });
    });
  const both = "permessage-deflate; server_no_context_takeover; client_no_context_takeover";
  assert.equal(await agreed(PUBLIC, true), both);
  assert.equal(await agreed(`/contract${PUBLIC}`, true), both);
  assert.equal(await agreed(PUBLIC, false), "");
  // A smaller window than ours: the connection is made all the same.
  assert.equal(await agreed(PUBLIC, { serverMaxWindowBits: 10 }), "");
  assert.equal(await agreed(PRIVATE, true, handshakeHeaders(credentials)), "");
  const socket = new NpmWebSocket(`ws://127.0.0.1:${exchange.port}${PUBLIC}`, {
    perMessageDeflate: { threshold: 0 },
  });
  await new Promise((resolve) => socket.once("open", resolve));
  const answer = new Promise((resolve) => socket.once("message", (data) => resolve(String(data))));
  // What clients compress is read as well, and is bounded by its size when it is read.
  socket.send(SUBSCRIBE);
  assert.equal(await answer, '{"result":true,"id":1}');
  const closed = new Promise((resolve) => socket.once("close", resolve));
  socket.send(" ".repeat(20_000));
  assert.equal(await closed, 1009);
});
