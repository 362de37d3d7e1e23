/** What custody holds, against what the exchange owes. */
import { Type } from "typebox";
import { Amount, AssetName, Fields, Nullable, SignedAmount, TimestampMs } from "./fields.ts";
import { operatorRoute } from "./route.ts";

const TAG = "Custody";
const BALANCES_MAX = 500;

/** `difference` is reported minus liability; `shortage` allows for all that is in flight. */
const Row = Fields({
  asset: AssetName,
  liability: SignedAmount,
  spotWallets: SignedAmount,
  contractWallets: SignedAmount,
  insurance: SignedAmount,
  fees: SignedAmount,
  clearing: SignedAmount,
  inFlight: SignedAmount,
  reported: Nullable(SignedAmount),
  difference: Nullable(SignedAmount),
  shortage: Nullable(SignedAmount),
});

const Report = Fields({
  asOf: Nullable(TimestampMs),
  reported: Nullable(TimestampMs),
  actor: Nullable(Type.String()),
  items: Type.Array(Row),
});

export const reportCustodyBalances = operatorRoute("reportCustodyBalances", {
  tag: TAG,
  summary: "Report what custody holds, and compare it with what the exchange owes now",
  body: Fields({
    asOf: Type.Optional(TimestampMs),
    balances: Type.Array(Fields({ asset: AssetName, amount: Amount }), {
      maxItems: BALANCES_MAX,
      description: `a list of at most ${BALANCES_MAX} assets with their amounts`,
    }),
  }),
  answer: Report,
});

export const getCustodyBalances = operatorRoute("getCustodyBalances", {
  tag: TAG,
  summary: "Get the last comparison of custody with the exchange; empty before the first",
  answer: Report,
});
