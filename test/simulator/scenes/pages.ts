/**
 * Lists that are longer than a page: somebody has several orders that wait, plain and conditional
 * ones, and asks for them page by page.
 */
import { placeConditional } from "../contract-acts.ts";
import { CONTRACT_PRICE, SPOT_PRICE, SYMBOL } from "../markets.ts";
import { checkReadings } from "../readings.ts";
import type { Trader } from "../trader.ts";
import type { Scene, Stage } from "./stage.ts";

const ORDERS_MAX = 7;
/** Of each list, with other bounds and pages. */
const QUESTIONS = 3;

const LISTS = {
  spot: ["GET /api/v3/openOrders", "POST /api/v2/trade/open-orders"],
  contract: ["GET /capi/v3/openOrders", "GET /capi/v3/openAlgoOrders"],
} as const;

export const pages: Scene = async (stage) => {
  const { random, traders } = stage;
  const trader = random.pick([...traders]);
  const product = random.pick(["spot", "contract", "contract"] as const);
  for (let count = random.integer(2, ORDERS_MAX); count > 0; count--) {
    await placeFar(stage, trader, product);
  }
  await stage.look();
  const targets = LISTS[product];
  await checkReadings(trader, product, QUESTIONS * targets.length, targets);
  if (random.chance(0.7)) await stage.clear(product, SYMBOL);
};

/** Too far to meet anybody. */
async function placeFar(stage: Stage, trader: Trader, product: "spot" | "contract"): Promise<void> {
  const { random } = stage;
  const away = random.integer(15, 40) / 1_000;
  const terms = { symbol: SYMBOL, side: "BUY", type: "LIMIT", timeInForce: "GTC" };
  if (product === "spot") {
    const price = (SPOT_PRICE * (1 - away)).toFixed(2);
    await stage.place(trader, product, { ...terms, price, quantity: "0.002" });
    return;
  }
  const price = (CONTRACT_PRICE * (1 - away)).toFixed(1);
  const sides = { ...terms, positionSide: "LONG", quantity: "0.001" };
  await stage.place(trader, product, { ...sides, price });
  if (random.chance(0.7)) return;
  const triggerPrice = (CONTRACT_PRICE * (1 + away)).toFixed(1);
  const { timeInForce: _, type: __, ...conditional } = sides;
  const waiting = { ...conditional, type: "STOP_MARKET", triggerPrice };
  await stage.do(placeConditional(trader, { ...waiting, clientAlgoId: trader.nextOrderId }));
}
