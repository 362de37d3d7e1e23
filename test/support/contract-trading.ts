/** Contract orders, positions and wallets over HTTP, in as few words as a scenario needs. */
import assert from "node:assert/strict";
import type { Account } from "./exchange-setup.ts";

export const SYMBOL = "BTCUSDT";

/** What an order does: the first two open, the others close. */
export const BUY_LONG = { side: "BUY", positionSide: "LONG" } as const;
export const SELL_SHORT = { side: "SELL", positionSide: "SHORT" } as const;
export const SELL_LONG = { side: "SELL", positionSide: "LONG" } as const;
export const BUY_SHORT = { side: "BUY", positionSide: "SHORT" } as const;

type Direction = typeof BUY_LONG | typeof SELL_SHORT | typeof SELL_LONG | typeof BUY_SHORT;

let orders = 0;

/** A limit order where there is a price, else a market order; not sent yet. */
export function orderBody(
  direction: Direction,
  quantity: string,
  price: string | null,
  change: object = {},
): object {
  orders++;
  const newClientOrderId = `scenario-${orders}`;
  const common = { symbol: SYMBOL, ...direction, quantity, newClientOrderId };
  return price === null
    ? { ...common, type: "MARKET", ...change }
    : { ...common, type: "LIMIT", timeInForce: "GTC", price, ...change };
}

/** Places an order that must be accepted; gives its id. */
export async function place(
  account: Account,
  direction: Direction,
  quantity: string,
  price: string | null,
  change: object = {},
): Promise<number> {
  const body = orderBody(direction, quantity, price, change);
  const answer = await account.client.post("/capi/v3/order", body);
  assert.equal(answer.status, 200, answer.text);
  return Number((answer.body as { orderId: string }).orderId);
}

/** A write of the family that must succeed. */
export async function done<Answer>(account: Account, path: string, body: object): Promise<Answer> {
  const answer = await account.client.post(`/capi/v3/${path}`, body);
  assert.equal(answer.status, 200, answer.text);
  return answer.body as Answer;
}

/** Both open at one price: the first a LONG, the second a SHORT. */
export async function openBoth(
  long: Account,
  short: Account,
  quantity: string,
  price: string,
): Promise<void> {
  await place(short, SELL_SHORT, quantity, price);
  await place(long, BUY_LONG, quantity, price);
}

export async function isolate(account: Account, leverage: number): Promise<void> {
  await done(account, "account/marginType", { symbol: SYMBOL, marginType: "ISOLATED" });
  const both = { isolatedLongLeverage: leverage, isolatedShortLeverage: leverage };
  await done(account, "account/leverage", { symbol: SYMBOL, ...both });
}

export interface ContractOrderRow {
  readonly orderId: number;
  readonly clientOrderId: string;
  readonly status: string;
  readonly executedQty: string;
  readonly avgPrice: string;
  readonly type: string;
  readonly reduceOnly: boolean;
}

export function orderOf(account: Account, orderId: number): Promise<ContractOrderRow> {
  return account.client.v3("/capi/v3/order", { orderId });
}

export interface PositionRow {
  readonly id: number;
  readonly side: string;
  readonly size: string;
  readonly isolatedMargin: string;
  readonly liquidatePrice: string;
  readonly fundingFee: string;
  readonly cumLiquidateFee: string;
}

export function positionsOf(account: Account): Promise<readonly PositionRow[]> {
  return account.client.v3("/capi/v3/account/position/allPosition");
}

/** The one position of an account. */
export async function positionOf(account: Account): Promise<PositionRow> {
  const rows = await positionsOf(account);
  assert.equal(rows.length, 1, JSON.stringify(rows));
  return rows[0] as PositionRow;
}

export interface WalletRow {
  readonly balance: string;
  readonly availableBalance: string;
  readonly unrealizePnl: string;
}

export async function walletOf(account: Account): Promise<WalletRow> {
  const [row] = await account.client.v3<WalletRow[]>("/capi/v3/account/balance");
  return row as WalletRow;
}

export interface FillRow {
  readonly orderId: number;
  readonly price: string;
  readonly qty: string;
  readonly commission: string;
  readonly realizedPnl: string;
  readonly maker: boolean;
  readonly side: string;
  readonly positionSide: string;
}

/** Newest first. */
export function fillsOf(account: Account): Promise<readonly FillRow[]> {
  return account.client.v3("/capi/v3/userTrades");
}

export interface AlgoRow {
  readonly algoId: number;
  readonly algoStatus: string;
  readonly triggerPrice: string;
  readonly actualPrice: string;
  readonly actualOrderId: number | null;
}

export function openAlgosOf(account: Account): Promise<readonly AlgoRow[]> {
  return account.client.v3("/capi/v3/openAlgoOrders");
}

export async function endedAlgosOf(account: Account): Promise<readonly AlgoRow[]> {
  const path = "/capi/v3/allAlgoOrders";
  return (await account.client.v3<{ orders: readonly AlgoRow[] }>(path)).orders;
}

interface IncomeRow {
  readonly incomeType: string;
  readonly income: string;
}

/** Kinds and amounts, oldest first. */
export async function incomeOf(account: Account): Promise<(readonly [string, string])[]> {
  const { items } = await done<{ items: IncomeRow[] }>(account, "account/income", { limit: 100 });
  return items.toReversed().map(({ incomeType, income }) => [incomeType, income] as const);
}
