/** The engine's word on a spot market that the store is then asked about. */
import { accept, invariant } from "../../domain/index.ts";
import type { SpotMarketView } from "../../protocol/index.ts";
import type { Exchange, Outcome } from "../endpoint.ts";

export interface KnownMarket {
  readonly market: SpotMarketView;
  /** The sequence that the store must have reached. */
  readonly sequence: number;
  readonly timestampMs: number;
}

export async function knownMarket(
  { engine }: Exchange,
  symbol: string,
): Promise<Outcome<KnownMarket>> {
  const markets = await engine.ask({ type: "spot-markets", symbol });
  if (!markets.ok) return markets;
  const { sequence, timestampMs } = markets;
  const [market] = markets.value;
  invariant(market !== undefined, "a known market has its rules");
  return accept({ market, sequence, timestampMs });
}
