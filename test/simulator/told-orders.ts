/** What the answers to placements and amendments say of an order, and whether it was so. */
import { isDeepStrictEqual } from "node:util";
import type { HistoryModel } from "../history/history-model.ts";
import { exact, sum, times } from "../support/exact.ts";
import { hold } from "./breach.ts";
import type { OrderMoment, OrderTimeline } from "./order-timelines.ts";
import { amends, type Change, hasEnded, type SentOrder } from "./orders.ts";
import type { TradeTape } from "./trade-tape.ts";

interface ToldFill {
  readonly tradeId: number;
  readonly price: string;
  readonly qty: string;
  readonly commission: string;
  readonly commissionAsset: string;
}

/** Of the answer to a placement or an amendment; version 2 and contracts say less. */
export interface ToldOrder {
  readonly clientOrderId?: unknown;
  readonly lastUpdateId?: unknown;
  readonly transactTime?: unknown;
  readonly price?: unknown;
  readonly origQty?: unknown;
  readonly executedQty?: unknown;
  readonly cummulativeQuoteQty?: unknown;
  readonly status?: unknown;
  readonly keptPriority?: unknown;
  readonly updateTime?: unknown;
  readonly fills?: readonly ToldFill[];
}

/** Whether an order was at that moment what a row says. */
export function isAt(row: ToldOrder, moment: OrderMoment): boolean {
  return (
    hasEnded({ ...row }) === !moment.isOpen &&
    exact(String(row.executedQty)) === moment.filled &&
    exact(String(row.price)) === moment.price &&
    exact(String(row.origQty)) === moment.quantity
  );
}

/** What is known of fills: their fees, and the commands that they came with. */
interface KnownFills {
  readonly history: HistoryModel;
  readonly trades: TradeTape;
}

/** A repetition is told what the order is by then, and what it has taken until then. */
export function isPlacedAs(said: ToldOrder, timeline: OrderTimeline, known: KnownFills): boolean {
  if (said.executedQty === undefined) return true;
  return timeline.moments.some((moment) => isPlacedAt(said, moment, timeline, known));
}

/** Whether it was at that moment what a placement, or its repetition, is answered. */
export function isPlacedAt(
  said: ToldOrder,
  moment: OrderMoment,
  timeline: OrderTimeline,
  known: KnownFills,
): boolean {
  const isFilled = moment.filled === moment.quantity;
  if (!isAt(said, moment) || (said.status === "FILLED") !== isFilled) return false;
  if (said.fills === undefined) return true;
  const told = said.fills.map(({ commission, commissionAsset, price, qty, tradeId }) => {
    return `${tradeId} ${price} ${qty} ${commission} ${commissionAsset}`;
  });
  const due = takenUpTo(moment.sequence, timeline, known);
  return String(told) === String(due) && isSumOf(said, said.fills);
}

/** Later ones are of amendments: a placement that rested has not taken what these take. */
function takenUpTo(
  sequence: number,
  { orderId, symbol, uid }: OrderTimeline,
  { history, trades }: KnownFills,
): readonly string[] {
  const until = trades.of("spot", symbol).filter((trade) => trade.sequence <= sequence);
  const ids = new Set(until.map(({ id }) => id));
  const always = { fromMs: null, toMs: null };
  const rows = history.answer("spot-fills", {
    ...{ uid, symbol, orderId: Number(orderId), time: always },
    ...{ offset: 0, limit: Number.POSITIVE_INFINITY },
  });
  const taken = rows.toReversed().filter(({ maker, tradeId }) => !maker && ids.has(`${tradeId}`));
  return taken.map(({ fee, feeAsset, price, quantity, tradeId }) => {
    return `${tradeId} ${price} ${quantity} ${fee} ${feeAsset}`;
  });
}

/** In the order of the matches; a retry is told these, and what an amendment has taken since. */
export function learnFills(order: SentOrder, { fills }: ToldOrder): void {
  if (fills === undefined) return;
  const ids = fills.map(({ tradeId }) => tradeId);
  const isInOrder = ids.every((id, index) => index === 0 || id > (ids[index - 1] ?? 0));
  const detail = () => `${order.clientOrderId}: ${JSON.stringify([order.fills, fills])}`;
  hold(isInOrder, "fills come in their order", detail);
  const first = order.fills ?? [];
  const isSame = isDeepStrictEqual(fills.slice(0, first.length), first);
  hold(isSame, "a retry has the first answer", detail);
  order.fills = fills;
}

/** Unless others have taken some of the rest meanwhile. */
function isSumOf(
  { cummulativeQuoteQty, executedQty }: ToldOrder,
  fills: readonly ToldFill[],
): boolean {
  const filled = sum(fills.map(({ qty }) => exact(qty)));
  const value = sum(fills.map(({ price, qty }) => times(exact(price), exact(qty))));
  return filled !== exact(String(executedQty)) || value === exact(String(cummulativeQuoteQty));
}

/**
 * Whether an amendment that is answered so has made the order what it was at a moment. One that
 * changes nothing leaves it in its place, whatever was done to it before.
 */
export function isAmendedAs(
  said: ToldOrder,
  moment: OrderMoment,
  { moments }: OrderTimeline,
  isChange: boolean,
): boolean {
  const before = moments[moments.indexOf(moment) - 1] ?? moment;
  const isKept = moment.price === before.price && moment.quantity <= before.quantity;
  const isPlace = said.keptPriority === isKept || (!isChange && said.keptPriority === true);
  return isAt(said, moment) && isPlace && said.updateTime === moment.timeMs;
}

/** Whether it makes of all terms that an order may have other ones. */
export function isChangeOf(terms: readonly string[], change: Change): boolean {
  return terms.every((known) => !amends(known, change));
}
