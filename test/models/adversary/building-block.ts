/**
 * The building blocks of theft: single actions of one colluding account, or of two together. Each
 * interprets its numbers in its own way and does what it can; the engine rejects the rest.
 */
import { type AdversaryFixture, HAND, type Listing } from "./adversary-fixture.ts";
import type { BlockName, Step } from "./episode-plan.ts";
import type { EpisodeRun } from "./episode-run.ts";
import { MANAGEMENT_BLOCKS } from "./management-block.ts";
import { distance, jump, part, pickFrom, waitMs } from "./offset.ts";
import { other, priceAt, roomLots, sideOf, within } from "./room.ts";

type Block = (run: EpisodeRun, step: Step, listing: Listing) => void;

const TAKES = ["GTC", "IOC", "FOK", "GTC"] as const;

const TRADING_BLOCKS = {
  /** Two of the hand open against each other at a price. */
  pair(run, step, listing) {
    const [taker, maker] = [HAND[step.who], other(step)];
    const ticks = within(run, listing, priceAt(run, listing, step.x));
    const lots = Math.min(
      roomLots(run, taker, listing, ticks, part(step.y)),
      roomLots(run, maker, listing, ticks, part(step.y)),
    );
    const side = sideOf(step);
    run.order(maker, listing, "open", side === "LONG" ? "SHORT" : "LONG", lots, ticks);
    const timeInForce = pickFrom(TAKES, step.z);
    run.order(taker, listing, "open", side, lots, ticks, { timeInForce });
  },

  rest(run, step, listing) {
    const ticks = priceAt(run, listing, step.x);
    const lots = roomLots(run, HAND[step.who], listing, ticks, part(step.y));
    const timeInForce = step.z < 0.3 ? "POST_ONLY" : "GTC";
    const attached = attachedAt(run, step, listing);
    const uid = HAND[step.who];
    run.order(uid, listing, "open", sideOf(step), lots, ticks, { timeInForce, ...attached });
  },

  /** At market, or down to a price. */
  take(run, step, listing) {
    const ticks = step.z < 0.4 ? 0 : within(run, listing, priceAt(run, listing, step.x));
    const { markTicks } = run.pricesOf(listing);
    const uid = HAND[step.who];
    const lots = roomLots(run, uid, listing, ticks === 0 ? markTicks : ticks, part(step.y));
    const timeInForce = ticks === 0 ? "IOC" : pickFrom(TAKES, (step.z - 0.4) / 0.6);
    run.order(uid, listing, "open", sideOf(step), lots, ticks, { timeInForce });
  },

  "rest-close"(run, step, listing) {
    const lots = closableLots(run, step, listing);
    run.order(HAND[step.who], listing, "close", sideOf(step), lots, priceAt(run, listing, step.x));
  },

  "take-close"(run, step, listing) {
    const lots = closableLots(run, step, listing);
    const ticks = step.z < 0.5 ? 0 : within(run, listing, priceAt(run, listing, step.x));
    const timeInForce = ticks === 0 ? "IOC" : pickFrom(TAKES, (step.z - 0.5) * 2);
    run.order(HAND[step.who], listing, "close", sideOf(step), lots, ticks, { timeInForce });
  },

  "close-positions"(run, step, listing) {
    const uid = HAND[step.who];
    const own = run.positionIds.filter((one) => one.uid === uid);
    const positionId = step.z < 0.5 ? null : (pickOrNull(own, step.y)?.positionId ?? null);
    run.execute({ type: "close-positions", uid, symbol: listing.symbol, positionId });
  },

  pull(run, step, listing) {
    const symbol = step.x < 0.5 ? null : listing.symbol;
    const uids = step.y < 0.5 ? HAND : [HAND[step.who]];
    for (const uid of uids) run.execute({ type: "cancel-all-contract-orders", uid, symbol });
  },

  /** One bids and another asks, both around one price, with enough for the mark or with dust. */
  quote(run, step, listing) {
    const centre = priceAt(run, listing, step.x);
    const half = Math.max(1, Math.round(centre * pickFrom([0, 0.0001, 0.001], step.y)));
    const lots = Math.max(1, Math.round(quoteNotional(listing, step.z) / lotValue(listing)));
    run.order(HAND[step.who], listing, "open", "LONG", lots, centre - half);
    run.order(other(step), listing, "open", "SHORT", lots, centre + half);
  },

  /** A mid that is far from anything: bids may be as low, and asks as high as one likes. */
  "far-quote"(run, step, listing) {
    const [low, high] = run.bandOf(listing);
    const lots = Math.max(1, Math.round(quoteNotional(listing, 0.4) / lotValue(listing)));
    const bid = step.isLong ? Math.min(high, low + 20) : Math.max(1, Math.round(low * step.x));
    const ask = step.isLong ? Math.round(high * (1 + 2 * step.x)) : Math.max(low, bid + 1);
    run.order(HAND[step.who], listing, "open", "LONG", lots, bid);
    run.order(other(step), listing, "open", "SHORT", lots, ask);
  },

  /** Bids of a friend from a distance down to another, or asks upwards, for who is liquidated. */
  ladder(run, step, listing) {
    const uid = HAND[step.who];
    const [from, to] = [Math.abs(distance(step.x)), Math.abs(distance(step.y))];
    const levels = 1 + Math.floor(step.z * 4);
    const { indexTicks } = run.pricesOf(listing);
    const sign = step.isLong ? -1 : 1;
    for (let level = 0; level < levels; level++) {
      const far = levels === 1 ? to : from + ((to - from) * level) / (levels - 1);
      const ticks = Math.round(indexTicks * (1 + sign * far));
      const closes = run.sizeLots(uid, listing, step.isLong ? "SHORT" : "LONG");
      // A friend who holds the other side takes the profit; one who holds nothing takes it over.
      if (closes > 0) {
        const lots = Math.max(1, Math.floor(closes / levels));
        run.order(uid, listing, "close", step.isLong ? "SHORT" : "LONG", lots, ticks);
      } else {
        const lots = roomLots(run, uid, listing, ticks, 0.9 / (levels - level));
        run.order(uid, listing, "open", step.isLong ? "LONG" : "SHORT", lots, ticks);
      }
    }
  },

  /** Exactly as much as still fits below the end of a tier, or a lot more. */
  "tier-fill"(run, step, listing) {
    const uid = HAND[step.who];
    const tier = pickFrom(listing.rules.tiers, step.x * 0.75);
    const { markTicks } = run.pricesOf(listing);
    const full = Math.floor(
      Number(tier.maxNotional) / ((lotValue(listing) * markTicks) / listing.indexTicks),
    );
    const lots = full - run.sizeLots(uid, listing, sideOf(step)) + (step.z < 0.5 ? 0 : 1);
    const ticks = within(run, listing, priceAt(run, listing, step.y));
    run.order(uid, listing, "open", sideOf(step), lots, ticks);
  },
} satisfies Partial<Record<BlockName, Block>>;

