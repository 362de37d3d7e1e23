/**
 * Proves that v2 carries the same data as v3, on the real engine over random orders, cancels and
 * trades: each v2 message, translated back to v3, equals the message that a v3 subscriber got in
 * its place. v3 is compared with books and histories elsewhere. v2 sends one candle per message, so
 * for candles the final state of both subscribers is compared.
 */
import assert from "node:assert/strict";
import test from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { scaled, seededRandom } from "../../../test/support/random.ts";
import type { StreamMessage } from "../../../test/support/stream-client.ts";
import { Listener, StreamFixture, SYMBOL, settle } from "../../../test/support/stream-fixture.ts";
import { PRIVATE_KINDS, type PrivateKind, parsePublicChannel } from "../../api/channel-names.ts";
import type { Product } from "../../domain/index.ts";
import type { Command } from "../../protocol/index.ts";
import type { Candle } from "../../queries/history-port.ts";
import { KlinePublisher } from "../public/market-publishers.ts";
import { V3_DIALECT } from "../v3/v3-dialect.ts";
import { V2_DIALECT } from "./v2-dialect.ts";

const random = seededRandom("streams/v2-wording");
const COMMANDS = scaled(600);

type Row = Readonly<Record<string, unknown>>;

const SPELLINGS = { spot: "BTCUSDT_SPBL", contract: "cmt_btcusdt" } as const;

interface Pair {
  readonly v2: Listener;
  readonly v3: Listener;
}

function listenToMarket(
  fixture: StreamFixture,
  product: Product,
  nameInV2: string,
  nameInV3: string,
): Pair {
  const pair = { v2: new Listener(), v3: new Listener() };
  const v2 = V2_DIALECT.publicChannel(product, nameInV2);
  const v3 = V3_DIALECT.publicChannel(product, nameInV3);
  assert.ok(v2 !== null && v3 !== null);
  fixture.router.markets[product].subscribe(v2, pair.v2);
  fixture.router.markets[product].subscribe(v3, pair.v3);
  return pair;
}

function randomCommand(product: Product, uids: readonly number[], number: number): Command {
  const uid = random.pick(uids);
  if (random.chance(0.2)) {
    const target = { uid, orderId: null, clientOrderId: `o-${random.integer(1, number)}` };
    return product === "spot"
      ? { type: "cancel-spot-order", symbol: SYMBOL, ...target }
      : { type: "cancel-contract-order", ...target };
  }
  const terms = {
    uid,
    symbol: SYMBOL,
    clientOrderId: `o-${number}`,
    side: random.pick(["BUY", "SELL"] as const),
    orderType: "LIMIT",
    timeInForce: random.pick(["GTC", "IOC", "FOK", "POST_ONLY"] as const),
    price: String(1000 + random.integer(-20, 20)),
    quantity: String(random.integer(1, 50) / 1000),
  } as const;
  if (product === "spot") return { type: "place-spot-order", ...terms, quantityUnit: "base" };
  return {
    type: "place-contract-order",
    ...terms,
    positionSide: random.pick(["LONG", "SHORT"]),
    tpTriggerPrice: null,
    slTriggerPrice: null,
    tpWorkingType: "CONTRACT_PRICE",
    slWorkingType: "CONTRACT_PRICE",
  };
}

/** The one entry of a message about the channel. */
function entryOf(message: StreamMessage, channel: string): Row {
  const { event, channel: named, data, ...rest } = message;
  assert.deepEqual([event, named, rest], ["payload", channel, {}]);
  const [entry, ...others] = data as Row[];
  assert.ok(entry !== undefined && others.length === 0);
  return entry;
}

const pairOf = ({ price, size }: Row): unknown[] => [price, size];

