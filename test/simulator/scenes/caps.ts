/**
 * What a cap of a referral counts: trades that an affiliate earns on, days apart, around the days
 * that still count, under a cap that the first of them uses up, or nearly.
 */
import { greatest, text } from "../../support/exact.ts";
import { fundReferral, someReferral, tradeOfReferral } from "./referrals.ts";
import type { Scene, Stage } from "./stage.ts";

const DAY_MS = 86_400_000;
/** Whole ones, at the end of which the same time of a day is the edge. */
const DAYS = [1, 29, 30, 30, 31];
/** Of all that a referral has earned until then, in percent. */
const CAPS = [50n, 100n, 101n, 150n, 200n];
/** Of one commission, in percent: the next one is cut; then the cap is raised to more of them. */
const CUTS = [1n, 30n, 50n, 90n];
const RAISES = [100n, 150n, 200n];
const E8 = 10n ** 10n;

export const caps: Scene = async (stage) => {
  const { exchange, random } = stage;
  const referral = await someReferral(stage);
  if (referral === null) return;
  const { programme } = exchange.story.affiliates;
  await setCap(stage, "1000");
  await fundReferral(stage, referral);
  await tradeOfReferral(stage, referral);
  for (let round = random.integer(1, 2); round > 0; round--) {
    await stage.look();
    const usedE8 = [...programme.rows.values()]
      .filter(({ event }) => event.traderUid === referral.trader.uid)
      .reduce((used, { valueE8 }) => used + valueE8, 0n);
    await setCap(stage, text(((usedE8 * random.pick(CAPS)) / 100n) * E8));
    if (random.chance(0.5)) await tradeOfReferral(stage, referral);
    await passDays(stage);
    await tradeOfReferral(stage, referral);
  }
  await stage.look();
};

/** A cap that cuts a commission; behind it the cap is raised, or the days of the others run out. */
export const raisedCaps: Scene = async (stage) => {
  const { exchange, random } = stage;
  const referral = await someReferral(stage);
  if (referral === null) return;
  const { programme } = exchange.story.affiliates;
  const affiliateUid = programme.directAffiliate(referral.trader.uid);
  // It counts from when it is set.
  await setCap(stage, null);
  await setCap(stage, "1000");
  await fundReferral(stage, referral);
  const from = programme.nextCommissionId;
  await tradeOfReferral(stage, referral);
  for (let round = random.integer(1, 2); round > 0; round--) {
    await stage.look();
    const values = [...programme.rows.values()]
      .filter(({ event }) => {
        const isOwn = event.traderUid === referral.trader.uid && event.commissionId >= from;
        return isOwn && event.affiliateUid === affiliateUid;
      })
      .map(({ valueE8 }) => valueE8);
    const usedE8 = values.reduce((used, value) => used + value, 0n);
    const mostE8 = values.reduce(greatest, 0n);
    const capOf = (share: bigint) => text((usedE8 + (mostE8 * share) / 100n) * E8);
    await setCap(stage, capOf(random.pick(CUTS)));
    await tradeOfReferral(stage, referral);
    if (exchange.sandbox && random.chance(0.4)) await passDays(stage);
    else await setCap(stage, capOf(random.pick(RAISES)));
    await tradeOfReferral(stage, referral);
  }
  await stage.look();
  await setCap(stage, null);
};

async function passDays(stage: Stage): Promise<void> {
  const ms = stage.random.pick(DAYS) * DAY_MS;
  await stage.operate("POST", "sandbox/clock/advance", { ms });
}

async function setCap(stage: Stage, capPerReferral30d: string | null): Promise<void> {
  await stage.operate("PUT", "affiliate-policy", { capPerReferral30d });
}
