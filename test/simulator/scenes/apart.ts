/** The last price and the mark of a contract, which come to a price each by itself. */
import { text } from "../../support/exact.ts";
import type { Stage } from "./stage.ts";
import type { TwoSides } from "./two-sides.ts";

export const WORKING_TYPES = ["CONTRACT_PRICE", "MARK_PRICE"] as const;
/** In ticks, of what an order that is placed then is met at. */
const BESIDE = 5n;
const FUNDS = { account: "contract", asset: "USDT", amount: "1000" } as const;

/** Whatever triggers is looked for there, and what it places finds somebody. */
export async function bring(
  stage: Stage,
  sides: TwoSides,
  placed: "BUY" | "SELL",
  price: bigint,
  workingType: string = stage.random.pick(WORKING_TYPES),
): Promise<void> {
  const { other, symbol } = sides;
  await stage.do(other.cancelAll("contract", symbol));
  const { step, tick } = sides.market.rules;
  const worse = placed === "BUY" ? BESIDE : -BESIDE;
  const lots = BigInt(stage.random.pick([3, 40, 2_000]));
  await sides.offer(placed, text(lots * step), text(price + worse * tick));
  if (workingType === "MARK_PRICE") {
    await stage.look();
    await sides.moveMark(price);
  } else {
    await trade(stage, sides, placed, price);
  }
  await stage.look();
}

/** One lot, taken by somebody who trades otherwise than what is placed. */
async function trade(
  stage: Stage,
  sides: TwoSides,
  placed: "BUY" | "SELL",
  price: bigint,
): Promise<void> {
  const { holder, other, symbol } = sides;
  const taker = stage.traders.find((trader) => trader !== holder && trader !== other) ?? holder;
  if (taker !== holder && stage.random.chance(0.2)) await stage.move(taker, "deposits", FUNDS);
  const [side, positionSide] = placed === "BUY" ? ["SELL", "SHORT"] : ["BUY", "LONG"];
  const terms = { price: text(price), quantity: text(sides.market.rules.step) };
  await sides.offer(side === "BUY" ? "BUY" : "SELL", terms.quantity, terms.price);
  await stage.place(taker, "contract", {
    ...{ symbol, side, positionSide, type: "LIMIT", timeInForce: "IOC" },
    ...terms,
  });
}
