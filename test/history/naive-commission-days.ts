/**
 * What an affiliate earned on each day and was paid, by going through all that was earned, taken
 * back and settled.
 */
import type { EventOf } from "../../src/protocol/index.ts";
import type { CommissionDay, HistoryQuestion, PaidCommissions } from "../../src/queries/index.ts";
import { day, usdt } from "./affiliate-answers.ts";
import type { Listing } from "./listed.ts";

interface Earned {
  readonly event: EventOf<"commission-accrued">;
  readonly timeMs: number;
  readonly valueE8: bigint;
  readonly volumeE8: bigint;
}

interface Reversed {
  readonly event: EventOf<"commission-reversed">;
  readonly timeMs: number;
}

export function naiveCommissionDays(
  { units }: Listing,
  earned: readonly Earned[],
  reversed: readonly Reversed[],
  { affiliateUid, fromDay, toDay, limit }: HistoryQuestion<"commission-days">,
): CommissionDay[] {
  const gained = earned.map(({ event, timeMs, valueE8, volumeE8 }) => {
    const { affiliateUid: uid, product, asset, commissionMinor: minor } = event;
    return { uid, product, asset, day: day(timeMs), count: 1, minor, valueE8, volumeE8 };
  });
  const lost = reversed.map(({ event, timeMs }) => {
    const { affiliateUid: uid, product, asset, commissionId, amountMinor } = event;
    const of = earned.find((each) => each.event.commissionId === commissionId);
    const sums = { count: 0, minor: -amountMinor, valueE8: -(of?.valueE8 ?? 0n), volumeE8: 0n };
    return { uid, product, asset, day: day(timeMs), ...sums };
  });
  const mine = [...gained, ...lost].filter(
    (one) => one.uid === affiliateUid && one.day >= fromDay && one.day <= toDay,
  );
  const groups = Map.groupBy(mine, (one) => `${one.day}|${one.product}|${one.asset}`);
  return [...groups.keys()]
    .sort()
    .slice(0, limit)
    .map((key): CommissionDay => {
      const ofDay = groups.get(key) as [(typeof mine)[number]];
      const [{ product, asset }] = ofDay;
      const total = (amount: (one: (typeof mine)[number]) => bigint) =>
        ofDay.reduce((sum, one) => sum + amount(one), 0n);
      return {
        day: ofDay[0].day,
        product,
        asset,
        commissions: ofDay.reduce((sum, { count }) => sum + count, 0),
        amount: units(
          total(({ minor }) => minor),
          asset,
        ),
        usdtValue: usdt(total(({ valueE8 }) => valueE8)),
        volume: usdt(total(({ volumeE8 }) => volumeE8)),
      };
    });
}

export function naivePaid(
  { units }: Listing,
  settled: readonly { readonly event: EventOf<"commissions-settled"> }[],
  { affiliateUid }: HistoryQuestion<"paid-commissions">,
): PaidCommissions[] {
  const own = settled.filter(({ event }) => event.affiliateUid === affiliateUid);
  const coins = Map.groupBy(own, ({ event }) => event.asset);
  return [...coins.keys()].sort().map((asset) => {
    const minor = (coins.get(asset) ?? []).reduce((sum, { event }) => sum + event.paidMinor, 0n);
    return { asset, paid: units(minor, asset) };
  });
}
