/** POST and GET …/order/cancelAllAfter: the dead-man switch of each side of the exchange. */
import {
  contractCancelAllAfterRoute,
  contractCountdownsRoute,
  v3CancelAllAfterRoute,
  v3CountdownsRoute,
} from "../../api/additions/dead-man-switch.ts";
import { accept, type Product } from "../../domain/index.ts";
import type { DeadManSwitchView } from "../../protocol/index.ts";
import { type Caller, type Exchange, endpoint } from "../endpoint.ts";

function countdownAnswer({ symbol, countdownMs, firesAtMs, isHeld }: DeadManSwitchView) {
  return { symbol, countdownMs, firesAt: firesAtMs, isHeld };
}

async function setCountdown(
  product: Product,
  { uid }: Caller,
  body: { readonly countdownMs: number; readonly symbol?: string },
  { engine }: Exchange,
) {
  const { countdownMs, symbol = null } = body;
  const type = "set-dead-man-switch";
  const set = await engine.execute({ type, uid, product, symbol, countdownMs });
  return set.ok ? accept(countdownAnswer(set.value)) : set;
}

async function listCountdowns(product: Product, { uid }: Caller, { engine }: Exchange) {
  const listed = await engine.ask({ type: "dead-man-switches", uid, product });
  return listed.ok ? accept(listed.value.map(countdownAnswer)) : listed;
}

export const v3CancelAllAfter = endpoint(v3CancelAllAfterRoute, ({ caller, body }, exchange) =>
  setCountdown("spot", caller, body, exchange),
);

export const v3Countdowns = endpoint(v3CountdownsRoute, ({ caller }, exchange) =>
  listCountdowns("spot", caller, exchange),
);

export const contractCancelAllAfter = endpoint(
  contractCancelAllAfterRoute,
  ({ caller, body }, exchange) => setCountdown("contract", caller, body, exchange),
);

export const contractCountdowns = endpoint(contractCountdownsRoute, ({ caller }, exchange) =>
  listCountdowns("contract", caller, exchange),
);
