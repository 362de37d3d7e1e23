/** Shared by the contract suites: three traders, and orders between two of them. */
import assert from "node:assert/strict";
import type { Order, Position, weex } from "ccxt";
import { BTC_SWAP, type CcxtFixture, type Trader } from "./ccxt-client.ts";

export interface SwapFixture extends CcxtFixture {
  readonly carol: Trader;
  /** What each trader began with, in USDT. */
  readonly funds: string;
}

export interface ExpectedOrder {
  readonly status: "open" | "closed" | "canceled";
  readonly filled: number;
  readonly cost?: number;
}

/** Reads the order again and compares what is named. */
export async function expectSwapOrder(
  client: weex,
  order: Order,
  expected: ExpectedOrder,
  symbol = BTC_SWAP,
): Promise<Order> {
  const read = await client.fetchOrder(order.id as string, symbol);
  assert.equal(read.id, order.id);
  assert.equal(read.symbol, symbol);
  assert.equal(read.status, expected.status, JSON.stringify(read.info));
  assert.equal(read.filled, expected.filled, JSON.stringify(read.info));
  if (expected.cost !== undefined) assert.equal(read.cost, expected.cost);
  return read;
}

/** A trade between two accounts, both opening: the seller's order rests and the buyer takes it. */
export async function openPair(
  buyer: Trader,
  seller: Trader,
  amount: number,
  price: number,
  symbol = BTC_SWAP,
): Promise<void> {
  await seller.ccxt.createOrder(symbol, "limit", "sell", amount, price);
  await buyer.ccxt.createOrder(symbol, "limit", "buy", amount, price, { timeInForce: "IOC" });
}

/** The same in the other direction, both closing. */
export async function closePair(
  holder: Trader,
  shortHolder: Trader,
  amount: number,
  price: number,
  symbol = BTC_SWAP,
): Promise<void> {
  const closing = { reduceOnly: true };
  await shortHolder.ccxt.createOrder(symbol, "limit", "buy", amount, price, closing);
  const ioc = { ...closing, timeInForce: "IOC" };
  await holder.ccxt.createOrder(symbol, "limit", "sell", amount, price, ioc);
}

export async function positionOf(
  trader: Trader,
  side: "long" | "short",
  symbol = BTC_SWAP,
): Promise<Position | null> {
  const positions = await trader.ccxt.fetchPositions([symbol]);
  const ofSide = positions.filter((position) => position.side === side);
  assert.ok(ofSide.length <= 1, "more than one position of a side");
  return ofSide[0] ?? null;
}

/** Ends whatever the trader still has: open orders, conditional orders, positions. */
export async function flatten(trader: Trader, maker: Trader, symbol = BTC_SWAP): Promise<void> {
  await trader.ccxt.cancelAllOrders(symbol);
  await trader.ccxt.cancelAllOrders(symbol, { trigger: true });
  await maker.ccxt.cancelAllOrders(symbol);
  await maker.ccxt.cancelAllOrders(symbol, { trigger: true });
  const price = Number((await trader.ccxt.fetchMarkPrice(symbol)).markPrice);
  const [long, short] = [
    await positionOf(trader, "long", symbol),
    await positionOf(trader, "short", symbol),
  ];
  if (long !== null) await closePair(trader, maker, long.contracts as number, price, symbol);
  if (short !== null) await closePair(maker, trader, short.contracts as number, price, symbol);
}
