/**
 * Deleveraging chooses among isolated positions of several that were opened at other prices and
 * leverages, of which some lose by then and are near to being due: who has the most profit for its
 * leverage comes first, and of those who lose whoever has the least left.
 */
import { text } from "../../support/exact.ts";
import type { Trader } from "../trader.ts";
import { meet, opposite } from "./hedged-winners.ts";
import type { Scene } from "./stage.ts";
import { LEAST_LIMIT } from "./two-contracts.ts";
import { TwoSides } from "./two-sides.ts";

/** Of each position of a candidate, and of whoever is liquidated, about. */
const NOTIONAL = 2_000;
const SHARE = { least: 3, most: 14 };
const FUNDS = "1500";
const LOSER = { funds: "60", leverage: 75 };
/** By which the mark moves against candidates, between the first one and the loser, in all. */
const MOVES = [0.01, 0.05, 0.08];
/** Of the margin of a candidate that is left, where it is as high as it may be. */
const SPARE = 0.007;
const LEVERAGES = [5, 8, 10, 12, 20];
/** Back again, behind which nothing is left of the loser. */
const BACK = [0.011, 0.014, 0.014, 0.014, 0.03];

export const rankedCandidates: Scene = async (stage) => {
  const { random, traders } = stage;
  const [loser, third, ...candidates] = random.shuffle([...traders]);
  if (loser === undefined || third === undefined || candidates.length < 2) return;
  const sides = await TwoSides.begin(stage);
  if (sides === null) return;
  const { price, symbol } = sides;
  const rich = { account: "contract", asset: "USDT", amount: "1000000" } as const;
  await stage.move(third, "deposits", rich);
  const side = random.pick(["LONG", "SHORT"] as const);
  const against = side === "LONG" ? 1 : -1;
  const of = (one: Trader) => new TwoSides(stage, symbol, one, third);
  const sized = (notional: number) => {
    const { step } = sides.market.rules;
    return BigInt(Math.floor(notional / price / Number(text(step)))) * step;
  };
  const moves = random.pick(MOVES);
  const place = (share: number) => price * (1 + against * (moves * share - moves));
  for (const [index, one] of candidates.entries()) {
    const share = (0.6 * index) / candidates.length;
    await sides.setIndex(onTick(sides, place(share)));
    const most = Math.floor(1 / (moves * (1 - share) + SPARE));
    const lower = LEVERAGES.filter((leverage) => leverage <= most);
    const leverage = index === 0 || random.chance(0.3) ? most : random.pick(lower);
    await ready(of(one), FUNDS, leverage);
    await meet(stage, sides, [one, third], opposite[side], sized(NOTIONAL));
  }
  await sides.setIndex(onTick(sides, price));
  await ready(of(loser), LOSER.funds, LOSER.leverage);
  const notional = (NOTIONAL * random.integer(SHARE.least, SHARE.most)) / 10;
  await meet(stage, sides, [loser, third], side, sized(notional));
  await stage.clear("contract", symbol);
  await stage.changeMarket("contract", { insuranceDrawLimit: LEAST_LIMIT }, symbol);
  await sides.setIndex(onTick(sides, price * (1 - against * random.pick(BACK))));
  await stage.look();
  await stage.changeMarket("contract", { insuranceDrawLimit: null }, symbol);
  for (const one of [loser, ...candidates]) await of(one).flatten();
  await sides.end();
};

async function ready(sides: TwoSides, funds: string, leverage: number): Promise<void> {
  await sides.flatten();
  await sides.setMode("ISOLATED", "COMBINED");
  await sides.setLeverage(Math.min(leverage, 100));
  await sides.fund(funds);
}

function onTick({ market }: TwoSides, price: number): string {
  const tick = Number(text(market.rules.tick));
  return text(BigInt(Math.round(price / tick)) * market.rules.tick);
}
