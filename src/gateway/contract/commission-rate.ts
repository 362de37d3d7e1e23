/** GET /capi/v3/account/commissionRate: the caller's fee rates in a market. */
import { commissionRateRoute } from "../../api/contract/account.ts";
import { accept } from "../../domain/index.ts";
import { endpoint } from "../endpoint.ts";

export const commissionRateEndpoint = endpoint(
  commissionRateRoute,
  async ({ caller, query }, { engine }) => {
    const { symbol } = query;
    const rates = await engine.ask({ type: "contract-fee-rates", uid: caller.uid, symbol });
    if (!rates.ok) return rates;
    return accept({
      symbol: rates.value.symbol,
      makerCommissionRate: rates.value.makerFeeRate,
      takerCommissionRate: rates.value.takerFeeRate,
    });
  },
);
