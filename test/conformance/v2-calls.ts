/** What the suites of the v2 calls share: calls whose answers have their golden shapes, orders. */
import assert from "node:assert/strict";
import type { Account } from "../support/exchange-setup.ts";
import type { HttpAnswer } from "../support/http-exchange.ts";
import { dataOf, pathWithQuery, type Query } from "../support/signed-client.ts";
import { assertSuccess, BATCH } from "../support/v2-answers.ts";
import type { FieldShape } from "../support/wire-shape.ts";

export const NAME = "BTCUSDT";
export const SYMBOL = "BTCUSDT_SPBL";

export type Row = Readonly<Record<string, string | number | boolean>>;
export type Fields = Readonly<Record<string, unknown>>;

let sent = 0;
export const order = (change: Fields): Fields => ({
  side: "buy",
  orderType: "limit",
  force: "normal",
  price: "50000",
  quantity: "0.02",
  clientOrderId: `batch-${++sent}`,
  ...change,
});

export function dataIn<Data>(answer: HttpAnswer, shape: FieldShape): Data {
  assertSuccess(answer, shape);
  return dataOf<Data>(answer, "the call");
}

/** A public call goes unsigned. */
export async function get<Data>(
  { client }: Account,
  path: string,
  query: Query,
  shape: FieldShape,
) {
  const request = { method: "GET", path: pathWithQuery(`/api/v2/${path}`, query) };
  return dataIn<Data>(await client.raw(request), shape);
}

export async function post<Data>(
  { client }: Account,
  path: string,
  body: Fields,
  shape: FieldShape,
) {
  return dataIn<Data>(await client.post(`/api/v2/${path}`, body), shape);
}

export interface Placed {
  readonly resultList: { orderId: number; clientOrderId: string; err_code: string | null }[];
}

export async function place(account: Account, orders: readonly Fields[]): Promise<number[]> {
  const body = { symbol: SYMBOL, orderList: orders };
  const { resultList } = await post<Placed>(account, "trade/batch-orders", body, BATCH);
  assert.deepEqual(
    resultList.map(({ err_code, clientOrderId }) => [err_code, clientOrderId]),
    orders.map(({ clientOrderId }) => [null, clientOrderId]),
  );
  return resultList.map(({ orderId }) => orderId);
}
