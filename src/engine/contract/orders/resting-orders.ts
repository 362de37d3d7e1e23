/**
 * Contract orders in the book: they rest and they end, and the end releases what they froze.
 * Closing orders reserve lots of the position instead of money; when a position shrinks below the
 * reserved lots, the newest of them end.
 */
import {
  type EndReason,
  invariant,
  type OrderOrigin,
  type OrderStatus,
  POSITION_SIDES,
  TIMES_IN_FORCE,
  type TimeInForce,
} from "../../../domain/index.ts";
import type { EventOf } from "../../../protocol/index.ts";
import { CONTRACT_AVAILABLE, CONTRACT_ORDER_MARGIN } from "../../ledger/ledger.ts";
import { BUY, NONE, type SideIndex } from "../../matching/slot.ts";
import type { Context, State } from "../../state.ts";
import { childEnded, parentEnded } from "../conditional/conditional-lifecycle.ts";
import { type ContractState, symbolAccountOf } from "../contract-state.ts";
import { frozenByRest, frozenForLots } from "../formulas/order-margin.ts";
import type {
  ContractMarket,
  MarginAccount,
  PositionSideIndex,
  SymbolAccount,
} from "../state/contract-market.ts";
import type { OrderExtra } from "../state/order-extras.ts";

export type ContractOrderEnded = EventOf<"contract-order-ended">;

/** An order as it stands in the book. */
export interface BookedOrder {
  readonly orderId: number;
  readonly owner: SymbolAccount;
  readonly side: SideIndex;
  readonly timeInForce: TimeInForce;
  readonly priceTicks: number;
  readonly quantityLots: number;
  readonly filledLots: number;
  readonly filledValueMinor: bigint;
  readonly feeNumerator: bigint;
  readonly makerFeeRateE8: number;
  /** Its entry in the index of client order ids; `NONE` for an order that no user named. */
  readonly clientEntry: number;
  /** Time of the last fill or amendment; of the placement before the first one. */
  readonly updatedMs: number;
  readonly extra: OrderExtra;
}

export function marketOfContractOrder({ markets, orders }: ContractState, slot: number) {
  const market = markets[orders.market(slot)];
  invariant(market !== undefined, "every open order is in a market");
  return market;
}

export function ownerOfContractOrder(state: State, slot: number): SymbolAccount {
  const { contract } = state;
  const user = state.users.get(contract.orders.uid(slot));
  invariant(user !== undefined, "every open order has an owner");
  return symbolAccountOf(state, user, marketOfContractOrder(contract, slot));
}

/** The id of an order that no user named: what made it, and the number of that. */
export function systemClientOrderId(origin: OrderOrigin, orderId: number, algoId: number): string {
  switch (origin) {
    case "algo":
      return `algo-${algoId}`;
    case "liquidation":
      return `liq-${orderId}`;
    case "netting":
      return `net-${orderId}`;
    case "close-positions":
      return `close-${orderId}`;
    default:
      return `${origin}-${orderId}`;
  }
}

/** The client order id of an order in the book. */
export function clientOrderIdOf(contract: ContractState, slot: number): string {
  const { clientOrders, extras, orders } = contract;
  const entry = orders.clientEntry(slot);
  if (entry !== NONE) return clientOrders.clientOrderId(entry);
  return systemClientOrderId(extras.origin(slot), orders.orderId(slot), extras.algoId(slot));
}

/** Puts an order behind all others at its price; what it freezes is frozen already. */
export function restOrder(context: Context, order: BookedOrder): void {
  const { state } = context;
  const { owner, extra } = order;
  const slot = insertIntoBook(state, order);
  state.contract.dirtyMarkets.add(owner.market);
  context.emit({
    type: "contract-order-opened",
    orderId: order.orderId,
    uid: owner.account.user.uid,
    symbol: owner.market.symbol,
    clientOrderId: clientOrderIdOf(state.contract, slot),
    side: order.side === BUY ? "BUY" : "SELL",
    positionSide: POSITION_SIDES[extra.positionSide],
    timeInForce: order.timeInForce,
    origin: extra.origin,
    priceTicks: order.priceTicks,
    quantityLots: order.quantityLots,
    filledLots: order.filledLots,
    filledValueMinor: order.filledValueMinor,
    leverage: extra.leverage,
  });
}

