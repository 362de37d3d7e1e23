/**
 * A commission that is held while others of its coin are settled, and then taken back or released:
 * no settlement has paid it until then.
 */
import { commissionQuestion } from "../commission-readings.ts";
import { askOperator } from "../operator-check.ts";
import { HOLDS_ALL, HOLDS_NOTHING } from "./chains.ts";
import { fundReferral, someReferral, tradeOfReferral } from "./referrals.ts";
import type { Scene } from "./stage.ts";

export const settledHolds: Scene = async (stage) => {
  const { exchange, random } = stage;
  const referral = await someReferral(stage);
  if (referral === null) return;
  const { rows } = exchange.story.affiliates.programme;
  const before = new Set(rows.keys());
  const sides = random.shuffle(["BUY", "SELL"]);
  await fundReferral(stage, referral);
  await stage.operate("PUT", "affiliate-policy", HOLDS_ALL);
  await tradeOfReferral(stage, referral, sides);
  await stage.operate("PUT", "affiliate-policy", HOLDS_NOTHING);
  await tradeOfReferral(stage, referral, sides);
  const settle = () => stage.operate("POST", "commission-settlements", { reason: "checked" });
  await settle();
  await stage.look();
  const added = [...rows].filter(([id]) => !before.has(id));
  for (const [id, { isHeld }] of added) {
    if (!isHeld) continue;
    const decision = random.pick(["reversals", "reversals", "releases"]);
    await stage.operate("POST", `commissions/${id}/${decision}`, { reason: "checked" });
  }
  if (random.chance(0.5)) await settle();
  await stage.look();
  for (const [id] of added) {
    await askOperator(exchange, ({ history }) => commissionQuestion(history, id));
  }
};
