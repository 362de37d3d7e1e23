/** GET /api/v2/public/currencies: the listed assets; in this family all of it is text. */
import { currenciesRoute } from "../../api/v2/market.ts";
import { accept } from "../../domain/index.ts";
import { endpoint } from "../endpoint.ts";

export const currencies = endpoint(currenciesRoute, async (_request, { engine }) => {
  const assets = await engine.ask({ type: "assets" });
  if (!assets.ok) return assets;
  return accept(
    assets.value.map(({ asset, coinId }) => ({
      coinId: String(coinId),
      coinName: asset,
      transfer: "true" as const,
      chains: [],
    })),
  );
});
