/** What commissions would have been at other rates, by going through all: see the naive model. */
import type { Product } from "../../src/domain/index.ts";
import type { EventOf } from "../../src/protocol/index.ts";
import type { HistoryAnswer, HistoryQuestion } from "../../src/queries/index.ts";
import { exact } from "../support/exact.ts";
import type { Listing } from "./listed.ts";
import { isIn } from "./naive-candles.ts";

type Accrued = EventOf<"commission-accrued">;

/** The rates of an affiliate at some time. */
export interface Rates {
  readonly uid: number;
  readonly version: number;
  readonly spotE8: bigint;
  readonly contractE8: bigint;
  readonly sinceMs: number;
}

interface Earned {
  readonly event: Accrued;
  readonly timeMs: number;
  /** From the direct affiliate up, at that moment. */
  readonly chain: readonly Rates[];
}

const E8 = 10n ** 8n;

export function naiveWhatIf(
  { units }: Listing,
  all: readonly Earned[],
  q: HistoryQuestion<"commission-what-if">,
): HistoryAnswer<"commission-what-if"> {
  const earned = all.filter(({ timeMs }) => isIn(q.time, timeMs));
  const sides = earned.filter(({ event }) => event.viaUid === null);
  if (sides.length > q.fillsMax) return null;
  const sums = new Map<string, { actual: bigint; proposed: bigint }>();
  const sumOf = (uid: number, event: Accrued) => {
    const key = [uid, event.product, event.asset].join("|");
    const sum = sums.get(key) ?? { actual: 0n, proposed: 0n };
    sums.set(key, sum);
    return sum;
  };
  for (const { event } of earned) {
    sumOf(event.affiliateUid, event).actual += event.commissionMinor + event.cappedMinor;
  }
  for (const { event, chain } of sides) {
    let highest = 0n;
    for (const rates of chain) {
      const proposed = q.rates.find(({ uid }) => uid === rates.uid);
      const isSpot = event.product === "spot";
      const rateE8 =
        proposed === undefined
          ? isSpot
            ? rates.spotE8
            : rates.contractE8
          : exact(isSpot ? proposed.spotRate : proposed.futuresRate) / 10n ** 10n;
      if (rateE8 <= highest) continue;
      sumOf(rates.uid, event).proposed += (event.feeMinor * (rateE8 - highest)) / E8;
      highest = rateE8;
    }
  }
  const rows = [...sums].map(([key, { actual, proposed }]) => {
    const [uid = "", product = "", asset = ""] = key.split("|");
    return {
      affiliateUid: Number(uid),
      product: product as Product,
      asset,
      actual: units(actual, asset),
      proposed: units(proposed, asset),
    };
  });
  rows.sort(
    (a, b) =>
      a.affiliateUid - b.affiliateUid ||
      a.product.localeCompare(b.product) ||
      a.asset.localeCompare(b.asset),
  );
  return { fills: sides.length, rows };
}
