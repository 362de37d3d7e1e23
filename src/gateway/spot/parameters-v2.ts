/** Reads what schemas leave open: the market that is meant, numbers that came as text. */
import { type Refusal, refuse } from "../../api/errors.ts";
import { symbolFromV2 } from "../../api/symbols.ts";
import { type Accepted, accept } from "../../domain/index.ts";
import type { TimeRange } from "../../queries/history-port.ts";
import { type OrderKey, readOffset, readTimeRange } from "../parameters.ts";

/** The market by its name inside. */
export function readSymbol(text: string): Accepted<string> | Refusal {
  const symbol = symbolFromV2(text);
  return symbol === null ? refuse("unknown-symbol", "symbol") : accept(symbol);
}

/** A number of a body, or its digits as text; absent ones stay so. */
export function toNumber(value: number | string | undefined): number | undefined {
  return value === undefined ? undefined : Number(value);
}

/** An id beyond 2^53 was never issued here; 0 never is, so it names no order either. */
const NO_ORDER_ID = 0;

export function toOrderId(value: number | string): number {
  const orderId = Number(value);
  return Number.isSafeInteger(orderId) ? orderId : NO_ORDER_ID;
}

/** One of the two is needed; the order id decides when both are sent. */
export function readOrderKey(
  orderId: number | string | undefined,
  clientOrderId: string | undefined,
): Accepted<OrderKey> | Refusal {
  if (orderId !== undefined) return accept({ orderId: toOrderId(orderId), clientOrderId: null });
  return clientOrderId === undefined
    ? refuse("missing-order-id", "orderId", "or clientOrderId")
    : accept({ orderId: null, clientOrderId });
}

const PAGE_STANDARD = 0;
const PAGE_SIZE_STANDARD = 10;

/** A page of a list of the past, counted from 0. */
export interface PageOfPast {
  readonly time: TimeRange;
  readonly begin: number;
  readonly pageSize: number;
}

type Whole = number | string;

export function readPage(body: {
  readonly after?: Whole;
  readonly before?: Whole;
  readonly pageIndex?: Whole;
  readonly pageSize?: Whole;
}): Accepted<PageOfPast> | Refusal {
  const { after, before, pageIndex = PAGE_STANDARD, pageSize = PAGE_SIZE_STANDARD } = body;
  const time = readTimeRange(toNumber(after), toNumber(before), ["after", "before"]);
  if (!time.ok) return time;
  const rows = Number(pageSize);
  const begin = readOffset(Number(pageIndex), rows, ["pageIndex", "before"]);
  return begin.ok ? accept({ time: time.value, begin: begin.value, pageSize: rows }) : begin;
}
