/**
 * Places a contract order: check everything, then execute. Nothing changes before the last check
 * has passed, so a refused order leaves no trace. Firing and liquidation enter below the command,
 * with orders that no user sent.
 */
import {
  accept,
  type OrderOrigin,
  type Rejection,
  type Result,
  reject,
} from "../../../domain/index.ts";
import type { CommandOf, PlacedOrder } from "../../../protocol/index.ts";
import { type Fingerprint, fingerprint, plainDecimal } from "../../matching/fingerprint.ts";
import { BUY, SELL } from "../../matching/slot.ts";
import { bandLimitTicks, findRepetition, readTicks } from "../../orders/order-intake.ts";
import { RULES_WITH_MARKET_INTEGRITY } from "../../rules-version.ts";
import type { Context, ReadContext, State, User } from "../../state.ts";
import { checkAttachedSides, createAttached } from "../conditional/attached-orders.ts";
import { contractFeeRates } from "../formulas/valuation.ts";
import {
  type ContractMarket,
  LONG,
  type PositionSideIndex,
  type SymbolAccount,
} from "../state/contract-market.ts";
import type {
  AttachedTerms,
  ContractOrderRequest,
  ContractOrderTerms,
  ContractTaker,
  ExecutedOrder,
} from "../state/order-terms.ts";
import { isFillableAtOnce } from "./fill-or-kill.ts";
import { beginTaker, finishTaker, matchTaker, walkCrossing } from "./matching.ts";
import {
  type ContractOrderForm,
  checkLimits,
  contractPriceBand,
  readForm,
} from "./order-checks.ts";

type PlaceOrder = CommandOf<"place-contract-order">;

export function placeContractOrder(context: Context, command: PlaceOrder): Result<PlacedOrder> {
  const checked = checkPlacement(context, command);
  if (!checked.ok) return checked;
  if (checked.value.repeated !== null) return accept(checked.value.repeated);
  const { orderId } = executeOrder(context, checked.value.terms);
  const { clientOrderId, symbol } = command;
  return accept({ orderId, clientOrderId, symbol, createdMs: context.nowMs });
}

/** A new order, or the first answer again. */
type Placement =
  | { readonly repeated: PlacedOrder }
  | { readonly repeated: null; readonly terms: ContractOrderTerms };

/** Everything that can be said of a new order before it is placed. Reads only. */
export function checkPlacement(context: ReadContext, command: PlaceOrder): Result<Placement> {
  const { state } = context;
  const user = state.users.get(command.uid);
  if (user === undefined) return reject("unknown-user");
  const market = state.contract.marketsBySymbol.get(command.symbol);
  if (market === undefined) return reject("unknown-symbol", "symbol");
  const payload = payloadFingerprint(command);
  const { clientOrders } = state.contract;
  const repeated = findRepetition(clientOrders, command, payload, context.nowMs);
  if (repeated !== null) return repeated;

  const form = readForm(context, requestOf(command, user, market));
  if (!form.ok) return form;
  const attached = readAttached(command, form.value);
  if (!attached.ok) return attached;
  const terms = checkAccount(state, form.value, attached.value, payload);
  return terms.ok ? accept({ repeated: null, terms: terms.value }) : terms;
}

/** Two requests are the same order when these agree, however their decimals are written. */
function payloadFingerprint(command: PlaceOrder): Fingerprint {
  return fingerprint(
    command.symbol,
    command.side,
    command.positionSide,
    command.orderType,
    command.timeInForce,
    plainDecimal(command.price),
    plainDecimal(command.quantity),
    plainDecimal(command.tpTriggerPrice ?? ""),
    plainDecimal(command.slTriggerPrice ?? ""),
    command.tpWorkingType,
    command.slWorkingType,
  );
}

function requestOf(command: PlaceOrder, user: User, market: ContractMarket): ContractOrderRequest {
  return {
    user,
    market,
    side: command.side,
    positionSide: command.positionSide,
    orderType: command.orderType,
    timeInForce: command.timeInForce,
    price: command.price,
    priceTicks: 0,
    quantityLots: null,
    quantity: command.quantity,
    clientOrderId: command.clientOrderId,
    origin: "user",
    algoId: 0,
    targetPositionId: 0,
    attached: null,
  };
}

/** The take profit and the stop loss that go with the order; null when there are none. */
function readAttached(command: PlaceOrder, form: ContractOrderForm): Result<AttachedTerms | null> {
  const { tpTriggerPrice, slTriggerPrice, tpWorkingType, slWorkingType } = command;
  if (tpTriggerPrice === null && slTriggerPrice === null) return accept(null);
  if (form.isClosing) return onlyOpening(tpTriggerPrice === null ? SL_FIELD : TP_FIELD);
  const { market } = form.request;
  const tpTicks = tpTriggerPrice === null ? 0 : readTicks(market, tpTriggerPrice, TP_FIELD);
  if (typeof tpTicks !== "number") return tpTicks;
  const slTicks = slTriggerPrice === null ? 0 : readTicks(market, slTriggerPrice, SL_FIELD);
  if (typeof slTicks !== "number") return slTicks;
  return accept({ tpTicks, slTicks, tpWorkingType, slWorkingType });
}

