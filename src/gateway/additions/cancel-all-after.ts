/** POST and GET …/order/cancelAllAfter: the dead-man switch of each side of the exchange. */
import {
  contractCancelAllAfterRoute,
  contractCountdownsRoute,
  v3CancelAllAfterRoute,
  v3CountdownsRoute,
} from "../../api/additions/dead-man-switch.ts";
import { accept, type Product } from "../../domain/index.ts";
import type { DeadManSwitchView } from "../../protocol/index.ts";
import { requestIdOf } from "../authentication/request-id.ts";
import { type Caller, type EndpointRequest, type Exchange, endpoint } from "../endpoint.ts";

interface Countdown {
  readonly countdownMs: number;
  readonly symbol?: string;
}

function countdownAnswer({ symbol, countdownMs, firesAtMs, isHeld }: DeadManSwitchView) {
  return { symbol, countdownMs, firesAt: firesAtMs, isHeld };
}

async function setCountdown(
  product: Product,
  request: EndpointRequest<unknown, Countdown>,
  { engine }: Exchange,
) {
  const { uid } = request.caller;
  const { countdownMs, symbol = null } = request.body;
  const type = "set-dead-man-switch";
  const command = { type, uid, product, symbol, countdownMs } as const;
  const set = await engine.executeOnce<typeof type>(requestIdOf(request), command);
  return set.ok ? accept(countdownAnswer(set.value)) : set;
}

async function listCountdowns(product: Product, { uid }: Caller, { engine }: Exchange) {
  const listed = await engine.ask({ type: "dead-man-switches", uid, product });
  return listed.ok ? accept(listed.value.map(countdownAnswer)) : listed;
}

export const v3CancelAllAfter = endpoint(v3CancelAllAfterRoute, (request, exchange) =>
  setCountdown("spot", request, exchange),
);

export const v3Countdowns = endpoint(v3CountdownsRoute, ({ caller }, exchange) =>
  listCountdowns("spot", caller, exchange),
);

export const contractCancelAllAfter = endpoint(contractCancelAllAfterRoute, (request, exchange) =>
  setCountdown("contract", request, exchange),
);

export const contractCountdowns = endpoint(contractCountdownsRoute, ({ caller }, exchange) =>
  listCountdowns("contract", caller, exchange),
);