/** The part of coming to rest that a snapshot repeats: slot, book and the owner's counts. */
export function insertIntoBook({ contract }: State, order: BookedOrder): number {
  const { extras, orders } = contract;
  const { owner, extra, filledLots } = order;
  const slot = orders.allocate(order.orderId, owner.account.user.uid, {
    market: owner.market.index,
    side: order.side,
    timeInForce: TIMES_IN_FORCE.indexOf(order.timeInForce),
    priceTicks: order.priceTicks,
    quantityLots: order.quantityLots,
    filledLots,
    makerFeeRateE8: order.makerFeeRateE8,
    clientEntry: order.clientEntry,
  });
  extras.set(slot, extra);
  if (filledLots > 0 || order.updatedMs > extra.createdMs) {
    const { filledValueMinor, feeNumerator, updatedMs } = order;
    orders.setProgress(slot, { filledQuoteMinor: filledValueMinor, feeNumerator, updatedMs });
  }
  owner.market.book.insert(slot);
  owner.openOrders++;
  addResting(owner, extra, order.quantityLots - filledLots);
  return slot;
}

/** Counts open lots in the book, or with a minus sign those that leave it, for their side. */
export function addResting(
  owner: SymbolAccount,
  order: Pick<OrderExtra, "isClosing" | "positionSide">,
  lots: number,
): void {
  const resting = order.isClosing ? owner.restingCloseLots : owner.restingOpenLots;
  resting[order.positionSide] += lots;
}

/** Takes an order out of the book before it is filled, and gives back what it has frozen. */
export function endRestingOrder(
  context: Context,
  slot: number,
  reason: EndReason,
): ContractOrderEnded {
  const owner = ownerOfContractOrder(context.state, slot);
  unreserve(context.state, owner, slot, context.state.contract.orders.openLots(slot));
  return leaveBook(context, owner, slot, reason);
}

/** So many open lots of an order in the book reserve nothing any more: no margin, no position. */
export function unreserve(
  { contract, ledger }: State,
  owner: SymbolAccount,
  slot: number,
  lots: number,
): void {
  const { extras, orders } = contract;
  const restLots = orders.openLots(slot) - lots;
  const freedMinor = frozenByRest(contract, slot) - frozenForLots(contract, slot, restLots);
  if (freedMinor > 0n) {
    const { base } = owner.account;
    ledger.move(base + CONTRACT_ORDER_MARGIN, base + CONTRACT_AVAILABLE, freedMinor);
  }
  const order = { isClosing: extras.isClosing(slot), positionSide: extras.positionSide(slot) };
  addResting(owner, order, -lots);
}

