/**
 * What one trader must find after a crash: every acknowledged order and cancel, none twice, one
 * outcome for each request without an answer, and balances that follow from its own fills and open
 * orders.
 */
import assert from "node:assert/strict";
import { exact, roundedUp, text, times } from "./exact.ts";
import type { Account } from "./exchange-setup.ts";
import type { SignedClient } from "./signed-client.ts";
import { cancelFate, placeFate, type SentOrder, type Session, SYMBOL } from "./trading-session.ts";

interface OrderRow {
  readonly orderId: number;
  readonly clientOrderId: string;
  readonly side: "BUY" | "SELL";
  readonly price: string;
  readonly origQty: string;
  readonly executedQty: string;
  readonly cummulativeQuoteQty: string;
  readonly status: string;
}

interface FillRow {
  readonly id: number;
  readonly orderId: number;
  readonly qty: string;
  readonly quoteQty: string;
  readonly commission: string;
  readonly isBuyer: boolean;
  readonly time: number;
}

export interface Funds {
  readonly USDT: string;
  readonly BTC: string;
}

const FEE_RATE = exact("0.001");
const ORDER_PAGE = 500;
const FILL_PAGE = 100;

async function allOrders(client: SignedClient): Promise<OrderRow[]> {
  const rows: OrderRow[] = [];
  for (let page = 1; ; page++) {
    const query = { symbol: SYMBOL, limit: ORDER_PAGE, page };
    const part = await client.v3<OrderRow[]>("/api/v3/allOrders", query);
    rows.push(...part);
    if (part.length < ORDER_PAGE) return rows;
  }
}

/** Pages backwards by time; a page that ends inside one millisecond overlaps the next. */
async function allFills(client: SignedClient): Promise<FillRow[]> {
  const rows = new Map<string, FillRow>();
  let endTime: number | null = null;
  for (;;) {
    const until: Record<string, number> = endTime === null ? {} : { endTime };
    const query = { symbol: SYMBOL, limit: FILL_PAGE, ...until };
    const part = await client.v3<FillRow[]>("/api/v3/myTrades", query);
    for (const row of part) rows.set(`${row.id} ${row.orderId}`, row);
    if (part.length < FILL_PAGE) return [...rows.values()];
    const oldest = Math.min(...part.map(({ time }) => time));
    assert.notEqual(oldest, endTime, "more than a page of fills in one millisecond");
    endTime = oldest;
  }
}

function byClientId(rows: readonly OrderRow[], session: Session): Map<string, OrderRow> {
  const known = new Set(session.sent.map(({ body }) => body.clientOrderId));
  const found = new Map<string, OrderRow>();
  const ids = new Set<number>();
  for (const row of rows) {
    assert.ok(known.has(row.clientOrderId), `${row.clientOrderId} was never sent`);
    assert.ok(!found.has(row.clientOrderId), `${row.clientOrderId} is there twice`);
    assert.ok(!ids.has(row.orderId), `order id ${row.orderId} is there twice`);
    ids.add(row.orderId);
    found.set(row.clientOrderId, row);
  }
  return found;
}

function assertSameOrder(order: SentOrder, row: OrderRow): void {
  const { body } = order;
  assert.deepEqual(
    [row.side, row.price, row.origQty],
    [body.side.toUpperCase(), text(exact(body.price ?? "0")), text(exact(body.quantity))],
    body.clientOrderId,
  );
}

/** Nothing acknowledged is missing or undone. */
function checkAcknowledged(order: SentOrder, row: OrderRow | undefined): void {
  const name = order.body.clientOrderId;
  if (order.place === "refused") {
    assert.equal(row, undefined, `${name} was refused and is there`);
    return;
  }
  if (row !== undefined) assertSameOrder(order, row);
  if (typeof order.place !== "object") return;
  assert.ok(row !== undefined, `${name} was acknowledged and is lost`);
  assert.equal(row.orderId, order.place.orderId, name);
  if (typeof order.cancel !== "object") return;
  if (order.cancel.result) assert.equal(row.status, "CANCELED", `cancel of ${name} was lost`);
  else assert.notEqual(row.status, "NEW", `${name} could not be cancelled and is open`);
}

