/**
 * Amend a contract order that rests in the book, as on spot: with less quantity alone it keeps its
 * place, with any other change it takes up its new form under its id, behind all others at its
 * price, if that form passes every check of a new order. A form that is refused leaves the order as
 * it was. Attached conditional orders that wait for the first fill follow the quantity.
 */
import {
  accept,
  formatSteps,
  POSITION_SIDES,
  type Rejection,
  type Result,
  reject,
  SIDES,
  TIMES_IN_FORCE,
  type TimeInForce,
} from "../../../domain/index.ts";
import type { CommandOf, OrderAmendment } from "../../../protocol/index.ts";
import { NONE } from "../../matching/slot.ts";
import type { Context, ReadContext } from "../../state.ts";
import { checkAttachedSides } from "../conditional/attached-orders.ts";
import { parentAmended } from "../conditional/conditional-lifecycle.ts";
import type { ContractState } from "../contract-state.ts";
import { frozenByRest } from "../formulas/order-margin.ts";
import type { SymbolAccount } from "../state/contract-market.ts";
import type {
  ContractOrderRequest,
  ContractOrderTerms,
  ExecutedOrder,
} from "../state/order-terms.ts";
import { findOpenOrder } from "./cancel-order.ts";
import { finishTaker, matchTaker, resumeTaker } from "./matching.ts";
import { type ContractOrderForm, checkPrices, readSize } from "./order-checks.ts";
import { checkAccount, wouldTake } from "./place-order.ts";
import {
  clientOrderIdOf,
  ownerOfContractOrder,
  takeOutOfBook,
  unreserve,
} from "./resting-orders.ts";

type AmendOrder = CommandOf<"amend-contract-order">;

/** What becomes of the order in a slot. */
interface Amendment {
  readonly slot: number;
  readonly owner: SymbolAccount;
  readonly form: ContractOrderForm;
  /** Null when the order keeps its place. */
  readonly replacement: ContractOrderTerms | null;
}

export function amendContractOrder(context: Context, command: AmendOrder): Result<OrderAmendment> {
  const checked = checkAmendment(context, command);
  if (!checked.ok) return checked;
  const amendment = checked.value;
  const { form, owner, replacement } = amendment;
  const { market } = owner;
  const { clientOrderId } = form.request;
  const executed =
    replacement === null
      ? shrinkOrder(context, amendment)
      : replaceOrder(context, amendment, replacement);
  return accept({
    orderId: executed.orderId,
    clientOrderId,
    symbol: market.symbol,
    price: formatSteps(form.priceTicks, market.rules.tick),
    quantity: formatSteps(form.quantityLots, market.rules.step),
    filledQuantity: formatSteps(executed.filledLots, market.rules.step),
    status: executed.status,
    keptPriority: replacement === null,
    updatedMs: executed.updatedMs,
  });
}

/** What the order is then. */
type AmendedState = ExecutedOrder & { readonly updatedMs: number };

function checkAmendment(context: ReadContext, command: AmendOrder): Result<Amendment> {
  const { state, nowMs } = context;
  const { contract } = state;
  if (!state.users.has(command.uid)) return reject("unknown-user");
  const slot = findOpenOrder(contract, command, nowMs);
  if (slot === NONE) {
    return reject("order-not-found", command.orderId === null ? "clientOrderId" : "orderId");
  }
  const owner = ownerOfContractOrder(state, slot);
  const { orders } = contract;
  const openLots = orders.openLots(slot);
  const read = readSize(requestOf(contract, owner, slot, command), {
    orders: 1,
    orderId: orders.orderId(slot),
    openLots,
    filledLots: orders.filledLots(slot),
    frozenMinor: frozenByRest(contract, slot),
  });
  if (!read.ok) return read;
  const form = read.value;
  if (form.priceTicks === orders.priceTicks(slot) && form.openLots <= openLots) {
    return accept({ slot, owner, form, replacement: null });
  }
  const refused = checkPrices(context, form) ?? checkAttached(contract, slot, form);
  if (refused !== null) return refused;
  const terms = checkAccount(state, form, null, null);
  if (!terms.ok) return terms;
  const replacement = terms.value;
  if (replacement.timeInForce === "POST_ONLY" && wouldTake(replacement)) {
    return reject("would-take", "price");
  }
  return accept({ slot, owner, form, replacement });
}

