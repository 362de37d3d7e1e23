/**
 * The bare order book compared with the npm package `nodejs-order-book`: the same operations, no
 * ledger, no fees, no events. Rounds alternate and the median counts; both books must have traded
 * the same lots and have the same depth at the end. Time is the thread's own processor time, which
 * other work on the machine does not distort. Also measures the memory of an open order.
 */
import { strict as assert } from "node:assert/strict";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { OrderBook as PeerBook, Side as PeerSide } from "nodejs-order-book";
import { ClientOrderIndex } from "../src/engine/matching/client-order-index.ts";
import { OrderBook } from "../src/engine/matching/order-book.ts";
import { OrderPool, type OrderTerms } from "../src/engine/matching/order-pool.ts";
import { BUY, NONE, SELL, type SideIndex } from "../src/engine/matching/slot.ts";
import { type BookOperations, makeBookOperations } from "./book-operations.ts";
import type { BenchRow } from "./report.ts";
import { scaled } from "./scale.ts";

const ROUNDS = 3;
const WARM_UP_OPERATIONS = 50_000;
const COMPARED_OPERATIONS = 100_000;
const LARGE_OPERATIONS = scaled(1_000_000);
const MEMORY_ORDERS = scaled(1_000_000);
const MEMORY_ACCOUNTS = 10_000;
const MEMORY_PRICES = 20_000;
/** Fields that the bare book does not read. */
const TERMS: OrderTerms = {
  market: 0,
  side: BUY,
  timeInForce: 0,
  priceTicks: 0,
  quantityLots: 0,
  filledLots: 0,
  makerFeeRateE8: 0,
  clientEntry: NONE,
};

interface Outcome {
  readonly seconds: number;
  readonly tradedLots: number;
  readonly openOrders: number;
  /** All levels of both sides, best first, as text. */
  readonly depth: string;
}

export async function runBookBench(): Promise<BenchRow[]> {
  const compared = makeBookOperations(COMPARED_OPERATIONS);
  const large = makeBookOperations(LARGE_OPERATIONS);
  const own: Outcome[] = [];
  const peer: Outcome[] = [];
  const ownLarge: Outcome[] = [];
  // Both warm up on a part of the stream, so that no round pays for compilation.
  const warmUp = makeBookOperations(WARM_UP_OPERATIONS);
  for (const runBook of [runOwnBook, runPeerBook]) runBook(warmUp);
  for (let round = 0; round < ROUNDS; round++) {
    own.push(runOwnBook(compared));
    peer.push(runPeerBook(compared));
    ownLarge.push(runOwnBook(large));
  }
  for (const outcome of peer) {
    assert.equal(outcome.tradedLots, own[0]?.tradedLots, "both books trade the same");
    assert.equal(outcome.depth, own[0]?.depth, "both books end with the same depth");
  }
  const ownMedian = median(own);
  const perSecond = (outcome: Outcome, count: number): number =>
    Math.round(count / outcome.seconds);
  const ownPerSecond = perSecond(ownMedian, COMPARED_OPERATIONS);
  const row = (name: string, outcome: Outcome, count: number): BenchRow => ({
    name,
    value: perSecond(outcome, count),
    unit: "operations/s",
    note:
      `our 100 k rate is ${(ownPerSecond / perSecond(outcome, count)).toFixed(2)} of this; ` +
      `${outcome.tradedLots} lots traded, ${outcome.openOrders} open`,
  });
  return [
    row("book, 100 k operations", ownMedian, COMPARED_OPERATIONS),
    row("nodejs-order-book, 100 k operations", median(peer), COMPARED_OPERATIONS),
    row(
      `book, ${LARGE_OPERATIONS.toLocaleString("en-US")} operations`,
      median(ownLarge),
      LARGE_OPERATIONS,
    ),
    ...measureMemory(),
  ];
}

function runOwnBook(operations: BookOperations): Outcome {
  const pool = new OrderPool();
  const book = new OrderBook(pool);
  const started = process.threadCpuUsage();
  let tradedLots = 0;
  for (let i = 0; i < operations.count; i++) {
    if (operations.isCancel[i] === 1) {
      const slot = pool.findById(operations.target[i] as number);
      if (slot !== NONE) endOrder(pool, book, slot);
    } else {
      const side = operations.side[i] as SideIndex;
      const priceTicks = operations.priceTicks[i] as number;
      tradedLots += place(pool, book, i + 1, side, priceTicks, operations.lots[i] as number);
    }
  }
  const seconds = secondsSince(started);
  const sides = [SELL, BUY] as const;
  const depth = JSON.stringify(sides.map((side) => book.depth(side, book.levelCount(side))));
  return { seconds, tradedLots, openOrders: book.orderCount, depth };
}

