/**
 * What an operator changes of a spot market, and what happens at the new edge before anybody
 * trades: a price band narrowed or widened alone, as many orders as may be open, each of them
 * amended, and a halt that ends by the market's rules being set.
 */
import { exact, text } from "../../support/exact.ts";
import { inTurns } from "../client/client-machine.ts";
import { SPOT_PRICE, SYMBOL } from "../markets.ts";
import type { Product } from "../orders.ts";
import type { Trader } from "../trader.ts";
import { fundedTwo, fundSpot } from "./referrals.ts";
import type { Scene, Stage } from "./stage.ts";

const RATIOS = ["0.01", "0.05", "0.2", "0.5"];
const USUAL_RATIO = "0.5";
const FEW = 5;
const PROBES = 6;
const COUNTDOWN_MS = 1_000;
const CROWD = 6;

function limit(side: "BUY" | "SELL", price: string, quantity = "0.0012") {
  return { symbol: SYMBOL, side, type: "LIMIT", timeInForce: "GTC", price, quantity };
}

/** Of one rule of the band, or both: an order at a ratio of before or now, a tick beside. */
export const bands: Scene = async (stage) => {
  const { random } = stage;
  const two = await fundedTwo(stage);
  if (two === null) return;
  const [maker, taker] = two;
  await stage.clear("spot", SYMBOL);
  // So that an edge may lie between two ticks.
  const price = (SPOT_PRICE + random.integer(0, 9) / 100).toFixed(2);
  await stage.place(maker, "spot", limit("SELL", price));
  await stage.place(taker, "spot", limit("BUY", price));
  const used = [USUAL_RATIO];
  for (let round = random.integer(1, 3); round > 0; round--) {
    await probe(stage, taker, used);
    const ratio = random.pick(RATIOS);
    used.push(ratio);
    const rules = ["buyLimitPriceRatio", "sellLimitPriceRatio"].filter(() => random.chance(0.7));
    const change = Object.fromEntries(rules.map((name) => [name, ratio]));
    await stage.changeMarket("spot", change);
  }
  await probe(stage, taker, used);
  await stage.look();
  await stage.clear("spot", SYMBOL);
  const usual = { buyLimitPriceRatio: USUAL_RATIO, sellLimitPriceRatio: USUAL_RATIO };
  await stage.changeMarket("spot", usual);
};

async function probe(stage: Stage, trader: Trader, ratios: readonly string[]): Promise<void> {
  const { random } = stage;
  const market = (await stage.look()).markets.get(SYMBOL);
  const last = market?.lastPrice ?? null;
  if (market === undefined || last === null) return;
  const { tick } = market.rules;
  for (let count = random.integer(2, PROBES); count > 0; count--) {
    const away = (last * exact(random.pick([...ratios]))) / exact("1");
    const price = random.chance(0.5) ? last + away : last - away;
    const ticks = price / tick + BigInt(random.integer(-1, 1));
    // Behind the best price of nobody, so that it only rests.
    const side = price > last ? "SELL" : "BUY";
    const crossing = side === "SELL" ? "BUY" : "SELL";
    const order = limit(random.chance(0.5) ? side : crossing, text(ticks * tick));
    if (ticks > 0n) await stage.place(trader, "spot", order);
    await stage.clear("spot", SYMBOL);
  }
}

/** One has as many orders as a market allows: each form of amendment, and one more. */
export const fullBooks: Scene = async (stage) => {
  const { random, traders } = stage;
  const trader = random.pick([...traders]);
  await fundSpot(stage, trader);
  const before = (await stage.marketOf("spot"))?.rules.maxOpenOrders;
  if (before === undefined) return;
  await stage.clear("spot", SYMBOL);
  const most = random.integer(1, FEW);
  await stage.changeMarket("spot", { maxOpenOrders: most });
  const orders = [];
  for (let count = most + 1; count > 0; count--) {
    orders.push(await stage.place(trader, "spot", limit("BUY", String(SPOT_PRICE - count))));
  }
  for (const order of orders) {
    const price = String(SPOT_PRICE - random.integer(10, 20));
    const changes = [{ price }, { quantity: "0.0013" }, { quantity: "0.0011" }];
    if (order.fate === "accepted") await stage.do(trader.amend(order, random.pick(changes)));
  }
  await stage.place(trader, "spot", limit("BUY", String(SPOT_PRICE - 9)));
  await stage.look();
  await stage.clear("spot", SYMBOL);
  await stage.changeMarket("spot", { maxOpenOrders: before });
};

/** A countdown ends while a market is halted, which goes on by the call that sets its rules. */
export const resumptions: Scene = async (stage) => {
  const { random } = stage;
  const product: Product = "spot";
  const two = await fundedTwo(stage);
  if (two === null) return;
  const [trader, taker] = two;
  await stage.place(trader, product, limit("BUY", String(SPOT_PRICE - 10)));
  const countdown = { symbol: random.pick([SYMBOL, undefined]), countdownMs: COUNTDOWN_MS };
  await stage.send(trader, "POST", "/api/v3/order/cancelAllAfter", countdown);
  const path = `markets/${product}/${SYMBOL}`;
  if (random.chance(0.5)) await stage.operate("PATCH", path, { state: "halted" });
  else await stage.changeMarket(product, { state: "halted" });
  await stage.pass(COUNTDOWN_MS + random.integer(-1, 1));
  await stage.look();
  for (const state of random.pick([["trading"], ["cancel-only", "trading"]] as const)) {
    // Whoever comes with the call meets none of the orders whose countdown has ended.
    const met = random.chance(0.6) ? limit("SELL", String(SPOT_PRICE - 10), "0.0002") : null;
    const crowd = Array.from({ length: met === null ? 0 : CROWD }, () => taker);
    const placed = crowd.map(async (one, index) => {
      await inTurns(index);
      await one.place(product, { ...met });
    });
    if (random.chance(0.3)) await stage.operate("PATCH", path, { state });
    else await stage.changeMarket(product, { state });
    await stage.do(Promise.all(placed));
    await stage.pass(random.integer(1, 5));
    await stage.look();
  }
};
