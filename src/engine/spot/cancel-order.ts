/** Cancel one order, or all of a user's orders in one market. */
import { accept, type Result, reject } from "../../domain/index.ts";
import type { CancelledSpotOrder, CommandOf } from "../../protocol/index.ts";
import { NONE } from "../matching/slot.ts";
import { type Context, type SpotMarket, spotBookVersion, type User } from "../state.ts";
import { findOpenOrder, marketOfOrder, openOrderSlots } from "./open-orders.ts";
import { endRestingOrder } from "./resting-orders.ts";

export function cancelSpotOrder(
  context: Context,
  command: CommandOf<"cancel-spot-order">,
): Result<CancelledSpotOrder> {
  const { state } = context;
  const user = state.users.get(command.uid);
  if (user === undefined) return reject("unknown-user");
  if (command.symbol !== null && !state.spotMarketsBySymbol.has(command.symbol)) {
    return reject("unknown-symbol", "symbol");
  }
  const named = command.orderId === null ? "clientOrderId" : "orderId";
  const slot = findOpenOrder(state, command, context.nowMs);
  if (slot === NONE) return reject("order-not-found", named);
  const market = marketOfOrder(state, slot);
  if (market.state === "halted") return reject("market-halted", "symbol");
  return accept(cancelSlot(context, market, user, slot));
}

export function cancelAllSpotOrders(
  context: Context,
  command: CommandOf<"cancel-all-spot-orders">,
): Result<readonly CancelledSpotOrder[]> {
  const { state } = context;
  const user = state.users.get(command.uid);
  if (user === undefined) return reject("unknown-user");
  const market = state.spotMarketsBySymbol.get(command.symbol);
  if (market === undefined) return reject("unknown-symbol", "symbol");
  if (market.state === "halted") return reject("market-halted", "symbol");
  const slots = openOrderSlots(state, command.uid, market);
  return accept(slots.map((slot) => cancelSlot(context, market, user, slot)));
}

function cancelSlot(
  context: Context,
  market: SpotMarket,
  user: User,
  slot: number,
): CancelledSpotOrder {
  const ended = endRestingOrder(context, market, user, slot, "cancelled-by-user");
  const { orderId, clientOrderId, symbol } = ended;
  return { orderId, clientOrderId, symbol, bookVersion: spotBookVersion(market) };
}