/** Takes an order out of the book that reserves nothing any more. Returns what was told of it. */
export function leaveBook(
  context: Context,
  owner: SymbolAccount,
  slot: number,
  reason: EndReason,
): ContractOrderEnded {
  const { contract } = context.state;
  const { extras, orders } = contract;
  const clientEntry = orders.clientEntry(slot);
  const filledLots = orders.filledLots(slot);
  const ended: ContractOrderEnded = {
    type: "contract-order-ended",
    orderId: orders.orderId(slot),
    uid: owner.account.user.uid,
    symbol: owner.market.symbol,
    clientOrderId: clientOrderIdOf(contract, slot),
    side: orders.side(slot) === BUY ? "BUY" : "SELL",
    positionSide: POSITION_SIDES[extras.positionSide(slot)],
    orderType: "LIMIT",
    timeInForce: TIMES_IN_FORCE[orders.timeInForce(slot)] as TimeInForce,
    origin: extras.origin(slot),
    algoId: extras.algoId(slot),
    priceTicks: orders.priceTicks(slot),
    quantityLots: orders.quantityLots(slot),
    filledLots,
    filledValueMinor: orders.progress(slot)?.filledQuoteMinor ?? 0n,
    status: statusAfter(reason),
    reason,
    createdMs: extras.createdMs(slot),
  };
  const hasAttached = extras.hasAttached(slot);
  takeOutOfBook(contract, owner, slot);
  endOrder(context, ended, clientEntry);
  if (hasAttached) parentEnded(context, ended.orderId, filledLots);
  if (ended.algoId !== 0) {
    childEnded(context, ended.algoId, ended.status, filledLots, ended.filledValueMinor);
  }
  return ended;
}

/** The opposite of `insertIntoBook`, for an order that reserves nothing any more. */
export function takeOutOfBook(contract: ContractState, owner: SymbolAccount, slot: number): void {
  owner.openOrders--;
  owner.market.book.remove(slot);
  contract.orders.release(slot);
  contract.dirtyMarkets.add(owner.market);
}

export function statusAfter(reason: EndReason): OrderStatus {
  return reason === "filled" ? "FILLED" : "CANCELED";
}

/** Emits the end of an order, and starts the 24 hours for which its client order id is kept. */
export function endOrder(context: Context, ended: ContractOrderEnded, clientEntry: number): void {
  const { clientOrders, marketsBySymbol } = context.state.contract;
  context.emit(ended);
  if (clientEntry !== NONE) clientOrders.markEnded(clientEntry, context.nowMs);
  if (ended.reason !== "margin-not-enough") return;
  const market = marketsBySymbol.get(ended.symbol);
  if (market !== undefined) market.tallies.refusedFills++;
}

/** Slots of a user's open orders, oldest first, in one market or in all. */
export function openOrderSlots(
  { markets, orders }: ContractState,
  uid: number,
  isWanted: (market: ContractMarket, slot: number) => boolean,
): number[] {
  const slots: number[] = [];
  for (let slot = orders.firstOwn(uid); slot !== NONE; slot = orders.ownNext(slot)) {
    if (isWanted(markets[orders.market(slot)] as ContractMarket, slot)) slots.push(slot);
  }
  return slots;
}

/**
 * Ends the open orders of an account, oldest first: in one market or in all of its asset, of one
 * position side or of both, opening and closing ones. Returns how many there were.
 */
export function cancelOpenOrders(
  context: Context,
  account: MarginAccount,
  market: ContractMarket | null,
  side: PositionSideIndex | null,
  reason: EndReason,
): number {
  const { contract } = context.state;
  const slots = openOrderSlots(contract, account.user.uid, (ofOrder, slot) => {
    if (market !== null && ofOrder !== market) return false;
    if (side !== null && contract.extras.positionSide(slot) !== side) return false;
    return ofOrder.rules.marginAsset.index === account.assetIndex;
  });
  for (const slot of slots) endRestingOrder(context, slot, reason);
  return slots.length;
}

/** After a side shrank: ends its newest resting closes, whole, until the others fit. */
export function trimCloses(context: Context, owner: SymbolAccount, side: PositionSideIndex): void {
  if (owner.restingCloseLots[side] <= owner.sideLots[side]) return;
  const { contract } = context.state;
  const { extras } = contract;
  const slots = openOrderSlots(contract, owner.account.user.uid, (market, slot) => {
    return market === owner.market && extras.positionSide(slot) === side && extras.isClosing(slot);
  });
  while (owner.restingCloseLots[side] > owner.sideLots[side]) {
    const newest = slots.pop();
    invariant(newest !== undefined, "resting closes are the sum of what rests");
    endRestingOrder(context, newest, "position-closed");
  }
}
