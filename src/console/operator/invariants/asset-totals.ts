/** Ledger totals per asset, summed here exactly. */
import { plus } from "../../decimals/arithmetic.ts";

type Totals = Readonly<Record<string, Readonly<Record<string, string>>>>;

export interface AssetTotals {
  readonly asset: string;
  readonly sum: string;
  readonly isConserved: boolean;
  /** Non-zero ledger accounts, in the exchange's order. */
  readonly filled: readonly AccountTotal[];
  /** Number of accounts at zero. */
  readonly empty: number;
}

export interface AccountTotal {
  readonly account: string;
  readonly total: string;
}

/** Assets that are not conserved come first. */
export function toAssetTotals(totals: Totals): AssetTotals[] {
  const all = Object.entries(totals).map(([asset, byAccount]) => {
    const accounts = Object.entries(byAccount).map(([account, total]) => ({ account, total }));
    const sum = Object.values(byAccount).reduce(plus, "0");
    const filled = accounts.filter(({ total }) => total !== "0");
    const empty = accounts.length - filled.length;
    return { asset, sum, isConserved: sum === "0", filled, empty };
  });
  return all.sort((one, other) => Number(one.isConserved) - Number(other.isConserved));
}
