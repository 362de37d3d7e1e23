/** Spot and contract markets behind one shape: their fields and API calls. */
import type {
  ListContractMarketsAnswer,
  ListSpotMarketsAnswer,
  OperatorClient,
  SetContractMarketInput,
  SetSpotMarketInput,
} from "../../../client/index.ts";
import { CONTRACT_FIELDS, type RuleField, SPOT_FIELDS } from "./rule-fields.ts";

export type Product = "spot" | "contract";
export type MarketState = "trading" | "cancel-only" | "halted";
export type SpotMarket = ListSpotMarketsAnswer["items"][number];
export type ContractMarket = ListContractMarketsAnswer["items"][number];
export type Market = SpotMarket | ContractMarket;
export type Tier = ContractMarket["tiers"][number];

export const FIELDS: Readonly<Record<Product, readonly RuleField[]>> = {
  spot: SPOT_FIELDS,
  contract: CONTRACT_FIELDS,
};

export async function setMarketState(
  client: OperatorClient,
  product: Product,
  symbol: string,
  { state, reason }: { readonly state: MarketState; readonly reason: string },
): Promise<void> {
  const change = { symbol, state, ...(reason === "" ? {} : { reason }) };
  if (product === "spot") await client.setSpotMarketState(change);
  else await client.setContractMarketState(change);
}

/** The exchange validates the rules. */
export async function setMarket(
  client: OperatorClient,
  product: Product,
  rules: Readonly<Record<string, unknown>>,
): Promise<void> {
  if (product === "spot") await client.setSpotMarket(rules as SetSpotMarketInput);
  else await client.setContractMarket(rules as SetContractMarketInput);
}
