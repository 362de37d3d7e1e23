/**
 * Three affiliates, one above the other, of whom the middle one earns nothing, since its rate is
 * not above that of the lowest: the highest one earns what the lowest one's rate leaves.
 */
import { askAsAffiliate } from "../affiliate-check.ts";
import { fundReferral, setRates, someReferral, tradeOfReferral } from "./referrals.ts";
import type { Scene } from "./stage.ts";

const LOWEST = ["0.1", "0.2"] as const;
const MIDDLE = ["0", "0.1"] as const;
const HIGHEST = ["0.25", "0.4"] as const;
const CHANGES_MAX = 2;

export const middleAffiliates: Scene = async (stage) => {
  const { exchange, random } = stage;
  const referral = await someReferral(stage);
  if (referral === null) return;
  const { affiliates, naive } = exchange.story;
  const traderUid = referral.trader.uid;
  const lowest = affiliates.programme.directAffiliate(traderUid);
  const others = [...naive.users.keys()].filter((uid) => uid !== lowest && uid !== traderUid);
  const [middle, highest] = random.shuffle(others);
  if (lowest === null || middle === undefined || highest === undefined) return;
  await setRates(stage, highest, random.pick(HIGHEST));
  await setRates(stage, middle, random.pick(MIDDLE), highest);
  // Versions of their rates are counted for each alone.
  for (let count = random.integer(1, CHANGES_MAX); count > 0; count--) {
    await setRates(stage, lowest, "0.05", middle);
  }
  await setRates(stage, lowest, random.pick(LOWEST), middle);
  await fundReferral(stage, referral);
  await tradeOfReferral(stage, referral);
  await stage.look();
  for (const trader of stage.traders) await askAsAffiliate(trader);
};
