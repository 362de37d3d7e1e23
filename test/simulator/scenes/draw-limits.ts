/**
 * Liquidations that the insurance fund pays for, under a limit of an hour, in one hour and in the
 * next: what is beyond the limit others give up, and another hour begins with all of it.
 */
import { text } from "../../support/exact.ts";
import type { Scene, Stage } from "./stage.ts";
import { closes, TwoSides } from "./two-sides.ts";

const HOUR_MS = 3_600_000;
const FUND = 100_000;
/** Of what the first liquidation costs: less than one is paid for, one, or about two. */
const LIMITS = [0.5, 1.1, 1.5, 1.9, 2.5];
const ROUNDS_MAX = 5;
/** So much worse than where nothing is left is whoever takes the position, in parts of 10,000. */
const WORSE = [5n, 20n, 50n];

export const drawLimits: Scene = async (stage) => {
  const { exchange, random } = stage;
  const sides = await TwoSides.begin(stage);
  if (sides === null) return;
  await sides.flatten();
  await sides.setMode(random.pick(["CROSSED", "ISOLATED"] as const), "COMBINED");
  await sides.setLeverage(random.pick([50, 100]));
  const deposit = { id: `${sides.holder.nextOrderId}-fund`, amount: String(FUND) };
  await stage.operate("POST", "insurance/USDT/deposits", deposit);
  const path = "insurance/USDT";
  const { balance } = await exchange.operator<{ readonly balance: string }>("GET", path);
  const worse = random.pick(WORSE);
  let isLimited = false;
  for (let round = random.integer(3, ROUNDS_MAX); round > 0; round--) {
    const costs = await standBelow(stage, sides, worse);
    if (costs === null) continue;
    if (!isLimited) {
      const limit = (random.pick(LIMITS) * costs.amount) / Number(balance);
      const insuranceDrawLimit = limit.toFixed(8);
      await stage.changeMarket("contract", { insuranceDrawLimit }, sides.symbol);
      isLimited = true;
    }
    await sides.moveMark(costs.price);
    await stage.look();
    await stage.clear("contract", sides.symbol);
    await sides.setIndex(sides.price);
    if (random.chance(0.5)) {
      await stage.operate("POST", "sandbox/clock/advance", { ms: HOUR_MS });
      await sides.setIndex(sides.price);
    }
  }
  await stage.changeMarket("contract", { insuranceDrawLimit: null }, sides.symbol);
  await sides.end();
};

/** A new position, and somebody who takes all of it where the fund must pay for it. */
async function standBelow(stage: Stage, sides: TwoSides, worseBy: bigint) {
  const { random } = stage;
  await sides.fund("150");
  await sides.open(random.pick(["LONG", "SHORT"] as const), 0.9);
  await stage.clear("contract", sides.symbol);
  const naive = await stage.look();
  const [position] = sides.positions;
  if (position === undefined) return null;
  const { n, d } = naive.bankruptcy(position);
  const { rules } = sides.market;
  const loses = position.side === "LONG" ? -1n : 1n;
  const bankrupt = n / d;
  const beyond = (bankrupt * worseBy) / 10_000n;
  const price = ((bankrupt + loses * beyond) / rules.tick) * rules.tick;
  const lots = position.size / rules.step;
  // By several, so that the fund pays several times.
  for (const part of [lots / 3n, lots - lots / 3n]) {
    if (part > 0n) await sides.offer(closes(position.side), text(part * rules.step), text(price));
  }
  const numberOf = (part: bigint) => Number(text(part));
  const worth = numberOf(price) * numberOf(rules.taker);
  const gone = numberOf(loses * (price - bankrupt));
  return { price, amount: numberOf(position.size) * (gone + worth) };
}
