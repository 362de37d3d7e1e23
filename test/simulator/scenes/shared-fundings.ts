/**
 * Funding that several positions of one account have to pay out of one surplus: each of them could
 * alone, all of them just can, or hardly can not. Separate cross positions of one side, some with
 * one of the other side, in one contract or in two, beside orders that keep a part of the cash.
 */

import type { PositionSide } from "../../../src/domain/index.ts";
import { RATE_UNIT } from "../../models/contract/naive-funding.ts";
import { exact, greatest, least, ONE, sum, text } from "../../support/exact.ts";
import { TWO_SYMBOLS } from "../markets.ts";
import { freeze, passTo } from "./clock.ts";
import { comeToDue, pin } from "./fundings.ts";
import { OwnRates } from "./raised-rates.ts";
import type { Scene, Stage } from "./stage.ts";
import { closes, TwoSides } from "./two-sides.ts";

const LEVERAGES = [5, 20, 50];
const FUNDS = ["60", "300", "1500"];
const SHARES = [[0.3, 0.5], [0.3, 0.3, 0.9], [0.1, 0.1, 0.1, 0.1], [0.6, 0.9], [0.9]];
const SIDES = ["LONG", "SHORT"] as const;
/** Of the surplus, in percent: what they have to pay together. */
const TOGETHER = [60n, 100n, 100n, 100n, 110n, 190n, 400n];
/** With which the surplus has parts of a unit. */
const TAKER = ["0.00033333", "0.00077777", "0.00000001"];
/** Of what a rate has. */
const BESIDE = [-1, 0, 1];

export const sharedFundings: Scene = async (stage) => {
  const { random } = stage;
  const first = await TwoSides.begin(stage);
  if (first === null) return;
  const rest = TWO_SYMBOLS.filter((symbol) => symbol !== first.symbol);
  const symbols = [first.symbol, ...(random.chance(0.4) ? rest : [])];
  const all = symbols.map((symbol) => new TwoSides(stage, symbol, first.holder, first.other));
  for (const one of all) {
    await stage.clear("contract", one.symbol);
    await one.setIndex(one.price);
    await one.flatten();
    await one.setMode("CROSSED", random.chance(0.8) ? "SEPARATED" : "COMBINED");
    await one.setLeverage(random.pick(LEVERAGES));
  }
  await first.fund(random.pick(FUNDS));
  const rates = new OwnRates(stage, first.holder.uid);
  if (random.chance(0.5)) await rates.set(null, exact("0.0002"), exact(random.pick(TAKER)));
  const side = random.pick(SIDES);
  for (const one of all) await open(stage, one, side);
  await stage.look();
  for (const one of all) {
    await one.moveMark(one.market.mark + BigInt(random.integer(-9, 9)) * one.market.rules.tick);
  }
  const goOn = await freeze(stage);
  for (const one of all) await giveRate(stage, one, side);
  if (random.chance(0.3)) stage.exchange.story.startAgain();
  await passTo(stage, first.market.nextSlotMs);
  await comeToDue(stage, all);
  for (const symbol of symbols) await pin(stage, symbol, null);
  await goOn();
  await rates.putBack();
  for (const one of all) await one.flatten();
  await first.fund("2000");
  for (const one of all) await one.end();
};

/** Those that pay, perhaps one that receives, and an order that keeps cash. */
async function open(stage: Stage, sides: TwoSides, side: PositionSide): Promise<void> {
  const { random } = stage;
  const { holder, symbol } = sides;
  const other = SIDES.find((one) => one !== side) ?? side;
  for (const share of random.pick(SHARES)) await sides.open(side, share);
  if (random.chance(0.2)) await sides.open(other, random.pick([0.2, 0.9]));
  await stage.clear("contract", symbol);
  if (random.chance(0.7)) return;
  const { market } = sides;
  const ticks = (market.mark * 97n) / (100n * market.rules.tick);
  await stage.place(holder, "contract", {
    ...{ symbol, side: closes("SHORT"), positionSide: "LONG", type: "LIMIT", timeInForce: "GTC" },
    price: text(ticks * market.rules.tick),
    quantity: text(BigInt(random.integer(1, 20)) * market.rules.step),
  });
}

/** By which the positions of a side pay so much of what the account has above maintenance. */
async function giveRate(stage: Stage, sides: TwoSides, side: PositionSide): Promise<void> {
  const { random } = stage;
  const naive = await stage.look();
  const { uid } = sides.holder;
  const { rules } = sides.market;
  const paying = sides.positions.filter((position) => position.side === side);
  const value = sum(paying.map((position) => naive.markValue(position)));
  if (value === 0n) return;
  const kept = naive.crossMaintenance(uid, "USDT", () => rules.buffer);
  const room = greatest(0n, naive.crossEquity(uid, "USDT") * ONE - kept);
  const share = (room * random.pick(TOGETHER)) / 100n;
  const units = share / (value * RATE_UNIT) + BigInt(random.pick(BESIDE));
  const rate = least(ONE, greatest(0n, units * RATE_UNIT));
  const signed = side === "LONG" || rate === 0n ? text(rate) : `-${text(rate)}`;
  await stage.operate("POST", `sandbox/markets/${sides.symbol}/funding`, { rate: signed });
}
