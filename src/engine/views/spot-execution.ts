/** What the last command did to a spot order that it placed, read from the command's events. */
import { formatDecimal, formatSteps } from "../../domain/index.ts";
import {
  type EventOf,
  readEvents,
  type SpotExecutionView,
  type SpotFillView,
} from "../../protocol/index.ts";
import type { SpotMarket } from "../state.ts";

/** A command may fill ten thousand orders; the others are in the history. */
const FILLS_MAX = 1_000;

/** The order after the command: it rests, or it has ended. */
type Outcome = EventOf<"spot-order-opened"> | EventOf<"spot-order-ended">;

/** Null when the command did not place this order. */
export function spotExecutionView(
  market: SpotMarket,
  uid: number,
  clientOrderId: string,
  events: Uint8Array,
): SpotExecutionView | null {
  const fills: SpotFillView[] = [];
  let outcome: Outcome | null = null;
  for (const event of readEvents(events)) {
    if (event.type === "spot-trade") {
      // A placement has one taker: the order that it places.
      if (fills.length < FILLS_MAX) fills.push(fillView(market, event));
    } else if (event.type === "spot-order-opened" || event.type === "spot-order-ended") {
      if (event.uid === uid && event.clientOrderId === clientOrderId) outcome = event;
    }
  }
  if (outcome === null) return null;
  const { tick, step, quoteAsset } = market.rules;
  const ended = outcome.type === "spot-order-ended" ? outcome : null;
  const filledQuantity = formatSteps(outcome.filledLots, step);
  const isByAmount = (ended?.quoteAmountMinor ?? 0n) > 0n;
  return {
    side: outcome.side,
    orderType: ended?.orderType ?? "LIMIT",
    timeInForce: outcome.timeInForce,
    status: ended?.status ?? "NEW",
    price: formatSteps(outcome.priceTicks, tick),
    quantity: isByAmount ? filledQuantity : formatSteps(outcome.quantityLots, step),
    filledQuantity,
    filledQuote: formatDecimal(outcome.filledQuoteMinor, quoteAsset.scale),
    fills,
  };
}

/** The taker pays its fee from what it receives. */
function fillView({ rules }: SpotMarket, trade: EventOf<"spot-trade">): SpotFillView {
  const { tick, step, baseAsset, quoteAsset } = rules;
  const received = trade.takerSide === "BUY" ? baseAsset : quoteAsset;
  return {
    tradeId: trade.tradeId,
    price: formatSteps(trade.priceTicks, tick),
    quantity: formatSteps(trade.quantityLots, step),
    fee: formatDecimal(trade.takerFeeMinor, received.scale),
    feeAsset: received.asset,
  };
}
