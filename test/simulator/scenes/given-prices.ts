/**
 * Prices and rates that an operator has given, over all that may happen beneath them: ticks become
 * finer, the exchange goes on from a snapshot, somebody trades, slots of funding pass.
 */
import { text } from "../../support/exact.ts";
import { GivenPrices } from "../given-prices.ts";
import type { Scene, Stage } from "./stage.ts";
import { finerThan } from "./ticks.ts";
import { TwoSides } from "./two-sides.ts";

const ROUNDS_MAX = 5;
const SAMPLED_MS = [1, 1_000, 2_100];
/** Of which a few orders move a mark. */
const SHALLOW = "60";

export const givenPrices: Scene = async (stage) => {
  const { exchange, random } = stage;
  const sides = await TwoSides.begin(stage);
  if (sides === null) return;
  const given = new GivenPrices(exchange, sides.symbol, random);
  const before = sides.market.rules.impactNotional;
  const impactNotional = random.pick([text(before), SHALLOW]);
  await stage.changeMarket("contract", { impactNotional }, sides.symbol);
  await sides.setLeverage(random.pick([5, 10, 20]));
  await sides.fund("1000");
  await sides.open(random.pick(["LONG", "SHORT"] as const), 0.3);
  for (let round = random.integer(3, ROUNDS_MAX); round > 0; round--) {
    for (let count = random.integer(1, 2); count > 0; count--) await given.giveOne();
    await change(stage, sides, given);
    await given.check(sides.holder);
  }
  if (random.chance(0.7)) await given.takeBack();
  else await stage.operate("POST", "snapshots", {});
  await stage.changeMarket("contract", { impactNotional: text(before) }, sides.symbol);
  await sides.end();
};

async function change(stage: Stage, sides: TwoSides, given: GivenPrices): Promise<void> {
  const { exchange, random } = stage;
  const kinds = ["ticks", "ticks", "again", "again", "trade", "slot"] as const;
  switch (random.pick(exchange.sandbox ? kinds : kinds.slice(0, -1))) {
    case "ticks":
      if (random.chance(0.5)) await quote(stage, sides);
      return await refine(stage, sides);
    case "again":
      if (exchange.sandbox && random.chance(0.6)) await given.giveRate();
      await stage.operate("POST", "snapshots", {});
      await stage.look();
      exchange.story.startAgain();
      if (exchange.sandbox && random.chance(0.7)) await given.passSlot();
      return;
    case "trade":
      return await quote(stage, sides);
    case "slot":
      await given.passSlot();
  }
}

/** Of which both sides say something of the mark, and one side is met. */
async function quote(stage: Stage, sides: TwoSides): Promise<void> {
  const { random } = stage;
  await stage.look();
  const { mark, rules } = sides.market;
  for (const [side, away] of [["BUY", 1n] as const, ["SELL", -1n] as const]) {
    const ticks = mark / rules.tick + away * BigInt(random.integer(1, 40));
    const quantity = text(BigInt(random.integer(10, 40)) * rules.step);
    await sides.offer(side, quantity, text(ticks * rules.tick));
  }
  await stage.pass(random.pick(SAMPLED_MS));
  const [side, positionSide] = random.pick([["BUY", "LONG"] as const, ["SELL", "SHORT"] as const]);
  const terms = { symbol: sides.symbol, side, positionSide, type: "MARKET" };
  await stage.place(sides.holder, "contract", { ...terms, quantity: text(5n * rules.step) });
}

/** For which no order waits, plain or conditional. */
async function refine(stage: Stage, sides: TwoSides): Promise<void> {
  const { random, traders } = stage;
  const { symbol } = sides;
  await stage.clear("contract", symbol);
  for (const trader of traders) {
    await stage.send(trader, "DELETE", `/capi/v3/algoOpenOrders?symbol=${symbol}`);
  }
  await stage.look();
  const finer = finerThan(sides.market.rules.tick, random);
  if (finer !== null) await stage.changeMarket("contract", { tickSize: text(finer) }, symbol);
  await stage.pass(random.pick(SAMPLED_MS));
}
