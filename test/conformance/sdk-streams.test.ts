/**
 * Proves the client's streams on a real exchange: every channel of market data and accounts tells
 * what REST says, in its words; a book is the book of REST, also after the exchange was killed and
 * started again under traffic; a browser's way to sign is let in and refused as headers are; and
 * what is refused for good ends with its reason.
 */
import assert from "node:assert/strict";
import { createHmac } from "node:crypto";
import test, { type TestContext } from "node:test";
import { WebSocket } from "ws";
import {
  type LocalOrderBook,
  RialtoClient,
  StreamError,
  type StreamFill,
  type StreamOrder,
  type StreamState,
} from "../../src/client/index.ts";
import {
  type ClientFixture,
  clientOf,
  openClientFixture,
  type Party,
} from "../support/client-fixture.ts";
import { seededRandom } from "../support/random.ts";
import { TcpProxy } from "../support/tcp-proxy.ts";

const random = seededRandom("conformance/sdk-streams");
const symbol = "BTCUSDT";
/** For an event that is missing, not for a slow machine. */
const WAIT_MS = 120_000;

/** The first event for which something holds. */
async function first<Event>(
  events: AsyncIterable<Event>,
  holds: (event: Event) => boolean = () => true,
): Promise<Event> {
  const timeout = new Promise<never>((_, reject) => {
    setTimeout(() => reject(new Error("the event did not come")), WAIT_MS).unref();
  });
  const found = (async () => {
    for await (const event of events) if (holds(event)) return event;
    throw new Error("the events ended");
  })();
  return Promise.race([found, timeout]);
}

/** No field is missing: each is what the type says, or null. */
function assertWhole(event: object): void {
  for (const [name, value] of Object.entries(event)) {
    assert.notEqual(value, undefined, name);
    assert.ok(!Number.isNaN(value), name);
  }
}

async function untilLive(stream: {
  readonly state: StreamState;
  onState(listener: (state: StreamState) => void): () => void;
}): Promise<StreamState> {
  if (stream.state.name === "live") return stream.state;
  return new Promise((resolve) => {
    const stop = stream.onState((state) => {
      if (state.name !== "live") return;
      stop();
      resolve(state);
    });
  });
}

/** The stream reaches every version of REST, also one whose order came and went in between. */
async function assertIsBookOfRest(book: LocalOrderBook, client: RialtoClient): Promise<void> {
  const { lastUpdateId, bids, asks } = await client.spot.depth({ symbol, limit: 200 });
  if (!book.isLive || book.version < lastUpdateId) {
    await first(book, () => book.isLive && book.version >= lastUpdateId);
  }
  assert.deepEqual([book.version, book.bids, book.asks], [lastUpdateId, bids, asks]);
}

async function moveBook(client: RialtoClient, orders: number): Promise<void> {
  for (let i = 0; i < orders; i++) {
    const side = random.chance(0.5) ? "BUY" : "SELL";
    const away = random.integer(1, 300);
    const price = String(side === "BUY" ? 60_000 - away : 60_000 + away);
    const quantity = `0.00${random.integer(1, 99)}`;
    const order = { symbol, side, type: "LIMIT", price, quantity } as const;
    const { orderId } = await client.spot.placeOrder(order);
    // The last one leaves the book as it was, at a later version.
    if (i === orders - 1 || random.chance(0.3)) await client.spot.cancelOrder({ orderId });
  }
}

