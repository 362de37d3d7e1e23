/** An outcome on the wire of each family: status and body. */

import type { Family } from "../../api/calls.ts";
import {
  V2_SUCCESS_CODE,
  V2_SUCCESS_MESSAGE,
  V2_TIMESTAMPED_SUCCESS_CODE,
} from "../../api/envelope.ts";
import { ERRORS, errorMessage, type Refusal } from "../../api/errors.ts";
import type { Route } from "../../api/route.ts";

/** Of a route or, where no route is known, of its family. */
type Wording = Pick<Route, "family" | "envelope">;

export const JSON_CONTENT_TYPE = "application/json; charset=utf-8";
export const RETRY_AFTER_SECONDS = 1;

/** `json` is the answer as the endpoint wrote it; times are exchange time. */
export function successBody(
  { family, envelope = "message" }: Wording,
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

export function errorBody(wording: Wording, refusal: Refusal, exchangeMs: number): string {
  const { [wording.family]: own } = ERRORS[refusal.reason];
  return errorText(wording, own.code, errorMessage(refusal), exchangeMs);
}

/** Where success has a `timestamp`, a refusal has it too, beside the `requestTime` of v2. */
export function errorText(
  { family, envelope = "message" }: Wording,
  code: string | number,
  msg: string,
  exchangeMs: number,
): string {
  const error = { code, msg };
  if (family !== "v2") return JSON.stringify(error);
  const timed = { ...error, requestTime: exchangeMs, data: null };
  return JSON.stringify(envelope === "message" ? timed : { ...timed, timestamp: exchangeMs });
}