/** All of a depth message but its time, which v2 does not have. */
function depthInV3(message: StreamMessage, channel: string, spelling: string): Row {
  const { symbol, startVersion, endVersion, level, depthType, asks, bids, ...rest } = entryOf(
    message,
    channel,
  );
  assert.deepEqual([symbol, rest], [spelling, {}]);
  assert.deepEqual([typeof startVersion, typeof endVersion], ["string", "string"]);
  return {
    e: depthType === "SNAPSHOT" ? "depthSnapshot" : "depth",
    s: SYMBOL,
    U: Number(startVersion),
    u: Number(endVersion),
    l: level,
    d: depthType,
    b: (bids as Row[]).map(pairOf),
    a: (asks as Row[]).map(pairOf),
  };
}

function tradeInV3(trade: Row): Row {
  const { time, tradeId, price, size, value, buyerMaker, ...rest } = trade;
  assert.deepEqual(rest, {});
  return { T: Number(time), t: tradeId, p: price, q: size, v: value, m: buyerMaker };
}

function tickerInV3(entry: Row, product: Product): Row {
  for (const [name, value] of Object.entries(entry)) assert.equal(typeof value, "string", name);
  return {
    p: entry.priceChange,
    P: entry.priceChangePercent,
    c: entry.lastPrice,
    o: entry.open,
    h: entry.high,
    l: entry.low,
    v: entry.size,
    q: entry.value,
    O: Number(entry.startTime),
    C: Number(entry.endTime),
    n: Number(entry.trades),
    ...(product === "contract" ? { m: entry.markPrice, i: entry.indexPrice } : {}),
  };
}

for (const product of ["spot", "contract"] as const) {
  test(`${product}: book, trades and ticker`, async () => {
    const fixture = await StreamFixture.open();
    const uids = [await fixture.user(), await fixture.user()];
    const spelling = SPELLINGS[product];
    const open = (nameInV2: string, nameInV3: string): Pair =>
      listenToMarket(fixture, product, nameInV2, `${SYMBOL}@${nameInV3}`);
    const depths = [15, 200].map((levels) => {
      const channel = `depth.${spelling}.${levels}`;
      return { channel, pair: open(channel, `depth${levels}`) };
    });
    const trades = open(`trades.${spelling}`, "trade");
    const ticker = open(`ticker.${spelling}`, "ticker");
    for (let number = 1; number <= COMMANDS; number++) {
      fixture.exchange.wallMs += random.integer(0, 5);
      await fixture.execute(randomCommand(product, uids, number));
      if (random.chance(0.2)) await sleep(1);
    }
    await settle();
    for (const { channel, pair } of depths) {
      const inV3 = pair.v2.messages.map((message) => depthInV3(message, channel, spelling));
      assert.deepEqual(
        inV3,
        pair.v3.messages.map(({ E, ...message }) => message),
      );
      assert.ok(inV3.length > 10);
    }
    const rows = trades.v2.messages.map(({ data }) => (data as Row[]).map(tradeInV3));
    assert.deepEqual(
      rows,
      trades.v3.messages.map(({ d }) => d),
    );
    assert.ok(rows.length > 10);
    const entries = ticker.v2.messages.map((one) => entryOf(one, `ticker.${spelling}`));
    assert.deepEqual(
      entries.map((entry) => tickerInV3(entry, product)),
      ticker.v3.entries.map(({ w, ...entry }) => entry),
    );
    const { client } = fixture.exchange;
    const prices = await client.query({ type: "contract-prices", symbol: SYMBOL });
    assert.ok(prices.ok && prices.value[0] !== undefined && entries.length > 5);
    const { markPrice, indexPrice, openInterest } = prices.value[0];
    const day =
      product === "spot"
        ? await client.query({ type: "spot-tickers", symbol: SYMBOL })
        : await client.query({ type: "contract-tickers", symbol: SYMBOL });
    assert.ok(day.ok && day.value[0] !== undefined);
    const { close, highMs, lowMs } = day.value[0];
    assert.notEqual(highMs, lowMs);
    const last = entries.at(-1);
    assert.deepEqual(
      [last?.symbol, last?.markPrice, last?.indexPrice, last?.openInterest],
      [spelling, markPrice, indexPrice, openInterest],
    );
    assert.deepEqual(
      [last?.close, last?.highTime, last?.lowTime],
      [close, String(highMs), String(lowMs)],
    );
    fixture.router.sleep();
  });
}

