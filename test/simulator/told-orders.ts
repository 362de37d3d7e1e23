/** What the answers to placements and amendments say of an order, and whether it was so. */
import type { HistoryModel } from "../history/history-model.ts";
import { exact, sum, times } from "../support/exact.ts";
import type { OrderMoment, OrderTimeline } from "./order-timelines.ts";
import { amends, type Change, hasEnded } from "./orders.ts";

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

/** A repetition is told what the order is by then. */
export function isPlacedAs(
  said: ToldOrder,
  { moments, orderId, symbol, uid }: OrderTimeline,
  history: HistoryModel,
): boolean {
  if (said.executedQty === undefined) return true;
  const isFilled = ({ filled, quantity }: OrderMoment) => filled === quantity;
  const isSo = moments.some((moment) => {
    return isAt(said, moment) && (said.status === "FILLED") === isFilled(moment);
  });
  if (!isSo || said.fills === undefined) return isSo;
  const always = { fromMs: null, toMs: null };
  const rows = history.answer("spot-fills", {
    ...{ uid, symbol, orderId: Number(orderId), time: always },
    ...{ offset: 0, limit: Number.POSITIVE_INFINITY },
  });
  const taken = rows.toReversed().filter(({ maker }) => !maker);
  const due = taken.map(({ fee, feeAsset, price, quantity, tradeId }) => {
    return `${tradeId} ${price} ${quantity} ${fee} ${feeAsset}`;
  });
  const told = said.fills.map(({ commission, commissionAsset, price, qty, tradeId }) => {
    return `${tradeId} ${price} ${qty} ${commission} ${commissionAsset}`;
  });
  return String(told) === String(due) && isSumOf(said, said.fills);
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
