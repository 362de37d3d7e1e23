/**
 * A liquidation that nobody can pay for: a cross account has lost far more in one contract than its
 * margin, the fund is empty, and the other side of its larger position in another contract has too
 * little to give it up. It is held until the fund is given something, a price changes or an order
 * comes, behind each of which it is tried again.
 */
import { exact, text } from "../../support/exact.ts";
import type { Scene, Stage } from "./stage.ts";
import { bothContracts, replenish } from "./two-contracts.ts";
import { closes, TwoSides } from "./two-sides.ts";

const SIDES = ["LONG", "SHORT"] as const;
const LEVERAGE = 100;
const FUNDS = "200";
/** By so many hundredths the mark of the smaller position moves at once. */
const FALLS = [10n, 14n, 18n];
const TRIES = { least: 2, most: 5 };

export const heldLiquidations: Scene = async (stage) => {
  const { random, traders } = stage;
  const both = await bothContracts(stage);
  if (both === null) return;
  const [lost, kept] = both;
  const { holder, other } = lost;
  const poor = traders.find((one) => one !== holder && one !== other);
  if (poor === undefined) return;
  const weak = new TwoSides(stage, kept.symbol, holder, poor);
  const victim = new TwoSides(stage, kept.symbol, poor, other);
  await victim.flatten();
  for (const sides of [lost, weak, victim]) {
    await sides.setMode(
      sides === victim ? random.pick(["CROSSED", "ISOLATED"]) : "CROSSED",
      "COMBINED",
    );
    await sides.setLeverage(LEVERAGE);
    await sides.fund(FUNDS);
  }
  await weak.open(random.pick(SIDES), 0.6);
  const side = random.pick(SIDES);
  await lost.open(side, 1);
  await emptyFund(stage, holder.nextOrderId);
  const { mark, rules } = lost.market;
  const fall = (mark * random.pick(FALLS)) / 100n;
  const away = fall - (fall % rules.tick);
  await lost.moveMark(mark + (side === "LONG" ? -away : away));
  for (let tries = random.integer(TRIES.least, TRIES.most); tries > 0; tries--) {
    await stage.look();
    const change = random.pick([replenish, replenish, offerAll, sameIndex]);
    await change(stage, kept);
  }
  for (const sides of [lost, kept]) await sides.end();
  await replenish(stage, kept);
};

async function emptyFund(stage: Stage, id: string): Promise<void> {
  const path = "insurance/USDT";
  const { balance } = await stage.exchange.operator<{ readonly balance: string }>("GET", path);
  if (exact(balance) > 0n)
    await stage.operate("POST", `${path}/withdrawals`, { id, amount: balance });
}

/** Whoever takes the position, at the mark. */
async function offerAll(_stage: Stage, sides: TwoSides): Promise<void> {
  const [position] = sides.positions;
  if (position === undefined) return;
  const { mark } = sides.market;
  await sides.offer(closes(position.side), text(position.size), text(mark));
}

async function sameIndex(_stage: Stage, sides: TwoSides): Promise<void> {
  await sides.setIndex(text(sides.market.indexPrice));
}
