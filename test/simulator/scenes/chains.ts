/**
 * Affiliates one above the other, with rates that rise, fall or stay the same on the way up: who
 * earns at all, and what from, follows from the highest rate below.
 */
import { affiliateRates } from "../affiliate-acts.ts";
import { askAsAffiliate, checkAffiliate } from "../affiliate-check.ts";
import type { Trader } from "../trader.ts";
import { unlessTimePasses } from "../undisturbed.ts";
import { PrivateWatch } from "../watches.ts";
import { fundReferral, someReferral, tradeOfReferral } from "./referrals.ts";
import type { Scene, Stage } from "./stage.ts";

const TRADES_MAX = 3;
const ABOVE_MAX = 3;
const QUESTIONS = 2;
export const HOLDS_NOTHING = {
  ...{ capPerReferral30d: null, washTradeShare: "0" },
  ...{ holdSelfReferral: false, holdWashTrades: false },
};
/** What two trade with each other alone is held. */
export const HOLDS_ALL = { ...HOLDS_NOTHING, holdSelfReferral: true, holdWashTrades: true };

export const chains: Scene = async (stage) => {
  const { exchange, random } = stage;
  const referral = await someReferral(stage);
  if (referral === null) return;
  const { affiliates, naive } = exchange.story;
  const traderUid = referral.trader.uid;
  const direct = affiliates.programme.directAffiliate(traderUid);
  if (direct === null) return;
  // Only traders are asked for their reports.
  const asked = stage.traders.map(({ uid }) => uid);
  const all = random.chance(0.6) ? asked : [...naive.users.keys()];
  const others = all.filter((uid) => uid !== direct && uid !== traderUid);
  let below = direct;
  for (const above of random.shuffle(others).slice(0, random.integer(2, ABOVE_MAX))) {
    await stage.operate("PUT", `affiliates/${above}`, affiliateRates(random));
    const parent = { parentUid: above, ...affiliateRates(random) };
    await stage.operate("PUT", `affiliates/${below}`, parent);
    below = above;
  }
  const isHeld = random.chance(0.5);
  if (isHeld) await stage.operate("PUT", "affiliate-policy", HOLDS_ALL);
  await fundReferral(stage, referral);
  for (let count = random.integer(1, TRADES_MAX); count > 0; count--) {
    await tradeOfReferral(stage, referral);
  }
  await stage.look();
  if (isHeld || random.chance(0.6)) await takeBack(stage, direct);
  if (isHeld) {
    await stage.operate("PUT", "affiliate-policy", HOLDS_NOTHING);
    // What is settled with it tells of none that were held.
    await tradeOfReferral(stage, referral);
    await stage.operate("POST", "commission-settlements", { reason: "checked" });
    await checkAll(stage);
  }
  for (const trader of stage.traders) await askAsAffiliate(trader, QUESTIONS);
  await payFromAbove(stage, referral.trader, below);
};

/** Commissions of the lowest affiliate that nothing has settled yet; those above are told. */
async function takeBack(stage: Stage, direct: number): Promise<void> {
  const { exchange, random } = stage;
  const { rows } = exchange.story.affiliates.programme;
  const last = [...rows.values()].filter(({ event }) => event.affiliateUid === direct).slice(-2);
  for (const { event } of last) {
    const path = `commissions/${event.commissionId}/reversals`;
    await stage.operate("POST", path, { reason: "checked" });
    if (random.chance(0.5)) break;
  }
  await checkAll(stage);
}

async function checkAll(stage: Stage): Promise<void> {
  await stage.look();
  for (const trader of stage.traders) {
    await unlessTimePasses(stage.exchange, () => checkAffiliate(trader));
  }
}

/** The highest affiliate pays whom the lowest one invited, who hears of it and of nothing else. */
async function payFromAbove(stage: Stage, paid: Trader, above: number): Promise<void> {
  const payer = stage.traders.find((trader) => trader.uid === above);
  if (payer === undefined) return;
  await stage.move(payer, "deposits", { account: "spot", asset: "USDT", amount: "5" });
  const watch = new PrivateWatch(paid, "spot", stage.random.pick(["v2", "v3"]));
  await stage.do(watch.connect());
  const clientWithdrawalId = payer.nextOrderId;
  await stage.send(payer, "POST", "/api/v3/rebate/affiliate/internalWithdrawal", {
    ...{ toUserId: paid.uid, coin: "USDT", amount: "2", clientWithdrawalId },
  });
  await stage.look();
  await stage.do(watch.check());
  watch.disconnect();
}
