/** Who, at what price, and how much: what the numbers of a step mean on the current exchange. */
import { HAND, type Listing } from "./adversary-fixture.ts";
import type { Step } from "./episode-plan.ts";
import type { EpisodeRun } from "./episode-run.ts";
import { distance } from "./offset.ts";

/** Room for rounding and for a price that turns out worse. */
const SHARE_OF_ROOM = 0.97;

export function sideOf({ isLong }: Step): "LONG" | "SHORT" {
  return isLong ? "LONG" : "SHORT";
}

/** The next of the hand. */
export function other({ who }: Step): number {
  return HAND[(who + 1) % HAND.length] as number;
}

export function priceAt(run: EpisodeRun, listing: Listing, number: number): number {
  const { indexTicks } = run.pricesOf(listing);
  return Math.max(1, Math.round(indexTicks * (1 + distance(number))));
}

/** The nearest price at which both a bid and an ask are let in. */
export function within(run: EpisodeRun, listing: Listing, ticks: number): number {
  const [low, high] = run.bandOf(listing);
  return Math.min(high, Math.max(low, ticks));
}

/** About how much the account can open there, within the tier that its leverage allows. */
export function roomLots(
  run: EpisodeRun,
  uid: number,
  listing: Listing,
  ticks: number,
  share: number,
): number {
  const { perUnit, perLot, rules } = listing;
  const rows = run.ask({ type: "contract-settings", uid, symbol: listing.symbol });
  const [row] = rows;
  if (row === undefined) return 0;
  const isCross = row.marginType === "CROSSED";
  const leverage = isCross ? Number(row.crossLeverage) : Number(row.isolatedLongLeverage);
  const price = ticks / perUnit;
  const fee = Number(rules.takerFeeRate);
  const affordable = (run.available(uid) * SHARE_OF_ROOM) / (1 / leverage + fee);
  const tier = rules.tiers.findLast(({ maxLeverage }) => maxLeverage >= leverage);
  const capped = Math.min(affordable, Number(tier?.maxNotional ?? "0"));
  return Math.floor((capped * share * perLot) / price);
}
