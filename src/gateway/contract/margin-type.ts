/** POST /capi/v3/account/marginType: changes the caller's margin mode of a market. */
import { marginTypeRoute } from "../../api/contract/account.ts";
import { accept } from "../../domain/index.ts";
import { endpoint } from "../endpoint.ts";

export const marginTypeEndpoint = endpoint(
  marginTypeRoute,
  async ({ caller, body }, { engine }) => {
    const changed = await engine.execute({
      type: "set-margin-type",
      uid: caller.uid,
      symbol: body.symbol,
      marginType: body.marginType,
      separatedType: body.separatedType ?? null,
    });
    if (!changed.ok) return changed;
    return accept({ code: "200" as const, requestTime: changed.timestampMs });
  },
);