test("spot: every channel", async (t) => {
  const { exchange, alice, bob } = await openClientFixture({ process: "shared" });
  t.after(() => exchange.stop());
  const maker = clientOf(exchange, alice);
  const taker = clientOf(exchange, bob);
  const market = maker.streams.spot();
  const account = maker.streams.spotAccount();
  t.after(() => market.close());
  t.after(() => account.close());
  const channels = {
    ticker: market.ticker(symbol),
    trades: market.trades(symbol),
    depth: market.depth(symbol, 15),
    klines: market.klines(symbol, "1m"),
    bookTicker: market.bookTicker(symbol),
    orders: account.orders(),
    fills: account.fills(),
    balances: account.account(),
  };
  await Promise.all(Object.values(channels).map(({ ready }) => ready));
  const ask = { symbol, side: "SELL", type: "LIMIT", quantity: "1", price: "60000" } as const;
  const seen = {
    ticker: first(channels.ticker, ({ count }) => count === 1),
    trade: first(channels.trades),
    depth: first(channels.depth, ({ asks }) => asks.some(([price]) => price === "60000")),
    kline: first(channels.klines, ({ trades }) => trades === 1),
    best: first(channels.bookTicker, ({ askQty }) => askQty === "0.6"),
    order: first(channels.orders, ({ executedQty }) => executedQty === "0.4"),
    fill: first(channels.fills),
    balance: first(channels.balances, ({ asset, total }) => asset === "BTC" && total === "99.6"),
  };
  const { orderId } = await maker.spot.placeOrder(ask);
  await taker.spot.placeOrder({ symbol, side: "BUY", type: "MARKET", quantity: "0.4" });

  const [ticker] = await maker.spot.tickers({ symbol });
  for (const event of await Promise.all(Object.values<Promise<object>>(seen))) assertWhole(event);
  const told = await seen.ticker;
  assert.deepEqual(
    [told.symbol, told.lastPrice, told.volume, told.quoteVolume, told.highPrice, told.openPrice],
    [symbol, "60000", ticker?.volume, ticker?.quoteVolume, ticker?.highPrice, ticker?.openPrice],
  );
  const [trade] = await maker.spot.trades({ symbol });
  const { id, price, qty, quoteQty, time, isBuyerMaker } = await seen.trade;
  assert.deepEqual({ id, price, qty, quoteQty, time, isBuyerMaker, isBestMatch: true }, trade);
  const kline = await seen.kline;
  // Of its minute: another one may have begun.
  const candles = await maker.spot.klines({ symbol, interval: "1m" });
  const candle = candles.find(([openTime]) => openTime === kline.openTime);
  assert.deepEqual(
    [kline.openTime, kline.open, kline.high, kline.low, kline.close, kline.volume],
    candle?.slice(0, 6),
  );
  assert.deepEqual(
    [kline.closeTime, kline.quoteVolume, kline.trades],
    [candle?.[6], candle?.[7], candle?.[8]],
  );
  assert.equal((await seen.best).askPrice, "60000");
  await agreesWithRest(await seen.order, await seen.fill, maker, orderId);
});

async function agreesWithRest(
  told: StreamOrder,
  fill: StreamFill,
  { spot }: RialtoClient,
  orderId: number,
): Promise<void> {
  const order = await spot.order({ orderId });
  for (const name of [
    "symbol",
    "orderId",
    "clientOrderId",
    "price",
    "origQty",
    "status",
  ] as const) {
    assert.equal(told[name], order[name], name);
  }
  for (const name of [
    "executedQty",
    "timeInForce",
    "type",
    "side",
    "time",
    "updateTime",
  ] as const) {
    assert.equal(told[name], order[name], name);
  }
  assert.equal(told.executedValue, order.cummulativeQuoteQty);
  const [row] = await spot.myTrades({ symbol });
  assert.deepEqual(
    [
      fill.id,
      fill.orderId,
      fill.qty,
      fill.quoteQty,
      fill.fee,
      fill.feeAsset,
      fill.maker,
      fill.time,
    ],
    [
      row?.id,
      row?.orderId,
      row?.qty,
      row?.quoteQty,
      row?.commission,
      row?.commissionAsset,
      row?.maker,
      row?.time,
    ],
  );
}

