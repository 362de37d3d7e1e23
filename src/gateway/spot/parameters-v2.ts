/** Reads what the schemas of v2 leave open: markets, order ids, pages. */
import { refuse } from "../../api/errors.ts";
import { symbolFromV2 } from "../../api/symbols.ts";
import { accept } from "../../domain/index.ts";
import type { TimeRange } from "../../queries/history-port.ts";
import { type OrderKey, toOrderId } from "../order-calls.ts";
import { type Read, readOffset, readTimeRange, type Whole } from "../parameters.ts";

/** The market by its internal name. */
export function readSymbol(text: string): Read<string> {
  const symbol = symbolFromV2(text);
  return symbol === null ? refuse("unknown-symbol", "symbol") : accept(symbol);
}

/** One of the two is needed; the order id decides when both are sent. */
export function readOrderKey(
  orderId: number | string | undefined,
  clientOrderId: string | undefined,
): Read<OrderKey> {
  if (orderId !== undefined) return accept({ orderId: toOrderId(orderId), clientOrderId: null });
  return clientOrderId === undefined
    ? refuse("missing-order-id", "orderId", "or clientOrderId")
    : accept({ orderId: null, clientOrderId });
}

/** A page of a list of the history, counted from 0. */
export interface HistoryPage {
  readonly time: TimeRange;
  readonly begin: number;
  readonly pageSize: number;
}

export function readPage(body: {
  readonly after?: Whole;
  readonly before?: Whole;
  readonly pageIndex: Whole;
  readonly pageSize: Whole;
}): Read<HistoryPage> {
  const time = readTimeRange(body.after, body.before, ["after", "before"]);
  if (!time.ok) return time;
  const pageSize = Number(body.pageSize);
  const begin = readOffset(Number(body.pageIndex), pageSize, ["pageIndex", "before"]);
  return begin.ok ? accept({ time: time.value, begin: begin.value, pageSize }) : begin;
}
