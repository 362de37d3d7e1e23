/** What became of an order at once, in a sentence: taken is not yet filled, nor even resting. */
import type { ContractOrder, SpotOrder } from "../../../client/index.ts";
import { compare } from "../../decimals/arithmetic.ts";
import { groupDecimal } from "../../decimals/format.ts";
import type { MarketRules } from "../market-rules.ts";
import { averageOf } from "../order-average.ts";
import type { Draft } from "./order-draft.ts";

export interface Outcome {
  readonly text: string;
  /** Plain: it ended, and nothing of it was filled. */
  readonly tone: "good" | "plain";
}

type Facts = "orderId" | "side" | "origQty" | "executedQty" | "status";
type PlacedOrder =
  | Pick<SpotOrder, Facts | "cummulativeQuoteQty">
  | Pick<ContractOrder, Facts | "avgPrice">;

export function outcomeOf(
  draft: Pick<Draft, "kind" | "timeInForce" | "price">,
  order: PlacedOrder,
  rules: Pick<MarketRules, "baseAsset" | "priceDecimals">,
): Outcome {
  const { orderId, side, origQty, executedQty, status } = order;
  const isOver = status !== "NEW";
  const wait = `${side === "BUY" ? "Buy" : "Sell"} order ${orderId}`;
  if (compare(executedQty, "0") === 0) {
    if (isOver) return { text: `${wait} was cancelled: ${whyUnfilled(draft)}`, tone: "plain" };
    return { text: `${wait} waits in the book at ${groupDecimal(draft.price)}.`, tone: "good" };
  }
  const average = averageOf(order, rules.priceDecimals);
  const isWhole = compare(executedQty, origQty) === 0;
  const amount = isWhole ? executedQty : `${executedQty} of ${origQty}`;
  const verb = side === "BUY" ? "Bought" : "Sold";
  const rest = isWhole ? "" : isOver ? " The rest was cancelled." : " The rest waits in the book.";
  return {
    text: `${verb} ${amount} ${rules.baseAsset} at ${groupDecimal(average)}.${rest}`,
    tone: "good",
  };
}

function whyUnfilled({
  kind,
  timeInForce,
  price,
}: Pick<Draft, "kind" | "timeInForce" | "price">): string {
  if (kind === "MARKET") return "nobody offers the other side.";
  switch (timeInForce) {
    case "POST_ONLY":
      return `at ${groupDecimal(price)} it would have traded at once, and it is post-only.`;
    case "FOK":
      return `not all of it could be filled at ${groupDecimal(price)} or better.`;
    default:
      return `nothing could be filled at ${groupDecimal(price)} or better.`;
  }
}