/** Matches a limit order and rests the remainder. Returns the traded lots. */
function place(
  pool: OrderPool,
  book: OrderBook,
  orderId: number,
  side: SideIndex,
  priceTicks: number,
  lots: number,
): number {
  const opposite = side === BUY ? SELL : BUY;
  let rest = lots;
  while (rest > 0) {
    const maker = book.bestOrder(opposite);
    if (maker === NONE) break;
    const makerTicks = pool.priceTicks(maker);
    if (side === BUY ? makerTicks > priceTicks : makerTicks < priceTicks) break;
    const makerLots = pool.openLots(maker);
    const fill = Math.min(rest, makerLots);
    book.reduce(maker, fill);
    if (fill === makerLots) endOrder(pool, book, maker);
    rest -= fill;
  }
  if (rest > 0) {
    const filledLots = lots - rest;
    const terms = { ...TERMS, side, priceTicks, quantityLots: lots, filledLots };
    book.insert(pool.allocate(orderId, 1, terms));
  }
  return lots - rest;
}

function endOrder(pool: OrderPool, book: OrderBook, slot: number): void {
  book.remove(slot);
  pool.release(slot);
}

/** The text ids that the package requires are made before the clock starts. */
function runPeerBook(operations: BookOperations): Outcome {
  const ids = Array.from({ length: operations.count }, (_, i) => String(i + 1));
  const book = new PeerBook();
  const started = process.threadCpuUsage();
  let tradedLots = 0;
  for (let i = 0; i < operations.count; i++) {
    if (operations.isCancel[i] === 1) {
      book.cancel(ids[(operations.target[i] as number) - 1] as string);
    } else {
      const size = operations.lots[i] as number;
      const answer = book.limit({
        id: ids[i] as string,
        side: operations.side[i] === BUY ? PeerSide.BUY : PeerSide.SELL,
        size,
        price: operations.priceTicks[i] as number,
      });
      tradedLots += size - answer.quantityLeft;
    }
  }
  const seconds = secondsSince(started);
  const [asks, bids] = book.depth();
  const { bids: bidOrders, asks: queryOrders } = book.snapshot();
  const openOrders = [...bidOrders, ...queryOrders].reduce(
    (sum, { orders }) => sum + orders.length,
    0,
  );
  const bestFirst = [asks.toSorted(([a], [b]) => a - b), bids.toSorted(([a], [b]) => b - a)];
  return { seconds, tradedLots, openOrders, depth: JSON.stringify(bestFirst) };
}

/**
 * A million open orders with client order ids of 24 characters, after a full garbage collection.
 */
function measureMemory(): BenchRow[] {
  setFlagsFromString("--expose-gc");
  const collectGarbage = runInNewContext("gc") as () => void;
  const usedBytes = (): number => {
    collectGarbage();
    const { heapUsed, arrayBuffers } = process.memoryUsage();
    return heapUsed + arrayBuffers;
  };
  const before = usedBytes();
  const pool = new OrderPool();
  const book = new OrderBook(pool);
  const clientOrders = new ClientOrderIndex({ high: 1, low: 2 });
  for (let id = 1; id <= MEMORY_ORDERS; id++) {
    const uid = 1 + (id % MEMORY_ACCOUNTS);
    const clientOrderId = `bench-client-${id}`.padEnd(24, "x");
    const clientEntry = clientOrders.add(uid, clientOrderId, id, id, id, id);
    const side = id % 2 === 0 ? BUY : SELL;
    const priceTicks = 1 + ((id * 7_919) % MEMORY_PRICES) + (id % 2) * MEMORY_PRICES;
    const terms: OrderTerms = { ...TERMS, clientEntry, side, priceTicks, quantityLots: id };
    book.insert(pool.allocate(id, uid, terms));
  }
  const bytes = usedBytes() - before;
  const columns = pool.byteLength + book.byteLength + clientOrders.byteLength;
  const row = (name: string, total: number): BenchRow => ({
    name,
    value: Number((total / MEMORY_ORDERS).toFixed(1)),
    unit: "bytes per open order",
  });
  return [
    row("memory, process", bytes),
    row("memory, columns", columns),
    row("memory, pool", pool.byteLength),
    row("memory, price levels", book.byteLength),
    row("memory, client order ids", clientOrders.byteLength),
  ];
}

function secondsSince(started: NodeJS.CpuUsage): number {
  const now = process.threadCpuUsage();
  return (now.user - started.user + now.system - started.system) / 1e6;
}

function median(outcomes: readonly Outcome[]): Outcome {
  const sorted = outcomes.toSorted((a, b) => a.seconds - b.seconds);
  return sorted[Math.floor(sorted.length / 2)] as Outcome;
}
