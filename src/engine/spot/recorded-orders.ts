/**
 * Orders and executions of a recorded market, in a sandbox. They are commands of their own because
 * the recorded exchange decided by its own rules what was accepted, and because a recorded
 * execution names the order that was filled: users' orders with priority over it are filled in its
 * place, and other recorded orders never are.
 */
import { accept, formatSteps, type Rejection, type Result, reject } from "../../domain/index.ts";
import type { CommandAnswers, CommandOf, PlacedOrder } from "../../protocol/index.ts";
import { SPOT_AVAILABLE } from "../ledger/ledger.ts";
import { fingerprint, plainDecimal } from "../matching/fingerprint.ts";
import { BUY, NONE, SELL, type SideIndex } from "../matching/slot.ts";
import {
  checkOpenToOrders,
  findRepetition,
  readLots,
  readTicks,
  shortageText,
} from "../orders/order-intake.ts";
import { type Context, type SpotMarket, type User, userBalance, userOfOrder } from "../state.ts";
import { reduceOrder } from "./amend-order.ts";
import { type MatchPlan, planMatches, planNamedMatches } from "./match-plan.ts";
import { findOpenOrder } from "./open-orders.ts";
import type { CheckedOrder, SpotOrderRequest } from "./order-checks.ts";
import { executeOrder } from "./place-order.ts";
import { endRestingOrder, frozenByRestMinor } from "./resting-orders.ts";

type Place = CommandOf<"place-recorded-order">;
type Execute = CommandOf<"execute-recorded-order">;

/** Prices and quantities on the market's grid. */
interface Terms {
  readonly user: User;
  readonly market: SpotMarket;
  readonly priceTicks: number;
  readonly quantityLots: number;
}

function readTerms(
  { state }: Context,
  { uid, symbol, price, quantity }: Pick<Place, "uid" | "symbol" | "price" | "quantity">,
): Result<Terms> {
  const user = state.users.get(uid);
  if (user === undefined) return reject("unknown-user");
  const market = state.spotMarketsBySymbol.get(symbol);
  if (market === undefined) return reject("unknown-symbol", "symbol");
  const closed = checkOpenToOrders(user, market);
  if (closed !== null) return closed;
  const priceTicks = readTicks(market, price, "price");
  if (typeof priceTicks !== "number") return priceTicks;
  const quantityLots = readLots(market, quantity);
  if (typeof quantityLots !== "number") return quantityLots;
  const isCountable = Number.isSafeInteger(priceTicks * market.priceUnitsPerTick);
  if (!isCountable) return reject("out-of-range", "price");
  if (!Number.isSafeInteger(quantityLots)) return reject("out-of-range", "quantity");
  if (quantityLots === 0) return reject("quantity-below-minimum", "quantity", "more than 0");
  return accept({ user, market, priceTicks, quantityLots });
}

export function placeRecordedOrder(context: Context, command: Place): Result<PlacedOrder> {
  const { state, nowMs } = context;
  const { clientOrderId, price, quantity, side, symbol, timeInForce, uid } = command;
  const payload = fingerprint(
    symbol,
    side,
    "LIMIT",
    timeInForce,
    plainDecimal(price),
    plainDecimal(quantity),
    "base",
  );
  const repeated = findRepetition(state.clientOrders, command, payload, nowMs);
  if (repeated !== null) return repeated.ok ? accept(repeated.value.repeated) : repeated;
  const terms = readTerms(context, command);
  if (!terms.ok) return terms;
  const { market, user, priceTicks, quantityLots } = terms.value;
  const sideIndex = side === "BUY" ? BUY : SELL;
  const plan = planMatches(state, market, {
    uid,
    side: sideIndex,
    limitTicks: priceTicks,
    lotsMax: quantityLots,
    costTickLotsMax: null,
    selfTradePrevention: user.selfTradePrevention,
  });
  const request = { ...command, user, market, orderType: "LIMIT", quantityUnit: "base" } as const;
  const order = checkFunds(context, request, sideIndex, terms.value, plan);
  if (!order.ok) return order;
  const orderId = execute(context, order.value, payload);
  return accept({ orderId, clientOrderId, symbol, createdMs: nowMs });
}

