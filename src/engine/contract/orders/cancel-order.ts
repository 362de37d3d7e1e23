/** Cancel one contract order, or all orders of a user in one market or in all. */
import { accept, type Result, reject } from "../../../domain/index.ts";
import type { CancelledOrder, CommandOf } from "../../../protocol/index.ts";
import { NONE } from "../../matching/slot.ts";
import type { Context } from "../../state.ts";
import type { ContractState } from "../contract-state.ts";
import { endRestingOrder, marketOfContractOrder, openOrderSlots } from "./resting-orders.ts";

export function cancelContractOrder(
  context: Context,
  command: CommandOf<"cancel-contract-order">,
): Result<CancelledOrder> {
  const { contract, users } = context.state;
  if (!users.has(command.uid)) return reject("unknown-user");
  const named = command.orderId === null ? "clientOrderId" : "orderId";
  const slot = findOpenOrder(contract, command, context.nowMs);
  if (slot === NONE) return reject("order-not-found", named);
  if (marketOfContractOrder(contract, slot).state === "halted") return reject("market-halted");
  return accept(cancelSlot(context, slot));
}

/** In every market means in every one whose book may change: a halted one keeps its orders. */
export function cancelAllContractOrders(
  context: Context,
  command: CommandOf<"cancel-all-contract-orders">,
): Result<readonly CancelledOrder[]> {
  const { contract, users } = context.state;
  const { uid, symbol } = command;
  if (!users.has(uid)) return reject("unknown-user");
  const market = symbol === null ? null : contract.marketsBySymbol.get(symbol);
  if (market === undefined) return reject("unknown-symbol", "symbol");
  if (market?.state === "halted") return reject("market-halted", "symbol");
  const slots = openOrderSlots(contract, uid, (ofOrder) =>
    market === null ? ofOrder.state !== "halted" : ofOrder === market,
  );
  return accept(slots.map((slot) => cancelSlot(context, slot)));
}

/** What names an order: either id, of the user. `orderId` decides. */
export interface ContractOrderReference {
  readonly uid: number;
  readonly orderId: number | null;
  readonly clientOrderId: string | null;
}

/** The slot of a user's open order; -1 for an ended, unknown or foreign one. */
export function findOpenOrder(
  { clientOrders, orders }: ContractState,
  { uid, orderId, clientOrderId }: ContractOrderReference,
  nowMs: number,
): number {
  let soughtId = orderId;
  if (soughtId === null && clientOrderId !== null) {
    const entry = clientOrders.find(uid, clientOrderId, nowMs);
    if (entry !== NONE) soughtId = clientOrders.orderId(entry);
  }
  const slot = soughtId === null ? NONE : orders.findById(soughtId);
  return slot === NONE || orders.uid(slot) !== uid ? NONE : slot;
}

function cancelSlot(context: Context, slot: number): CancelledOrder {
  const { orderId, clientOrderId, symbol } = endRestingOrder(context, slot, "cancelled-by-user");
  return { orderId, clientOrderId, symbol };
}
