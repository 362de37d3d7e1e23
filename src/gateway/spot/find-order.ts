/** One spot order of a user, open or ended. */
import { refuse } from "../../api/errors.ts";
import { accept } from "../../domain/index.ts";
import type { SpotOrderView } from "../../protocol/index.ts";
import type { EndedSpotOrder } from "../../queries/history-port.ts";
import type { Exchange, Outcome } from "../endpoint.ts";
import { askPast } from "../history.ts";
import type { OrderKey } from "../parameters.ts";

/** From the engine while it is open, from the store when it has ended. */
export type AnySpotOrder = SpotOrderView | EndedSpotOrder;

export function hasEnded(order: AnySpotOrder): order is EndedSpotOrder {
  return "endedMs" in order;
}

export interface FoundOrder {
  readonly order: AnySpotOrder;
  /** The sequence that it was seen at. */
  readonly sequence: number;
}

/**
 * The engine answers for an open order. What it does not have at its sequence S is looked up in the
 * store at S or later: an order that ended before S is there, and one that is placed later does not
 * count.
 */
export async function findOrder(
  exchange: Exchange,
  uid: number,
  key: OrderKey,
): Promise<Outcome<FoundOrder>> {
  const { orderId } = key;
  const clientOrderId = orderId === null ? key.clientOrderId : null;
  const question = { uid, symbol: null, orderId, clientOrderId };
  const open = await exchange.engine.ask({ type: "spot-order", ...question });
  if (open.ok) return accept({ order: open.value, sequence: open.sequence });
  if ("unavailable" in open || open.reason !== "order-not-found") return open;
  const ended = await askPast(exchange, "ended-spot-order", question, open.sequence);
  if (!ended.ok) return ended;
  return ended.value === null
    ? refuse("order-not-found")
    : accept({ order: ended.value, sequence: open.sequence });
}
