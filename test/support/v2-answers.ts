/** The envelopes of the v2 family, and the checks that tests of it share. */
import assert from "node:assert/strict";
import type { HttpAnswer } from "./http-exchange.ts";
import { assertShape, type FieldShape, type Shape } from "./wire-shape.ts";

export const PLACED_ORDER: Shape = { orderId: "integer", clientOrderId: "string" };
export const CANCEL_RESULT: Shape = {
  order_id: "digits",
  client_oid: "?string",
  symbol: "string",
  result: "boolean",
  err_code: "?string",
  err_msg: "?string",
};
export const ASSET: Shape = {
  coinId: "integer",
  coinName: "string",
  available: "decimal",
  frozen: "decimal",
  equity: "decimal",
};
export const TICKER: Shape = {
  symbol: "string",
  priceChange: "decimal",
  priceChangePercent: "decimal",
  trades: "integer",
  size: "decimal",
  value: "decimal",
  high: "decimal",
  low: "decimal",
  open: "decimal",
  close: "decimal",
  highTime: "integer",
  lowTime: "integer",
  startTime: "integer",
  endTime: "integer",
  lastPrice: "decimal",
  markPrice: "decimal",
  indexPrice: "decimal",
  openInterest: "decimal",
  ts: "integer",
};

/** The success envelope, whole: four names, no more. */
export function assertSuccess(answer: HttpAnswer, data: FieldShape): void {
  assert.equal(answer.status, 200, answer.text);
  assert.match(answer.headers["content-type"] ?? "", /^application\/json/);
  const envelope = answer.body as { code: unknown; msg: unknown };
  assertShape(envelope, { code: "string", msg: "string", requestTime: "integer", data });
  assert.equal(envelope.code, "00000");
  assert.equal(envelope.msg, "success");
}

/** The refusal envelope, whole; `data` is null. */
export function assertRefused(answer: HttpAnswer, code: string, status = 400): void {
  const envelope = answer.body as { code: unknown };
  assert.equal(envelope?.code, code, answer.text);
  assert.equal(answer.status, status, answer.text);
  assert.match(answer.headers["content-type"] ?? "", /^application\/json/);
  assertShape(envelope, { code: "string", msg: "string", requestTime: "integer", data: null });
  assert.ok((answer.body as { msg: string }).msg.length > 0);
}
