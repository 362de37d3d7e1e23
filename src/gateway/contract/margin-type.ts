/** POST /capi/v3/account/marginType: changes the caller's margin mode of a market. */
import { marginTypeRoute } from "../../api/contract/account.ts";
import { accept } from "../../domain/index.ts";
import { requestIdOf } from "../authentication/request-id.ts";
import { endpoint } from "../endpoint.ts";

export const marginTypeEndpoint = endpoint(marginTypeRoute, async (request, { engine }) => {
  const { body, caller } = request;
  const changed = await engine.executeOnce<"set-margin-type">(requestIdOf(request), {
    type: "set-margin-type",
    uid: caller.uid,
    symbol: body.symbol,
    marginType: body.marginType,
    separatedType: body.separatedType ?? null,
  });
  if (!changed.ok) return changed;
  return accept({ code: "200" as const, requestTime: changed.timestampMs });
});
