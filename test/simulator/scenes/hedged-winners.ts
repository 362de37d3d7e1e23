/**
 * Deleveraging meets somebody who has several separate positions on the winning side, and a hedge:
 * only what is not hedged may be taken, from all of them together.
 */
import type { PositionSide } from "../../../src/domain/index.ts";
import { text } from "../../support/exact.ts";
import type { Trader } from "../trader.ts";
import type { Scene, Stage } from "./stage.ts";
import { LEAST_LIMIT } from "./two-contracts.ts";
import { TwoSides } from "./two-sides.ts";

/** Of each of the winner's positions, about. */
const NOTIONAL = 3_000;
const POSITIONS = 2;
/** Of all of them, in tenths. */
const HEDGES = [4n, 6n, 9n];
const WINNER = { funds: "900", leverage: 20 };
const LOSER = { funds: "130", leverage: 75 };
/** Behind which nothing is left of the loser, in parts of 1,000. */
const AWAY = 25n;

export const opposite = { LONG: "SHORT", SHORT: "LONG" } as const;

export const hedgedWinners: Scene = async (stage) => {
  const { random, traders } = stage;
  const [winner, loser, third] = random.shuffle([...traders]);
  if (winner === undefined || loser === undefined || third === undefined) return;
  const sides = await TwoSides.begin(stage);
  if (sides === null) return;
  const { symbol } = sides;
  const funds = { account: "contract", asset: "USDT", amount: "1000000" } as const;
  await stage.move(third, "deposits", funds);
  const [winning, losing] = [winner, loser].map((one) => new TwoSides(stage, symbol, one, third));
  if (winning === undefined || losing === undefined) return;
  await winning.flatten();
  await winning.setMode("CROSSED", "SEPARATED");
  await winning.setLeverage(WINNER.leverage);
  await winning.fund(WINNER.funds);
  await losing.flatten();
  await losing.setMode("ISOLATED", "COMBINED");
  await losing.setLeverage(LOSER.leverage);
  await losing.fund(LOSER.funds);
  const side = random.pick(["LONG", "SHORT"] as const);
  const { rules } = sides.market;
  const lots = BigInt(Math.floor(NOTIONAL / sides.price / Number(text(rules.step))));
  const size = lots * rules.step;
  for (let count = POSITIONS; count > 0; count--)
    await meet(stage, sides, [winner, loser], side, size);
  const hedge = (BigInt(POSITIONS) * lots * random.pick(HEDGES)) / 10n;
  await meet(stage, sides, [winner, third], opposite[side], hedge * rules.step);
  await stage.clear("contract", symbol);
  await stage.changeMarket("contract", { insuranceDrawLimit: LEAST_LIMIT }, symbol);
  const { mark } = sides.market;
  const away = (mark * AWAY) / 1_000n;
  await sides.moveMark(mark + (side === "LONG" ? away : -away));
  await stage.look();
  await stage.changeMarket("contract", { insuranceDrawLimit: null }, symbol);
  await winning.end();
};

/** The second one waits, the first one opens that side at the mark. */
export async function meet(
  stage: Stage,
  { market, symbol }: TwoSides,
  [taker, maker]: readonly [Trader, Trader],
  positionSide: PositionSide,
  size: bigint,
): Promise<void> {
  const terms = { symbol, type: "LIMIT", price: text(market.mark), quantity: text(size) };
  const [side, other] = positionSide === "LONG" ? ["BUY", "SELL"] : ["SELL", "BUY"];
  const against = { side: other, positionSide: opposite[positionSide], timeInForce: "GTC" };
  await stage.place(maker, "contract", { ...terms, ...against });
  await stage.place(taker, "contract", { ...terms, side, positionSide, timeInForce: "IOC" });
}
