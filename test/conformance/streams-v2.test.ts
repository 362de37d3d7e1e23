/**
 * Proves the second version of the streams over real sockets, as its older clients speak it:
 * handshakes signed for it and their refusals, requests and answers, every channel of both products
 * compared with REST, and limits. Books are in `streams-v2-books.test.ts`; heartbeats, which take
 * their time in a real process, in `src/streams/streams.test.ts`.
 */
import assert from "node:assert/strict";
import test from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { publicRead, setIndex } from "../support/contract-setup.ts";
import type { ExchangeProcess } from "../support/exchange-process.ts";
import { type Account, issueKey, openAccount } from "../support/exchange-setup.ts";
import { dataOf, pathWithQuery } from "../support/signed-client.ts";
import {
  handshakeHeaders,
  refusedHandshake,
  StreamClient,
  type StreamMessage,
} from "../support/stream-client.ts";
import { SIGNED_PATH_V2, StreamClientV2 } from "../support/stream-client-v2.ts";
import {
  FUNDS,
  openTrader,
  PREFIXES,
  PRICES,
  PRODUCTS,
  type Product,
  place,
  SYMBOLS,
  startExchange,
} from "./streams-v2-fixture.ts";

type Row = Readonly<Record<string, unknown>>;

/** An unsigned v2 read of the spot family. */
async function readV2<Data>({ client }: Account, path: string, query: Row): Promise<Data> {
  const target = pathWithQuery(`/api/v2/market/${path}`, query as Record<string, string>);
  return dataOf<Data>(await client.raw({ method: "GET", path: target }), path);
}

test("handshakes", async (t) => {
  const exchange = await startExchange(t);
  const { port } = exchange;
  const { uid, credentials } = await openAccount(exchange);
  const everything = await issueKey(exchange, uid, ["read"]);
  const refused = async (path: string, headers?: Record<string, string>): Promise<unknown[]> => {
    const { status, body } = await refusedHandshake(port, path, headers);
    const { code, msg, data, requestTime } = body as Row;
    assert.deepEqual([typeof msg, data, typeof requestTime], ["string", null, "number"]);
    return [status, code];
  };
  const sign = (timestamp?: string, path = SIGNED_PATH_V2): Record<string, string> =>
    handshakeHeaders(credentials, timestamp, path);
  for (const prefix of Object.values(PREFIXES)) {
    const path = `${prefix}/v2/ws/private`;
    assert.deepEqual(await refused(path), [400, "40001"]);
    assert.deepEqual(await refused(path, { ...sign(), "ACCESS-SIGN": "" }), [400, "40002"]);
    assert.deepEqual(await refused(path, { ...sign(), "ACCESS-TIMESTAMP": "1" }), [400, "40005"]);
    assert.deepEqual(await refused(path, { ...sign(), "ACCESS-KEY": "x" }), [400, "40006"]);
    assert.deepEqual(await refused(path, { ...sign(), "ACCESS-PASSPHRASE": "x" }), [400, "40012"]);
    const late = sign(String(Date.now() - 31_000));
    assert.deepEqual(await refused(path, late), [400, "40008"]);
    // Each version signs its own path, and no other text.
    for (const other of ["/v3/ws/private", "/contract/v2/ws/private", "/v2/ws/public"]) {
      assert.deepEqual(await refused(path, sign(undefined, other)), [400, "40009"]);
    }
    const { status } = await refusedHandshake(port, `${prefix}/v3/ws/private`, sign());
    assert.equal(status, 401);
    const reader = await StreamClientV2.open(port, path, everything);
    await reader.subscribe("account");
    await reader.close();
    // Credentials on a public connection are not looked at.
    const open = await StreamClientV2.open(port, `${prefix}/v2/ws/public`, credentials);
    await open.close();
  }
  const spotOnly = handshakeHeaders(
    await issueKey(exchange, uid, ["spot"]),
    undefined,
    SIGNED_PATH_V2,
  );
  assert.deepEqual(await refused("/contract/v2/ws/private", spotOnly), [400, "40014"]);
  assert.deepEqual(await refused("/v2/ws/other"), [404, "40404"]);
});