test("contracts: every channel", async (t) => {
  const { exchange, alice, bob } = await openClientFixture({ process: "shared" });
  t.after(() => exchange.stop());
  const maker = clientOf(exchange, alice);
  const taker = clientOf(exchange, bob);
  const market = maker.streams.contract();
  const account = maker.streams.contractAccount();
  t.after(() => market.close());
  t.after(() => account.close());
  const book = market.orderBook(symbol, 15);
  const channels = {
    ticker: market.ticker(symbol),
    trades: market.trades(symbol),
    klines: market.klines(symbol, "1m"),
    marks: market.klines(symbol, "1m", "MARK_PRICE"),
    orders: account.orders(),
    fills: account.fills(),
    wallet: account.account(),
    positions: account.positions(),
  };
  await Promise.all(Object.values(channels).map(({ ready }) => ready));
  const seen = {
    ticker: first(channels.ticker, ({ count, markPrice }) => count === 1 && markPrice !== null),
    trade: first(channels.trades),
    kline: first(channels.klines, ({ priceType }) => priceType === "LAST_PRICE"),
    order: first(channels.orders, ({ status }) => status === "FILLED"),
    fill: first(channels.fills),
    wallet: first(channels.wallet),
    position: first(channels.positions),
  };
  const short = { symbol, side: "SELL", positionSide: "SHORT", type: "LIMIT" } as const;
  const rest = { timeInForce: "GTC", quantity: "2", price: "60000" } as const;
  const { orderId } = await maker.contract.placeOrder({ ...short, ...rest });
  const long = { symbol, side: "BUY", positionSide: "LONG", type: "MARKET" } as const;
  await taker.contract.placeOrder({ ...long, quantity: "2" });
  for (const event of await Promise.all(Object.values<Promise<object>>(seen))) assertWhole(event);

  const order = await maker.contract.order({ orderId });
  const told = await seen.order;
  assert.deepEqual(
    [told.orderId, told.positionSide, told.executedQty, told.executedValue, told.product],
    [order.orderId, order.positionSide, order.executedQty, order.cumQuote, "contract"],
  );
  const [fill] = await maker.contract.userTrades({ symbol });
  const { id, qty, quoteQty, fee, feeAsset, realizedPnl } = await seen.fill;
  assert.deepEqual(
    [id, qty, quoteQty, fee, feeAsset, realizedPnl],
    [fill?.id, fill?.qty, fill?.quoteQty, fill?.commission, fill?.commissionAsset, "0"],
  );
  const [wallet] = await maker.contract.balance();
  assert.equal((await seen.wallet).asset, wallet?.asset);
  const [position] = await maker.contract.positions();
  const { unrealizePnl: _pnl, liquidatePrice: _price, marginSize: _size, ...kept } = position ?? {};
  assert.deepEqual(await seen.position, kept);
  assert.notEqual(await book.verify(), false);
});

async function restartUnderTraffic(t: TestContext, fixture: ClientFixture): Promise<void> {
  const { exchange, alice, bob } = fixture;
  const proxy = await TcpProxy.open(exchange.port);
  t.after(() => proxy.close());
  const client = clientOf(proxy, alice);
  const market = client.streams.spot();
  const account = client.streams.spotAccount();
  t.after(() => market.close());
  t.after(() => account.close());
  const book = market.orderBook(symbol, 200);
  const orders = account.orders();
  await Promise.all([book.ready, orders.ready]);
  const states: StreamState[] = [];
  market.onState((state) => states.push(state));
  await moveBook(clientOf(exchange, bob), 60);
  await assertIsBookOfRest(book, client);

  for (let round = 0; round < 2; round++) {
    await exchange.kill("SIGKILL");
    await exchange.restart();
    const traffic = moveBook(clientOf(exchange, bob), 60);
    proxy.target = exchange.port;
    const [live] = await Promise.all([untilLive(market), untilLive(account)]);
    assert.equal(live.resumed, true);
    await traffic;
    await assertIsBookOfRest(book, client);
    assert.equal(book.resyncs, 0);
    assert.equal(await book.verify(), true);
    const placed = first(orders);
    const order = { symbol, side: "BUY", type: "LIMIT", quantity: "0.1", price: "50000" } as const;
    const { orderId } = await client.spot.placeOrder(order);
    assert.equal((await placed).orderId, orderId);
  }
  assert.ok(states.some(({ name, reason }) => name === "reconnecting" && reason !== null));
}

test("a kill and a restart under traffic", async (t) => {
  const fixture = await openClientFixture();
  t.after(() => fixture.exchange.stop());
  await restartUnderTraffic(t, fixture);
});

test("subscriptions of one channel share it; the last one gives it up", async (t) => {
  const { exchange, alice } = await openClientFixture({ process: "shared" });
  t.after(() => exchange.stop());
  const client = clientOf(exchange, alice);
  const market = client.streams.spot();
  t.after(() => market.close());
  const [one, other] = [market.ticker(symbol), market.ticker(symbol)];
  await Promise.all([first(one), first(other)]);
  const late = market.ticker(symbol);
  await first(late);
  one.close();
  late.close();
  await assert.rejects(first(one), /ended/);
  let events = 0;
  other.listen(() => events++);
  const bid = { symbol, side: "BUY", type: "LIMIT", quantity: "1", price: "60000" } as const;
  await client.spot.placeOrder(bid);
  await clientOf(exchange, alice).spot.placeOrder({ ...bid, side: "SELL" });
  await first(other, ({ lastPrice }) => lastPrice === "60000");
  assert.ok(events > 0);
  market.close();
  await assert.rejects(first(other), /ended/);
  assert.equal(market.state.name, "closed");
  await assert.rejects(market.ticker(symbol).ready, StreamError);
});

