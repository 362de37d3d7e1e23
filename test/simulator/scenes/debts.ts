/**
 * An affiliate that has spent what is taken back, once and again while it still owes: each debt
 * counts, and the next settlements withhold all of them.
 */
import { naiveBalances } from "../../models/naive-views.ts";
import { settle } from "../affiliate-acts.ts";
import type { Trader } from "../trader.ts";
import { fundReferral, someReferral, tradeOfReferral } from "./referrals.ts";
import type { Scene, Stage } from "./stage.ts";

/** What it is paid in when who was invited sells. */
const ASSET = "USDT";
const PAID_MAX = 4;
const EARNED_MAX = 4;

export const debts: Scene = async (stage) => {
  const { exchange, random, traders } = stage;
  const referral = await someReferral(stage);
  if (referral === null) return;
  const { programme } = exchange.story.affiliates;
  const affiliateUid = programme.directAffiliate(referral.trader.uid);
  const affiliate = traders.find(({ uid }) => uid === affiliateUid);
  if (affiliate === undefined) return;
  await stage.operate("PUT", "affiliate-policy", {
    ...{ capPerReferral30d: null, holdSelfReferral: false, holdWashTrades: false },
    washTradeShare: "1",
  });
  await fundReferral(stage, referral);
  const sell = () => tradeOfReferral(stage, referral, ["BUY", "SELL"]);
  for (let count = random.integer(2, PAID_MAX); count > 0; count--) await sell();
  await stage.do(settle(exchange, random));
  await stage.look();
  const paid = [...programme.rows.values()].filter(({ event, isHeld, isReversed }) => {
    const isOwn = event.affiliateUid === affiliateUid && event.asset === ASSET;
    return isOwn && event.commissionMinor > 0n && !isHeld && !isReversed;
  });
  for (const { event } of random.shuffle(paid.slice(-PAID_MAX)).slice(0, random.integer(2, 3))) {
    await drain(stage, affiliate);
    const path = `commissions/${event.commissionId}/reversals`;
    await stage.operate("POST", path, { reason: "checked" });
  }
  for (let count = random.integer(1, EARNED_MAX); count > 0; count--) {
    await sell();
    if (random.chance(0.4)) await stage.do(settle(exchange, random));
  }
  await stage.do(settle(exchange, random));
  await stage.look();
};

async function drain(stage: Stage, { uid }: Trader): Promise<void> {
  const rows = naiveBalances(await stage.look(), uid) as Balance[];
  const { available: amount = "0" } = rows.find(({ asset }) => asset === ASSET) ?? {};
  const owner = stage.traders.find((trader) => trader.uid === uid);
  if (amount === "0" || owner === undefined) return;
  await stage.move(owner, "withdrawals", { account: "spot", asset: ASSET, amount });
}

interface Balance {
  readonly asset: string;
  readonly available: string;
}