const BLOCKS: Readonly<Record<BlockName, Block>> = {
  ...TRADING_BLOCKS,
  ...MANAGEMENT_BLOCKS,
  wait(run, step) {
    run.wait(waitMs(step.x));
    for (const listing of run.fixture.listings) run.requote(listing);
  },
  /** Of nobody's making. */
  index(run, step, listing) {
    if (!run.ground.walks) return;
    const { indexTicks } = run.pricesOf(listing);
    run.moveIndex(listing, Math.max(1, Math.round(indexTicks * (1 + jump(step.x)))));
  },
};

export const BLOCK_NAMES = Object.keys(BLOCKS) as readonly BlockName[];

export function play(run: EpisodeRun, step: Step): void {
  const listing = listingOf(run.fixture, step.market);
  BLOCKS[step.block](run, step, listing);
}

function listingOf({ listings }: AdversaryFixture, market: number): Listing {
  const listing = listings[market];
  if (listing === undefined) throw new Error(`there is no market ${market}`);
  return listing;
}

function pickOrNull<Item>(items: readonly Item[], number: number): Item | null {
  return items.length === 0 ? null : pickFrom(items, number);
}

/** Value of a lot at the first index. */
function lotValue({ indexTicks, perUnit, perLot }: Listing): number {
  return indexTicks / perUnit / perLot;
}

function quoteNotional({ rules }: Listing, number: number): number {
  const impact = Number(rules.impactNotional);
  return pickFrom([0, 1.06, 1.06, 3], number) * impact;
}

function closableLots(run: EpisodeRun, step: Step, listing: Listing): number {
  const held = run.sizeLots(HAND[step.who], listing, sideOf(step));
  return Math.floor(held * part(step.y));
}

function attachedAt(run: EpisodeRun, { x, y, z, isLong }: Step, listing: Listing) {
  if (z < 0.9) return {};
  const far = Math.abs(distance(y)) + 0.001;
  const ticks = priceAt(run, listing, x);
  const at = (factor: number) => String(Math.round(ticks * factor) / listing.perUnit);
  const [up, down] = [at(1 + far), at(1 - far)];
  const workingType = y < 0.5 ? ("MARK_PRICE" as const) : ("CONTRACT_PRICE" as const);
  return {
    ...{ tpTriggerPrice: isLong ? up : down, slTriggerPrice: isLong ? down : up },
    ...{ tpWorkingType: workingType, slWorkingType: workingType },
  };
}
