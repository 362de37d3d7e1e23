/** GET /capi/v3/account/symbolConfig: margin mode and leverages, always as an array. */
import { symbolConfigRoute } from "../../api/contract/account.ts";
import { accept } from "../../domain/index.ts";
import { endpoint } from "../endpoint.ts";
import { settingsAnswer } from "./settings-answer.ts";

export const symbolConfigEndpoint = endpoint(
  symbolConfigRoute,
  async ({ caller, query }, { engine }) => {
    const symbol = query.symbol ?? null;
    const settings = await engine.ask({ type: "contract-settings", uid: caller.uid, symbol });
    if (!settings.ok) return settings;
    return accept(
      settings.value.map((market) => ({
        ...settingsAnswer(market),
        separatedType: market.separatedType,
      })),
    );
  },
);
