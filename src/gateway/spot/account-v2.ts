/** GET /api/v2/account/assets */
import { accountAssetsRoute } from "../../api/v2/account.ts";
import { accept } from "../../domain/index.ts";
import { endpoint } from "../endpoint.ts";

export const accountAssets = endpoint(accountAssetsRoute, async ({ caller }, { engine }) => {
  const reply = await engine.ask<"spot-balances">({ type: "spot-balances", uid: caller.uid });
  if (!reply.ok) return reply;
  return accept(
    reply.value.map(({ coinId, asset, available, frozen, equity }) => ({
      coinId,
      coinName: asset,
      available,
      frozen,
      equity,
    })),
  );
});
