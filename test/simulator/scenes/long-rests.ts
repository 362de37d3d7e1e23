/**
 * An order that rests for days. Its id is remembered from its end on, so that whoever sends it
 * again then is told what became of it, however long ago it was placed.
 */
import { CONTRACT_PRICE, SPOT_PRICE, SYMBOL } from "../markets.ts";
import type { Product } from "../orders.ts";
import { fundSpot } from "./referrals.ts";
import type { Scene, Stage } from "./stage.ts";

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const RESTS_MS = [HOUR_MS, DAY_MS - 1, DAY_MS, DAY_MS + 1, 2 * DAY_MS, 30 * DAY_MS];
/** Less than a day behind its end, some of which passes meanwhile. */
const LATER_MS = [0, 1, HOUR_MS, 12 * HOUR_MS, 23 * HOUR_MS];
/** Of the price; too far to meet anybody. */
const AWAY = 0.02;
const PATHS = { spot: "/api/v3/order", contract: "/capi/v3/order" };

export const longRests =
  (product: Product): Scene =>
  async (stage) => {
    const { exchange, random, traders } = stage;
    const [trader, other] = random.shuffle([...traders]);
    if (trader === undefined || other === undefined) return;
    const isSpot = product === "spot";
    await stage.clear(product, SYMBOL);
    if (isSpot) for (const one of [trader, other]) await fundSpot(stage, one);
    const side = random.pick(["BUY", "SELL"] as const);
    const factor = side === "BUY" ? 1 - AWAY : 1 + AWAY;
    const price = isSpot ? (SPOT_PRICE * factor).toFixed(2) : (CONTRACT_PRICE * factor).toFixed(1);
    const termsOf = (ofSide: "BUY" | "SELL") => {
      const positionSide = ofSide === "BUY" ? "LONG" : "SHORT";
      const terms = { symbol: SYMBOL, side: ofSide, type: "LIMIT", price, quantity: "0.002" };
      return isSpot ? terms : { ...terms, positionSide };
    };
    const order = await stage.place(trader, product, { ...termsOf(side), timeInForce: "GTC" });
    if (order.fate !== "accepted") return;
    await pass(stage, random.pick(RESTS_MS));
    const market = await stage.marketOf(product);
    const rests = market?.resting.some(({ orderId }) => String(orderId) === order.orderId);
    if (random.chance(0.3)) {
      const taken = { ...termsOf(side === "BUY" ? "SELL" : "BUY"), timeInForce: "IOC" };
      await stage.place(other, product, taken);
    }
    await stage.cancel(trader, order);
    const laters = random.chance(0.5) ? [0] : [0, random.pick(LATER_MS)];
    // A countdown that was set before may have ended it long ago, and then it is forgotten.
    for (const ms of rests === true ? laters : []) {
      if (ms > 0) await pass(stage, ms);
      const again = await stage.do(trader.send("POST", PATHS[product], order.body));
      trader.learn(order, again, true);
    }
    await stage.look();
    if (isSpot) return;
    const body = { price: String(CONTRACT_PRICE), force: true };
    await stage.operate("PUT", `index-prices/${SYMBOL}`, body);
    await exchange.pass(1);
  };

async function pass(stage: Stage, ms: number): Promise<void> {
  stage.exchange.daysPassed++;
  await stage.operate("POST", "sandbox/clock/advance", { ms });
}
