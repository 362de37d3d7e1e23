/** Place, modify and cancel conditional orders, as a user asks. */
import { accept, formatSteps, type Rejection, type Result, reject } from "../../../domain/index.ts";
import type { CancelledOrder, CommandOf, PlacedAlgoOrder } from "../../../protocol/index.ts";
import type { User } from "../../accounts/user.ts";
import { type Fingerprint, fingerprint, plainDecimal } from "../../matching/fingerprint.ts";
import { NONE } from "../../matching/slot.ts";
import { checkOpenToOrders, findRepetition, readTicks } from "../../orders/order-intake.ts";
import type { Context, State } from "../../state.ts";
import { findSymbolAccount, symbolAccountOf } from "../contract-state.ts";
import { holdsAt, isTrailing, workingTicks } from "../indexes/trigger-index.ts";
import type { ConditionalOrder, ContractMarket } from "../state/contract-market.ts";
import { checkAttachedSides } from "./attached-orders.ts";
import { addConditionalOrder, cancelConditional, emitChange } from "./conditional-lifecycle.ts";
import {
  type ConditionalTerms,
  type PlaceConditionalOrder,
  readConditionalTerms,
} from "./conditional-terms.ts";

export function placeConditionalOrder(
  context: Context,
  command: PlaceConditionalOrder,
): Result<PlacedAlgoOrder> {
  const { state } = context;
  const user = state.users.get(command.uid);
  if (user === undefined) return reject("unknown-user");
  const market = state.contract.marketsBySymbol.get(command.symbol);
  if (market === undefined) return reject("unknown-symbol", "symbol");

  const payload = payloadFingerprint(command);
  const { clientAlgoId, symbol } = command;
  const { clientConditionalOrders } = state.contract;
  const named = { uid: user.uid, clientOrderId: clientAlgoId, symbol };
  const repeated = findRepetition(
    clientConditionalOrders,
    named,
    payload,
    context.nowMs,
    "clientAlgoId",
  );
  if (repeated?.ok === false) return repeated;
  if (repeated !== null) {
    const { orderId: algoId, createdMs } = repeated.value.repeated;
    return accept({ algoId, clientAlgoId, symbol, createdMs });
  }
  const closed = checkOpenToOrders(user, market);
  if (closed !== null) return closed;

  const read = readConditionalTerms(market, command);
  if (!read.ok) return read;
  const terms = read.value;
  const refused = checkPlacement(state, user, market, command, terms);
  if (refused !== null) return refused;

  const createdMs = context.nowMs;
  const algoId = state.nextOrderId++;
  const { high, low } = payload;
  clientConditionalOrders.evict(createdMs);
  const clientEntry = clientConditionalOrders.add(
    user.uid,
    clientAlgoId,
    algoId,
    high,
    low,
    createdMs,
  );
  addConditionalOrder(context, {
    ...terms,
    algoId,
    owner: symbolAccountOf(state, user, market),
    clientAlgoId,
    clientEntry,
    orderType: command.orderType,
    side: command.side,
    closePosition: command.closePosition,
    status: "UNTRIGGERED",
    parentOrderId: 0,
    actualOrderId: 0,
    workingType: command.workingType,
    extremeTicks: 0,
    createdMs,
    updatedMs: createdMs,
    triggeredMs: 0,
    heapItem: NONE,
  });
  return accept({ algoId, clientAlgoId, symbol: market.symbol, createdMs });
}

/** Two requests are the same order when these agree, however their decimals are written. */
function payloadFingerprint(command: PlaceConditionalOrder): Fingerprint {
  const { presetTakeProfitPrice, presetStopLossPrice, activationPrice } = command;
  return fingerprint(
    command.symbol,
    command.side,
    command.positionSide,
    command.orderType,
    plainDecimal(command.quantity),
    command.closePosition ? 1 : 0,
    command.isTpSl ? 1 : 0,
    plainDecimal(command.triggerPrice),
    plainDecimal(command.price),
    command.workingType,
    plainDecimal(presetTakeProfitPrice ?? ""),
    plainDecimal(presetStopLossPrice ?? ""),
    command.tpWorkingType,
    command.slWorkingType,
    plainDecimal(command.callbackRate),
    plainDecimal(activationPrice ?? ""),
  );
}

