/**
 * Contracts: the caller's open positions, closing them at market price, and margin of isolated
 * ones. The engine names the fields of a position as the API does.
 */
import {
  allPositionsRoute,
  autoAppendMarginRoute,
  positionMarginRoute,
  singlePositionRoute,
} from "../../api/contract/account.ts";
import { closePositionsRoute } from "../../api/contract/trade.ts";
import { errorMessage, refuse } from "../../api/errors.ts";
import { accept } from "../../domain/index.ts";
import type { ClosedPosition, CommandAnswers, EngineClient, Reply } from "../../protocol/index.ts";
import { requestIdOf } from "../authentication/request-id.ts";
import { type Endpoint, endpoint } from "../endpoint.ts";
import type { Read } from "../parameters.ts";
import { withWireNames } from "../wire-names.ts";

type Moved = Reply<CommandAnswers["move-position-margin"]>;

const ADD = 1;

async function openPositions(engine: EngineClient, uid: number, symbol: string | null) {
  const open = await engine.query({ type: "contract-positions", uid, symbol });
  return open.ok ? accept([...open.value]) : open;
}

export const allPositions = endpoint(allPositionsRoute, ({ caller }, { engine }) =>
  openPositions(engine, caller.uid, null),
);

export const singlePosition = endpoint(singlePositionRoute, ({ caller, query }, { engine }) =>
  openPositions(engine, caller.uid, query.symbol),
);

/** An id beyond 2^53 was never issued here: it names no position, as a stranger's. */
function readPositionId<Name extends string>(
  body: { readonly [Field in Name]?: number | string },
  name: Name,
): Read<number> {
  const positionId = Number(body[name]);
  return Number.isSafeInteger(positionId)
    ? accept(positionId)
    : refuse("failed-precondition", name);
}

export const closePositions = endpoint(closePositionsRoute, async (request, { engine }) => {
  const { body, caller } = request;
  const position = body.positionId === undefined ? null : readPositionId(body, "positionId");
  if (position !== null && !position.ok) return position;
  const closed = await engine.executeOnce<"close-positions">(requestIdOf(request), {
    type: "close-positions",
    uid: caller.uid,
    symbol: body.symbol ?? null,
    positionId: position === null ? null : position.value,
  });
  return closed.ok ? accept(closed.value.map(toClosed)) : closed;
});

function toClosed({ positionId, ok, orderId, reason }: ClosedPosition) {
  return {
    positionId,
    success: ok,
    successOrderId: orderId,
    errorMessage: reason === null ? "" : errorMessage(refuse(reason)),
  };
}

export const positionMargin = endpoint(positionMarginRoute, async (request, { engine }) => {
  const { body, caller } = request;
  const position = readPositionId(body, "isolatedPositionId");
  if (!position.ok) return position;
  const moved = await engine.executeOnce<"move-position-margin">(requestIdOf(request), {
    type: "move-position-margin",
    uid: caller.uid,
    positionId: position.value,
    amount: body.amount,
    direction: Number(body.type) === ADD ? "add" : "remove",
  });
  if (moved.ok) return accept({ code: "200" as const, requestTime: moved.timestampMs });
  return withWireNames(inClientWords(moved), { positionId: "isolatedPositionId" });
});

/** Public clients know that funds are short by the words "amount not enough". */
function inClientWords(refused: Exclude<Moved, { readonly ok: true }>) {
  if ("unavailable" in refused || refused.reason !== "failed-precondition") return refused;
  if (refused.field !== "amount") return refused;
  const most = refused.detail === null ? "" : `, at most ${refused.detail}`;
  return { ...refused, detail: `move margin available amount not enough${most}` };
}

export const autoAppendMargin = endpoint(autoAppendMarginRoute, async (request, { engine }) => {
  const { body, caller } = request;
  const position = readPositionId(body, "positionId");
  if (!position.ok) return position;
  const changed = await engine.executeOnce<"set-auto-append-margin">(requestIdOf(request), {
    type: "set-auto-append-margin",
    uid: caller.uid,
    positionId: position.value,
    enabled: body.autoAppendMargin,
  });
  if (!changed.ok) return changed;
  return accept({ code: "200" as const, requestTime: changed.timestampMs });
});

export const POSITION_ENDPOINTS: readonly Endpoint[] = [
  allPositions,
  singlePosition,
  closePositions,
  positionMargin,
  autoAppendMargin,
];
