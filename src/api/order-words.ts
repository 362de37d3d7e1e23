/** Who placed an order, why it ended and how a fill came about, as answers and streams say it. */
import {
  END_REASONS,
  type EndReason,
  MATCH_KINDS,
  type MatchKind,
  ORDER_ORIGINS,
  type OrderOrigin,
} from "../domain/index.ts";

type Word<Text extends string> = Text extends `${infer Head}-${infer Tail}`
  ? `${Uppercase<Head>}_${Word<Tail>}`
  : Uppercase<Text>;

function word<Text extends string>(text: Text): Word<Text> {
  return text.replaceAll("-", "_").toUpperCase() as Word<Text>;
}

/** `API`: the user. `ALGO`: a conditional order that was triggered. */
export type OrderSource = "API" | Word<Exclude<OrderOrigin, "user">>;

export function orderSource(origin: OrderOrigin): OrderSource {
  return origin === "user" ? "API" : word(origin);
}

/** `UNKNOWN_ORDER_CANCEL_REASON`: it was not cancelled. */
export type CancelReason = "UNKNOWN_ORDER_CANCEL_REASON" | Word<Exclude<EndReason, "filled">>;

export function cancelReason(reason: EndReason | null): CancelReason {
  if (reason === null || reason === "filled") return "UNKNOWN_ORDER_CANCEL_REASON";
  return word(reason);
}

export const matchType = (kind: MatchKind): Word<MatchKind> => word(kind);

export const ORDER_SOURCES: readonly OrderSource[] = ORDER_ORIGINS.map(orderSource);
export const CANCEL_REASONS: readonly CancelReason[] = END_REASONS.map(cancelReason);
export const MATCH_TYPES = MATCH_KINDS.map(matchType);
