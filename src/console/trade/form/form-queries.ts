/** Data for the order form: funds, fee rates, leverage, last price. */
import { useEffect, useState } from "react";
import type { Position, RialtoClient } from "../../../client/index.ts";
import { compare, plus } from "../../decimals/arithmetic.ts";
import { useSession } from "../../session/session.tsx";
import { useAccountQuery } from "../account/account-query.ts";
import { useMarket } from "../market.tsx";
import type { MarketRules } from "../market-rules.ts";
import { type FeeRates, type Funds, NO_FUNDS } from "./order-cost.ts";

/** Contract funds move with the mark price. */
const FUNDS_INTERVAL_MS = 2_000;

export interface AccountFacts {
  readonly funds: Funds;
  /** Null on spot, and before the first answer. */
  readonly margin: ContractAccount | null;
}

/** The contract wallet of a market's margin asset, and all positions. */
export interface ContractAccount {
  readonly wallet: string;
  readonly available: string;
  readonly unrealised: string;
  readonly positions: readonly Position[];
}

const UNKNOWN: AccountFacts = { funds: NO_FUNDS, margin: null };

export function useAccountFacts(): AccountFacts {
  const { client } = useSession();
  const { rules } = useMarket();
  const { answer } = useAccountQuery(
    `funds ${rules.symbol}`,
    (signal) =>
      rules.product === "spot"
        ? fetchSpotFunds(client, rules, signal)
        : fetchContractFacts(client, rules, signal),
    rules.product === "contract" ? FUNDS_INTERVAL_MS : null,
  );
  return answer ?? UNKNOWN;
}

async function fetchSpotFunds(
  client: RialtoClient,
  { baseAsset, quoteAsset }: MarketRules,
  signal: AbortSignal,
): Promise<AccountFacts> {
  const { balances } = await client.spot.account({ signal });
  const free = (asset: string): string =>
    balances.find((balance) => balance.asset === asset)?.free ?? "0";
  return { funds: { ...NO_FUNDS, base: free(baseAsset), quote: free(quoteAsset) }, margin: null };
}

async function fetchContractFacts(
  client: RialtoClient,
  { symbol, quoteAsset }: MarketRules,
  signal: AbortSignal,
): Promise<AccountFacts> {
  const [balances, positions] = await Promise.all([
    client.contract.balance({ signal }),
    client.contract.positions({ signal }),
  ]);
  const sizeOf = (side: "LONG" | "SHORT"): string =>
    positions
      .filter((held) => held.symbol === symbol && held.side === side)
      .reduce((sum, held) => plus(sum, held.size), "0");
  const row = balances.find(({ asset }) => asset === quoteAsset);
  const available = row?.availableBalance ?? "0";
  return {
    funds: {
      base: "0",
      quote: available,
      longSize: sizeOf("LONG"),
      shortSize: sizeOf("SHORT"),
    },
    margin: {
      wallet: row?.balance ?? "0",
      available,
      unrealised: row?.unrealizePnl ?? "0",
      positions: positions.filter(({ asset }) => asset === quoteAsset),
    },
  };
}

/** The user's rates on contracts, the market's on spot. */
export function useFeeRates(): FeeRates {
  const { client } = useSession();
  const { rules } = useMarket();
  const { answer } = useAccountQuery(`rates ${rules.symbol}`, async (signal) =>
    rules.product === "spot"
      ? null
      : client.contract.commissionRate({ symbol: rules.symbol }, { signal }),
  );
  if (answer === null) return { maker: rules.makerFeeRate, taker: rules.takerFeeRate };
  return { maker: answer.makerCommissionRate, taker: answer.takerCommissionRate };
}

export interface MarginSetting {
  readonly marginType: "CROSSED" | "ISOLATED";
  readonly crossLeverage: string;
  readonly longLeverage: string;
  readonly shortLeverage: string;
}

export interface MarginSettings {
  readonly setting: MarginSetting | null;
  readonly refresh: () => void;
}

export function useMarginSetting(): MarginSettings {
  const { client } = useSession();
  const { rules } = useMarket();
  const { answer, refresh } = useAccountQuery(`margin ${rules.symbol}`, async (signal) =>
    rules.product === "spot"
      ? null
      : client.contract.symbolConfig({ symbol: rules.symbol }, { signal }),
  );
  const [row] = answer ?? [];
  if (row === undefined) return { setting: null, refresh };
  const { marginType, crossLeverage, isolatedLongLeverage, isolatedShortLeverage } = row;
  const longLeverage = isolatedLongLeverage;
  const shortLeverage = isolatedShortLeverage;
  return { setting: { marginType, crossLeverage, longLeverage, shortLeverage }, refresh };
}

export function leverageOf(setting: MarginSetting | null, side: "LONG" | "SHORT"): string {
  if (setting === null) return "1";
  if (setting.marginType === "CROSSED") return setting.crossLeverage;
  return side === "LONG" ? setting.longLeverage : setting.shortLeverage;
}

const UPDATE_MS = 250;

/** The last price, at most four times a second; null before the first. */
export function useLastPrice(): string | null {
  const { streams, rules } = useMarket();
  const [price, setPrice] = useState<string | null>(null);
  useEffect(() => {
    const subscription = streams.ticker(rules.symbol);
    let latest: string | null = null;
    const timer = setInterval(() => setPrice(latest), UPDATE_MS);
    subscription.listen(({ lastPrice }) => {
      if (latest === null) setPrice(lastPrice);
      latest = lastPrice;
    });
    return () => {
      clearInterval(timer);
      subscription.close();
    };
  }, [streams, rules.symbol]);
  return price === null || compare(price, "0") === 0 ? null : price;
}
