/**
 * An affiliate with two others below it, of both of whom somebody trades on one day: their rows are
 * asked for page by page, also from the middle of the day.
 */
import { checkReadings } from "../readings.ts";
import type { Trader } from "../trader.ts";
import { fundReferral, setRates, tradeOfReferral } from "./referrals.ts";
import type { Scene } from "./stage.ts";

const QUESTIONS = 8;
const TARGETS = [
  "POST /api/v2/rebate/affiliate/querySubChannelTransactions",
  "POST /api/v3/rebate/affiliate/querySubChannelTransactions",
  "GET /api/v3/rebate/affiliate/querySubChannelTransactions",
];

interface Invited {
  readonly inviterUid: number;
  readonly trader: Trader;
}

export const twoSubs: Scene = async (stage) => {
  const { random, traders } = stage;
  const naive = await stage.look();
  const invited = traders.flatMap((trader): Invited[] => {
    const inviterUid = naive.users.get(trader.uid)?.inviterUid ?? null;
    return inviterUid === null ? [] : [{ inviterUid, trader }];
  });
  const [first, ...others] = random.shuffle(invited);
  const second = others.find(({ inviterUid }) => inviterUid !== first?.inviterUid);
  if (first === undefined || second === undefined) return;
  const subs = [first.inviterUid, second.inviterUid];
  const above = traders.find(({ uid }) => !subs.includes(uid));
  if (above === undefined) return;
  await setRates(stage, above.uid, "0.4");
  for (const uid of subs) await setRates(stage, uid, "0.1", above.uid);
  for (const { trader } of [first, second]) {
    const other = traders.find((one) => one !== trader);
    if (other === undefined) return;
    await fundReferral(stage, { trader, other });
    await tradeOfReferral(stage, { trader, other });
  }
  if (random.chance(0.5)) {
    await stage.operate("POST", "commission-settlements", { reason: "checked" });
  }
  await stage.look();
  await checkReadings(above, "spot", QUESTIONS, TARGETS);
};
