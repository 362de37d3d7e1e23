/** POST internalWithdrawal: the caller pays somebody below out of the own spot wallet. */

import {
  v2InternalWithdrawalRoute,
  v3InternalWithdrawalRoute,
} from "../../api/affiliate/withdrawals.ts";
import { refuse } from "../../api/errors.ts";
import type { AnswerOf, BodyOf } from "../../api/route.ts";
import { accept, parseDecimal } from "../../domain/index.ts";
import { requestIdOf } from "../authentication/request-id.ts";
import { type EndpointRequest, type Exchange, endpoint, type Outcome } from "../endpoint.ts";
import { withWireNames } from "../wire-names.ts";
import { readId } from "./parameters.ts";

const DECIMALS_MAX = 6;
const WIRE_NAMES = {
  toUid: "toUserId",
  asset: "coin",
  requestId: "clientWithdrawalId",
};

type Body = BodyOf<typeof v2InternalWithdrawalRoute>;

async function withdraw(
  request: EndpointRequest<unknown, Body>,
  { engine }: Exchange,
): Promise<Outcome<AnswerOf<typeof v2InternalWithdrawalRoute>>> {
  const { caller, body } = request;
  const { coin, amount } = body;
  if (parseDecimal(amount, DECIMALS_MAX) === "excess-precision") {
    return refuse("excess-precision", "amount", `at most ${DECIMALS_MAX} decimals`);
  }
  const reply = await engine.execute<"withdraw-internally">({
    type: "withdraw-internally",
    uid: caller.uid,
    toUid: readId(body.toUserId),
    asset: coin,
    amount,
    requestId: body.clientWithdrawalId ?? requestIdOf(request),
  });
  if (reply.ok) return accept({ id: String(reply.value.withdrawalId) });
  if ("unavailable" in reply) return reply;
  return reply.reason === "not-an-affiliate"
    ? refuse("not-an-affiliate")
    : withWireNames(reply, WIRE_NAMES);
}

export const v2InternalWithdrawalEndpoint = endpoint(v2InternalWithdrawalRoute, withdraw);
export const v3InternalWithdrawalEndpoint = endpoint(v3InternalWithdrawalRoute, withdraw);