test("requests and their answers", async (t) => {
  const exchange = await startExchange(t);
  const client = await StreamClientV2.open(exchange.port, "/v2/ws/public");
  t.after(() => client.close());
  const channel = "depth.BtcUsdt_SPBL.15";
  await client.subscribe(channel);
  await client.until(() => client.pushes.length === 1, "a snapshot");
  // Each subscription begins with the whole state, a repeated one as well.
  await client.subscribe(channel);
  await client.until(() => client.pushes.length === 2, "two snapshots");
  for (const [entry] of client.pushes.map(({ data }) => data as Row[])) {
    assert.deepEqual(entry, {
      symbol: "BtcUsdt_SPBL",
      startVersion: "0",
      endVersion: "0",
      level: 15,
      depthType: "SNAPSHOT",
      asks: [],
      bids: [],
    });
  }
  const ask = (event: string, name: unknown): Promise<StreamMessage> =>
    client.ask({ event, channel: name });
  const error = (name: string, code: string, msg: string): Row => ({
    event: "error",
    channel: name,
    code,
    msg,
  });
  for (const name of ["depth.BTCUSDT_SPBL.5", "ticker.cmt_btcusdt", "BTCUSDT@ticker", "account"]) {
    const expected = error(name, "40020", `invalid channel : ${name}`);
    assert.deepEqual(await ask("subscribe", name), expected);
  }
  assert.deepEqual(
    await ask("subscribe", "trades.FOOUSDT_SPBL"),
    error("trades.FOOUSDT_SPBL", "40034", "invalid symbol : FOOUSDT"),
  );
  const badEvent = "event must be subscribe, unsubscribe, ping or pong";
  assert.deepEqual(await ask("list", channel), error(channel, "40020", badEvent));
  const badChannel = "channel must be text of 1 to 64 characters";
  assert.deepEqual(await ask("subscribe", 7), error("", "40020", badChannel));
  const { event, code } = await client.ask("{");
  assert.deepEqual([event, code], ["error", "40020"]);
  assert.deepEqual(await ask("unsubscribe", "ticker.BTCUSDT"), {
    event: "unsubscribed",
    channel: "ticker.BTCUSDT",
  });
  assert.deepEqual(await client.ask({ event: "ping", time: 17 }), { event: "pong", time: 17 });
  assert.deepEqual(await ask("unsubscribe", channel), { event: "unsubscribed", channel });
  const account = await openAccount(exchange, FUNDS);
  await client.subscribe("trades.BTCUSDT");
  await place(account, "spot", "sell", "50000", "1");
  await place(account, "spot", "sell", "50001", "1");
  const other = await openAccount(exchange, FUNDS);
  await place(other, "spot", "buy", "50000", "1");
  await client.until(() => client.pushes.length === 3, "the trade");
  assert.equal(client.pushes[2]?.channel, "trades.BTCUSDT", "the book is not told of any more");
  client.socket.send(Buffer.from([1, 2]));
  assert.deepEqual(await client.closed, { code: 1008, reason: "messages are text" });
});

async function checkSpotMarketData(client: StreamClientV2, account: Account): Promise<void> {
  const symbol = SYMBOLS.spot;
  const { ts: _, startTime, endTime, ...day } = await readV2<Row>(account, "ticker", { symbol });
  const fromStream = (): Row => client.entriesOf(`ticker.${symbol}`).at(-1) ?? {};
  const expected = Object.fromEntries(Object.entries(day).map(([k, v]) => [k, String(v)]));
  await client.until(() => fromStream().trades === expected.trades, "the ticker");
  const { ts: at, startTime: begin, endTime: end, ...streamed } = fromStream();
  assert.deepEqual(streamed, expected);
  assert.equal(Number(end) - Number(begin), Number(endTime) - Number(startTime));
  // It may have been told after the first answer.
  const { ts } = await readV2<Row>(account, "ticker", { symbol });
  assert.ok(Number(at) <= Number(ts));
  const fills = await readV2<Row[]>(account, "fills", { symbol });
  const trades = fills.toReversed().map((fill) => ({
    time: String(fill.fillTime),
    tradeId: fill.tradeId,
    price: fill.fillPrice,
    size: fill.fillQuantity,
    value: fill.tradeValue,
    buyerMaker: fill.buyerMaker,
  }));
  assert.deepEqual(client.entriesOf(`trades.${symbol}`), trades);
  for (const [interval, period] of [
    ["MINUTE_1", "1m"],
    ["1h", "1h"],
  ] as const) {
    // A minute may have begun since the last trade.
    const query = { symbol, period, limit: 2 };
    const candles = await readV2<unknown[][]>(account, "candles", query);
    const traded = candles.filter(([, , , , , volume]) => Number(volume) > 0);
    const [candle] = traded.sort(([one], [other]) => Number(other) - Number(one));
    const [time, open, high, low, close, size, value] = candle ?? [];
    const last = { symbol, klineTime: String(time), size, value, high, low, open, close };
    const channel = `kline.LAST_PRICE.${symbol}.${interval}`;
    const shown = (): unknown => candleAt(client, channel, time);
    await client.until(() => JSON.stringify(shown()) === JSON.stringify(last), channel);
  }
}