test("what is refused for good ends with its reason", async (t) => {
  const { exchange, alice } = await openClientFixture({ process: "shared" });
  t.after(() => exchange.stop());
  const client = clientOf(exchange, alice);
  const market = client.streams.spot();
  t.after(() => market.close());
  const unknown = market.ticker("NOPEUSDT");
  await assert.rejects(unknown.ready, StreamError);
  await assert.rejects(first(unknown), /invalid symbol/);
  const ended = new Promise((resolve) => unknown.listen(() => undefined, resolve));
  assert.ok((await ended) instanceof StreamError);
  await first(market.ticker(symbol));

  const wrong = clientOf(exchange, {
    ...alice,
    credentials: { ...alice.credentials, secret: "wrong" },
  });
  const account = wrong.streams.spotAccount();
  await assert.rejects(account.orders().ready, /Signature verification failed/);
  assert.equal(account.state.name, "closed");
  assert.match(account.state.reason ?? "", /-1047/);
  assert.throws(() => new RialtoClient({ baseUrl: exchange.baseUrl }).streams.spotAccount());
});

/** A handshake as a browser sends it, written from the reference page alone. */
function browserProtocols({ credentials }: Party, timestamp = String(Date.now())): string[] {
  const { apiKey, secret, passphrase } = credentials;
  const hmac = createHmac("sha256", secret).update(`${timestamp}/v3/ws/private`);
  const sign = hmac.digest("base64url");
  const values = { key: apiKey, sign, timestamp, passphrase };
  return ["rialto.v1", ...Object.entries(values).map(([name, value]) => `${name}.${value}`)];
}

/** What became of a handshake: the protocol that was agreed on, or the status and code. */
function shake(
  url: string,
  protocols: readonly string[],
  headers: Record<string, string> = {},
): Promise<string> {
  return new Promise((resolve) => {
    const socket = new WebSocket(url, [...protocols], { headers });
    socket.once("open", () => {
      resolve(socket.protocol);
      socket.terminate();
    });
    socket.on("error", () => undefined);
    socket.once("unexpected-response", (_request, response) => {
      let text = "";
      response.on("data", (bytes: Buffer) => {
        text += bytes.toString();
      });
      response.on("end", () => resolve(`${response.statusCode} ${JSON.parse(text).code}`));
    });
  });
}

test("a browser's way to sign is let in and refused as headers are", async (t) => {
  const { exchange, alice, bob } = await openClientFixture({ process: "shared" });
  t.after(() => exchange.stop());
  const late = String(Date.now() - 31_000);
  for (const prefix of ["", "/contract"]) {
    const url = `${exchange.baseUrl.replace("http", "ws")}${prefix}/v3/ws/private`;
    const protocols = browserProtocols(alice);
    // The signature is not said back.
    assert.equal(await shake(url, protocols), "rialto.v1");
    assert.equal(await shake(url, protocols.toReversed()), "rialto.v1");
    assert.equal(await shake(url, browserProtocols(alice, late)), "401 -1046");
    const without = (name: string) => protocols.filter((one) => !one.startsWith(`${name}.`));
    assert.equal(await shake(url, without("key")), "401 -1040");
    assert.equal(await shake(url, without("sign")), "401 -1041");
    assert.equal(await shake(url, without("timestamp")), "401 -1042");
    assert.equal(await shake(url, without("passphrase")), "401 -1048");
    assert.equal(await shake(url, without("rialto")), "401 -1040");
    const twice = [...protocols, browserProtocols(bob)[1] ?? ""];
    assert.equal(await shake(url, twice), "401 -1040");
    const others = { ...browserProtocols(bob) }[2] ?? "";
    assert.equal(await shake(url, [...without("sign"), others]), "401 -1047");
    // Headers decide as soon as one is there: nothing is put together from both.
    assert.equal(await shake(url, protocols, { "ACCESS-KEY": "other" }), "401 -1041");
    assert.equal(await shake(url.replace("private", "public"), ["rialto.v1"]), "rialto.v1");
    assert.equal(await shake(url.replace("private", "public"), ["chat"]), "chat");
  }
});
