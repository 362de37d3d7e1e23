/**
 * Open orders of all users by an id: for operators, who do not know whose order it is. Nobody else
 * may ask: users find their own orders by user and id.
 */
import type { EngineQuery, FoundOpenOrder, QueryAnswers } from "../../protocol/index.ts";
import { findOpenOrder as findContractOrder } from "../contract/orders/cancel-order.ts";
import { clientOrderIdOf, marketOfContractOrder } from "../contract/orders/resting-orders.ts";
import { NONE } from "../matching/slot.ts";
import { findOpenOrder as findSpotOrder } from "../spot/open-orders.ts";
import type { State } from "../state.ts";
import { spotOrderView } from "./spot.ts";

type Query = Extract<EngineQuery, { readonly type: "find-open-orders" }>;
type Answer = QueryAnswers["find-open-orders"];

/** Looked at by one query, so that a search delays no order for long. */
const USERS_AT_ONCE = 5_000;

export function findOpenOrders(state: State, query: Query, nowMs: number): Answer {
  const { orderId, clientOrderId, fromUser } = query;
  if (orderId !== null) return { orders: byOrderId(state, orderId), nextUser: null };
  const orders: FoundOpenOrder[] = [];
  if (clientOrderId === null) return { orders, nextUser: null };
  const reference = { symbol: null, orderId: null, clientOrderId };
  let user = -1;
  for (const uid of state.users.keys()) {
    user++;
    if (user < fromUser) continue;
    if (user === fromUser + USERS_AT_ONCE) return { orders, nextUser: user };
    const spot = findSpotOrder(state, { ...reference, uid }, nowMs);
    if (spot !== NONE) orders.push(spotOrder(state, spot));
    const contract = findContractOrder(state.contract, { ...reference, uid }, nowMs);
    if (contract !== NONE) orders.push(contractOrder(state, contract));
  }
  return { orders, nextUser: null };
}

/** Each product has its own ids. */
function byOrderId(state: State, orderId: number): FoundOpenOrder[] {
  const { contract } = state;
  const found: FoundOpenOrder[] = [];
  const spot = state.orders.findById(orderId);
  if (spot !== NONE) found.push(spotOrder(state, spot));
  const slot = contract.orders.findById(orderId);
  if (slot !== NONE) found.push(contractOrder(state, slot));
  const conditional = contract.triggerIndex.byId.get(orderId);
  if (conditional !== undefined) {
    const { owner, clientAlgoId } = conditional;
    found.push({
      ...{ product: "contract", uid: owner.account.user.uid, orderId },
      ...{ clientOrderId: clientAlgoId, symbol: owner.market.symbol, isConditional: true },
    });
  }
  return found;
}

function spotOrder(state: State, slot: number): FoundOpenOrder {
  const { uid, orderId, clientOrderId, symbol } = spotOrderView(state, slot);
  return { product: "spot", uid, orderId, clientOrderId, symbol, isConditional: false };
}

function contractOrder({ contract }: State, slot: number): FoundOpenOrder {
  return {
    product: "contract",
    uid: contract.orders.uid(slot),
    orderId: contract.orders.orderId(slot),
    clientOrderId: clientOrderIdOf(contract, slot),
    symbol: marketOfContractOrder(contract, slot).symbol,
    isConditional: false,
  };
}
