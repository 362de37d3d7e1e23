/**
 * The immediate result of an order in one sentence: resting, filled, partly filled or cancelled.
 */
import type { ContractOrder, SpotOrder } from "../../../client/index.ts";
import { compare } from "../../decimals/arithmetic.ts";
import { groupDecimal } from "../../decimals/format.ts";
import type { MarketRules } from "../market-rules.ts";
import { averageOf } from "../order-average.ts";
import type { Draft } from "./order-draft.ts";

export interface Outcome {
  readonly text: string;
  /** Plain: the order ended without a fill. */
  readonly tone: "good" | "plain";
}

type Facts = "side" | "origQty" | "executedQty" | "status";
type PlacedOrder =
  | Pick<SpotOrder, Facts | "cummulativeQuoteQty">
  | Pick<ContractOrder, Facts | "avgPrice">;
type Terms = Pick<Draft, "kind" | "timeInForce" | "price">;

export function outcomeOf(
  draft: Terms,
  order: PlacedOrder,
  { baseAsset, priceDecimals }: Pick<MarketRules, "baseAsset" | "priceDecimals">,
): Outcome {
  const { side, origQty, executedQty, status } = order;
  const isOver = status !== "NEW";
  const verb = side === "BUY" ? "buy" : "sell";
  if (compare(executedQty, "0") === 0) {
    if (!isOver)
      return { text: `Limit ${verb} placed at ${groupDecimal(draft.price)}`, tone: "good" };
    const name = draft.kind === "MARKET" ? "Market" : "Limit";
    return { text: `${name} ${verb} cancelled: ${whyUnfilled(draft)}`, tone: "plain" };
  }
  const average = groupDecimal(averageOf(order, priceDecimals));
  const isWhole = compare(executedQty, origQty) === 0;
  const amount = isWhole ? executedQty : `${executedQty} of ${origQty}`;
  const rest = isWhole ? "" : isOver ? ", rest cancelled" : ", rest in the book";
  const done = side === "BUY" ? "Bought" : "Sold";
  return { text: `${done} ${amount} ${baseAsset} at ${average}${rest}`, tone: "good" };
}

function whyUnfilled({ kind, timeInForce, price }: Terms): string {
  if (kind === "MARKET") return "no orders on the other side";
  const limit = groupDecimal(price);
  switch (timeInForce) {
    case "POST_ONLY":
      return `post-only, but it would have matched at ${limit}`;
    case "FOK":
      return `could not be filled in full at ${limit} or better`;
    default:
      return `no fill at ${limit} or better`;
  }
}
