/** Sends the order of the form, and tells what became of it. */
import { useEffect, useState } from "react";
import type { RialtoClient } from "../../../client/index.ts";
import { useSay } from "../../components/toast.tsx";
import { useSession } from "../../session/session.tsx";
import { useDesk } from "../market.tsx";
import type { MarketRules } from "../market-rules.ts";
import {
  algoOrderOf,
  contractOrderOf,
  type Draft,
  isConditional,
  spotOrderOf,
} from "./order-draft.ts";
import { type Refusal, refusalOf } from "./order-error.ts";
import { type Outcome, outcomeOf } from "./order-outcome.ts";
import { KIND_NAMES } from "./order-type-fields.tsx";

export interface Sending {
  readonly send: () => Promise<void>;
  readonly busy: boolean;
  /** Why the present draft was not taken. */
  readonly refusal: Refusal | null;
}

export function useSending(draft: Draft, onSent: () => void): Sending {
  const { client } = useSession();
  const { rules, accountChanged } = useDesk();
  const say = useSay();
  const [busy, setBusy] = useState(false);
  const [refusal, setRefusal] = useState<Refusal | null>(null);
  // biome-ignore lint/correctness/useExhaustiveDependencies: another draft forgets the old refusal
  useEffect(() => setRefusal(null), [draft]);
  const send = async (): Promise<void> => {
    setBusy(true);
    setRefusal(null);
    try {
      const { text, tone } = await place(client, draft, rules);
      say(text, tone);
      onSent();
    } catch (error) {
      setRefusal(refusalOf(error));
    } finally {
      setBusy(false);
      accountChanged.set(accountChanged.get() + 1);
    }
  };
  return { send, busy, refusal };
}

/** Sent again by itself, an order would come late, at a price that nobody looked at. */
const ONCE = { attempts: 1 } as const;

async function place(client: RialtoClient, draft: Draft, rules: MarketRules): Promise<Outcome> {
  const { kind } = draft;
  if (isConditional(kind)) {
    const algoOrder = algoOrderOf(draft, kind, rules);
    const { orderId } = await client.contract.placeAlgoOrder(algoOrder, ONCE);
    return { text: `${KIND_NAMES[kind]} order ${orderId} waits for its trigger.`, tone: "good" };
  }
  const isSpot = rules.product === "spot";
  const { orderId } = isSpot
    ? await client.spot.placeOrder(spotOrderOf(draft, rules), ONCE)
    : await client.contract.placeOrder(contractOrderOf(draft, rules), ONCE);
  // It was taken: an answer that does not come now takes nothing back.
  try {
    const query = { orderId };
    const order = isSpot ? await client.spot.order(query) : await client.contract.order(query);
    return outcomeOf(draft, order, rules);
  } catch {
    return { text: `Order ${orderId} was taken.`, tone: "good" };
  }
}
