/**
 * Take-profits and stop-losses of which one thing is changed at a time: the trigger, the price of
 * what it places, or whether the last price or the mark triggers it. Then both prices come, each by
 * itself, to where it triggered before and to where it does now, a tick less and a tick more.
 */
import type { PositionSide } from "../../../src/domain/index.ts";
import type { NaiveConditionalOrder } from "../../models/contract/naive-contract-state.ts";
import { text } from "../../support/exact.ts";
import { bring, WORKING_TYPES } from "./apart.ts";
import type { Scene, Stage } from "./stage.ts";
import { closes, TwoSides } from "./two-sides.ts";

const ROWS_MAX = 3;
const CHANGES_MAX = 3;
const VISITS = 6;
/** In ticks. */
const NEAR = 40;
/** As it may be written that what is placed has no price. */
const NO_PRICES = [undefined, "0", "0.0", "0.00"];

export const changedStops: Scene = async (stage) => {
  const { random } = stage;
  const sides = await TwoSides.begin(stage);
  if (sides === null) return;
  await sides.setLeverage(random.integer(5, 20));
  await sides.fund("2000");
  const side = random.pick(["LONG", "SHORT"] as const);
  await sides.open(side, random.pick([0.1, 0.3]));
  await stage.clear("contract", sides.symbol);
  for (let count = random.integer(1, ROWS_MAX); count > 0; count--) {
    if (random.chance(0.7)) await protect(stage, sides, side);
    else await attach(stage, sides, side);
  }
  const before = await rowsOf(stage, sides);
  const levels = before.map(({ triggerPrice }) => triggerPrice);
  for (const { algoId } of before) {
    for (let count = random.integer(1, CHANGES_MAX); count > 0; count--) {
      const row = (await rowsOf(stage, sides)).find((one) => one.algoId === algoId);
      if (row !== undefined) await change(stage, sides, row);
    }
  }
  if (random.chance(0.2)) stage.exchange.story.startAgain();
  levels.push(...(await rowsOf(stage, sides)).map(({ triggerPrice }) => triggerPrice));
  for (let count = VISITS; count > 0 && levels.length > 0; count--) {
    const { tick } = sides.market.rules;
    const price = random.pick(levels) + BigInt(random.integer(-1, 1)) * tick;
    await bring(stage, sides, closes(side), price);
  }
  await stage.send(sides.holder, "DELETE", `/capi/v3/algoOpenOrders?symbol=${sides.symbol}`);
  await sides.end();
};

/** As they are now, without those that are changed later. */
async function rowsOf(
  stage: Stage,
  { holder, symbol }: TwoSides,
): Promise<readonly NaiveConditionalOrder[]> {
  const naive = await stage.look();
  return naive.openConditionalOrders(holder.uid, symbol).map((row) => ({ ...row }));
}

/** So many ticks from the mark, where a position of that side has a profit. */
function away({ market }: TwoSides, side: PositionSide, ticks: number): string {
  const { mark, rules } = market;
  return text((mark / rules.tick + (side === "LONG" ? 1n : -1n) * BigInt(ticks)) * rules.tick);
}

function beside(stage: Stage, { market }: TwoSides, price: bigint): string {
  return text(price + BigInt(stage.random.integer(-NEAR / 2, NEAR / 2)) * market.rules.tick);
}

async function protect(stage: Stage, sides: TwoSides, side: PositionSide): Promise<void> {
  const { random } = stage;
  const { holder, market, symbol } = sides;
  const isProfit = random.chance(0.5);
  const ticks = (isProfit ? 1 : -1) * random.integer(1, NEAR);
  const quantity = text(BigInt(random.integer(1, 9)) * market.rules.step);
  await stage.send(holder, "POST", "/capi/v3/placeTpSlOrder", {
    ...{ symbol, positionSide: side, clientAlgoId: holder.nextOrderId },
    ...{ planType: isProfit ? "TAKE_PROFIT" : "STOP_LOSS", triggerPrice: away(sides, side, ticks) },
    triggerPriceType: random.pick([undefined, ...WORKING_TYPES]),
    executePrice: random.pick([...NO_PRICES, ...Array(3).fill(beside(stage, sides, market.mark))]),
    ...(random.chance(0.5) ? { quantity } : {}),
  });
}

/** Those of an order that rests; they look at no price before a part of it is met. */
async function attach(stage: Stage, sides: TwoSides, side: PositionSide): Promise<void> {
  const { random } = stage;
  const { holder, market, symbol } = sides;
  const opens = side === "LONG" ? "BUY" : "SELL";
  await stage.place(holder, "contract", {
    ...{ symbol, side: opens, positionSide: side, type: "LIMIT", timeInForce: "GTC" },
    ...{ price: away(sides, side, -3), quantity: text(8n * market.rules.step) },
    tpTriggerPrice: away(sides, side, random.integer(1, NEAR)),
    slTriggerPrice: away(sides, side, -random.integer(4, NEAR)),
    TpWorkingType: random.pick(WORKING_TYPES),
    SlWorkingType: random.pick(WORKING_TYPES),
  });
}

/** One of three things; a price that is left out is taken away. */
async function change(stage: Stage, sides: TwoSides, row: NaiveConditionalOrder): Promise<void> {
  const { random } = stage;
  const { market, holder } = sides;
  const now = {
    orderId: String(row.algoId),
    triggerPrice: text(row.triggerPrice),
    executePrice: row.price === 0n ? random.pick(NO_PRICES) : text(row.price),
  };
  const another = WORKING_TYPES.find((one) => one !== row.workingType);
  const body = random.pick([
    { ...now, triggerPrice: beside(stage, sides, row.triggerPrice) },
    { ...now, triggerPrice: beside(stage, sides, market.mark) },
    { ...now, executePrice: random.pick(NO_PRICES) },
    { ...now, executePrice: beside(stage, sides, row.triggerPrice) },
    { ...now, triggerPriceType: another },
    { ...now, triggerPriceType: row.workingType },
  ]);
  await stage.send(holder, "POST", "/capi/v3/modifyTpSlOrder", body);
}
