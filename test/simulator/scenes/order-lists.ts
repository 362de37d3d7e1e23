/** Orders that wait, older than others that have ended, in one list that is asked for by pages. */
import { SPOT_PRICE, SYMBOL } from "../markets.ts";
import { checkReadings } from "../readings.ts";
import { fundSpot } from "./referrals.ts";
import type { Scene } from "./stage.ts";

const WAITING_MAX = 2;
const ENDED_MAX = 7;
const QUESTIONS = 6;

export const orderLists: Scene = async (stage) => {
  const { random, traders } = stage;
  const trader = random.pick([...traders]);
  await fundSpot(stage, trader);
  const terms = { symbol: SYMBOL, side: "BUY", type: "LIMIT", timeInForce: "GTC" };
  const order = () => ({ ...terms, price: String(SPOT_PRICE - 20), quantity: "0.0012" });
  for (let count = random.integer(1, WAITING_MAX); count > 0; count--) {
    await stage.place(trader, "spot", order());
  }
  for (let count = random.integer(3, ENDED_MAX); count > 0; count--) {
    await stage.pass(1);
    await stage.cancel(trader, await stage.place(trader, "spot", order()));
  }
  await stage.look();
  await checkReadings(trader, "spot", QUESTIONS, ["GET /api/v3/allOrders"]);
  await stage.clear("spot", SYMBOL);
};

/** Longer than it takes until somebody who answers no ping is left: nobody does anything. */
const ALIVE_MS = 200_000;

export const longSilence: Scene = async (stage) => {
  await stage.pass(ALIVE_MS);
  await stage.look();
};
