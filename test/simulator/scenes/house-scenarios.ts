/**
 * A sandbox's scenarios over whatever stands: positions, orders of both products, take-profits and
 * stop-losses, conditional orders, countdowns. Their commands are checked like any others; here,
 * that behind them everything is as their documentation says, of everybody.
 */
import { text } from "../../support/exact.ts";
import type { CreditedExchange } from "../affiliate-story.ts";
import { hold } from "../breach.ts";
import { SPOT_PRICE } from "../markets.ts";
import type { Product } from "../orders.ts";
import type { Trader } from "../trader.ts";
import { fundSpot } from "./referrals.ts";
import type { Scene, Stage } from "./stage.ts";
import { armedHolder } from "./stopped-risks.ts";
import type { TwoSides } from "./two-sides.ts";

const SCENARIOS = ["delist", "delist", "delist", "halt", "flash-crash", "liquidate"] as const;
type Scenario = (typeof SCENARIOS)[number];
const PRODUCTS = ["spot", "contract"] as const;
/** The exchange's own accounts. */
const HOUSE = new Set([990_001, 990_002]);
const ORDERS_MAX = 4;
/** Of countdowns that were set before. */
const COUNTDOWN_MS = 1_000;
const AWAY = [-90, -60, -30, 30, 60, 90];
const MEANT = "a sandbox's scenario does what its documentation says";

export const houseScenarios: Scene = async (stage) => {
  const { random } = stage;
  const sides = await armedHolder(stage);
  if (sides === null) return;
  for (const trader of random.shuffle([...stage.traders]).slice(0, 2)) await rest(sides, trader);
  const scenario = random.pick(SCENARIOS);
  const before = await stage.look();
  const scene = { stage, sides, scenario, product: someProduct(stage, scenario) };
  const last = lastPriceOf(before, scene);
  const held = idsOf(before, scene);
  if (await trigger(scene)) {
    const naive = await stage.look();
    if (scenario === "delist") checkDelisted(naive, scene);
    if (scenario === "liquidate") checkLiquidated(naive, scene, held);
    if (scenario === "delist" || scenario === "halt") checkHalted(naive, scene);
    const back = lastPriceOf(naive, scene);
    const isBack = scenario !== "flash-crash" || last === 0n || back === last;
    hold(isBack, MEANT, () => `${scenario} of ${sides.symbol}: ${last}, then ${back}`);
    await stage.pass(COUNTDOWN_MS + random.integer(-1, 1));
    await stage.look();
  }
  await putBack(scene);
};

interface Place {
  readonly stage: Stage;
  readonly sides: TwoSides;
  readonly scenario: Scenario;
  /** Null for both, or for the one that is meant without. */
  readonly product: Product | null;
}

function someProduct({ random }: Stage, scenario: Scenario): Product | null {
  if (scenario === "liquidate") return null;
  return scenario === "flash-crash" ? "contract" : random.pick([null, null, ...PRODUCTS]);
}

/** Far from the mark, so that they wait: plain ones of both products, and conditional ones. */
async function rest({ market, stage, symbol }: TwoSides, trader: Trader): Promise<void> {
  const { random } = stage;
  const { mark, rules } = market;
  const isListed = stage.exchange.story.naive.markets.has(symbol);
  await fundSpot(stage, trader);
  await stage.move(trader, "deposits", { account: "contract", asset: "USDT", amount: "500" });
  for (let left = random.integer(1, ORDERS_MAX); left > 0; left--) {
    const away = random.pick(AWAY);
    const [side, positionSide] = random.pick([
      ["BUY", "LONG"],
      ["SELL", "SHORT"],
    ] as const);
    const near = mark + (mark * BigInt(away)) / 1_000n;
    const price = text((near / rules.tick) * rules.tick);
    const terms = { symbol, side, positionSide, quantity: text(rules.step) };
    const way = random.pick(["spot", "plain", "conditional", "conditional"] as const);
    if (way === "conditional") {
      const kinds = ["STOP_MARKET", "TAKE_PROFIT_MARKET", "STOP", "TAKE_PROFIT"];
      const type = random.pick(kinds);
      await stage.send(trader, "POST", "/capi/v3/algoOrder", {
        ...{ ...terms, type, triggerPrice: price },
        ...(type.endsWith("MARKET") ? {} : { price }),
        workingType: random.pick(["CONTRACT_PRICE", "MARK_PRICE"]),
        clientAlgoId: trader.nextOrderId,
      });
    } else if (way === "plain") {
      const isFar = side === "BUY" ? away < 0 : away > 0;
      if (!isFar) continue;
      await stage.place(trader, "contract", { ...terms, type: "LIMIT", timeInForce: "GTC", price });
    } else if (isListed) {
      const far = String(side === "BUY" ? SPOT_PRICE - left : SPOT_PRICE + left);
      const plain = { symbol, side, type: "LIMIT", timeInForce: "GTC" };
      await stage.place(trader, "spot", { ...plain, price: far, quantity: "0.002" });
    }
  }
}

