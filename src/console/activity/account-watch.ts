/**
 * Turns the private streams of an account into sentences: fills, triggered and cancelled orders,
 * liquidations, deleveraging and funding.
 */
import type { StreamFill, StreamOrder, StreamPosition } from "../../client/index.ts";
import { compare, minus, plus } from "../decimals/arithmetic.ts";
import { groupDecimal, MONEY_DECIMALS, signed, signOf } from "../decimals/format.ts";
import type { Activity } from "./activity.ts";
import { averagePriceText } from "./average-price.ts";
import { conditionalName, reasonText, sourceName } from "./order-words.ts";

/** Orders and positions that are remembered; the oldest are forgotten first. */
const REMEMBERED_MAX = 5_000;

/** Fills of one order by one command. */
interface Filled {
  readonly quantity: string;
  readonly value: string;
  /** Null on spot. */
  readonly profit: string | null;
}

type Emit = (activity: Activity) => void;
type FundedPosition = Pick<StreamPosition, "id" | "asset" | "symbol" | "cumFundingFee">;

/** Of one product. A message of fills comes before the orders that the same command changed. */
export class AccountWatch {
  readonly #emit: Emit;
  readonly #seenFills = new Set<string>();
  readonly #filled = new Map<number, Filled>();
  /** Orders that were open: what comes next was not seen in the form. */
  readonly #open = new Set<number>();
  /** Conditional orders that were told to be triggered. */
  readonly #told = new Set<number>();
  /** What was triggered last on a side, for the name of the order that it placed. */
  readonly #triggered = new Map<string, string>();
  readonly #funding = new Map<number, string>();

  constructor(emit: Emit) {
    this.#emit = emit;
  }

  fill({ id, orderId, qty, quoteQty, realizedPnl }: StreamFill): void {
    remember(this.#seenFills, fillKey(id, orderId));
    const before = this.#filled.get(orderId) ?? { quantity: "0", value: "0", profit: null };
    this.#filled.set(orderId, {
      quantity: plus(before.quantity, qty),
      value: plus(before.value, quoteQty),
      profit: realizedPnl === null ? null : plus(before.profit ?? "0", realizedPnl),
    });
    forgetOldest(this.#filled);
  }

  /** Whether the stream has told of this fill. */
  hasSeen({ id, orderId }: { readonly id: number; readonly orderId: number }): boolean {
    return this.#seenFills.has(fillKey(id, orderId));
  }

  order(order: StreamOrder): void {
    if (isConditional(order)) this.#conditional(order);
    else this.#plain(order);
  }

  #plain(order: StreamOrder): void {
    const filled = this.#filled.get(order.orderId);
    this.#filled.delete(order.orderId);
    // An order that ends in the command that placed it was answered in the form.
    const isNews =
      order.source !== "API" || this.#open.has(order.orderId) || order.time < order.updateTime;
    if (filled !== undefined) this.#emit(this.#filledActivity(order, filled, isNews));
    if (order.status === "NEW") remember(this.#open, order.orderId);
    else this.#open.delete(order.orderId);
    if (order.cancelReason !== null) this.#emit(cancelled(order, isNews));
  }

  /** A position as it is: funding is what its sum has grown by. */
  position({ id, asset, symbol, cumFundingFee }: FundedPosition, atMs: number): void {
    const before = this.#funding.get(id);
    this.#funding.set(id, cumFundingFee);
    forgetOldest(this.#funding);
    if (before === undefined) return;
    const paid = minus(cumFundingFee, before);
    const sign = signOf(paid);
    if (sign === 0) return;
    const amount = groupDecimal(paid.replace("-", ""));
    const what = sign > 0 ? "paid" : "received";
    const text = `Funding ${what}: ${amount} ${asset} on ${symbol}`;
    this.#emit({ atMs, text, tone: sign > 0 ? "plain" : "good", isNews: true });
  }

  #conditional(order: StreamOrder): void {
    const { orderId, symbol, status, triggerPrice } = order;
    const name = conditionalName(order.type);
    if (status === "CANCELED") this.#emit(cancelled(order, false));
    if (status === "CANCELED" || status === "UNTRIGGERED" || this.#told.has(orderId)) return;
    remember(this.#told, orderId);
    this.#triggered.set(sideKey(order), name);
    const text = `${name} triggered: ${symbol} at ${groupDecimal(triggerPrice)}`;
    this.#emit({ atMs: order.updateTime, text, tone: "plain", isNews: true });
  }

  #filledActivity(order: StreamOrder, filled: Filled, isNews: boolean): Activity {
    const { symbol, side, status, source, executedQty, origQty } = order;
    const { quantity, value, profit } = filled;
    const price = averagePriceText(value, quantity);
    const verb = side === "BUY" ? "bought" : "sold";
    const known = source === "ALGO" ? this.#triggered.get(sideKey(order)) : undefined;
    const by = known ?? sourceName(source);
    const deed = `${verb} ${groupDecimal(quantity)} ${symbol} at ${price}`;
    const rest =
      status === "NEW" ? `, filled ${groupDecimal(executedQty)} of ${groupDecimal(origQty)}` : "";
    const text = `${by === null ? capital(deed) : `${by}: ${deed}`}${rest}${profitText(profit)}`;
    const isForced = source === "LIQUIDATION" || source === "ADL";
    return { atMs: order.updateTime, text, tone: isForced ? "bad" : "good", isNews };
  }
}

const isConditional = ({ triggerPrice }: StreamOrder): boolean => compare(triggerPrice, "0") !== 0;

function cancelled(order: StreamOrder, isNews: boolean): Activity {
  const { symbol, side, type, cancelReason, updateTime } = order;
  const name = isConditional(order) ? conditionalName(type) : capital(type.toLowerCase());
  const text = `${name} ${side.toLowerCase()} of ${symbol} ${reasonText(cancelReason)}`;
  const isWanted = cancelReason === "CANCELLED_BY_USER";
  return { atMs: updateTime, text, tone: "plain", isNews: isNews && !isWanted };
}

function profitText(profit: string | null): string {
  if (profit === null || signOf(profit) === 0) return "";
  return `, P&L ${signed(groupDecimal(profit, MONEY_DECIMALS))}`;
}

function sideKey({ symbol, side, positionSide }: StreamOrder): string {
  return `${symbol} ${side} ${positionSide}`;
}

function capital(text: string): string {
  return text.slice(0, 1).toUpperCase() + text.slice(1);
}

/** Both sides of a trade may be the user's. */
function fillKey(id: number, orderId: number): string {
  return `${id} ${orderId}`;
}

function remember<Id>(ids: Set<Id>, id: Id): void {
  ids.add(id);
  forgetOldest(ids);
}

function forgetOldest<Id>(kept: Map<Id, unknown> | Set<Id>): void {
  const [oldest] = kept.keys();
  if (kept.size > REMEMBERED_MAX && oldest !== undefined) kept.delete(oldest);
}