/** What stayed without an answer has exactly one outcome, and a retry finds it. */
async function resolveUnknown(account: Account, order: SentOrder, row?: OrderRow): Promise<void> {
  if (order.place === "unknown") {
    order.place = await placeFate(account, order.body);
    if (row !== undefined) assert.deepEqual(order.place, { orderId: row.orderId });
  }
  if (order.cancel === "unknown") {
    order.cancel = await cancelFate(account, order.body.clientOrderId);
    assert.equal(typeof order.cancel, "object", "the outcome of a cancel is known now");
  }
}

function replayed(
  funds: Funds,
  rows: readonly OrderRow[],
  fills: readonly FillRow[],
): Record<"BTC" | "USDT", { available: string; frozen: string }> {
  const equity = { BTC: exact(funds.BTC), USDT: exact(funds.USDT) };
  const frozen = { BTC: 0n, USDT: 0n };
  for (const row of rows) {
    const own = fills.filter(({ orderId }) => orderId === row.orderId);
    const base = own.reduce((total, { qty }) => total + exact(qty), 0n);
    const quote = own.reduce((total, { quoteQty }) => total + exact(quoteQty), 0n);
    const fees = own.reduce((total, { commission }) => total + exact(commission), 0n);
    const buys = row.side === "BUY";
    assert.equal(text(base), row.executedQty, `fills of ${row.clientOrderId}`);
    assert.equal(text(quote), row.cummulativeQuoteQty, `fills of ${row.clientOrderId}`);
    assert.equal(fees, roundedUp((buys ? base : quote) * FEE_RATE, 8), `fee of ${row.orderId}`);
    equity.BTC += buys ? base - fees : -base;
    equity.USDT += buys ? -quote : quote - fees;
    if (row.status !== "NEW") continue;
    const rest = exact(row.origQty) - base;
    if (buys) frozen.USDT += times(exact(row.price), rest);
    else frozen.BTC += rest;
  }
  const wallet = (asset: "BTC" | "USDT"): { available: string; frozen: string } => ({
    available: text(equity[asset] - frozen[asset]),
    frozen: text(frozen[asset]),
  });
  return { BTC: wallet("BTC"), USDT: wallet("USDT") };
}

async function checkBalances(session: Session, funds: Funds): Promise<void> {
  const { client } = session.account;
  const rows = await allOrders(client);
  const fills = await allFills(client);
  const orders = new Set(rows.map(({ orderId }) => orderId));
  for (const { orderId } of fills) assert.ok(orders.has(orderId), `a fill of no order: ${orderId}`);
  const assets = await client.assets();
  for (const [asset, wallet] of Object.entries(replayed(funds, rows, fills))) {
    const row = assets.get(asset);
    assert.deepEqual({ available: row?.available, frozen: row?.frozen }, wallet, asset);
  }
}

export interface RecoveryCounts {
  readonly acknowledged: number;
  readonly unknown: number;
  readonly unknownApplied: number;
}

/** The whole check of one trader; afterwards none of its orders is open. */
export async function checkRecovered(session: Session, funds: Funds): Promise<RecoveryCounts> {
  const { account } = session;
  const found = byClientId(await allOrders(account.client), session);
  const counts = {
    acknowledged: session.acknowledged.length,
    unknown: session.unknown.length,
    unknownApplied: session.unknown.filter(({ body }) => found.has(body.clientOrderId)).length,
  };
  for (const order of session.sent) checkAcknowledged(order, found.get(order.body.clientOrderId));
  await checkBalances(session, funds);
  for (const order of session.sent) {
    await resolveUnknown(account, order, found.get(order.body.clientOrderId));
  }
  for (const order of session.acknowledged.slice(-5)) {
    assert.deepEqual(await placeFate(account, order.body), order.place, "a retry made a new order");
  }
  const after = byClientId(await allOrders(account.client), session);
  for (const order of session.sent) checkAcknowledged(order, after.get(order.body.clientOrderId));
  await account.client.delete("/api/v3/openOrders", { symbol: SYMBOL });
  await checkBalances(session, funds);
  return counts;
}
