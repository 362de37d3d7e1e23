/**
 * Conditional orders up to the number that is allowed, plain ones and ones that come with an order,
 * one or two with each: the last that fits, the first that does not, and again when some ended.
 */
import { naiveOpenConditionalOrders } from "../../models/contract/naive-contract-views.ts";
import { placeConditional } from "../contract-acts.ts";
import { SYMBOL } from "../markets.ts";
import type { Trader } from "../trader.ts";
import type { Scene, Stage } from "./stage.ts";

/** Above that it takes too many requests. */
const FEW = 10;
const PRICE = 60_000;

export const counts: Scene = async (stage) => {
  const { random, traders } = stage;
  const trader = random.pick([...traders]);
  const before = await stage.look();
  const most = before.contracts.get(SYMBOL)?.rules.maxOpenOrders ?? 0;
  if (most > FEW) return;
  await stage.clear("contract", SYMBOL);
  await stage.operate("PUT", `index-prices/${SYMBOL}`, { price: String(PRICE), force: true });
  if (random.chance(0.5)) await endAll(stage, trader);
  for (let round = 0; round < 2; round++) {
    const naive = await stage.look();
    const rows = naiveOpenConditionalOrders(naive, trader.uid) as { readonly symbol: string }[];
    const waiting = rows.filter(({ symbol }) => symbol === SYMBOL).length;
    const left = Math.max(0, most - waiting);
    const plain = random.integer(0, left);
    for (let count = plain; count > 0; count--) await placePlain(stage, trader);
    // Each needs one or two, so that some end just at the limit.
    for (let count = left - plain + 1; count > 0; count--) await placeAttached(stage, trader);
    await placePlain(stage, trader);
    await stage.look();
    await stage.clear("contract", SYMBOL);
  }
  if (random.chance(0.5)) await endAll(stage, trader);
};

async function endAll(stage: Stage, trader: Trader): Promise<void> {
  await stage.send(trader, "DELETE", `/capi/v3/algoOpenOrders?symbol=${SYMBOL}`);
}

/** Far enough that it waits. */
async function placePlain(stage: Stage, trader: Trader): Promise<void> {
  const triggerPrice = String(PRICE + stage.random.integer(1_000, 2_900));
  const sides = { side: "BUY", positionSide: "LONG", type: "STOP_MARKET" };
  const clientAlgoId = trader.nextOrderId;
  const body = { symbol: SYMBOL, ...sides, quantity: "0.001", triggerPrice, clientAlgoId };
  await stage.do(placeConditional(trader, body));
}

export async function placeAttached(stage: Stage, trader: Trader): Promise<void> {
  const { random } = stage;
  const price = PRICE - random.integer(1_000, 2_000);
  const terms = { symbol: SYMBOL, side: "BUY", positionSide: "LONG", type: "LIMIT" };
  const takes = { tpTriggerPrice: String(price + 100) };
  const attached = random.pick([takes, { ...takes, slTriggerPrice: String(price - 100) }]);
  const order = { ...terms, timeInForce: "GTC", price: String(price), quantity: "0.001" };
  await stage.place(trader, "contract", { ...order, ...attached });
}
