/** Commissions of a past period at other rates. A query: nothing changes. */
import { Type } from "typebox";
import {
  Amount,
  AssetName,
  Count,
  Fields,
  Product,
  SignedAmount,
  TimestampMs,
  Uid,
} from "./fields.ts";
import { operatorRoute } from "./route.ts";

const RATES_MAX = 500;

export const RANGE_DAYS_MAX = 90;

export const FILLS_MAX = 2_000_000;

const ProposedRates = Fields({ uid: Uid, spotRate: Amount, futuresRate: Amount });

const WhatIf = Fields({
  rates: Type.Array(ProposedRates, {
    minItems: 1,
    maxItems: RATES_MAX,
    description:
      `a list of 1 to ${RATES_MAX} {uid, spotRate, futuresRate}, each affiliate once; all ` +
      "others keep their rates",
  }),
  startTime: TimestampMs,
  endTime: TimestampMs,
});

const COST = { actual: SignedAmount, proposed: SignedAmount, difference: SignedAmount };

export const compareCommissionRates = operatorRoute("compareCommissionRates", {
  tag: "Commissions",
  summary:
    "Compare the commissions of a past period with those at other rates, before caps, holds and " +
    `reversals. At most ${RANGE_DAYS_MAX} days and ${FILLS_MAX} sides of fills`,
  body: WhatIf,
  answer: Fields({
    fills: Count,
    rows: Type.Array(Fields({ affiliateUid: Uid, product: Product, asset: AssetName, ...COST })),
    totals: Type.Array(Fields({ asset: AssetName, ...COST })),
  }),
});
