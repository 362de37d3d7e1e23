/** What each kind of account of the ledger holds, per asset, beside what it should. */

import { isDeepStrictEqual } from "node:util";
import { naiveContractTotals } from "../models/contract/naive-contract-views.ts";
import { sum, text } from "../support/exact.ts";
import { hold } from "./breach.ts";
import type { Story } from "./story.ts";

export type LedgerTotals = Readonly<Record<string, Readonly<Record<string, string>>>>;

/** Of an exchange whose last command the story has followed. */
export function checkTotals(story: Story, totals: LedgerTotals): void {
  const due: Record<string, Record<string, string>> = {};
  for (const asset of story.naive.assets.keys()) due[asset] = totalsOf(story, asset);
  const isSame = isDeepStrictEqual(totals, due);
  const both = () => `${JSON.stringify(totals)} instead of ${JSON.stringify(due)}`;
  hold(isSame, "each account of the ledger holds what the naive exchange says", both);
}

/** What affiliates will be paid is among the naive fees until it is. */
function totalsOf({ affiliates, naive }: Story, asset: string): Record<string, string> {
  const { programme } = affiliates;
  const coming = [...programme.affiliates.keys()].map((uid) => {
    const { held, payable } = programme.balance(uid, asset);
    return held + payable;
  });
  const payable = sum(coming) * naive.unit(asset);
  return {
    ...naiveContractTotals(naive, asset),
    fees: text(naive.house("fees", asset) - payable),
    "affiliate-payable": text(payable),
  };
}
