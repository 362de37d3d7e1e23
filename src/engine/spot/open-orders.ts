/**
 * Finds a user's open orders. Every look-up takes the user: another user's order is never found.
 */
import { invariant } from "../../domain/index.ts";
import { NONE } from "../matching/slot.ts";
import type { SpotMarket, State } from "../state.ts";

/** Identifies an order: by either id, of the user, in the market if one is given. */
export interface OrderReference {
  readonly uid: number;
  readonly symbol: string | null;
  readonly orderId: number | null;
  readonly clientOrderId: string | null;
}

/** The slot of a user's open order; -1 for an ended, unknown or foreign one. `orderId` decides. */
export function findOpenOrder(state: State, reference: OrderReference, nowMs: number): number {
  const orderId = reference.orderId ?? findOrderId(state, reference, nowMs);
  const slot = orderId === null ? NONE : state.orders.findById(orderId);
  if (slot === NONE || state.orders.uid(slot) !== reference.uid) return NONE;
  const market = marketOfOrder(state, slot);
  return reference.symbol === null || reference.symbol === market.symbol ? slot : NONE;
}

function findOrderId(state: State, reference: OrderReference, nowMs: number): number | null {
  if (reference.clientOrderId === null) return null;
  const entry = state.clientOrders.find(reference.uid, reference.clientOrderId, nowMs);
  return entry === NONE ? null : state.clientOrders.orderId(entry);
}

/** Slots of a user's open orders, oldest first. */
export function openOrderSlots(state: State, uid: number, market: SpotMarket | null): number[] {
  const { orders } = state;
  const slots: number[] = [];
  let slot = orders.firstOwn(uid);
  while (slot !== NONE) {
    if (market === null || orders.market(slot) === market.index) slots.push(slot);
    slot = orders.ownNext(slot);
  }
  return slots;
}

export function marketOfOrder(state: State, slot: number): SpotMarket {
  const market = state.spotMarkets[state.orders.market(slot)];
  invariant(market !== undefined, "every open order is in a market");
  return market;
}
