/**
 * Close positions at market price: one, those of one symbol, or all. Each gets an order of its own
 * for its whole size; resting closing orders that no longer fit are ended.
 */
import { accept, type RejectReason, type Result, reject } from "../../../domain/index.ts";
import type { ClosedPosition, CommandOf } from "../../../protocol/index.ts";
import type { Context, State, User } from "../../state.ts";
import type { ContractMarket, Position } from "../state/contract-market.ts";
import { executeOrder, systemOrderTerms } from "./place-order.ts";
import { positionsOf } from "./positions.ts";

export function closePositions(
  context: Context,
  command: CommandOf<"close-positions">,
): Result<readonly ClosedPosition[]> {
  const { state } = context;
  const user = state.users.get(command.uid);
  if (user === undefined) return reject("unknown-user");
  const { symbol, positionId } = command;
  const market = symbol === null ? null : state.contract.marketsBySymbol.get(symbol);
  if (market === undefined) return reject("unknown-symbol", "symbol");
  if (user.state === "frozen") return reject("user-frozen");
  if (positionId === null) {
    const closed: ClosedPosition[] = [];
    for (const position of openPositions(state, user, market)) {
      // Another one's order may have met a resting order that was about to close this one.
      if (state.contract.positions.has(position.positionId)) {
        closed.push(closePosition(context, position));
      }
    }
    return accept(closed);
  }
  const position = state.contract.positions.get(positionId);
  const isOwn = position?.owner.account.user === user;
  if (position === undefined || !isOwn || (market !== null && position.owner.market !== market)) {
    return reject("failed-precondition", "positionId", "an open position of the symbol");
  }
  return accept([closePosition(context, position)]);
}

/** The user's positions by id, in one market or in all. */
function openPositions(state: State, user: User, market: ContractMarket | null): Position[] {
  const positions: Position[] = [];
  for (const { symbols } of state.contract.accounts.get(user)?.values() ?? []) {
    for (const owner of symbols.values()) {
      if (market === null || owner.market === market) positions.push(...positionsOf(owner));
    }
  }
  return positions.sort((one, other) => one.positionId - other.positionId);
}

function closePosition(context: Context, position: Position): ClosedPosition {
  const { owner, positionId, side, sizeLots } = position;
  const reason = refusalToClose(owner.market);
  if (reason !== null) return { positionId, ok: false, orderId: 0, reason };
  const { state } = context;
  const terms = systemOrderTerms(state, owner, side, sizeLots, "close-positions", positionId);
  const { orderId } = executeOrder(context, terms);
  return { positionId, ok: true, orderId, reason: null };
}

function refusalToClose(market: ContractMarket): RejectReason | null {
  if (market.state !== "trading") return "market-not-trading";
  return market.mark.ticks === 0 ? "no-mark-price" : null;
}
