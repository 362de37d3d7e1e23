/** GET /capi/v3/account/balance: the caller's contract wallet. */
import { balanceRoute } from "../../api/contract/account.ts";
import { accept } from "../../domain/index.ts";
import { endpoint } from "../endpoint.ts";

export const balanceEndpoint = endpoint(balanceRoute, async ({ caller }, { engine }) => {
  const balances = await engine.ask({ type: "contract-balances", uid: caller.uid });
  if (!balances.ok) return balances;
  return accept(
    balances.value.map(({ asset, balance, availableBalance, frozen, unrealizePnl }) => ({
      asset,
      balance,
      availableBalance,
      frozen,
      unrealizePnl,
    })),
  );
});
