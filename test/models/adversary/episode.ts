/** Plays a plan to its end: sets up the situation, takes the steps, and judges the result. */
import {
  type AdversaryFixture,
  HAND,
  HOLDER,
  type Listing,
  MAKER,
  spotQuotes,
} from "./adversary-fixture.ts";
import { play } from "./building-block.ts";
import type { EpisodePlan, Ground } from "./episode-plan.ts";
import { EpisodeRun, type Executed } from "./episode-run.ts";
import { Judge, type Verdict } from "./judge.ts";
import { setLeverage } from "./management-block.ts";

/** A part of the holder's money that its position locks. */
const HOLDER_NOTIONAL = 90_000;
const SETTLING_MS = 32_000;

export interface Played extends Verdict {
  readonly reached: ReadonlySet<string>;
  readonly log: readonly Executed[];
}

export function playEpisode(
  fixtures: readonly AdversaryFixture[],
  { ground, steps }: EpisodePlan,
  finders: ReadonlySet<string> | null,
  logs = false,
): Played {
  const fixture = fixtures[ground.fixture];
  if (fixture === undefined) throw new Error(`there is no exchange ${ground.fixture}`);
  const judge = new Judge(finders);
  const run = new EpisodeRun(fixture, ground, judge.observe, logs);
  try {
    layGround(run, ground);
    judge.begin(run);
    for (const step of steps) play(run, step);
    if (ground.settles) settle(run);
    return { ...judge.end(), reached: judge.reached, log: run.log ?? [] };
  } catch (error) {
    const detail = error instanceof Error ? `${error.stack}` : String(error);
    const breach = { finder: "invariant", detail };
    return { breach, gain: 0n, score: 0, reached: judge.reached, log: run.log ?? [] };
  }
}

function layGround(run: EpisodeRun, ground: Ground): void {
  const { listings } = run.fixture;
  for (const [i, uid] of HAND.entries()) {
    for (const { symbol, maxLeverage } of listings) {
      const marginType = ground.isolated[i] ? "ISOLATED" : "CROSSED";
      const separatedType = ground.separated[i] ? "SEPARATED" : "COMBINED";
      run.execute({ type: "set-margin-type", uid, symbol, marginType, separatedType });
      const leverage = Math.max(1, Math.round(maxLeverage * (ground.leverage[i] ?? 1)));
      setLeverage(run, uid, symbol, leverage);
    }
  }
  openHolder(run, ground);
  if (run.fixture.form.hasSpotIndex && ground.spotMaker) {
    for (const command of spotQuotes("60000", "ground")) run.execute(command);
  }
  for (const listing of listings) run.requote(listing);
}

function openHolder(run: EpisodeRun, { holder }: Ground): void {
  if (holder === null) return;
  const listing = run.fixture.listings[holder.market] as Listing;
  const { symbol, indexTicks, maxLeverage, perUnit, perLot } = listing;
  const marginType = holder.isIsolated ? "ISOLATED" : "CROSSED";
  run.execute({ type: "set-margin-type", uid: HOLDER, symbol, marginType, separatedType: null });
  const leverage = Math.max(1, Math.round(maxLeverage * holder.leverage));
  setLeverage(run, HOLDER, symbol, leverage);
  // Cross, the whole wallet would carry a small position: it opens as much as it can.
  const most = Math.min(HOLDER_NOTIONAL * (holder.isIsolated ? 1 : 3), leverage * 9_500);
  const lots = Math.floor((most * perUnit * perLot) / indexTicks);
  const [long, short] = holder.isLong ? [HOLDER, MAKER] : [MAKER, HOLDER];
  run.order(long, listing, "open", "LONG", lots, indexTicks);
  run.order(short, listing, "open", "SHORT", lots, indexTicks);
}

function settle(run: EpisodeRun): void {
  for (const uid of HAND) run.execute({ type: "cancel-all-contract-orders", uid, symbol: null });
  run.wait(SETTLING_MS);
}
