/** The insurance funds, and what protects them in each contract, for the metrics page. */
import { formatDecimal } from "../../domain/index.ts";
import type { MarketIntegrityView } from "../../protocol/index.ts";
import { drawsOfHour } from "../contract/formulas/insurance-limits.ts";
import { indexAtMs, isFresh } from "../contract/prices/prices.ts";
import type { ContractMarket } from "../contract/state/contract-market.ts";
import type { Asset, State } from "../state.ts";

export function marketIntegrityView(state: State, nowMs: number): MarketIntegrityView {
  const { ledger } = state;
  const { markets } = state.contract;
  const assets = new Set<Asset>(markets.map(({ rules }) => rules.marginAsset));
  return {
    funds: [...assets].map(({ asset, index, scale }) => {
      const fundMinor = ledger.balance(ledger.houseAccount(index, "insurance"));
      return { asset, balance: formatDecimal(fundMinor, scale) };
    }),
    markets: markets.map((market) => {
      const { indexPrice, rules, symbol, tallies } = market;
      const { insurancePaidMinor, ...counts } = tallies;
      return {
        symbol,
        indexSource: indexPrice.source,
        indexAgeMs: indexPrice.ticks === 0 ? null : nowMs - indexAtMs(state, market, nowMs),
        isStale: !isFresh(state, market, nowMs),
        drawsUsed: drawsUsed(state, market, nowMs),
        ...counts,
        insurancePaid: formatDecimal(insurancePaidMinor, rules.marginAsset.scale),
      };
    }),
  };
}

/** A limit of nothing is used up. */
function drawsUsed(state: State, market: ContractMarket, nowMs: number): number | null {
  const draws = drawsOfHour(state, market, nowMs);
  if (draws === null) return null;
  const { drawnMinor, limitMinor } = draws;
  if (limitMinor === 0n) return 1;
  const THOUSANDTHS = 1_000;
  return Number((drawnMinor * BigInt(THOUSANDTHS)) / limitMinor) / THOUSANDTHS;
}
