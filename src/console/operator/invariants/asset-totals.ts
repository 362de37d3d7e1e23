/** The totals of the ledger, added up again here: exact, on the text that the exchange gave. */
import { plus } from "../../amounts/exact.ts";

type Totals = Readonly<Record<string, Readonly<Record<string, string>>>>;

export interface AssetTotals {
  readonly asset: string;
  /** By ledger account. */
  readonly totals: Readonly<Record<string, string>>;
  readonly sum: string;
  readonly isConserved: boolean;
}

export function toAssetTotals(totals: Totals): AssetTotals[] {
  return Object.entries(totals).map(([asset, byAccount]) => {
    const sum = Object.values(byAccount).reduce(plus, "0");
    return { asset, totals: byAccount, sum, isConserved: sum === "0" };
  });
}

/** Every account that some asset has, in the order of the first that has it. */
export function accountNames(totals: Totals): string[] {
  return [...new Set(Object.values(totals).flatMap((byAccount) => Object.keys(byAccount)))];
}
