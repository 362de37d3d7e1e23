/**
 * A retry of an order that was met at once in part, waited, and was met again: it names the first
 * fills alone.
 */
import { SPOT_PRICE, SYMBOL } from "../markets.ts";
import { fundedTwo } from "./referrals.ts";
import type { Scene } from "./stage.ts";

const RETRIES_MAX = 2;

export const toldFills: Scene = async (stage) => {
  const { random } = stage;
  const two = await fundedTwo(stage);
  if (two === null) return;
  const [owner, other] = two;
  await stage.clear("spot", SYMBOL);
  const [side, opposite] = random.shuffle(["BUY", "SELL"]);
  const terms = { symbol: SYMBOL, type: "LIMIT", timeInForce: "GTC", price: String(SPOT_PRICE) };
  const met = { ...terms, side: opposite, quantity: "0.001" };
  for (let count = random.integer(1, 2); count > 0; count--) await stage.place(other, "spot", met);
  const body = { ...terms, side, quantity: "0.005", newOrderRespType: "FULL" };
  const order = await stage.place(owner, "spot", body);
  for (let count = random.integer(1, RETRIES_MAX); count > 0; count--) {
    await stage.place(other, "spot", met);
    await stage.do(owner.retry(order));
  }
  await stage.look();
  await stage.clear("spot", SYMBOL);
};
