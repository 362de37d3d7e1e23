/** The average fill price of an order, which spot only gives as a total value. */
import type { ContractOrder, EndedContractOrder, SpotOrder } from "../../client/index.ts";
import { compare, dividedDown } from "../decimals/arithmetic.ts";

/** "0" without a fill; cut after `decimals`. */
export function averageOf(
  order:
    | Pick<SpotOrder, "executedQty" | "cummulativeQuoteQty">
    | Pick<ContractOrder | EndedContractOrder, "avgPrice">,
  decimals: number,
): string {
  if ("avgPrice" in order) return dividedDown(order.avgPrice, "1", decimals);
  const { executedQty, cummulativeQuoteQty } = order;
  if (compare(executedQty, "0") === 0) return "0";
  return dividedDown(cummulativeQuoteQty, executedQty, decimals);
}
