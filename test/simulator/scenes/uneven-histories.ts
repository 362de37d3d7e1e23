/**
 * Somebody whose orders are nearly all in one market: an operator asks for those of all markets,
 * for as many as there are or a few less, and the lists of the markets are read side by side.
 */
import { SPOT_PRICE, SYMBOL } from "../markets.ts";
import { askOperator } from "../operator-check.ts";
import { newestSpotOrders } from "../operator-readings.ts";
import { fundSpot } from "./referrals.ts";
import type { Scene } from "./stage.ts";

/** More than a list is asked for at first. */
const MANY = [28, 45] as const;
const TOGETHER = 15;
const FEW_MAX = 3;
const QUESTIONS = 3;
const LESS = [0, 1, 2, 4, 8, 12];

export const unevenHistories: Scene = async (stage) => {
  const { random, traders } = stage;
  const trader = random.pick([...traders]);
  await fundSpot(stage, trader);
  await stage.clear("spot", SYMBOL);
  // Nobody meets them.
  const terms = { side: "BUY", type: "LIMIT", timeInForce: "IOC", quantity: "0.0012" };
  const many = { ...terms, symbol: SYMBOL, price: String(SPOT_PRICE - 20) };
  for (let left = random.integer(...MANY); left > 0; left -= TOGETHER) {
    const together = Array.from({ length: Math.min(left, TOGETHER) }, () => many);
    await stage.do(trader.placeTogether("spot", together));
  }
  for (let count = random.integer(1, FEW_MAX); count > 0; count--) {
    await stage.place(trader, "spot", { ...many, symbol: "ETHUSDT" });
  }
  await stage.look();
  for (const less of random.shuffle([...LESS]).slice(0, QUESTIONS)) {
    await askOperator(stage.exchange, (known) => newestSpotOrders(known, trader.uid, less));
  }
};
