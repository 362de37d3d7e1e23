/** Messages of the trading WebSocket: requests as they are read, answers as they are written. */
import type { Family } from "../../api/calls.ts";
import { ERRORS, errorMessage, type Refusal, refuse } from "../../api/errors.ts";
import { type JsonObject, parseStrictJson } from "../../api/strict-json.ts";

const ID_LENGTH_MAX = 64;
const NO_PARAMS: JsonObject = Object.freeze({});
/** The id of an answer to a message whose own cannot be repeated. */
const NO_ID = "null";

export interface Message {
  /** As JSON. */
  readonly id: string;
  readonly method: string;
  readonly params: JsonObject;
}

/** A message that is not carried out. */
export interface Unreadable {
  readonly id: string;
  readonly refusal: Refusal;
}

export function readMessage(bytes: Uint8Array): Message | Unreadable {
  if (bytes.length === 0) return unreadable(NO_ID, refuse("malformed-json", null, "it is empty"));
  const json = parseStrictJson(bytes);
  if (!json.ok) return unreadable(NO_ID, refuse("malformed-json", null, json.detail));
  const { id: sent, method, params = NO_PARAMS } = json.value;
  const id = readId(sent);
  if (id === null) {
    const accepted = `a safe integer, or text of 1 to ${ID_LENGTH_MAX} characters`;
    return unreadable(NO_ID, refuse("invalid-parameter", "id", accepted));
  }
  if (method === undefined) return unreadable(id, refuse("missing-parameter", "method"));
  if (typeof method !== "string") {
    return unreadable(id, refuse("unknown-method", "method", "the name of a method, as text"));
  }
  if (typeof params !== "object" || params === null || Array.isArray(params)) {
    return unreadable(id, refuse("invalid-parameter", "params", "an object"));
  }
  return { id, method, params: params as JsonObject };
}

function unreadable(id: string, refusal: Refusal): Unreadable {
  return { id, refusal };
}

/** As JSON; null if it cannot be repeated. */
function readId(id: unknown): string | null {
  if (typeof id === "number") return Number.isSafeInteger(id) ? String(id) : null;
  if (typeof id !== "string" || id.length === 0 || id.length > ID_LENGTH_MAX) return null;
  return JSON.stringify(id);
}

/** `json` is the answer as the endpoint wrote it. */
export function answerText(id: string, json: string | Buffer): string {
  return `{"id":${id},"status":200,"result":${json}}`;
}

/** `retryAfterMs` is 0 where repeating the request would not help. */
export function refusalText(
  id: string,
  family: Family,
  refusal: Refusal,
  retryAfterMs: number,
): string {
  const { code, status } = ERRORS[refusal.reason][family];
  return errorText(id, status, code, errorMessage(refusal), retryAfterMs);
}

export function errorText(
  id: string,
  status: number,
  code: string | number,
  message: string,
  retryAfterMs: number,
): string {
  const retry = retryAfterMs > 0 ? `,"retryAfterMs":${Math.ceil(retryAfterMs)}` : "";
  const msg = JSON.stringify(message);
  return `{"id":${id},"status":${status},"error":{"code":${code},"msg":${msg}${retry}}}`;
}