/** Subscribes in v2 when a v3 subscriber already has the ticker, or while it is being queried. */
for (const moment of ["after", "during"] as const) {
  test(`who comes ${moment} a ticker without prices of contracts gets the next one`, async () => {
    const fixture = await StreamFixture.open();
    const { client } = fixture.exchange;
    const feed = fixture.router.markets.spot;
    const v3 = V3_DIALECT.publicChannel("spot", `${SYMBOL}@ticker`);
    const v2 = V2_DIALECT.publicChannel("spot", `ticker.${SYMBOL}`);
    assert.ok(v2 !== null && v3 !== null);
    const late = new Listener();
    const query = client.query.bind(client);
    const queries: string[] = [];
    Object.assign(client, {
      query: (...one: Parameters<typeof query>) => {
        queries.push(one[0].type);
        if (moment === "during" && queries.length === 1) {
          queueMicrotask(() => feed.subscribe(v2, late));
        }
        return query(...one);
      },
    });
    feed.subscribe(v3, new Listener());
    await settle();
    if (moment === "after") {
      assert.deepEqual(queries, ["spot-tickers"], "v3 does not want them");
      feed.subscribe(v2, late);
      await settle();
    }
    assert.deepEqual(queries, ["spot-tickers", "spot-tickers", "contract-prices"]);
    assert.deepEqual(
      late.messages.map((message) => entryOf(message, `ticker.${SYMBOL}`).indexPrice),
      ["1000"],
    );
    fixture.router.sleep();
  });
}

let candlesMade = 0;

/** Different from any other. */
function candleAt(minute: number): Candle {
  const text = (): string => String(random.integer(1, 9));
  return {
    openMs: minute * 60_000,
    closeMs: (minute + 1) * 60_000 - 1,
    open: text(),
    high: text(),
    low: text(),
    close: text(),
    baseVolume: String(++candlesMade),
    quoteVolume: text(),
    trades: random.integer(1, 9),
    takerBaseVolume: text(),
    takerQuoteVolume: text(),
  };
}

test("candles: one a message, and all that differ", () => {
  const inV3 = `${SYMBOL}@kline_1m_MARK_PRICE`;
  const channel = parsePublicChannel("contract", inV3);
  assert.ok(channel?.kind === "kline");
  const publisher = new KlinePublisher(channel);
  const name = "kline.MARK_PRICE.cmt_btcusdt.MINUTE_1";
  const listen = (): Listener => {
    const listener = new Listener();
    const named = V2_DIALECT.publicChannel("contract", name);
    assert.ok(named !== null);
    publisher.subscribe(named.encoder, listener);
    return listener;
  };
  const first = listen();
  const known = new Map<number, Candle>();
  const listeners = [first];
  let minute = 1;
  let candles = [candleAt(minute)];
  for (let update = 0; update < 500; update++) {
    if (random.chance(0.2)) candles = [candles.at(-1) as Candle, candleAt(++minute)];
    // The last trade of a candle may be known only after the next one has begun.
    else if (random.chance(0.3)) candles = candles.map(({ openMs }) => candleAt(openMs / 60_000));
    else candles = [...candles.slice(0, -1), candleAt(minute)];
    for (const candle of candles) known.set(candle.openMs, candle);
    publisher.show(candles, update);
    if (random.chance(0.02)) listeners.push(listen());
  }
  for (const { messages } of listeners) {
    const [head] = messages;
    assert.equal(head?.type, "snapshot");
    const seen = new Map<number, Row>();
    for (const { type, ...message } of messages) {
      assert.ok(type === "change" || seen.size < 2);
      const { klineTime, ...entry } = entryOf(message, name);
      const before = seen.get(Number(klineTime));
      assert.notDeepEqual(entry, before, "an update says something");
      seen.set(Number(klineTime), entry);
    }
    for (const [openMs, entry] of seen) {
      const { open, high, low, close, baseVolume, quoteVolume } = known.get(openMs) as Candle;
      const shown = { symbol: "cmt_btcusdt", open, high, low, close };
      assert.deepEqual(entry, { ...shown, size: baseVolume, value: quoteVolume });
    }
    assert.equal(Math.max(...seen.keys()), minute * 60_000);
  }
  assert.ok(listeners.length > 3 && first.messages.length > 500);
});

