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

/** The naive exchange knows of no commissions: they, and what rounds, come out of its fees. */
function totalsOf({ affiliates, naive }: Story, asset: string): Record<string, string> {
  const { programme } = affiliates;
  const unit = naive.unit(asset);
  const rounded = (programme.rounded.get(asset) ?? 0n) * unit;
  const paid = (programme.paid.get(asset) ?? 0n) * unit;
  const coming = [...programme.affiliates.keys()].map((uid) => {
    const { held, payable } = programme.balance(uid, asset);
    return held + payable;
  });
  const payable = sum(coming) * unit;
  return {
    ...naiveContractTotals(naive, asset),
    fees: text(naive.house("fees", asset) - rounded - paid - payable),
    "affiliate-payable": text(payable),
    rounding: text(naive.house("rounding", asset) + rounded),
  };
}
