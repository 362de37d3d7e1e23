/**
 * Take-profits and stop-losses of orders that do not wait: market orders, those that end with what
 * they find at once, and those that a trigger places. One of them looks at the last price, the
 * other one at the mark, and these are apart. Some belong to two orders of one side of which one
 * waits while the position is closed.
 */
import type { PositionSide } from "../../../src/domain/index.ts";
import { text } from "../../support/exact.ts";
import { bring, WORKING_TYPES } from "./apart.ts";
import type { Scene, Stage } from "./stage.ts";
import { closes, TwoSides } from "./two-sides.ts";

const ROUNDS_MAX = 3;
const VISITS = 4;
const LOTS = 8;
/** In ticks. */
const NEAR = 25;

export const protectedTakers: Scene = async (stage) => {
  const { random } = stage;
  const sides = await TwoSides.begin(stage);
  if (sides === null) return;
  await sides.setLeverage(random.integer(5, 20));
  await sides.fund("2000");
  for (let round = random.integer(1, ROUNDS_MAX); round > 0; round--) {
    const side = random.pick(["LONG", "SHORT"] as const);
    if (random.chance(0.6)) await comeApart(stage, sides);
    await random.pick([take, take, trigger, trigger, two])(stage, sides, side);
    await visit(stage, sides, side);
    await stage.send(sides.holder, "DELETE", `/capi/v3/algoOpenOrders?symbol=${sides.symbol}`);
    await sides.flatten();
  }
  await sides.end();
};

function opens(side: PositionSide): "BUY" | "SELL" {
  return side === "LONG" ? "BUY" : "SELL";
}

/** From which others are so many ticks away, where a position of that side has a profit. */
function from(sides: TwoSides, side: PositionSide, price: bigint): (ticks: number) => string {
  const { tick } = sides.market.rules;
  return (ticks) => text((price / tick + (side === "LONG" ? 1n : -1n) * BigInt(ticks)) * tick);
}

/** The last price goes somewhere else than the mark. */
async function comeApart(stage: Stage, sides: TwoSides): Promise<void> {
  const { mark, rules } = sides.market;
  const price = mark + BigInt(stage.random.integer(-NEAR, NEAR)) * rules.tick;
  await bring(stage, sides, stage.random.pick(["BUY", "SELL"]), price, "CONTRACT_PRICE");
  await stage.clear("contract", sides.symbol);
}

/** One kind of price triggers one of them, mostly another kind the other one. */
function workingTypes({ random }: Stage) {
  const [TpWorkingType, another] = random.shuffle([...WORKING_TYPES]);
  return { TpWorkingType, SlWorkingType: random.chance(0.8) ? another : TpWorkingType };
}

/** Of the whole, a part or nothing of which somebody offers. */
async function take(stage: Stage, sides: TwoSides, side: PositionSide): Promise<void> {
  const { random } = stage;
  const { holder, market, symbol } = sides;
  const { step } = market.rules;
  const reference = market.last === 0n || random.chance(0.3) ? market.mark : market.last;
  const at = from(sides, side, reference);
  const offered = random.pick([0, 3, LOTS, LOTS]);
  if (offered > 0) await sides.offer(opens(side), text(BigInt(offered) * step), at(0));
  const type = random.pick(["MARKET", "MARKET", "IOC", "FOK", "GTC"]);
  const rest = type === "MARKET" ? { type } : { type: "LIMIT", timeInForce: type, price: at(1) };
  await stage.place(holder, "contract", {
    ...{ symbol, side: opens(side), positionSide: side, ...rest },
    quantity: text(BigInt(LOTS) * step),
    // Around what they must be beyond, to the tick.
    tpTriggerPrice: at(random.pick([0, 1, 2, random.integer(3, NEAR)])),
    slTriggerPrice: at(-random.pick([0, 1, 2, random.integer(3, NEAR)])),
    ...workingTypes(stage),
  });
}

/** What a trigger places brings them along. */
async function trigger(stage: Stage, sides: TwoSides, side: PositionSide): Promise<void> {
  const { random } = stage;
  const { holder, market, symbol } = sides;
  const { mark, rules } = market;
  const isStop = random.chance(0.5);
  const type = `${isStop ? "STOP" : "TAKE_PROFIT"}${random.chance(0.5) ? "_MARKET" : ""}`;
  const distance = (isStop ? 1 : -1) * random.integer(NEAR, 2 * NEAR);
  const workingType = random.pick(WORKING_TYPES);
  const triggerAt = mark + (side === "LONG" ? 1n : -1n) * BigInt(distance) * rules.tick;
  const at = from(sides, side, triggerAt);
  await stage.send(holder, "POST", "/capi/v3/algoOrder", {
    ...{ symbol, side: opens(side), positionSide: side, type, workingType },
    ...(type.endsWith("MARKET") ? {} : { price: at(random.integer(0, 9)) }),
    ...{ quantity: text(BigInt(LOTS) * rules.step), triggerPrice: at(0) },
    ...(random.chance(0.9) ? { presetTakeProfitPrice: at(random.integer(10, NEAR)) } : {}),
    ...(random.chance(0.9) ? { presetStopLossPrice: at(-random.integer(1, NEAR)) } : {}),
    ...{ ...workingTypes(stage), clientAlgoId: holder.nextOrderId },
  });
  if (random.chance(0.2)) stage.exchange.story.startAgain();
  await bring(stage, sides, opens(side), triggerAt, workingType);
}

/** Two that rest: one is met, what it opened is closed, and then the other one is met. */
async function two(stage: Stage, sides: TwoSides, side: PositionSide): Promise<void> {
  const { random } = stage;
  const { holder, market, other, symbol } = sides;
  const { mark, rules } = market;
  const at = from(sides, side, mark);
  const quantity = text(BigInt(LOTS) * rules.step);
  for (const ticks of [-1, -2]) {
    await stage.place(holder, "contract", {
      ...{ symbol, side: opens(side), positionSide: side, type: "LIMIT", timeInForce: "GTC" },
      ...{ price: at(ticks), quantity, ...workingTypes(stage) },
      tpTriggerPrice: at(random.integer(1, NEAR)),
      slTriggerPrice: at(-random.integer(3, NEAR)),
    });
  }
  const part = text(BigInt(random.integer(1, LOTS)) * rules.step);
  await sides.offer(opens(side), random.chance(0.5) ? part : quantity, at(-1));
  await stage.do(other.cancelAll("contract", symbol));
  const naive = await stage.look();
  const size = naive.sideSize(holder.uid, symbol, side);
  if (size === 0n) return;
  await sides.offer(closes(side), text(size), at(0));
  const terms = { symbol, side: closes(side), positionSide: side, type: "MARKET" };
  await stage.place(holder, "contract", { ...terms, quantity: text(size) });
  await stage.look();
  await sides.offer(opens(side), part, at(-2));
  await stage.look();
}

/** Each of the two prices comes to where something is triggered, or a tick beside. */
async function visit(stage: Stage, sides: TwoSides, side: PositionSide): Promise<void> {
  const { random } = stage;
  for (let count = VISITS; count > 0; count--) {
    const naive = await stage.look();
    const rows = naive.openConditionalOrders(sides.holder.uid, sides.symbol);
    if (rows.length === 0) return;
    const { tick } = sides.market.rules;
    const price = random.pick(rows).triggerPrice + BigInt(random.integer(-1, 1)) * tick;
    await bring(stage, sides, closes(side), price);
  }
}
