/** One branch per command of the contract side. */
import { unreachable } from "../../domain/index.ts";
import type { CommandOf, CommandResult, ContractCommand } from "../../protocol/index.ts";
import type { TimedContext } from "../state.ts";
import {
  cancelAllConditionalOrders,
  cancelConditionalOrder,
  modifyConditionalOrder,
  placeConditionalOrder,
} from "./conditional/conditional-orders.ts";
import { movePositionMargin, setAutoAppendMargin } from "./margin/position-margin.ts";
import { setLeverage, setMarginType } from "./margin/settings.ts";
import { setContractMarket, setContractMarketState } from "./markets.ts";
import { amendContractOrder } from "./orders/amend-order.ts";
import { cancelAllContractOrders, cancelContractOrder } from "./orders/cancel-order.ts";
import { closePositions } from "./orders/close-positions.ts";
import { placeContractOrder } from "./orders/place-order.ts";
import { setFundingRate } from "./prices/funding.ts";
import { pinMarkPrice, setIndexPrice } from "./prices/prices.ts";
import { advanceTime, continueRisk, resume } from "./time/timers.ts";

export function applyContractCommand(
  context: TimedContext,
  command: Exclude<ContractCommand, { readonly type: "transfer-own-funds" }>,
): CommandResult {
  switch (command.type) {
    case "place-contract-order":
      return tally(context, command, placeContractOrder(context, command));
    case "amend-contract-order":
      return amendContractOrder(context, command);
    case "cancel-contract-order":
      return cancelContractOrder(context, command);
    case "cancel-all-contract-orders":
      return cancelAllContractOrders(context, command);
    case "close-positions":
      return closePositions(context, command);
    case "place-algo-order":
      return placeConditionalOrder(context, command);
    case "cancel-algo-order":
      return cancelConditionalOrder(context, command);
    case "cancel-all-algo-orders":
      return cancelAllConditionalOrders(context, command);
    case "modify-algo-order":
      return modifyConditionalOrder(context, command);
    case "set-leverage":
      return setLeverage(context, command);
    case "set-margin-type":
      return setMarginType(context, command);
    case "move-position-margin":
      return movePositionMargin(context, command);
    case "set-auto-append-margin":
      return setAutoAppendMargin(context, command);
    case "set-contract-market":
      return setContractMarket(context, command);
    case "set-contract-market-state":
      return setContractMarketState(context, command);
    case "set-index-price":
      return setIndexPrice(context, command);
    case "pin-mark-price":
      return pinMarkPrice(context, command);
    case "set-funding-rate":
      return setFundingRate(context, command);
    case "advance-time":
      return advanceTime(context, command);
    case "resume":
      return resume(context);
    case "continue-risk":
      return continueRisk(context);
    default:
      return unreachable(command);
  }
}

/** Counts an order that is refused because, filled, it would be liquidated at once. */
function tally(
  { state }: TimedContext,
  { symbol }: CommandOf<"place-contract-order">,
  result: CommandResult,
): CommandResult {
  if (!result.ok && result.reason === "insufficient-margin" && result.field === "price") {
    const market = state.contract.marketsBySymbol.get(symbol);
    if (market !== undefined) market.tallies.refusedOrders++;
  }
  return result;
}
