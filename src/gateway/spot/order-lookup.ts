/** Open and ended orders of a market in one list, newest first, by pages. */
import { accept } from "../../domain/index.ts";
import type { SpotOrderView } from "../../protocol/index.ts";
import type { EndedSpotOrder, TimeRange } from "../../queries/history-port.ts";
import type { Exchange, Outcome } from "../endpoint.ts";
import { askPast } from "../history.ts";
import type { AnySpotOrder } from "./find-order.ts";

export interface OrderPageQuestion {
  readonly uid: number;
  readonly symbol: string;
  /** By the time of placing. */
  readonly created: TimeRange;
  /** Rows before the page. */
  readonly begin: number;
  readonly limit: number;
}

export interface OrderPage {
  readonly orders: readonly AnySpotOrder[];
  /** The sequence that they were seen at. */
  readonly sequence: number;
}

export async function askOrderPage(
  exchange: Exchange,
  { uid, symbol, created, begin, limit }: OrderPageQuestion,
): Promise<Outcome<OrderPage>> {
  const answer = await exchange.engine.ask({ type: "spot-open-orders", uid, symbol });
  if (!answer.ok) return answer;
  const { sequence } = answer;
  const open = answer.value.filter((order) => isInside(order.createdMs, created));
  const offset = Math.max(0, begin - open.length);
  const question = { uid, symbol, created, offset, limit: begin + limit - offset };
  const ended = await askPast(exchange, "ended-spot-orders", question, sequence);
  if (!ended.ok) return ended;
  return accept({ orders: mergedPage(open, ended.value, offset, begin, limit), sequence });
}

function isInside(timeMs: number, range: TimeRange): boolean {
  return (
    (range.fromMs === null || timeMs >= range.fromMs) &&
    (range.toMs === null || timeMs <= range.toMs)
  );
}

/**
 * Rows `begin` to `begin + limit` of both lists in one, newest first. `ended` starts at its row
 * `offset`, which is at most `begin` less the open orders: so an open order that is newer than all
 * of `ended` stands before the page, and only shifts it. An order that is in both lists has ended
 * since.
 */
function mergedPage(
  open: readonly SpotOrderView[],
  ended: readonly EndedSpotOrder[],
  offset: number,
  begin: number,
  limit: number,
): readonly AnySpotOrder[] {
  const endedIds = new Set(ended.map(({ orderId }) => orderId));
  const stillOpen = open.filter(({ orderId }) => !endedIds.has(orderId));
  const start = begin - offset;
  return [...stillOpen, ...ended].sort(newestFirst).slice(start, start + limit);
}

function newestFirst(a: AnySpotOrder, b: AnySpotOrder): number {
  return b.createdMs - a.createdMs || b.orderId - a.orderId;
}
