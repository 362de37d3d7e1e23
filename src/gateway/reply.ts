/**
 * What an outcome looks like on the wire of each family: status, body, and nothing of our inside.
 */
import {
  V2_SUCCESS_CODE,
  V2_SUCCESS_MESSAGE,
  V2_TIMESTAMPED_SUCCESS_CODE,
} from "../api/envelope.ts";
import { ERRORS, errorMessage, type Refusal } from "../api/errors.ts";
import type { Family, Route } from "../api/route.ts";

export const JSON_CONTENT_TYPE = "application/json; charset=utf-8";
export const RETRY_AFTER_SECONDS = 1;

/** `json` is the answer as the endpoint wrote it; times are exchange time. */
export function successBody(
  { family, envelope = "message" }: Pick<Route, "family" | "envelope">,
  json: string | Buffer,
  exchangeMs: number,
): string | Buffer {
  if (family !== "v2") return json;
  if (envelope === "message") {
    return (
      `{"code":"${V2_SUCCESS_CODE}","msg":"${V2_SUCCESS_MESSAGE}",` +
      `"requestTime":${exchangeMs},"data":${json}}`
    );
  }
  const before = `{"code":"${V2_TIMESTAMPED_SUCCESS_CODE}",`;
  const after = `,"timestamp":${exchangeMs}}`;
  if (envelope === "merged") return `${before}${json.slice(1, -1)}${after}`;
  if (typeof json === "string") return `${before}"data":${json}${after}`;
  return Buffer.concat([Buffer.from(`${before}"data":`), json, Buffer.from(after)]);
}

export function errorStatus(family: Family, refusal: Refusal): number {
  return ERRORS[refusal.reason][family].status;
}

/**
 * A v2 answer to an exceeded limit carries no time and an empty object, as clients of it have seen.
 */
export function errorBody(family: Family, refusal: Refusal, exchangeMs: number): string {
  const { v2, [family]: own } = ERRORS[refusal.reason];
  const msg = errorMessage(refusal);
  if (family !== "v2") return JSON.stringify({ code: own.code, msg });
  return refusal.reason === "rate-limited"
    ? JSON.stringify({ code: v2.code, msg, data: {} })
    : JSON.stringify({ code: v2.code, msg, requestTime: exchangeMs, data: null });
}
