/**
 * Amend a resting order. If only its quantity falls it keeps its place. Any other change is a
 * cancel and a placement in one: the order gets its new terms under the same id, behind all others
 * at its price, if the new terms pass every check of a new order. If the amendment is rejected the
 * order stays as it was.
 */
import {
  accept,
  formatSteps,
  type Result,
  reject,
  SIDES,
  TIMES_IN_FORCE,
  type TimeInForce,
} from "../../domain/index.ts";
import type { CommandOf, OrderAmendment } from "../../protocol/index.ts";
import { SPOT_AVAILABLE, SPOT_FROZEN } from "../ledger/ledger.ts";
import { NONE } from "../matching/slot.ts";
import { checkAboveFilled, checkOpenToOrders } from "../orders/order-intake.ts";
import {
  type Context,
  type ReadContext,
  type SpotMarket,
  type User,
  userOfOrder,
} from "../state.ts";
import { findOpenOrder, marketOfOrder } from "./open-orders.ts";
import {
  type CheckedOrder,
  checkLimits,
  readForm,
  type SpotOrderForm,
  wouldTake,
} from "./order-checks.ts";
import { type ExecutedOrder, executeOrder } from "./place-order.ts";
import { frozenByRestMinor, paymentAccounts, takeOutOfBook } from "./resting-orders.ts";

type AmendOrder = CommandOf<"amend-spot-order">;

/** The effect of an amendment on the order in a slot. */
interface Amendment {
  readonly slot: number;
  readonly user: User;
  readonly market: SpotMarket;
  readonly form: SpotOrderForm;
  /** Null when the order keeps its place. */
  readonly replacement: CheckedOrder | null;
}

export function amendSpotOrder(context: Context, command: AmendOrder): Result<OrderAmendment> {
  const checked = checkAmendment(context, command);
  if (!checked.ok) return checked;
  const amendment = checked.value;
  const { form, market, slot, replacement } = amendment;
  const orderId = context.state.orders.orderId(slot);
  const executed =
    replacement === null
      ? shrinkOrder(context, amendment)
      : replaceOrder(context, amendment, replacement);
  const { step, tick } = market.rules;
  return accept({
    orderId,
    clientOrderId: form.request.clientOrderId,
    symbol: market.symbol,
    price: formatSteps(form.priceTicks, tick),
    quantity: formatSteps(form.quantityLots, step),
    filledQuantity: formatSteps(executed.filledLots, step),
    status: executed.status,
    keptPriority: replacement === null,
    updatedMs: executed.updatedMs,
  });
}

/** The order's terms afterwards. */
type AmendedState = ExecutedOrder & { readonly updatedMs: number };

function checkAmendment(context: ReadContext, command: AmendOrder): Result<Amendment> {
  const { state, nowMs } = context;
  if (!state.users.has(command.uid)) return reject("unknown-user");
  if (command.symbol !== null && !state.spotMarketsBySymbol.has(command.symbol)) {
    return reject("unknown-symbol", "symbol");
  }
  const slot = findOpenOrder(state, command, nowMs);
  if (slot === NONE) {
    return reject("order-not-found", command.orderId === null ? "clientOrderId" : "orderId");
  }
  const user = userOfOrder(state, slot);
  const market = marketOfOrder(state, slot);
  const closed = checkOpenToOrders(user, market);
  if (closed !== null) return closed;

  const { orders } = state;
  const priceTicks = orders.priceTicks(slot);
  const quantityLots = orders.quantityLots(slot);
  const filledLots = orders.filledLots(slot);
  const { step, tick } = market.rules;
  const form = readForm({
    user,
    market,
    side: SIDES[orders.side(slot)],
    orderType: "LIMIT",
    timeInForce: TIMES_IN_FORCE[orders.timeInForce(slot)] as TimeInForce,
    price: command.price ?? formatSteps(priceTicks, tick),
    quantity: command.quantity ?? formatSteps(quantityLots, step),
    quantityUnit: "base",
    clientOrderId: state.clientOrders.clientOrderId(orders.clientEntry(slot)),
  });
  if (!form.ok) return form;
  const refused = checkAboveFilled(market, form.value.quantityLots, filledLots);
  if (refused !== null) return refused;
  const amendment = { slot, user, market, form: form.value };
  if (form.value.priceTicks === priceTicks && form.value.quantityLots <= quantityLots) {
    return accept({ ...amendment, replacement: null });
  }
  const frozenMinor = frozenInBook(context, market, slot);
  const replacement = checkLimits(context, form.value, { orders: 1, filledLots, frozenMinor });
  if (!replacement.ok) return replacement;
  if (form.value.request.timeInForce === "POST_ONLY" && wouldTake(replacement.value)) {
    return reject("would-take", "price");
  }
  return accept({ ...amendment, replacement: replacement.value });
}

