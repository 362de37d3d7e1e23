/** Where the index of a contract comes from. */
import type { SpotMarket, State } from "../../state.ts";
import type { ContractMarket } from "../state/contract-market.ts";

/** The spot market that the index is derived from; null when the operator feeds it or none fits. */
export function indexSpotMarket(state: State, market: ContractMarket): SpotMarket | null {
  if (market.indexPrice.source === "operator") return null;
  const spot = state.spotMarketsBySymbol.get(market.symbol);
  if (spot === undefined) return null;
  const { baseAsset, quoteAsset } = market.rules;
  const { rules } = spot;
  const isSamePair =
    rules.baseAsset.index === baseAsset.index && rules.quoteAsset.index === quoteAsset.index;
  return isSamePair ? spot : null;
}

/** As operators read it: `operator`, `spot:` with the symbol of the spot market, or `none`. */
export function indexSourceName(state: State, market: ContractMarket): string {
  if (market.indexPrice.source === "operator") return "operator";
  const spot = indexSpotMarket(state, market);
  return spot === null ? "none" : `spot:${spot.symbol}`;
}
