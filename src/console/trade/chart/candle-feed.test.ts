/**
 * Proves that a chart's candles have no holes: what the stream left out, and what an interruption
 * swallowed, is read over REST again; older ones are read page by page until there are none.
 */
import assert from "node:assert/strict";
import test from "node:test";
import type { RialtoClient, StreamKline, StreamState } from "../../../client/index.ts";
import type { TradeMarket } from "../market.tsx";
import { CandleFeed } from "./candle-feed.ts";

// Values tell their listeners before the next frame.
globalThis.requestAnimationFrame = (callback) => {
  queueMicrotask(() => callback(0));
  return 0;
};

const MINUTE_MS = 60_000;
type Row = readonly [number, string, string, string, string, string];

/** An exchange with a candle for every minute up to now. */
class FakeExchange {
  now = 1_000;
  first = 1;
  answers = 0;
  failure: Error | null = null;
  closed = 0;
  tell: (kline: StreamKline) => void = () => undefined;
  change: (state: StreamState) => void = () => undefined;

  readonly #klines = async (query: { readonly limit: number; readonly endTime?: number }) => {
    if (this.failure !== null) throw this.failure;
    this.answers++;
    const last = Math.min(this.now, Math.floor((query.endTime ?? Infinity) / MINUTE_MS));
    const first = Math.max(this.first, last - query.limit + 1);
    return Array.from({ length: Math.max(0, last - first + 1) }, (_, i) => row(first + i));
  };

  readonly client = { spot: { klines: this.#klines } } as unknown as RialtoClient;

  readonly streams = {
    klines: () => ({
      listen: (tell: FakeExchange["tell"]) => {
        this.tell = tell;
      },
      ready: Promise.resolve(),
      close: () => {
        this.closed++;
      },
    }),
    onState: (change: FakeExchange["change"]) => {
      this.change = change;
      return () => undefined;
    },
  } as unknown as TradeMarket["streams"];

  kline(minute: number): void {
    const [openTime, open, high, low, close, volume] = row(minute);
    this.tell({ openTime, open, high, low, close, volume } as StreamKline);
  }
}

function row(minute: number): Row {
  return [minute * MINUTE_MS, "1", "2", "1", String(minute), "5"];
}

interface Opened {
  readonly feed: CandleFeed;
  readonly changes: number[];
}

async function open(exchange: FakeExchange): Promise<Opened> {
  const changes: number[] = [];
  const { client, streams } = exchange;
  const subject = {
    product: "spot",
    symbol: "BTCUSDT",
    interval: "1m",
    priceType: "LAST_PRICE",
  } as const;
  const onChange = (fromTime: number): void => void changes.push(fromTime / MINUTE_MS);
  const feed = new CandleFeed({ client, streams, subject, onChange });
  await settled();
  return { feed, changes };
}

/** All answers that are on their way have come. */
function settled(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

/** Minutes of all candles, which have to follow one another. */
function spanOf(feed: CandleFeed): readonly [number, number] {
  const minutes = feed.candles.all.map(({ openTime }) => openTime / MINUTE_MS);
  for (let i = 1; i < minutes.length; i++) assert.equal(minutes[i], (minutes[i - 1] ?? 0) + 1);
  return [minutes[0] ?? 0, minutes.at(-1) ?? 0];
}

test("the newest over REST, then what the stream tells", async () => {
  const exchange = new FakeExchange();
  const { feed, changes } = await open(exchange);
  assert.deepEqual(spanOf(feed), [701, 1_000]);
  exchange.kline(1_000);
  exchange.kline(1_001);
  assert.deepEqual(spanOf(feed), [701, 1_001]);
  assert.deepEqual(changes, [0, 1_000, 1_001]);
  assert.equal(feed.phase.get().name, "live");
  feed.close();
  assert.equal(exchange.closed, 1);
});

test("a candle behind a hole makes it read what is missing", async () => {
  const exchange = new FakeExchange();
  const { feed } = await open(exchange);
  exchange.now = 1_007;
  exchange.kline(1_006);
  exchange.kline(1_007);
  await settled();
  assert.deepEqual(spanOf(feed), [701, 1_007]);
});

test("after an interruption the newest are read again, however wide the hole is", async () => {
  const exchange = new FakeExchange();
  const { feed } = await open(exchange);
  exchange.now = 1_003;
  exchange.change({ name: "live", reason: null, attempt: 0, resumed: true });
  await settled();
  assert.deepEqual(spanOf(feed), [701, 1_003]);
  exchange.now = 5_000;
  exchange.change({ name: "live", reason: null, attempt: 0, resumed: true });
  await settled();
  assert.deepEqual(spanOf(feed), [4_701, 5_000]);
});

test("older candles come page by page, one question at a time, until there are none", async () => {
  const exchange = new FakeExchange();
  const { feed } = await open(exchange);
  void feed.loadOlder();
  void feed.loadOlder();
  await settled();
  assert.deepEqual(spanOf(feed), [201, 1_000]);
  assert.equal(exchange.answers, 2);
  void feed.loadOlder();
  await settled();
  assert.deepEqual(spanOf(feed), [1, 1_000]);
  void feed.loadOlder();
  await settled();
  const { answers } = exchange;
  void feed.loadOlder();
  await settled();
  assert.equal(exchange.answers, answers);
});

test("no trades yet is empty; no answer is a failure that trying again mends", async () => {
  const exchange = new FakeExchange();
  exchange.now = 0;
  assert.equal((await open(exchange)).feed.phase.get().name, "empty");
  exchange.now = 10;
  exchange.failure = new Error("gone");
  const { feed } = await open(exchange);
  assert.deepEqual(feed.phase.get(), { name: "failed", error: exchange.failure });
  exchange.failure = null;
  feed.refresh();
  await settled();
  assert.equal(feed.phase.get().name, "live");
  assert.deepEqual(spanOf(feed), [1, 10]);
});