function frozenInBook({ state }: ReadContext, market: SpotMarket, slot: number): bigint {
  const { orders } = state;
  const side = orders.side(slot);
  return frozenByRestMinor(market, side, orders.priceTicks(slot), orders.openLots(slot));
}

/** The order keeps its place with a lower quantity, or nothing changes. */
function shrinkOrder(context: Context, { slot, user, market, form }: Amendment): AmendedState {
  const { clientOrders, ledger, orders } = context.state;
  const lessLots = orders.quantityLots(slot) - form.quantityLots;
  const filledLots = orders.filledLots(slot);
  if (lessLots > 0) {
    const side = orders.side(slot);
    const accounts = paymentAccounts(context, market, user, side);
    const releasedMinor = frozenByRestMinor(market, side, form.priceTicks, lessLots);
    ledger.move(accounts + SPOT_FROZEN, accounts + SPOT_AVAILABLE, releasedMinor);
    market.book.shrink(slot, lessLots);
    const { filledQuoteMinor, feeNumerator } = pastOf(context, slot);
    orders.setProgress(slot, { filledQuoteMinor, feeNumerator, updatedMs: context.nowMs });
    emitAmendment(context, slot, form, true);
  }
  const createdMs = clientOrders.createdMs(orders.clientEntry(slot));
  const updatedMs = orders.progress(slot)?.updatedMs ?? createdMs;
  return { status: "NEW", filledLots, updatedMs };
}

/** Takes lots off a resting order, which keeps its place; some are left. */
export function reduceOrder(context: Context, slot: number, lots: number): void {
  const { clientOrders, orders } = context.state;
  const user = userOfOrder(context.state, slot);
  const market = marketOfOrder(context.state, slot);
  const priceTicks = orders.priceTicks(slot);
  const quantityLots = orders.quantityLots(slot) - lots;
  const { step, tick } = market.rules;
  const request = {
    user,
    market,
    side: SIDES[orders.side(slot)],
    orderType: "LIMIT",
    timeInForce: TIMES_IN_FORCE[orders.timeInForce(slot)] as TimeInForce,
    price: formatSteps(priceTicks, tick),
    quantity: formatSteps(quantityLots, step),
    quantityUnit: "base",
    clientOrderId: clientOrders.clientOrderId(orders.clientEntry(slot)),
  } as const;
  const side = orders.side(slot);
  const form = { request, side, priceTicks, quantityLots, quoteAmountMinor: 0n };
  shrinkOrder(context, { slot, user, market, form, replacement: null });
}

function replaceOrder(
  context: Context,
  { slot, user, market, form }: Amendment,
  replacement: CheckedOrder,
): AmendedState {
  const { clientOrders, ledger, orders } = context.state;
  const frozenMinor = frozenInBook(context, market, slot);
  const accounts = paymentAccounts(context, market, user, orders.side(slot));
  ledger.move(accounts + SPOT_FROZEN, accounts + SPOT_AVAILABLE, frozenMinor);
  emitAmendment(context, slot, form, false);
  const orderId = orders.orderId(slot);
  const clientEntry = orders.clientEntry(slot);
  const past = pastOf(context, slot);
  takeOutOfBook(context.state, market, user, slot);
  const createdMs = clientOrders.createdMs(clientEntry);
  const identity = { orderId, clientEntry, createdMs, ...past };
  const { status, filledLots } = executeOrder(context, replacement, identity);
  return { status, filledLots, updatedMs: context.nowMs };
}

/** The order's fills so far. */
function pastOf({ state }: Context, slot: number) {
  const { filledQuoteMinor = 0n, feeNumerator = 0n } = state.orders.progress(slot) ?? {};
  return { filledQuoteMinor, feeNumerator };
}

function emitAmendment(
  context: Context,
  slot: number,
  { request, priceTicks, quantityLots }: SpotOrderForm,
  keptPriority: boolean,
): void {
  const { clientOrders, orders } = context.state;
  context.emit({
    type: "spot-order-amended",
    orderId: orders.orderId(slot),
    uid: request.user.uid,
    symbol: request.market.symbol,
    clientOrderId: request.clientOrderId,
    side: request.side,
    timeInForce: request.timeInForce,
    priceTicks,
    quantityLots,
    filledLots: orders.filledLots(slot),
    filledQuoteMinor: pastOf(context, slot).filledQuoteMinor,
    keptPriority,
    createdMs: clientOrders.createdMs(orders.clientEntry(slot)),
  });
}
