/** Places the order in the form and reports the result. */
import { useEffect, useMemo } from "react";
import type { RialtoClient } from "../../../client/index.ts";
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

export interface OrderSubmission {
  readonly submit: () => Promise<void>;
  readonly busy: boolean;
  /** Why the current draft was rejected. */
  readonly orderError: OrderError | null;
}

export function useSubmitOrder(draft: Draft, onPlaced: () => void): OrderSubmission {
  const { client } = useSession();
  const { rules, refreshAccount } = useMarket();
  const { busy, error, run, reset } = useMutation();
  // biome-ignore lint/correctness/useExhaustiveDependencies: a new draft clears the old error
  useEffect(reset, [draft]);
  const submit = async (): Promise<void> => {
    if (await run(() => place(client, draft, rules))) onPlaced();
    refreshAccount();
  };
  const orderError = useMemo(() => (error === null ? null : toOrderError(error)), [error]);
  return { submit, busy, orderError };
}

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
