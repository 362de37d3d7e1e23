/**
 * POST /capi/v3/account/positionMargin and /capi/v3/account/modifyAutoAppendMargin: margin of an
 * isolated position, by hand and by itself.
 */
import { autoAppendMarginRoute, positionMarginRoute } from "../../api/contract/account.ts";
import { accept } from "../../domain/index.ts";
import type { CommandAnswers, Reply } from "../../protocol/index.ts";
import { requestIdOf } from "../authentication/request-id.ts";
import { endpoint } from "../endpoint.ts";
import { withWireNames } from "../wire-names.ts";
import { readPositionId } from "./position-id.ts";

type Moved = Reply<CommandAnswers["move-position-margin"]>;

const ADD = 1;

export const positionMarginEndpoint = endpoint(positionMarginRoute, async (request, { engine }) => {
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

export const autoAppendMarginEndpoint = endpoint(
  autoAppendMarginRoute,
  async (request, { engine }) => {
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
  },
);
