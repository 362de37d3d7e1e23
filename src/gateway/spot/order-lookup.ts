/** Spot orders and fills of a user, for both versions: from the engine and from the history. */
import { refuse } from "../../api/errors.ts";
import { accept } from "../../domain/index.ts";
import type {
  PlacedOrder,
  SpotExecutionView,
  SpotMarketView,
  SpotOrderView,
} from "../../protocol/index.ts";
import type { EndedSpotOrder, SpotFill, TimeRange } from "../../queries/history-port.ts";
import type { Exchange, Outcome } from "../endpoint.ts";
import { queryHistory } from "../history.ts";
import type { OrderKey } from "../order-calls.ts";
import { isInside } from "../parameters.ts";
import { knownMarket } from "./markets.ts";

/** From the engine while it is open, from the history when it has ended. */
export type AnySpotOrder = SpotOrderView | EndedSpotOrder;

export function hasEnded(order: AnySpotOrder): order is EndedSpotOrder {
  return "endedMs" in order;
}

export interface FoundOrder {
  readonly order: AnySpotOrder;
  /** The sequence that it was seen at. */
  readonly sequence: number;
}

/**
 * The engine answers for an open order. What it does not have at its sequence S is looked up in the
 * history at S or later: an order that ended before S is there, and one that is placed later does
 * not count.
 */
export async function findOrder(
  exchange: Exchange,
  uid: number,
  { orderId, clientOrderId: sent }: OrderKey,
): Promise<Outcome<FoundOrder>> {
  const clientOrderId = orderId === null ? sent : null;
  const question = { uid, symbol: null, orderId, clientOrderId };
  const open = await exchange.engine.query({ type: "spot-order", ...question });
  if (open.ok) return accept({ order: open.value, sequence: open.sequence });
  if ("unavailable" in open || open.reason !== "order-not-found") return open;
  const ended = await queryHistory(exchange, "ended-spot-order", question, open.sequence);
  if (!ended.ok) return ended;
  return ended.value === null
    ? refuse("order-not-found")
    : accept({ order: ended.value, sequence: open.sequence });
}

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

/** Open and ended orders of a market in one list, newest first, by pages. */
export async function queryOrderPage(
  exchange: Exchange,
  { uid, symbol, created, begin, limit }: OrderPageQuestion,
): Promise<Outcome<OrderPage>> {
  const answer = await exchange.engine.query({ type: "spot-open-orders", uid, symbol });
  if (!answer.ok) return answer;
  const { sequence } = answer;
  const open = answer.value.filter((order) => isInside(order.createdMs, created));
  const offset = Math.max(0, begin - open.length);
  const question = { uid, symbol, created, offset, limit: begin + limit - offset };
  const ended = await queryHistory(exchange, "ended-spot-orders", question, sequence);
  if (!ended.ok) return ended;
  return accept({ orders: mergedPage(open, ended.value, offset, begin, limit), sequence });
}

/**
 * Rows `begin` to `begin + limit` of both lists in one, newest first. `ended` starts at its row
 * `offset`, which is at most `begin` less the open orders: so an open order that is newer than all
 * of `ended` comes before the page and only shifts it. An order in both lists has ended since.
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

export interface FillsQuestion {
  readonly uid: number;
  readonly symbol: string;
  readonly orderId: number | null;
  readonly time: TimeRange;
  readonly offset: number;
  readonly limit: number;
}

/** From a trade id on, oldest first. */
export interface FillsFromQuestion extends Omit<FillsQuestion, "offset"> {
  readonly fromId: number;
}

export interface MarketFills {
  readonly market: SpotMarketView;
  readonly fills: readonly SpotFill[];
}

/** Fills in a market, newest first unless they are from a trade id on. */
export async function queryFills(
  exchange: Exchange,
  question: FillsQuestion | FillsFromQuestion,
): Promise<Outcome<MarketFills>> {
  const known = await knownMarket(exchange, question.symbol);
  if (!known.ok) return known;
  const { market, sequence } = known.value;
  const fromId = "fromId" in question ? question.fromId : 0;
  // An id beyond 2^53 was never issued here: no fills.
  const isIssued = Number.isSafeInteger(question.orderId ?? 0) && Number.isSafeInteger(fromId);
  if (!isIssued) return accept({ market, fills: [] });
  const fills =
    "fromId" in question
      ? await queryHistory(exchange, "spot-fills-from", question, sequence)
      : await queryHistory(exchange, "spot-fills", question, sequence);
  return fills.ok ? accept({ market, fills: fills.value }) : fills;
}

/** Fills of the order as taker, at most: as many as a placement answers. */
const EARLIER_FILLS_MAX = 1_000;

/** What came of an order that was placed before, as far as it is known now. */
export async function earlierExecution(
  exchange: Exchange,
  { orderId, symbol }: PlacedOrder,
  uid: number,
  withFills: boolean,
): Promise<Outcome<SpotExecutionView>> {
  const found = await findOrder(exchange, uid, { orderId, clientOrderId: null });
  if (!found.ok) return found;
  const time = { fromMs: null, toMs: null };
  const question = { uid, symbol, orderId, time, offset: 0, limit: EARLIER_FILLS_MAX };
  const fills = withFills ? await queryFills(exchange, question) : null;
  if (fills !== null && !fills.ok) return fills;
  const taken = fills?.value.fills.filter(({ maker }) => !maker) ?? [];
  const fillsInOrder = taken.toReversed();
  return accept({ ...found.value.order, fills: fillsInOrder });
}
