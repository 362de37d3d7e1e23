/** GET /api/v3/account/: balances and fees of the caller's spot wallet. */
import { accountRoute } from "../../api/v3/account.ts";
import { accept } from "../../domain/index.ts";
import type { SpotMarketView, UserView } from "../../protocol/index.ts";
import { endpoint } from "../endpoint.ts";
import { toRateE8 } from "../v3/rate.ts";

export const accountEndpoint = endpoint(accountRoute, async ({ caller }, { engine }) => {
  const [user, markets, balances] = await Promise.all([
    engine.ask({ type: "user", uid: caller.uid }),
    engine.ask({ type: "spot-markets", symbol: null }),
    engine.ask({ type: "spot-balances", uid: caller.uid }),
  ]);
  if (!user.ok) return user;
  if (!markets.ok) return markets;
  if (!balances.ok) return balances;
  const active = user.value.state === "active";
  const rates = spotFeeRates(user.value, markets.value);
  return accept({
    makerCommission: toBasisPoints(rates.maker),
    takerCommission: toBasisPoints(rates.taker),
    commissionRates: rates,
    canTrade: active,
    canWithdraw: active,
    canDeposit: true,
    updateTime: balances.timestampMs,
    accountType: "SPOT" as const,
    balances: balances.value.map(({ asset, available, frozen }) => ({
      asset,
      free: available,
      locked: frozen,
    })),
    permissions: ["SPOT"],
    uid: caller.uid,
  });
});

interface Rates {
  readonly maker: string;
  readonly taker: string;
}

/** One pair of rates for all markets: the user's own, else the highest that a market asks. */
function spotFeeRates(user: UserView, markets: readonly SpotMarketView[]): Rates {
  const own = user.feeRates.find(({ product, symbol }) => product === "spot" && symbol === null);
  if (own !== undefined) return { maker: own.makerFeeRate, taker: own.takerFeeRate };
  return {
    maker: highest(markets.map(({ makerFeeRate }) => makerFeeRate)),
    taker: highest(markets.map(({ takerFeeRate }) => takerFeeRate)),
  };
}

function highest(rates: readonly string[]): string {
  return rates.reduce((high, rate) => (toRateE8(rate) > toRateE8(high) ? rate : high), "0");
}

function toBasisPoints(rate: string): number {
  return Number(toRateE8(rate)) / 10_000;
}