/** Whether it was played. */
async function trigger({ product, scenario, sides, stage }: Place): Promise<boolean> {
  const { exchange } = stage;
  const body = {
    ...{ scenario, symbol: sides.symbol },
    ...(product === null ? {} : { product }),
    ...(scenario === "liquidate" ? { uid: sides.holder.uid } : {}),
  };
  const request = exchange.operatorRequest("POST", "sandbox/trigger", body);
  const outcome = await stage.do(exchange.send("operator", request));
  const isKnown = outcome === null || [200, 409, 503].includes(outcome.status);
  hold(isKnown, MEANT, () => JSON.stringify([body, outcome]));
  return outcome?.status === 200;
}

function productsOf({ product }: Place): readonly Product[] {
  return product === null ? PRODUCTS : [product];
}

function lastPriceOf(naive: CreditedExchange, { sides: { symbol } }: Place): bigint {
  return naive.contracts.get(symbol)?.last ?? 0n;
}

/** Nothing of anybody is open there, and nobody but the house has a position. */
function checkDelisted(naive: CreditedExchange, place: Place): void {
  const { symbol } = place.sides;
  for (const product of productsOf(place)) {
    const market = (product === "spot" ? naive.markets : naive.contracts).get(symbol);
    const detail = (left: unknown) => () => `${product} ${symbol}: ${inspect(left)}`;
    hold((market?.resting.length ?? 0) === 0, MEANT, detail(market?.resting));
    if (product === "spot") continue;
    for (const uid of naive.users.keys()) {
      const waiting = naive.openConditionalOrders(uid, symbol);
      hold(waiting.length === 0, MEANT, detail(waiting));
      const positions = HOUSE.has(uid) ? [] : naive.positionsOf(uid, symbol);
      hold(positions.length === 0, MEANT, detail(positions));
    }
  }
}

function checkHalted(naive: CreditedExchange, place: Place): void {
  const { symbol } = place.sides;
  for (const product of productsOf(place)) {
    const market = (product === "spot" ? naive.markets : naive.contracts).get(symbol);
    const isHalted = market === undefined || market.state === "halted";
    hold(isHalted, MEANT, () => `${product} ${symbol} is ${market?.state}`);
  }
}

/** One of a holder's positions is gone; others may stay. */
function checkLiquidated(naive: CreditedExchange, place: Place, held: readonly number[]): void {
  const left = new Set(idsOf(naive, place));
  const detail = () => `${place.sides.holder.name}: ${held} before, ${[...left]} behind it`;
  const isGone = held.some((id) => !left.has(id));
  hold(isGone, MEANT, detail);
}

function idsOf(naive: CreditedExchange, { sides: { holder, symbol } }: Place): number[] {
  return naive.positionsOf(holder.uid, symbol).map(({ id }) => id);
}

function inspect(value: unknown): string {
  return JSON.stringify(value, (_, one) => (typeof one === "bigint" ? text(one) : one));
}

async function putBack({ sides, stage }: Place): Promise<void> {
  const { symbol } = sides;
  for (const product of PRODUCTS) {
    const isListed = await stage.marketOf(product, symbol);
    if (isListed === undefined) continue;
    await stage.operate("PATCH", `markets/${product}/${symbol}`, { state: "trading" });
    await stage.operate("DELETE", `sandbox/markets/${symbol}/book?product=${product}`);
    await stage.clear(product, symbol);
  }
  await stage.look();
  await sides.end();
}
