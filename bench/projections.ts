/**
 * How fast history is written and read: the projection worker processes a synthetic but realistic
 * stream of events, then queries run in the reader worker over the resulting file.
 */
import { mkdtempSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import type { Side } from "../src/domain/index.ts";
import { NODE_PLATFORM } from "../src/platform/index.ts";
import { openProjections } from "../src/projections/index.ts";
import { ByteWriter, type Event, writeEvent } from "../src/protocol/index.ts";
import { type HistoryQueryName, HistoryReader } from "../src/queries/index.ts";
import type { BenchRow } from "./report.ts";
import { scaled } from "./scale.ts";

const EVENTS = scaled(1_000_000);
const EVENTS_PER_ROUND = scaled(100_000);
const COMMANDS_PER_CHUNK = 100;
const USERS = 1_000;
const MARKETS = ["BTCUSDT", "ETHUSDT", "SOLUSDT", "ETHBTC", "XRPUSDT"];
const ASSETS = ["USDT", "BTC", "ETH", "SOL", "XRP"];
/** Of one user, who is in each of them: lists over all markets have that many parts. */
const WIDE_UID = 5_000;
const WIDE_MARKETS = Array.from({ length: 100 }, (_, i) => `M${100 + i}USDT`);
/** One order in so many is of that user. */
const WIDE_SHARE = 40;
const QUESTIONS_EACH = scaled(200);
const START_MS = Date.UTC(2026, 0, 1);

interface Chunk {
  readonly chunk: Uint8Array;
  readonly lastSequence: number;
}

/** Writes `events` events and runs queries about them; the rows are plain JSON. */
export async function runProjectionBench(events = EVENTS): Promise<BenchRow[]> {
  const folder = mkdtempSync(join(tmpdir(), "rialto-bench-"));
  try {
    return await measure(folder, events);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

async function measure(folder: string, events: number): Promise<BenchRow[]> {
  const onFailure = (error: Error) => {
    throw error;
  };
  const journal = { lastSequence: 0, read: nothing };
  const { path, writer } = await openProjections({
    threads: NODE_PLATFORM.threads,
    folder,
    journal,
    log: console.error,
    onFailure,
  });
  const reader = new HistoryReader({ platform: NODE_PLATFORM, path, progress: writer, onFailure });
  const flow = new OrderFlow();
  const listing = flow.listings();
  writer.offer(listing.chunk, listing.lastSequence);
  while (writer.appliedSequence < listing.lastSequence) await setTimeout(1);

  let busyMs = 0;
  let cpuMicroseconds = 0;
  let lastSequence = listing.lastSequence;
  while (flow.events < events) {
    const chunks: Chunk[] = [];
    for (const end = flow.events + EVENTS_PER_ROUND; flow.events < end; ) chunks.push(flow.next());
    const startedMs = performance.now();
    const startedCpu = process.cpuUsage();
    for (const { chunk, lastSequence: last } of chunks) {
      writer.offer(chunk, last);
      lastSequence = last;
      await writer.drained();
    }
    while (writer.appliedSequence < lastSequence) await setTimeout(1);
    busyMs += performance.now() - startedMs;
    const { user, system } = process.cpuUsage(startedCpu);
    cpuMicroseconds += user + system;
  }
  const perSecond = Math.round((flow.events / busyMs) * 1_000);
  const perCpuSecond = Math.round((flow.events / cpuMicroseconds) * 1_000_000);
  const rows: BenchRow[] = [
    { name: "events written", value: flow.events, unit: "events" },
    { name: "trades in them", value: flow.trades, unit: "trades" },
    { name: "write rate", value: perSecond, unit: "events/s" },
    {
      name: "write rate of a core of its own",
      value: perCpuSecond,
      unit: "events/s",
      note: "by processor time, so that other programs do not count",
    },
  ];
  const light = await readYourWrites(writer, reader, flow);
  rows.push({ name: "one command until it is read", value: light, unit: "us" });
  rows.push(...(await queryAll(reader, lastSequence, flow)));
  await reader.close();
  await writer.close();
  const bytes = statSync(path).size;
  rows.push({ name: "file", value: Math.round(bytes / flow.events), unit: "bytes/event" });
  return rows;
}

/** Median time from submitting one command to an answer that includes it, on an idle exchange. */
async function readYourWrites(
  writer: { offer(chunk: Uint8Array, lastSequence: number): void },
  reader: HistoryReader,
  flow: OrderFlow,
): Promise<number> {
  const times: number[] = [];
  for (let i = 0; i < 300; i++) {
    const { chunk, lastSequence } = flow.next(1);
    const startedMs = performance.now();
    writer.offer(chunk, lastSequence);
    await reader.query("public-spot-trades", { symbol: "BTCUSDT", limit: 1 }, lastSequence);
    times.push(performance.now() - startedMs);
  }
  return median(times);
}

async function queryAll(
  reader: HistoryReader,
  sequence: number,
  flow: OrderFlow,
): Promise<BenchRow[]> {
  const open = { fromMs: null, toMs: null };
  const uid = 1_001;
  const nowMs = flow.timestampMs;
  const candles = { symbol: "BTCUSDT", time: open, nowMs, limit: 1_000 } as const;
  const questions: readonly (readonly [string, HistoryQueryName, object])[] = [
    [
      "100 ended orders",
      "ended-spot-orders",
      { uid, symbol: null, created: open, offset: 0, limit: 100 },
    ],
    [
      "100 fills of a market",
      "spot-fills",
      { uid, symbol: "BTCUSDT", orderId: null, time: open, offset: 0, limit: 100 },
    ],
    [
      "100 bills of an asset",
      "bills",
      { uid, asset: "USDT", billType: null, time: open, limit: 100 },
    ],
    [
      "100 ended orders of 100 markets",
      "ended-spot-orders",
      { uid: WIDE_UID, symbol: null, created: open, offset: 0, limit: 100 },
    ],
    [
      "100 fills of 100 markets",
      "spot-fills",
      { uid: WIDE_UID, symbol: null, orderId: null, time: open, offset: 0, limit: 100 },
    ],
    [
      "100 bills of 100 markets",
      "bills",
      { uid: WIDE_UID, asset: null, billType: null, time: open, limit: 100 },
    ],
    ["100 public trades", "public-spot-trades", { symbol: "BTCUSDT", limit: 100 }],
    ["300 candles of 1m", "spot-candles", { ...candles, interval: "1m", limit: 300 }],
    ["1000 candles of 1m", "spot-candles", { ...candles, interval: "1m" }],
    ["1000 candles of 1d", "spot-candles", { ...candles, interval: "1d", nowMs: nowMs + 9e10 }],
    ["1000 candles of 1M", "spot-candles", { ...candles, interval: "1M", nowMs: nowMs + 3e12 }],
  ];
  const rows: BenchRow[] = [];
  for (const [name, query, question] of questions) {
    const times: number[] = [];
    for (let i = 0; i < QUESTIONS_EACH; i++) {
      const startedMs = performance.now();
      await reader.query(query, question as never, sequence);
      times.push(performance.now() - startedMs);
    }
    rows.push({ name, value: median(times), unit: "us" });
  }
  return rows;
}

/** Microseconds. */
function median(timesMs: readonly number[]): number {
  const sorted = timesMs.toSorted((a, b) => a - b);
  return Math.round((sorted[sorted.length >> 1] ?? 0) * 1_000);
}

async function* nothing() {}

/** Half of the commands rest an order, a quarter cancel one, a quarter take one or two. */
class OrderFlow {
  events = 0;
  trades = 0;
  timestampMs = START_MS;
  #sequence = 0;
  #lastOrderId = 0;
  #seed = 1;
  readonly #writer = new ByteWriter(64 * 1024);

  listings(): Chunk {
    this.#writer.clear();
    for (const asset of ASSETS) {
      this.#enter();
      this.#write({ type: "asset-set", actor: "b", asset, coinId: 1, name: asset, scale: 8 });
    }
    for (const symbol of [...MARKETS, ...WIDE_MARKETS]) {
      const quote = symbol.endsWith("BTC") ? "BTC" : "USDT";
      this.#enter();
      this.#write({
        type: "spot-market-set",
        actor: "b",
        symbol,
        baseAsset: MARKETS.includes(symbol) ? symbol.slice(0, 3) : "BTC",
        quoteAsset: quote,
        tickSize: "0.01",
        stepSize: "0.0001",
        minTradeAmount: "0.0001",
        maxTradeAmount: "1000",
        minNotional: "0",
        makerFeeRate: "0.001",
        takerFeeRate: "0.001",
        buyLimitPriceRatio: "0.1",
        sellLimitPriceRatio: "0.1",
        maxOpenOrders: 200,
        state: "trading",
      });
    }
    return this.#chunk();
  }

  next(commands = COMMANDS_PER_CHUNK): Chunk {
    this.#writer.clear();
    this.timestampMs += 2_000;
    for (let i = 0; i < commands; i++) {
      this.#enter();
      const kind = this.#below(4);
      if (kind < 2) this.#rest();
      else if (kind === 2) this.#end();
      else this.#take(1 + this.#below(2));
    }
    return this.#chunk();
  }

  #chunk(): Chunk {
    return { chunk: this.#writer.toBytes(), lastSequence: this.#sequence };
  }

  #enter(): void {
    const timestampMs = this.timestampMs;
    this.#write({ type: "command-applied", sequence: ++this.#sequence, timestampMs });
  }

  #write(event: Event): void {
    this.events++;
    writeEvent(this.#writer, event);
  }

  #below(limit: number): number {
    this.#seed = (Math.imul(this.#seed, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((this.#seed / 2 ** 32) * limit);
  }

  #order(orderId: number) {
    const side: Side = orderId % 2 === 0 ? "BUY" : "SELL";
    const isWide = this.#below(WIDE_SHARE) === 0;
    const markets = isWide ? WIDE_MARKETS : MARKETS;
    return {
      orderId,
      uid: isWide ? WIDE_UID : 1_000 + this.#below(USERS),
      symbol: markets[this.#below(markets.length)] ?? "BTCUSDT",
      clientOrderId: `client-order-${orderId}`,
      side,
      timeInForce: "GTC" as const,
      priceTicks: 6_000_000 + this.#below(10_000),
      quantityLots: 1 + this.#below(10_000),
    };
  }

  #rest(): void {
    const order = this.#order(++this.#lastOrderId);
    this.#write({ type: "spot-order-opened", ...order, filledLots: 0, filledQuoteMinor: 0n });
  }

  #end(): void {
    this.#write({
      type: "spot-order-ended",
      ...this.#order(++this.#lastOrderId),
      orderType: "LIMIT",
      quoteAmountMinor: 0n,
      filledLots: 0,
      filledQuoteMinor: 0n,
      status: "CANCELED",
      reason: "cancelled-by-user",
      createdMs: this.timestampMs,
    });
  }

  #take(fills: number): void {
    for (let i = 0; i < fills; i++) {
      const { symbol, uid, priceTicks, quantityLots } = this.#order(0);
      const baseMinor = BigInt(quantityLots) * 10_000n;
      const quoteMinor = BigInt(priceTicks) * BigInt(quantityLots) * 100n;
      this.trades++;
      this.#write({
        type: "spot-trade",
        tradeId: this.trades,
        symbol,
        takerSide: this.#below(2) === 0 ? "BUY" : "SELL",
        priceTicks,
        quantityLots,
        baseMinor,
        quoteMinor,
        makerOrderId: Math.max(1, this.#lastOrderId - this.#below(1_000)),
        takerOrderId: this.#lastOrderId + 1,
        makerUid: uid,
        takerUid: 1_000 + this.#below(USERS),
        makerFeeMinor: quoteMinor / 1_000n,
        takerFeeMinor: baseMinor / 1_000n,
        buyerBaseEquityMinor: 10_000_000_000n + baseMinor,
        buyerQuoteEquityMinor: 100_000_000_000_000n - quoteMinor,
        sellerBaseEquityMinor: 10_000_000_000n - baseMinor,
        sellerQuoteEquityMinor: 100_000_000_000_000n + quoteMinor,
      });
      this.#end();
    }
    this.#end();
  }
}