/** The order in its new form. */
function requestOf(
  contract: ContractState,
  { account, market }: SymbolAccount,
  slot: number,
  { price, quantity }: AmendOrder,
): ContractOrderRequest {
  const { extras, orders } = contract;
  return {
    user: account.user,
    market,
    side: SIDES[orders.side(slot)],
    positionSide: POSITION_SIDES[extras.positionSide(slot)],
    orderType: "LIMIT",
    timeInForce: TIMES_IN_FORCE[orders.timeInForce(slot)] as TimeInForce,
    price,
    priceTicks: orders.priceTicks(slot),
    quantityLots: quantity === null ? orders.quantityLots(slot) : null,
    quantity: quantity ?? "",
    clientOrderId: clientOrderIdOf(contract, slot),
    origin: extras.origin(slot),
    algoId: extras.algoId(slot),
    targetPositionId: extras.targetPositionId(slot),
    attached: null,
  };
}

/** Take profit and stop loss have to stand on their sides of the new price. */
function checkAttached(
  contract: ContractState,
  slot: number,
  form: ContractOrderForm,
): Rejection | null {
  const fields = { takeProfit: "price", stopLoss: "price" };
  for (const order of contract.triggerIndex.ofParent(contract.orders.orderId(slot))) {
    if (order.status !== "NEW") continue;
    const isTakeProfit = order.orderType.startsWith("TAKE_PROFIT");
    const ticks = {
      tpTicks: isTakeProfit ? order.triggerTicks : 0,
      slTicks: isTakeProfit ? 0 : order.triggerTicks,
    };
    const refused = checkAttachedSides(form.positionSide, ticks, form.priceTicks, fields);
    if (refused !== null) return refused;
  }
  return null;
}

/** The order keeps its place with less, or is as it was: then nothing happens. */
function shrinkOrder(context: Context, { slot, owner, form }: Amendment): AmendedState {
  const { contract } = context.state;
  const { extras, orders } = contract;
  const lessLots = orders.openLots(slot) - form.openLots;
  const { filledValueMinor, feeNumerator } = pastOf(contract, slot);
  if (lessLots > 0) {
    unreserve(context.state, owner, slot, lessLots);
    owner.market.book.shrink(slot, lessLots);
    contract.dirtyMarkets.add(owner.market);
    const updatedMs = context.nowMs;
    orders.setProgress(slot, { filledQuoteMinor: filledValueMinor, feeNumerator, updatedMs });
    emitAmendment(context, slot, form, true);
  }
  const orderId = orders.orderId(slot);
  const filledLots = orders.filledLots(slot);
  const updatedMs = orders.progress(slot)?.updatedMs ?? extras.createdMs(slot);
  return { orderId, status: "NEW", filledLots, filledValueMinor, updatedMs };
}

function replaceOrder(
  context: Context,
  { slot, owner, form }: Amendment,
  terms: ContractOrderTerms,
): AmendedState {
  const { contract } = context.state;
  const { extras, orders } = contract;
  unreserve(context.state, owner, slot, orders.openLots(slot));
  emitAmendment(context, slot, form, false);
  const identity = {
    orderId: orders.orderId(slot),
    clientEntry: orders.clientEntry(slot),
    createdMs: extras.createdMs(slot),
    hasAttached: extras.hasAttached(slot),
    filledLots: orders.filledLots(slot),
    ...pastOf(contract, slot),
  };
  takeOutOfBook(contract, owner, slot);
  const taker = resumeTaker(context, terms, identity);
  matchTaker(context, taker, terms.limitTicks, form.openLots);
  return { ...finishTaker(context, taker), updatedMs: context.nowMs };
}

/** What the order has filled so far. */
function pastOf({ orders }: ContractState, slot: number) {
  const { filledQuoteMinor = 0n, feeNumerator = 0n } = orders.progress(slot) ?? {};
  return { filledValueMinor: filledQuoteMinor, feeNumerator };
}

function emitAmendment(
  context: Context,
  slot: number,
  { request, priceTicks, quantityLots, replaced }: ContractOrderForm,
  keptPriority: boolean,
): void {
  const { contract } = context.state;
  const { extras, orders } = contract;
  const orderId = orders.orderId(slot);
  context.emit({
    type: "contract-order-amended",
    orderId,
    uid: request.user.uid,
    symbol: request.market.symbol,
    clientOrderId: request.clientOrderId,
    side: request.side,
    positionSide: request.positionSide,
    timeInForce: request.timeInForce,
    origin: request.origin,
    priceTicks,
    quantityLots,
    filledLots: replaced.filledLots,
    filledValueMinor: pastOf(contract, slot).filledValueMinor,
    leverage: extras.leverage(slot),
    keptPriority,
    createdMs: extras.createdMs(slot),
  });
  if (extras.hasAttached(slot)) parentAmended(context, orderId, quantityLots);
}