/** As it was told last; another minute may have begun since. */
function candleAt(client: StreamClientV2, channel: string, time: unknown): Row | undefined {
  return client.entriesOf(channel).findLast(({ klineTime }) => klineTime === String(time));
}

async function checkContractMarketData(client: StreamClientV2, account: Account): Promise<void> {
  const symbol = SYMBOLS.contract;
  const [trade] = client.entriesOf(`trades.${symbol}`);
  const [public1] = await publicRead<Row[]>(account, "/capi/v3/market/trades", {
    symbol: "BTCUSDT",
  });
  assert.deepEqual(
    [trade?.time, trade?.tradeId, trade?.price, trade?.size, trade?.value, trade?.buyerMaker],
    [
      String(public1?.time),
      String(public1?.id),
      public1?.price,
      public1?.qty,
      public1?.quoteQty,
      public1?.isBuyerMaker,
    ],
  );
  const ticker = (): Row => client.entriesOf(`ticker.${symbol}`).at(-1) ?? {};
  await client.until(() => ticker().indexPrice === "60010", "the moved index");
  const interest = await publicRead<Row>(account, "/capi/v3/market/openInterest", {
    symbol: "BTCUSDT",
  });
  assert.deepEqual(
    [ticker().symbol, ticker().lastPrice, ticker().trades, ticker().openInterest],
    [symbol, public1?.price, "1", interest.openInterest],
  );
  for (const [priceType, path] of [
    ["LAST_PRICE", "/capi/v3/market/klines"],
    ["MARK_PRICE", "/capi/v3/market/markPriceKlines"],
  ] as const) {
    const query = { symbol: "BTCUSDT", interval: "1m", limit: 2 };
    const candles = await publicRead<unknown[][]>(account, path, query);
    const isTraded = ([, , , , , volume]: unknown[]) => Number(volume) > 0;
    const shownToo = priceType === "LAST_PRICE" ? candles.filter(isTraded) : candles;
    const last = shownToo.at(-1) ?? [];
    const channel = `kline.${priceType}.${symbol}.MINUTE_1`;
    const shown = (): unknown[] => {
      const { klineTime, open, high, low, close } = candleAt(client, channel, last[0]) ?? {};
      return [Number(klineTime), open, high, low, close];
    };
    await client.until(
      () => JSON.stringify(shown()) === JSON.stringify(last.slice(0, 5)),
      `${channel} as ${JSON.stringify(last)}`,
    );
  }
}

for (const product of PRODUCTS) {
  test(`${product}: ticker, trades and candles are those of REST`, async (t) => {
    const exchange = await startExchange(t);
    const { port } = exchange;
    const symbol = SYMBOLS[product];
    const [alice, bob] = [await openTrader(exchange, product), await openTrader(exchange, product)];
    const client = await StreamClientV2.open(port, `${PREFIXES[product]}/v2/ws/public`);
    t.after(() => client.close());
    await client.subscribe(`ticker.${symbol}`, `trades.${symbol}`);
    const prices = product === "spot" ? ["LAST_PRICE"] : ["LAST_PRICE", "MARK_PRICE"];
    for (const price of prices) {
      await client.subscribe(`kline.${price}.${symbol}.MINUTE_1`, `kline.${price}.${symbol}.1h`);
    }
    const level = String(PRICES[product]);
    await place(bob, product, "sell", level, "0.5");
    await place(alice, product, "buy", level, "0.2");
    await client.until(() => client.entriesOf(`trades.${symbol}`).length > 0, "the trade");
    if (product === "spot") {
      await place(bob, product, "buy", "49999", "0.1");
      await place(alice, product, "sell", "49999", "0.1");
      await client.until(() => client.entriesOf(`trades.${symbol}`).length > 1, "both trades");
      await checkSpotMarketData(client, alice);
    } else {
      await setIndex(exchange, "BTCUSDT", "60010");
      await checkContractMarketData(client, alice);
    }
  });
}

