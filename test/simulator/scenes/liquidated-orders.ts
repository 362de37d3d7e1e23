/**
 * A liquidation of somebody who has orders: opening ones of both sides and of another contract,
 * some with a take-profit and a stop-loss, orders that rest to close, and conditional ones. Which
 * of them end with it depends on what is liquidated; the others are met or reached afterwards.
 */
import { text } from "../../support/exact.ts";
import { hold } from "../breach.ts";
import type { Trader } from "../trader.ts";
import type { Scene, Stage } from "./stage.ts";
import { bothContracts, restFar } from "./two-contracts.ts";
import { closes, type TwoSides } from "./two-sides.ts";

const SIDES = ["LONG", "SHORT"] as const;
/** In ticks from where it is due, in the direction in which it loses. */
const STEPS = [-1, 0, 1, 30];

export const liquidatedOrders: Scene = async (stage) => {
  const { random } = stage;
  const both = await bothContracts(stage);
  if (both === null) return;
  const [sides, beside] = both;
  const separated = random.pick(["COMBINED", "COMBINED", "SEPARATED"] as const);
  await sides.setMode(random.pick(["CROSSED", "ISOLATED", "ISOLATED"] as const), separated);
  for (const each of both) await each.setLeverage(random.pick([50, 75]));
  await sides.fund("400");
  const positionSide = random.pick(SIDES);
  await sides.open(positionSide, random.pick([0.3, 0.6, 0.8]));
  if (random.chance(0.4)) await sides.open(positionSide === "LONG" ? "SHORT" : "LONG", 0.3);
  for (const each of both) await restSome(stage, each);
  for (const each of both) await waitSome(stage, each);
  const naive = await stage.look();
  if (sides.positions.length === 0) return await endBoth(both);
  const dueAt = naive.liquidatePrice(random.pick([...sides.positions]));
  const { mark, rules } = sides.market;
  const loses = dueAt < mark ? -1n : 1n;
  for (const ticks of STEPS) {
    await sides.moveMark(dueAt + loses * BigInt(ticks) * rules.tick);
    await stage.look();
  }
  await meetLeft(stage, both);
  if (random.chance(0.5)) await beside.flatten();
  await endBoth(both);
};

async function endBoth(both: readonly TwoSides[]): Promise<void> {
  for (const sides of both) await sides.end();
}

async function restSome(stage: Stage, sides: TwoSides): Promise<void> {
  const { random } = stage;
  const price = sides.market.mark;
  const { tick } = sides.market.rules;
  const at = (thousandths: number) => {
    return text(((price + (price * BigInt(thousandths)) / 1_000n) / tick) * tick);
  };
  const above = { tpTriggerPrice: at(20), slTriggerPrice: at(-49) };
  const below = { tpTriggerPrice: at(-20), slTriggerPrice: at(49) };
  if (random.chance(0.4)) await restFar(sides, ["BUY", "LONG"], -45);
  if (random.chance(0.4)) await restFar(sides, ["SELL", "SHORT"], 45);
  if (random.chance(0.4)) await restFar(sides, ["BUY", "LONG"], -44, above);
  if (random.chance(0.4)) await restFar(sides, ["SELL", "SHORT"], 44, below);
  await stage.look();
  if (random.chance(0.4) && sides.positions.some(({ side }) => side === "LONG")) {
    await restFar(sides, ["SELL", "LONG"], 43);
  }
  if (random.chance(0.4) && sides.positions.some(({ side }) => side === "SHORT")) {
    await restFar(sides, ["BUY", "SHORT"], -43);
  }
}

/** Of a position or for one, of both sides, reached only behind where the liquidation is. */
async function waitSome(stage: Stage, { holder, market, symbol }: TwoSides): Promise<void> {
  const { random } = stage;
  const { mark, rules } = market;
  for (const positionSide of SIDES) {
    for (const thousandths of [random.integer(-60, -35), random.integer(35, 60)]) {
      if (random.chance(0.6)) continue;
      const price = mark + (mark * BigInt(thousandths)) / 1_000n;
      const triggerPrice = text((price / rules.tick) * rules.tick);
      const terms = { symbol, positionSide, triggerPrice, clientAlgoId: holder.nextOrderId };
      const isGain = (positionSide === "LONG") === thousandths > 0;
      const triggerPriceType = random.pick(["MARK_PRICE", "CONTRACT_PRICE"]);
      if (random.chance(0.5)) {
        const planType = isGain ? "TAKE_PROFIT" : "STOP_LOSS";
        await protect(stage, holder, { ...terms, planType, triggerPriceType });
        continue;
      }
      const isOpening = random.chance(0.5);
      const opening = positionSide === "LONG" ? "BUY" : "SELL";
      await stage.send(holder, "POST", "/capi/v3/algoOrder", {
        ...{ ...terms, side: isOpening ? opening : closes(positionSide) },
        type: isOpening === isGain ? "STOP_MARKET" : "TAKE_PROFIT_MARKET",
        ...{ quantity: text(rules.step), workingType: triggerPriceType },
      });
    }
  }
}

/** The whole position, at market: a zero says so however it is written. */
async function protect(stage: Stage, holder: Trader, body: object): Promise<void> {
  const { random } = stage;
  const path = "/capi/v3/placeTpSlOrder";
  if (random.chance(0.5)) {
    await stage.send(holder, "POST", path, body);
    return;
  }
  const zeros = { quantity: random.pick(["0", "0.00"]), executePrice: random.pick(["0", "0.0"]) };
  const spelt = await stage.do(holder.send("POST", path, { ...body, ...zeros }));
  if (spelt?.status !== 400) return;
  const again = { ...body, clientAlgoId: holder.nextOrderId };
  const plain = await stage.do(holder.send("POST", path, again));
  hold(plain?.status !== 200, "a zero is nothing", () => JSON.stringify([body, zeros]));
}

/** The index goes to and fro, so that what waits is reached, and the other one meets what rests. */
async function meetLeft(stage: Stage, both: readonly TwoSides[]): Promise<void> {
  const { random } = stage;
  for (const sides of both) {
    const rest = (await stage.look()).openContractOrders(sides.holder.uid, sides.symbol);
    for (const { side, quantity, price } of rest.slice(0, 2)) {
      const isLong = side === "SELL";
      const terms = { symbol: sides.symbol, type: "LIMIT", timeInForce: "IOC" };
      await stage.place(sides.other, "contract", {
        ...{ ...terms, side: isLong ? "BUY" : "SELL", positionSide: isLong ? "LONG" : "SHORT" },
        ...{ price: text(price), quantity: text(quantity) },
      });
    }
    for (const share of random.shuffle([0.94, 1.06])) {
      await sides.setIndex((sides.price * share).toFixed(1));
      await stage.look();
    }
  }
}
