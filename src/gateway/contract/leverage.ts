/** POST /capi/v3/account/leverage: changes the caller's leverages of a market. */
import { leverageRoute } from "../../api/contract/account.ts";
import { refuse } from "../../api/errors.ts";
import { accept } from "../../domain/index.ts";
import { requestIdOf } from "../authentication/request-id.ts";
import { endpoint } from "../endpoint.ts";
import { settingsAnswer } from "./settings-answer.ts";

export const leverageEndpoint = endpoint(leverageRoute, async (request, { engine }) => {
  const { body, caller } = request;
  const crossLeverage = toLeverage(body.crossLeverage);
  const isolatedLongLeverage = toLeverage(body.isolatedLongLeverage);
  const isolatedShortLeverage = toLeverage(body.isolatedShortLeverage);
  if (crossLeverage === null && isolatedLongLeverage === null && isolatedShortLeverage === null) {
    const detail = "or isolatedLongLeverage, isolatedShortLeverage: at least one";
    return refuse("missing-parameter", "crossLeverage", detail);
  }
  const changed = await engine.executeOnce<"set-leverage">(requestIdOf(request), {
    type: "set-leverage",
    uid: caller.uid,
    symbol: body.symbol,
    marginType: body.marginType ?? null,
    crossLeverage,
    isolatedLongLeverage,
    isolatedShortLeverage,
  });
  return changed.ok ? accept(settingsAnswer(changed.value)) : changed;
});

function toLeverage(sent: number | string | undefined): number | null {
  return sent === undefined ? null : Number(sent);
}
