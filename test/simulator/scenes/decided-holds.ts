/**
 * Commissions that are held and released, taken back or settled in every order, on one day or on
 * several: whoever verifies the statements of these days finds them valid, and in them the same.
 */
import { text } from "../../support/exact.ts";
import { commissionQuestion } from "../commission-readings.ts";
import { askOperator } from "../operator-check.ts";
import { checkReadings } from "../readings.ts";
import { HOLDS_ALL, HOLDS_NOTHING } from "./chains.ts";
import { fundReferral, type Referral, someReferral, tradeOfReferral } from "./referrals.ts";
import type { Scene, Stage } from "./stage.ts";

const DAY_MS = 86_400_000;
const TRADES_MAX = 2;
const STATEMENTS = 6;
const TARGETS = [
  "GET /api/v2/rebate/affiliate/statement",
  "GET /api/v3/rebate/affiliate/statement",
];
/** Of one held commission; what is not possible any more is refused. */
const LIVES = [
  ["releases"],
  ["releases", "reversals"],
  ["releases", "reversals"],
  ["releases", "settle", "reversals"],
  ["releases", "settle", "spend", "reversals", "settle"],
  ["reversals"],
  ["settle", "reversals"],
  ["settle", "releases", "releases", "reversals", "reversals"],
  ["reversals", "releases"],
] as const;

type Act = (typeof LIVES)[number][number];

export const decidedHolds: Scene = async (stage) => {
  const { exchange, random, traders } = stage;
  const referral = await someReferral(stage);
  if (referral === null) return;
  const { rows } = exchange.story.affiliates.programme;
  const before = new Set(rows.keys());
  await fundReferral(stage, referral);
  if (random.chance(0.3)) await tradeOfReferral(stage, referral);
  await stage.operate("PUT", "affiliate-policy", HOLDS_ALL);
  for (let count = random.integer(1, TRADES_MAX); count > 0; count--) {
    await tradeOfReferral(stage, referral);
  }
  await stage.operate("PUT", "affiliate-policy", HOLDS_NOTHING);
  await stage.look();
  const added = [...rows.keys()].filter((id) => !before.has(id));
  await live(stage, referral, added);
  await stage.look();
  for (const trader of traders) {
    if (!exchange.story.affiliates.programme.isAffiliate(trader.uid)) continue;
    await checkReadings(trader, "spot", STATEMENTS, TARGETS);
  }
  for (const id of added) {
    await askOperator(exchange, ({ history }) => commissionQuestion(history, id));
  }
};

/** All of them beside each other, each in its order. */
async function live(stage: Stage, referral: Referral, ids: readonly number[]): Promise<void> {
  const { exchange, random } = stage;
  const rate = random.pick([0, 0, 0.2]);
  const lives = ids.map((id) => ({ id, acts: [...random.pick(LIVES)] as Act[] }));
  for (;;) {
    const left = lives.filter(({ acts }) => acts.length > 0);
    if (left.length === 0) return;
    const { acts, id } = random.pick(left);
    await act(stage, id, acts.shift() ?? "settle");
    if (random.chance(0.1)) await tradeOfReferral(stage, referral);
    if (!exchange.sandbox || !random.chance(rate)) continue;
    await stage.operate("POST", "sandbox/clock/advance", { ms: DAY_MS });
  }
}

async function act(stage: Stage, id: number, what: Act): Promise<void> {
  const { exchange, traders } = stage;
  const reason = { reason: "checked" };
  if (what === "settle") await stage.operate("POST", "commission-settlements", reason);
  else if (what !== "spend") await stage.operate("POST", `commissions/${id}/${what}`, reason);
  else {
    const naive = await stage.look();
    const { event } = exchange.story.affiliates.programme.rows.get(id) ?? {};
    const payee = traders.find(({ uid }) => uid === event?.affiliateUid);
    if (payee === undefined || event === undefined) return;
    const amount = naive.available(payee.uid, event.asset);
    if (amount > 0n) {
      const body = { account: "spot", asset: event.asset, amount: text(amount) } as const;
      await stage.move(payee, "withdrawals", body);
    }
  }
}
