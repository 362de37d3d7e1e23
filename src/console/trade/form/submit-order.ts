/** Places the order in the form and reports the result. */
import { useEffect, useMemo } from "react";
import { type RialtoClient, RialtoError } from "../../../client/index.ts";
import { useMutation } from "../../data/mutation.ts";
import { useSession } from "../../session/session.tsx";
import { useMarket } from "../market.tsx";
import type { MarketRules } from "../market-rules.ts";
import {
  algoOrderOf,
  contractOrderOf,
  type Draft,
  isConditional,
  spotOrderOf,
} from "./order-draft.ts";
import { type OrderError, toOrderError } from "./order-error.ts";
import { type Outcome, outcomeOf } from "./order-outcome.ts";
import { KIND_NAMES } from "./order-type-fields.tsx";
import type { TypedDraft } from "./typed-draft.ts";

export interface OrderSubmission {
  readonly place: () => Promise<void>;
  readonly busy: boolean;
  /** Why the current draft was rejected. */
  readonly orderError: OrderError | null;
}

/** `typed` is what the user changes: until then the reason of a rejection stays. */
export function usePlaceOrder(
  typed: TypedDraft,
  draft: Draft,
  onPlaced: () => void,
): OrderSubmission {
  const { client } = useSession();
  const { rules, streams, refreshAccount, refreshMarkets } = useMarket();
  const { busy, error, run, reset } = useMutation((failure) => {
    if (isHalt(failure)) refreshMarkets();
  });
  // biome-ignore lint/correctness/useExhaustiveDependencies: what they change clears the old error
  useEffect(reset, [typed, rules.isTrading]);
  useEffect(
    () =>
      streams.onState(({ name, resumed }) => {
        if (name === "live" && resumed) reset();
      }),
    [streams, reset],
  );
  const placeOrder = async (): Promise<void> => {
    if (await run(() => place(client, draft, rules))) onPlaced();
    refreshAccount();
  };
  const orderError = useMemo(() => (error === null ? null : toOrderError(error)), [error]);
  return { place: placeOrder, busy, orderError };
}

const NOT_TRADING = "-1058";

const isHalt = (error: Error): boolean =>
  error instanceof RialtoError && String(error.code) === NOT_TRADING;

/** Never retried: a late order would execute at a price nobody looked at. */
const ONCE = { attempts: 1 } as const;

async function place(client: RialtoClient, draft: Draft, rules: MarketRules): Promise<Outcome> {
  const { kind } = draft;
  if (isConditional(kind)) {
    await client.contract.placeAlgoOrder(algoOrderOf(draft, kind, rules), ONCE);
    return { text: `${KIND_NAMES[kind]} order placed`, tone: "good" };
  }
  const isSpot = rules.product === "spot";
  const { orderId } = isSpot
    ? await client.spot.placeOrder(spotOrderOf(draft, rules), ONCE)
    : await client.contract.placeOrder(contractOrderOf(draft, rules), ONCE);
  // The order is accepted: failing to read it back changes nothing.
  try {
    const query = { orderId };
    const order = isSpot ? await client.spot.order(query) : await client.contract.order(query);
    return outcomeOf(draft, order, rules);
  } catch {
    return { text: `Order ${orderId} accepted`, tone: "good" };
  }
}
