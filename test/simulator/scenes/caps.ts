/**
 * What a cap of a referral counts: trades that an affiliate earns on, days apart, around the days
 * that still count, under a cap that the first of them uses up, or nearly.
 */
import { text } from "../../support/exact.ts";
import { SYMBOL } from "../markets.ts";
import type { Trader } from "../trader.ts";
import type { Scene, Stage } from "./stage.ts";

const DAY_MS = 86_400_000;
/** Whole ones, at the end of which the same time of a day is the edge. */
const DAYS = [1, 29, 30, 30, 31];
const PRICE = "1000.00";
/** Of all that a referral has earned until then, in percent. */
const CAPS = [50n, 100n, 101n, 150n, 200n];
const E8 = 10n ** 10n;
const FUNDS = [
  ["BTC", "1"],
  ["USDT", "1000"],
] as const;

export const caps: Scene = async (stage) => {
  const { exchange, random, traders } = stage;
  const naive = await stage.look();
  const { programme } = exchange.story.affiliates;
  const invited = traders.filter(({ uid }) => {
    return programme.isAffiliate(naive.users.get(uid)?.inviterUid ?? null);
  });
  const trader = invited.length === 0 ? null : random.pick([...invited]);
  const other = traders.find((one) => one !== trader);
  if (trader === null || other === undefined) return;
  await setCap(stage, "1000");
  for (const one of [trader, other]) {
    for (const [asset, amount] of FUNDS) {
      await stage.move(one, "deposits", { account: "spot", asset, amount });
    }
  }
  await stage.clear("spot", SYMBOL);
  await trade(stage, trader, other);
  for (let round = random.integer(1, 2); round > 0; round--) {
    await stage.look();
    const usedE8 = [...programme.rows.values()]
      .filter(({ event }) => event.traderUid === trader.uid)
      .reduce((used, { valueE8 }) => used + valueE8, 0n);
    await setCap(stage, text(((usedE8 * random.pick(CAPS)) / 100n) * E8));
    if (random.chance(0.5)) await trade(stage, trader, other);
    const ms = random.pick(DAYS) * DAY_MS;
    await stage.operate("POST", "sandbox/clock/advance", { ms });
    await trade(stage, trader, other);
  }
  await stage.look();
};

async function setCap(stage: Stage, capPerReferral30d: string): Promise<void> {
  await stage.operate("PUT", "affiliate-policy", { capPerReferral30d });
}

async function trade(stage: Stage, trader: Trader, other: Trader): Promise<void> {
  const sides = stage.random.shuffle(["BUY", "SELL"]);
  for (const [index, one] of [other, trader].entries()) {
    const terms = { symbol: SYMBOL, side: sides[index], type: "LIMIT", timeInForce: "GTC" };
    await stage.place(one, "spot", { ...terms, price: PRICE, quantity: "0.05" });
  }
}
