/**
 * Affiliates one above the other, with rates that rise, fall or stay the same on the way up: who
 * earns at all, and what from, follows from the highest rate below.
 */
import { affiliateRates } from "../affiliate-acts.ts";
import { fundReferral, someReferral, tradeOfReferral } from "./referrals.ts";
import type { Scene } from "./stage.ts";

const TRADES_MAX = 3;
const ABOVE_MAX = 3;

export const chains: Scene = async (stage) => {
  const { exchange, random } = stage;
  const referral = await someReferral(stage);
  if (referral === null) return;
  const { affiliates, naive } = exchange.story;
  const traderUid = referral.trader.uid;
  const direct = affiliates.programme.directAffiliate(traderUid);
  if (direct === null) return;
  const others = [...naive.users.keys()].filter((uid) => uid !== direct && uid !== traderUid);
  let below = direct;
  for (const above of random.shuffle(others).slice(0, random.integer(2, ABOVE_MAX))) {
    await stage.operate("PUT", `affiliates/${above}`, affiliateRates(random));
    const parent = { parentUid: above, ...affiliateRates(random) };
    await stage.operate("PUT", `affiliates/${below}`, parent);
    below = above;
  }
  await fundReferral(stage, referral);
  for (let count = random.integer(1, TRADES_MAX); count > 0; count--) {
    await tradeOfReferral(stage, referral);
  }
  await stage.look();
};