const LISTS: Readonly<Record<PrivateKind, string>> = {
  account: "collateral",
  orders: "order",
  fill: "orderFillTransaction",
  positions: "position",
};
const TIMES_IN_FORCE: Readonly<Record<string, string>> = {
  GOOD_TIL_CANCEL: "GTC",
  IMMEDIATE_OR_CANCEL: "IOC",
  FILL_OR_KILL: "FOK",
  POST_ONLY: "POST_ONLY",
};

function entryInV3({ timeInForce, ...entry }: Row, product: Product): Row {
  const force =
    timeInForce === undefined ? {} : { timeInForce: TIMES_IN_FORCE[String(timeInForce)] };
  if (product === "spot") {
    const { coinId, coinName, symbol, ...rest } = entry;
    assert.equal(coinId, coinName);
    if (symbol === undefined) return { coin: coinId, ...rest };
    assert.equal(symbol, `${SYMBOL}_SPBL`);
    return { symbol: SYMBOL, ...rest, ...force };
  }
  const { coinId, contractId, crossContractId, marginMode, ...rest } = entry;
  assert.ok(contractId === undefined || contractId === "cmt_btcusdt");
  return {
    coin: coinId,
    marginMode: marginMode === "SHARED" ? "CROSSED" : marginMode,
    ...(contractId === undefined ? {} : { symbol: SYMBOL }),
    ...(crossContractId === undefined ? {} : { crossSymbol: "" }),
    ...rest,
    ...force,
  };
}

function privateInV3(message: StreamMessage, kind: PrivateKind, product: Product): Row {
  const { type, channel, event, msg, ...rest } = message;
  assert.deepEqual([type, channel, event, rest], ["trade-event", kind, "payload", {}]);
  const { msgEvent, version, data, time } = msg as Row;
  assert.deepEqual(Object.keys(data as Row), [LISTS[kind]]);
  const entries = (data as Row)[LISTS[kind]] as Row[];
  const d = entries.map((entry) => entryInV3(entry, product));
  return { e: kind, E: time, v: version, msgEvent, d };
}

for (const product of ["spot", "contract"] as const) {
  test(`${product}: the private channels`, async () => {
    const fixture = await StreamFixture.open();
    const uids = [await fixture.user(), await fixture.user()];
    const feed = await fixture.router.accounts[product].feed(uids[0] as number);
    assert.ok(feed !== null);
    const kinds = PRIVATE_KINDS.filter((kind) => product === "contract" || kind !== "positions");
    const pairs = kinds.map((kind) => {
      const pair = { v2: new Listener(), v3: new Listener() };
      for (const [dialect, listener] of [
        [V2_DIALECT, pair.v2],
        [V3_DIALECT, pair.v3],
      ] as const) {
        const named = dialect.privateChannel(product, kind);
        assert.ok(named !== null);
        feed.subscribe(named, listener);
      }
      return { kind, pair };
    });
    for (let number = 1; number <= COMMANDS; number++) {
      await fixture.execute(randomCommand(product, uids, number));
      if (random.chance(0.2)) await sleep(1);
    }
    await settle();
    for (const { kind, pair } of pairs) {
      const inV3 = pair.v2.messages.map((message) => privateInV3(message, kind, product));
      assert.deepEqual(inV3, pair.v3.messages);
      assert.ok(inV3.length > 10, kind);
    }
    fixture.router.sleep();
  });
}