/** Checks against the account, its position and current prices. */
function checkPlacement(
  state: State,
  user: User,
  market: ContractMarket,
  command: PlaceConditionalOrder,
  terms: ConditionalTerms,
): Rejection | null {
  const { maxOpenOrders, step } = market.rules;
  const owner = findSymbolAccount(state, user, market);
  if ((owner?.conditionalOrders ?? 0) >= maxOpenOrders) {
    return reject("too-many-open-orders", "symbol", `at most ${maxOpenOrders}`);
  }
  if (terms.reduceOnly) {
    const sideLots = owner?.sideLots[terms.positionSide] ?? 0;
    if (sideLots === 0) {
      return reject("close-exceeds-position", "positionSide", "no position of this side is open");
    }
    if (command.isTpSl && terms.quantityLots > sideLots) {
      const most = formatSteps(sideLots, step);
      return reject("close-exceeds-position", "quantity", `at most ${most}`);
    }
  }
  return checkPresets(market, terms) ?? checkCondition(market, command, terms);
}

function checkPresets(market: ContractMarket, terms: ConditionalTerms): Rejection | null {
  const { takeProfit, stopLoss } = terms;
  const fields = { takeProfit: "presetTakeProfitPrice", stopLoss: "presetStopLossPrice" };
  if (takeProfit === null && stopLoss === null) return null;
  if (terms.reduceOnly) {
    const field = takeProfit === null ? fields.stopLoss : fields.takeProfit;
    return reject("only-opening-orders", field);
  }
  const ticks = { tpTicks: takeProfit?.ticks ?? 0, slTicks: stopLoss?.ticks ?? 0 };
  const referenceTicks =
    terms.priceTicks || terms.triggerTicks || terms.activationTicks || market.lastTicks;
  return checkAttachedSides(terms.positionSide, ticks, referenceTicks, fields);
}

/** Refuses an order whose condition holds already: it would be an ordinary order. */
function checkCondition(
  market: ContractMarket,
  command: PlaceConditionalOrder,
  terms: ConditionalTerms,
): Rejection | null {
  const ticks = workingTicks(market, command);
  if (isTrailing(command)) {
    // It becomes active on the way in which it then trails.
    const active =
      command.side === "SELL" ? ticks >= terms.activationTicks : ticks <= terms.activationTicks;
    return ticks > 0 && terms.activationTicks > 0 && active
      ? reject("would-trigger", "activationPrice", atPrice(market, ticks))
      : null;
  }
  return holdsAt(command, ticks, terms.triggerTicks)
    ? reject("would-trigger", "triggerPrice", atPrice(market, ticks))
    : null;
}

function atPrice(market: ContractMarket, ticks: number): string {
  return `the price is ${formatSteps(ticks, market.rules.tick)}`;
}

/** Changes the trigger and the price of a take-profit or stop-loss that waits. */
export function modifyConditionalOrder(
  context: Context,
  command: CommandOf<"modify-algo-order">,
): Result<null> {
  const { state } = context;
  const user = state.users.get(command.uid);
  if (user === undefined) return reject("unknown-user");
  const order = findWaiting(state, user, command.algoId);
  if (order === null) return reject("algo-order-not-found", "algoId");
  if (isTrailing(order) || !order.reduceOnly) {
    return reject("algo-order-not-found", "algoId", "a take-profit or a stop-loss");
  }
  const { market } = order.owner;
  const closed = checkOpenToOrders(user, market);
  if (closed !== null) return closed;

  const triggerTicks = readTicks(market, command.triggerPrice, "triggerPrice");
  if (typeof triggerTicks !== "number") return triggerTicks;
  const { executePrice } = command;
  const isMarket = executePrice === null || plainDecimal(executePrice) === "0";
  const priceTicks = isMarket ? 0 : readTicks(market, executePrice, "executePrice");
  if (typeof priceTicks !== "number") return priceTicks;
  const isTakeProfit = order.orderType.startsWith("TAKE_PROFIT");
  const limitType = isTakeProfit ? "TAKE_PROFIT" : "STOP";
  const changed = {
    orderType: isMarket ? (`${limitType}_MARKET` as const) : limitType,
    triggerTicks,
    priceTicks,
    workingType: command.workingType ?? order.workingType,
  } as const;
  const refused = checkChange(state, order, changed);
  if (refused !== null) return refused;

  const { triggerIndex } = state.contract;
  triggerIndex.unwatch(order);
  Object.assign(order, changed, { updatedMs: context.nowMs });
  if (order.status === "UNTRIGGERED") triggerIndex.watch(order);
  emitChange(context, order, 0n);
  return accept(null);
}

