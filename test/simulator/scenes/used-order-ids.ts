/**
 * Orders under an id that is taken, open or ended: the same, however its decimals are written, is
 * answered with the order that it is, and what differs from it in one term is refused.
 */
import { isDeepStrictEqual } from "node:util";
import { hold } from "../breach.ts";
import { SYMBOL } from "../markets.ts";
import type { Product, SentOrder } from "../orders.ts";
import type { Trader } from "../trader.ts";
import { fundSpot } from "./referrals.ts";
import type { Scene, Stage } from "./stage.ts";

const AGAIN = { least: 5, most: 12 };
const PATHS = { spot: "/api/v3/order", contract: "/capi/v3/order" } as const;
/** They do not say whose the id is. */
const UNJUDGED = new Set([429, 503]);

type Terms = Readonly<Record<string, string>>;

interface Used {
  readonly order: Terms;
  readonly same: readonly Terms[];
  readonly others: readonly Terms[];
}

const TIMES = ["GTC", "IOC", "FOK", "POST_ONLY"];
const LIMIT = { symbol: SYMBOL, side: "BUY", type: "LIMIT" };
const MARKET = { symbol: SYMBOL, side: "BUY", type: "MARKET", quantity: "0.004" };
const PRESETS = { tpTriggerPrice: "59000", slTriggerPrice: "57500" };
const TYPES = { TpWorkingType: "CONTRACT_PRICE", SlWorkingType: "CONTRACT_PRICE" };

function limitOrders(order: Terms, same: readonly Terms[], others: readonly Terms[]): Used[] {
  return ["GTC", "IOC"].map((timeInForce) => {
    const otherTimes = TIMES.filter((time) => time !== timeInForce);
    return {
      order: { ...LIMIT, ...order, timeInForce },
      same,
      others: [
        ...otherTimes.map((time) => ({ timeInForce: time })),
        ...[{ side: "SELL" }, { symbol: "ETHUSDT" }, ...others],
      ],
    };
  });
}

const USED: Readonly<Record<Product, readonly Used[]>> = {
  spot: [
    ...limitOrders(
      { price: "700", quantity: "0.004" },
      [{}, { price: "700.00" }, { quantity: "0.00400" }],
      [{ price: "700.01" }, { quantity: "0.00401" }],
    ),
    {
      order: MARKET,
      same: [{}, { quantity: "0.0040" }],
      others: [{ side: "SELL" }, { quantity: "0.005" }, { quoteAmount: "0.004" }],
    },
  ],
  contract: limitOrders(
    { positionSide: "LONG", price: "58200", quantity: "0.004", ...PRESETS, ...TYPES },
    [{}, { price: "58200.0" }, { quantity: "0.0040" }, { slTriggerPrice: "57500.0" }],
    [
      ...[{ price: "58200.1" }, { quantity: "0.005" }, { positionSide: "SHORT" }],
      ...[{ tpTriggerPrice: "59000.1" }, { slTriggerPrice: "57500.1" }],
      ...[{ TpWorkingType: "MARK_PRICE" }, { SlWorkingType: "MARK_PRICE" }],
    ],
  ),
};

export function usedOrderIds(product: Product): Scene {
  return async (stage) => {
    const { random, traders } = stage;
    const trader = random.pick([...traders]);
    if (product === "spot") await fundSpot(stage, trader);
    const funds = { account: "contract", asset: "USDT", amount: "500" } as const;
    if (product === "contract") await stage.move(trader, "deposits", funds);
    const { order: terms, others, same } = random.pick(USED[product]);
    const order = await stage.place(trader, product, terms);
    if (order.orderId === null) return;
    for (let count = random.integer(AGAIN.least, AGAIN.most); count > 0; count--) {
      if (random.chance(0.1)) await stage.cancel(trader, order);
      if (random.chance(0.3)) await sendSame(stage, trader, order, random.pick(same));
      else await sendOther(stage, trader, order, random.pick(others));
    }
    await stage.clear(product, SYMBOL);
    await stage.look();
  };
}

/** As `children` places them, far from every price. */
const CONDITIONAL = {
  ...{ symbol: SYMBOL, side: "BUY", positionSide: "LONG", type: "STOP", quantity: "0.004" },
  ...{ price: "61800", triggerPrice: "61500", workingType: "CONTRACT_PRICE" },
  ...{ presetTakeProfitPrice: "62000", presetStopLossPrice: "60000" },
};
const OTHER_CONDITIONALS = [
  ...[{ symbol: "ETHUSDT" }, { side: "SELL" }, { positionSide: "SHORT" }, { quantity: "0.005" }],
  ...[{ price: "61800.1" }, { triggerPrice: "61500.1" }, { workingType: "MARK_PRICE" }],
  ...[{ presetTakeProfitPrice: "62000.1" }, { presetStopLossPrice: "60000.1" }],
  ...[{ type: "TAKE_PROFIT" }],
];
const SAME_CONDITIONALS = [{}, { price: "61800.0" }, { presetStopLossPrice: "60000.00" }];

export const usedConditionalIds: Scene = async (stage) => {
  const { random, traders } = stage;
  const trader = random.pick([...traders]);
  await stage.move(trader, "deposits", { account: "contract", asset: "USDT", amount: "500" });
  const body = { ...CONDITIONAL, clientAlgoId: trader.nextOrderId };
  const send = (term: Terms = {}) =>
    stage.do(trader.send("POST", "/capi/v3/algoOrder", { ...body, ...term }));
  const first = await send();
  if (first?.status !== 200) return;
  for (let count = random.integer(AGAIN.least, AGAIN.most); count > 0; count--) {
    if (random.chance(0.1)) await stage.send(trader, "DELETE", "/capi/v3/algoOpenOrders");
    const isSame = random.chance(0.3);
    const term: Terms = random.pick<Terms>(isSame ? SAME_CONDITIONALS : OTHER_CONDITIONALS);
    const outcome = await send(term);
    if (outcome === null || UNJUDGED.has(outcome.status)) continue;
    const isDue = isSame ? isDeepStrictEqual(outcome.body, first.body) : outcome.status !== 200;
    hold(isDue, "an id names one order", () => JSON.stringify([body, term, outcome, first]));
  }
  await stage.send(trader, "DELETE", "/capi/v3/algoOpenOrders");
  await stage.look();
};

async function sendSame(stage: Stage, trader: Trader, order: SentOrder, spelling: Terms) {
  const body = { ...order.body, ...spelling };
  trader.sentAgain(order);
  trader.learn(order, await stage.do(trader.send("POST", PATHS[order.product], body)), true);
}

async function sendOther(stage: Stage, trader: Trader, order: SentOrder, term: Terms) {
  const body = { ...order.body, ...term };
  const outcome = await stage.do(trader.send("POST", PATHS[order.product], body));
  if (outcome === null || UNJUDGED.has(outcome.status)) return;
  const detail = () => JSON.stringify([order.body, term, outcome]);
  hold(outcome.status !== 200, "an id names one order", detail);
  trader.expectRefusal(outcome, JSON.stringify(body));
}
