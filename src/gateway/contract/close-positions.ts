/** POST /capi/v3/closePositions: closes positions at market price. */
import { closePositionsRoute } from "../../api/contract/trade.ts";
import { errorMessage, refuse } from "../../api/errors.ts";
import { accept } from "../../domain/index.ts";
import type { ClosedPosition } from "../../protocol/index.ts";
import { requestIdOf } from "../authentication/request-id.ts";
import { endpoint } from "../endpoint.ts";
import { readPositionId } from "./position-id.ts";

export const closePositionsEndpoint = endpoint(closePositionsRoute, async (request, { engine }) => {
  const { body, caller } = request;
  const position = body.positionId === undefined ? null : readPositionId(body, "positionId");
  if (position !== null && !position.ok) return position;
  const closed = await engine.executeOnce<"close-positions">(requestIdOf(request), {
    type: "close-positions",
    uid: caller.uid,
    symbol: body.symbol ?? null,
    positionId: position === null ? null : position.value,
  });
  return closed.ok ? accept(closed.value.map(toRow)) : closed;
});

function toRow({ positionId, ok, orderId, reason }: ClosedPosition) {
  return {
    positionId,
    success: ok,
    successOrderId: orderId,
    errorMessage: reason === null ? "" : errorMessage(refuse(reason)),
  };
}