const TP_FIELD = "tpTriggerPrice";
const SL_FIELD = "slTriggerPrice";

function onlyOpening(field: string): Rejection {
  return reject("only-opening-orders", field);
}

/** Checks an order in full. Reads only. */
export function checkOrder(
  context: ReadContext,
  request: ContractOrderRequest,
): Result<ContractOrderTerms> {
  const form = readForm(context, request);
  return form.ok ? checkAccount(context.state, form.value, request.attached, null) : form;
}

export function checkAccount(
  state: State,
  form: ContractOrderForm,
  attached: AttachedTerms | null,
  payload: Fingerprint | null,
): Result<ContractOrderTerms> {
  const { request, side, positionSide, isClosing, priceTicks, quantityLots } = form;
  const { user, market, orderType } = request;
  if (attached !== null) {
    if (isClosing) return onlyOpening(TP_FIELD);
    const lastTicks = market.lastTicks > 0 ? market.lastTicks : market.mark.ticks;
    const reference = priceTicks > 0 ? priceTicks : lastTicks;
    const fields = { takeProfit: TP_FIELD, stopLoss: SL_FIELD };
    const refused = checkAttachedSides(positionSide, attached, reference, fields);
    if (refused !== null) return refused;
  }
  const rows = (attached?.tpTicks ? 1 : 0) + (attached?.slTicks ? 1 : 0);
  const limits = checkLimits(state, form, rows);
  if (!limits.ok) return limits;
  const account = limits.value;
  // Field by field: adding to a spread moves the object several times, for every order.
  return accept({
    user,
    market,
    side,
    positionSide,
    isClosing,
    orderType,
    timeInForce: orderType === "MARKET" ? "IOC" : request.timeInForce,
    priceTicks,
    limitTicks: account.limitTicks,
    quantityLots,
    clientOrderId: request.clientOrderId,
    payload,
    origin: request.origin,
    algoId: request.algoId,
    targetPositionId: request.targetPositionId,
    attached,
    leverage: account.leverage,
    takerFeeRateE8: account.takerFeeRateE8,
    makerFeeRateE8: account.makerFeeRateE8,
    assumedTicks: account.assumedTicks,
    frozenMinor: account.frozenMinor,
  });
}

/** An order of the exchange itself that closes a side at market price, or one position of it. */
export function systemOrderTerms(
  _state: State,
  { account, market }: SymbolAccount,
  positionSide: PositionSideIndex,
  lots: number,
  origin: OrderOrigin,
  targetPositionId: number,
): ContractOrderTerms {
  const { user } = account;
  const side = positionSide === LONG ? SELL : BUY;
  const { makerFeeRateE8, takerFeeRateE8 } = contractFeeRates(user, market);
  return {
    user,
    market,
    side,
    positionSide,
    isClosing: true,
    orderType: "MARKET",
    timeInForce: "IOC",
    priceTicks: 0,
    limitTicks: bandLimitTicks(side, contractPriceBand(market)),
    quantityLots: lots,
    clientOrderId: "",
    payload: null,
    origin,
    algoId: 0,
    targetPositionId,
    attached: null,
    leverage: 1,
    takerFeeRateE8,
    makerFeeRateE8,
    assumedTicks: 0,
    frozenMinor: 0n,
  };
}

/** Whether a post-only order would meet anybody at its price. */
export function wouldTake({ market, side, limitTicks }: ContractOrderTerms): boolean {
  return walkCrossing(market, side, limitTicks, 1).lots > 0;
}

/** Executes an order that was checked at this very state; it cannot fail any more. */
export function executeOrder(context: Context, terms: ContractOrderTerms): ExecutedOrder {
  const { limitTicks, quantityLots, timeInForce } = terms;
  const taker = beginTaker(context, terms);
  createAttached(context, terms, taker.orderId);
  if (timeInForce === "POST_ONLY" && wouldTake(terms)) taker.ended = "would-take";
  if (timeInForce === "FOK" && !fillsAtOnce(context, taker)) taker.ended = "not-fillable-at-once";
  matchTaker(context, taker, limitTicks, quantityLots);
  return finishTaker(context, taker);
}

/** Older rules count what rests, and look at nobody's money. */
function fillsAtOnce(context: Context, taker: ContractTaker): boolean {
  if (context.state.rulesVersion >= RULES_WITH_MARKET_INTEGRITY) {
    return isFillableAtOnce(context, taker);
  }
  const { limitTicks, market, quantityLots, side } = taker.terms;
  return walkCrossing(market, side, limitTicks, quantityLots).lots === quantityLots;
}