/** What an account is told in one channel, message after message. */
function told(client: StreamClientV2, name: string, list: string): readonly Row[] {
  const messages = client.pushes.filter(({ channel }) => channel === name);
  return messages.flatMap(({ type, msg, ...rest }) => {
    assert.deepEqual([type, rest], ["trade-event", { channel: name, event: "payload" }]);
    const { msgEvent, version, data, time } = msg as Row;
    assert.deepEqual(
      [typeof msgEvent, typeof version, typeof time],
      ["string", "number", "number"],
    );
    assert.deepEqual(Object.keys(data as Row), [list]);
    return (data as Record<string, Row[]>)[list] as Row[];
  });
}

async function openPrivate(
  { port }: ExchangeProcess,
  product: Product,
  { credentials }: Account,
  channels: readonly string[],
): Promise<StreamClientV2> {
  const path = `${PREFIXES[product]}/v2/ws/private`;
  const client = await StreamClientV2.open(port, path, credentials);
  await client.subscribe(...channels);
  return client;
}

test("spot: the private channels", async (t) => {
  const exchange = await startExchange(t);
  const [alice, bob] = [await openTrader(exchange, "spot"), await openTrader(exchange, "spot")];
  const client = await openPrivate(exchange, "spot", alice, ["account", "orders", "fill"]);
  t.after(() => client.close());
  const orderId = await place(alice, "spot", "buy", "50000", "0.3");
  await place(bob, "spot", "sell", "50000", "0.1");
  await alice.client.cancelled({ symbol: "BTCUSDT_SPBL", orderId });
  const orders = (): readonly Row[] => told(client, "orders", "order");
  await client.until(() => orders().length === 3, "placed, filled, cancelled");
  assert.deepEqual(
    orders().map(({ id, symbol, orderSide, timeInForce, status, cumFillSize }) => [
      id,
      symbol,
      orderSide,
      timeInForce,
      status,
      cumFillSize,
    ]),
    [
      ["NEW", "0"],
      ["NEW", "0.1"],
      ["CANCELED", "0.1"],
    ].map((end) => [orderId, "BTCUSDT_SPBL", "BUY", "GOOD_TIL_CANCEL", ...end]),
  );
  const [fill] = told(client, "fill", "orderFillTransaction");
  const [mine] = await alice.client.v3<Row[]>("/api/v3/myTrades", { symbol: "BTCUSDT" });
  assert.deepEqual(
    [fill?.id, fill?.orderId, fill?.symbol, fill?.fillSize, fill?.fillValue, fill?.fillFee],
    [String(mine?.id), orderId, "BTCUSDT_SPBL", mine?.qty, mine?.quoteQty, mine?.commission],
  );
  const assets = await alice.client.assets();
  const balances = (): Row =>
    Object.fromEntries(told(client, "account", "collateral").map((row) => [row.coinName, row]));
  const expected = Object.fromEntries(
    ["BTC", "USDT"].map((coin) => {
      const { equity, available, frozen } = assets.get(coin) as unknown as Row;
      return [coin, { coinId: coin, coinName: coin, equity, available, frozen }];
    }),
  );
  const text = (value: Row): string => JSON.stringify([value.BTC, value.USDT]);
  await client.until(() => text(balances()) === text(expected), "the balances of REST");
});