export function executeRecordedOrder(
  context: Context,
  command: Execute,
): Result<CommandAnswers["execute-recorded-order"]> {
  const { state, nowMs } = context;
  const { clientOrderId, makerOrderId, makerUid, symbol, uid } = command;
  const terms = readTerms(context, command);
  if (!terms.ok) return terms;
  const { market, user, priceTicks, quantityLots } = terms.value;
  if (state.clientOrders.find(uid, clientOrderId, nowMs) !== NONE) {
    return reject("duplicate-client-order-id", "clientOrderId", "the first one stands");
  }
  const maker = { uid: makerUid, symbol, orderId: null, clientOrderId: makerOrderId };
  const named = findOpenOrder(state, maker, nowMs);
  const side = command.side === "BUY" ? SELL : BUY;
  const plan = planNamedMatches(state, market, {
    side,
    limitTicks: priceTicks,
    lotsMax: quantityLots,
    named,
    isReached: (other) => other !== makerUid && other !== uid,
  });
  if (plan.makerCount === 0) return reject("order-not-found", "makerOrderId");
  const request = {
    ...command,
    user,
    market,
    side: side === BUY ? "BUY" : "SELL",
    orderType: "LIMIT",
    timeInForce: "IOC",
    quantityUnit: "base",
  } as const;
  const order = checkFunds(context, request, side, terms.value, plan);
  if (!order.ok) return order;
  const filledLots = plan.filledLots;
  const place = plan.makerSlots.slice(0, plan.makerCount).indexOf(named);
  const namedLots = place === -1 ? 0 : (plan.lots[place] as number);
  const openLots = named === NONE ? 0 : state.orders.openLots(named) - namedLots;
  execute(context, order.value, fingerprint(clientOrderId));
  if (openLots > 0) loseLots(context, market, named, openLots, filledLots - namedLots);
  const text = (lots: number): string => formatSteps(lots, market.rules.step);
  return accept({
    quantity: text(namedLots),
    byOthers: text(filledLots - namedLots),
    missing: text(quantityLots - filledLots),
  });
}

export function reduceRecordedOrder(
  context: Context,
  command: CommandOf<"reduce-recorded-order">,
): Result<CommandAnswers["reduce-recorded-order"]> {
  const { state, nowMs } = context;
  const market = state.spotMarketsBySymbol.get(command.symbol);
  if (!state.users.has(command.uid)) return reject("unknown-user");
  if (market === undefined) return reject("unknown-symbol", "symbol");
  const lots = readLots(market, command.quantity);
  if (typeof lots !== "number") return lots;
  if (!(lots > 0 && Number.isSafeInteger(lots))) return reject("out-of-range", "quantity");
  const slot = findOpenOrder(state, { ...command, orderId: null }, nowMs);
  if (slot === NONE) return reject("order-not-found", "clientOrderId");
  if (market.state === "halted") return reject("market-halted", "symbol");
  const openLots = state.orders.openLots(slot);
  loseLots(context, market, slot, openLots, lots);
  const missing = formatSteps(Math.max(0, lots - openLots), market.rules.step);
  return accept({ missing });
}

/** Takes lots off a resting order; it ends when none are left. */
function loseLots(
  context: Context,
  market: SpotMarket,
  slot: number,
  openLots: number,
  lots: number,
): void {
  if (lots === 0) return;
  if (lots < openLots) reduceOrder(context, slot, lots);
  else {
    const user = userOfOrder(context.state, slot);
    endRestingOrder(context, market, user, slot, "cancelled-by-user");
  }
}

function checkFunds(
  { state }: Context,
  request: SpotOrderRequest,
  side: SideIndex,
  { user, market, priceTicks, quantityLots }: Terms,
  plan: MatchPlan,
): Result<CheckedOrder> {
  const reserveMinor = frozenByRestMinor(market, side, priceTicks, quantityLots);
  const shortage = shortageOf(state, user, market, side, reserveMinor);
  if (shortage !== null) return shortage;
  const form = { request, side, priceTicks, quantityLots, quoteAmountMinor: 0n, filledLots: 0 };
  return accept({ ...form, plan, reserveMinor });
}

function shortageOf(
  state: Context["state"],
  user: User,
  { rules }: SpotMarket,
  side: SideIndex,
  reserveMinor: bigint,
): Rejection | null {
  const paidIn = side === BUY ? rules.quoteAsset : rules.baseAsset;
  const availableMinor = userBalance(state, user, paidIn.index, SPOT_AVAILABLE);
  if (availableMinor >= reserveMinor) return null;
  return reject(
    "insufficient-balance",
    "quantity",
    shortageText(paidIn, reserveMinor, availableMinor),
  );
}

/** Returns the order's id. */
function execute(
  context: Context,
  order: CheckedOrder,
  payload: ReturnType<typeof fingerprint>,
): number {
  const { state, nowMs } = context;
  const { clientOrderId, user } = order.request;
  const { high, low } = payload;
  const orderId = state.nextOrderId++;
  state.clientOrders.evict(nowMs);
  const entry = state.clientOrders.add(user.uid, clientOrderId, orderId, high, low, nowMs);
  executeOrder(context, order, {
    orderId,
    clientEntry: entry,
    createdMs: nowMs,
    filledQuoteMinor: 0n,
    feeNumerator: 0n,
  });
  return orderId;
}
