/**
 * The version of the book in answers about orders. Of contracts it is the one after everything that
 * followed from the command, also triggered orders and liquidations. An amendment is remembered
 * without it: a repetition answers the present one.
 */
import { type Accepted, invariant } from "../domain/index.ts";
import type {
  CancelledOrder,
  Command,
  CommandResult,
  OrderAmendment,
  PlacedOrder,
} from "../protocol/index.ts";
import { contractBookVersion } from "./contract/state/contract-market.ts";
import { type State, spotBookVersion } from "./state.ts";

/** What the branches of the engine answer. */
export type BranchAnswer = CommandResult | Accepted<OrderAmendment>;

export function withBookVersion(
  state: State,
  command: Command,
  result: BranchAnswer,
): CommandResult {
  if (!result.ok) return result;
  const { type } = command.type === "do-once" ? command.command : command;
  switch (type) {
    case "amend-spot-order": {
      const order = result.value as OrderAmendment;
      const market = state.spotMarketsBySymbol.get(order.symbol);
      invariant(market !== undefined, "an amended order has a market");
      return { ok: true, value: { ...order, bookVersion: spotBookVersion(market) } };
    }
    case "place-contract-order":
    case "cancel-contract-order":
    case "amend-contract-order":
      return { ok: true, value: versioned(state, result.value as ContractOrder) };
    case "cancel-all-contract-orders": {
      const orders = result.value as readonly CancelledOrder[];
      return { ok: true, value: orders.map((order) => versioned(state, order)) };
    }
    default:
      return result as CommandResult;
  }
}

type ContractOrder = PlacedOrder | CancelledOrder | OrderAmendment;

function versioned<Order extends { readonly symbol: string }>(
  { contract }: State,
  order: Order,
): Order & { readonly bookVersion: number } {
  const market = contract.marketsBySymbol.get(order.symbol);
  invariant(market !== undefined, "an answered order has a market");
  return { ...order, bookVersion: contractBookVersion(market) };
}