test("contract: the private channels, and what v3 says of them", async (t) => {
  const exchange = await startExchange(t);
  const open = (): Promise<Account> => openTrader(exchange, "contract");
  const [alice, bob] = [await open(), await open()];
  const channels = ["account", "orders", "fill", "positions", "position"];
  const client = await openPrivate(exchange, "contract", alice, channels);
  const inV3 = await StreamClient.open(exchange.port, "/contract/v3/ws/private", alice.credentials);
  await inV3.subscribe("positions");
  t.after(async () => {
    await client.close();
    await inV3.close();
  });
  await place(bob, "contract", "sell", "60000", "0.3");
  const orderId = await place(alice, "contract", "buy", "60000", "0.2");
  const positions = (name: string): readonly Row[] => told(client, name, "position");
  await client.until(() => positions("positions").length > 0, "the position");
  const [order] = told(client, "orders", "order");
  assert.deepEqual(
    [order?.id, order?.coinId, order?.contractId, order?.marginMode, order?.status, order?.symbol],
    [orderId, "USDT", "cmt_btcusdt", "SHARED", "FILLED", undefined],
  );
  const [fill] = told(client, "fill", "orderFillTransaction");
  assert.deepEqual(
    [fill?.orderId, fill?.contractId, fill?.positionSide, fill?.fillSize, fill?.direction],
    [orderId, "cmt_btcusdt", "LONG", "0.2", "TAKER"],
  );
  await client.until(() => told(client, "account", "collateral").length > 0, "the account");
  const balance = told(client, "account", "collateral").at(-1);
  const [row] = await alice.client.v3<Row[]>("/capi/v3/account/balance");
  assert.deepEqual(
    [balance?.coinId, balance?.crossContractId, balance?.legacyAmount, balance?.liquidating],
    ["USDT", "0", row?.balance, false],
  );
  await inV3.until(() => inV3.of("positions").length > 0, "the position in v3");
  const [first] = inV3.of("positions");
  assert.ok(first !== undefined);
  const { coin, symbol, marginMode, ...common } = (first.d as Row[])[0] as Row;
  assert.deepEqual(positions("positions")[0], {
    coinId: coin,
    contractId: "cmt_btcusdt",
    marginMode: "SHARED",
    ...common,
  });
  assert.deepEqual([symbol, marginMode], ["BTCUSDT", "CROSSED"]);
  // A name that public clients use beside the documented one is told in its own name.
  await client.until(() => positions("position").length > 0, "the other name");
  assert.deepEqual(positions("position")[0], positions("positions")[0]);
  assert.ok(client.pushes.some(({ msg }) => (msg as Row).version === first.v));
});

test("a revoked key ends its connections; the exchange says that it goes away", async (t) => {
  const exchange = await startExchange(t);
  const account = await openAccount(exchange);
  const client = await openPrivate(exchange, "spot", account, ["orders"]);
  const other = await StreamClientV2.open(exchange.port, "/v2/ws/public");
  await exchange.operator.call("DELETE", `/operator/v1/api-keys/${account.credentials.apiKey}`);
  assert.equal((await client.closed).code, 1008);
  await Promise.all([exchange.kill("SIGTERM"), other.closed]);
  assert.equal((await other.closed).code, 1001);
});

test("limits are those of v3", async (t) => {
  const exchange = await startExchange(t, { rateLimits: "standard" });
  const client = await StreamClientV2.open(exchange.port, "/v2/ws/public");
  t.after(() => client.close());
  // Every spelling is a channel of its own. All are asked for at once, as after a reconnection.
  const channels = Array.from({ length: 100 }, (_, number) => {
    const letters = [..."btcusdt"].map((letter, i) =>
      (number >> i) & 1 ? letter.toUpperCase() : letter,
    );
    return `trades.${letters.join("")}`;
  });
  for (const channel of channels) client.send({ event: "subscribe", channel });
  await client.until(() => client.replies.length === channels.length, "all answers");
  assert.deepEqual(
    client.replies,
    channels.map((channel) => ({ event: "subscribed", channel })),
  );
  assert.deepEqual(await client.ask({ event: "subscribe", channel: "ticker.BTCUSDT" }), {
    event: "error",
    channel: "ticker.BTCUSDT",
    code: "40020",
    msg: "more than 100 channels",
  });
  const refusals = (): readonly StreamMessage[] =>
    client.replies.filter(({ code }) => code === "429");
  // 200 messages in ten seconds are too many; a subscription is one here.
  await sleep(4_000);
  for (let number = 0; number < 150; number++) {
    const reply = await client.ask({ event: "unsubscribe", channel: "trades.x" });
    assert.ok(reply.event === "unsubscribed" || reply.code === "429");
    if (refusals().length > 0) break;
  }
  assert.match(String(refusals()[0]?.msg), /^too many subscriptions of this connection/);
});
