/** Settings of a market as contract routes answer them: leverages are text. */
import type { ContractSettingsView } from "../../protocol/index.ts";

export function settingsAnswer(settings: ContractSettingsView) {
  return {
    symbol: settings.symbol,
    marginType: settings.marginType,
    crossLeverage: String(settings.crossLeverage),
    isolatedLongLeverage: String(settings.isolatedLongLeverage),
    isolatedShortLeverage: String(settings.isolatedShortLeverage),
  };
}