type ConditionalChange = Pick<
  ConditionalOrder,
  "orderType" | "triggerTicks" | "priceTicks" | "workingType"
>;

/**
 * The new trigger is checked like a new one. An attached row that is not active yet looks at no
 * price: like at its placement, it has to be on the right side of the order it is attached to.
 */
function checkChange(
  state: State,
  order: ConditionalOrder,
  changed: ConditionalChange,
): Rejection | null {
  const { market } = order.owner;
  if (order.status === "NEW") {
    const { orders } = state.contract;
    const slot = orders.findById(order.parentOrderId);
    const isTakeProfit = changed.orderType.startsWith("TAKE_PROFIT");
    const ticks = {
      tpTicks: isTakeProfit ? changed.triggerTicks : 0,
      slTicks: isTakeProfit ? 0 : changed.triggerTicks,
    };
    const fields = { takeProfit: "triggerPrice", stopLoss: "triggerPrice" };
    const referenceTicks = slot === NONE ? 0 : orders.priceTicks(slot);
    return checkAttachedSides(order.positionSide, ticks, referenceTicks, fields);
  }
  const ticks = workingTicks(market, changed);
  return holdsAt({ ...changed, side: order.side }, ticks, changed.triggerTicks)
    ? reject("would-trigger", "triggerPrice", atPrice(market, ticks))
    : null;
}

/** Works in a halted market too, because conditional orders are not in the book. */
export function cancelConditionalOrder(
  context: Context,
  command: CommandOf<"cancel-algo-order">,
): Result<CancelledOrder> {
  const { state } = context;
  const user = state.users.get(command.uid);
  if (user === undefined) return reject("unknown-user");
  const order = findWaiting(state, user, command.algoId);
  if (order === null) return reject("algo-order-not-found", "algoId");
  return accept(cancelByUser(context, order));
}

/** In ascending order of ids. */
export function cancelAllConditionalOrders(
  context: Context,
  command: CommandOf<"cancel-all-algo-orders">,
): Result<readonly CancelledOrder[]> {
  const { state } = context;
  const user = state.users.get(command.uid);
  if (user === undefined) return reject("unknown-user");
  const market =
    command.symbol === null ? null : state.contract.marketsBySymbol.get(command.symbol);
  if (market === undefined) return reject("unknown-symbol", "symbol");
  return accept(
    userConditionalOrders(state, user, market).map((order) => cancelByUser(context, order)),
  );
}

function cancelByUser(context: Context, order: ConditionalOrder): CancelledOrder {
  cancelConditional(context, order);
  const { algoId, clientAlgoId, owner } = order;
  return { orderId: algoId, clientOrderId: clientAlgoId, symbol: owner.market.symbol };
}

/** The conditional orders of a user that wait, in one market or all, oldest first. */
export function userConditionalOrders(
  { contract }: State,
  user: User,
  market: ContractMarket | null = null,
): ConditionalOrder[] {
  const waiting: ConditionalOrder[] = [];
  for (const account of contract.accounts.get(user)?.values() ?? []) {
    for (const owner of account.symbols.values()) {
      if (market !== null && owner.market !== market) continue;
      waiting.push(...contract.triggerIndex.ofOwner(owner).filter(isWaiting));
    }
  }
  return waiting.sort((one, other) => one.algoId - other.algoId);
}

function isWaiting({ status }: ConditionalOrder): boolean {
  return status === "NEW" || status === "UNTRIGGERED";
}

/** The user's order that still waits; null for an ended, fired, unknown or foreign one. */
function findWaiting(state: State, user: User, algoId: number): ConditionalOrder | null {
  const order = state.contract.triggerIndex.byId.get(algoId);
  if (order === undefined || order.owner.account.user !== user) return null;
  return isWaiting(order) ? order : null;
}
