/**
 * A cross account with positions of like size in two contracts: what it loses in one is taken from
 * the other, which may not trade then, and whose other side may have too little to give it up.
 */
import { exact, text } from "../../support/exact.ts";
import { SYMBOL, TWO_SYMBOLS } from "../markets.ts";
import type { Scene, Stage } from "./stage.ts";
import { TwoSides } from "./two-sides.ts";

const SIDES = ["LONG", "SHORT"] as const;
const LEVERAGES = [20, 50, 100];
/** Of those who take the other side: all of it, or hardly more than their margin. */
const LEVERAGES_OF_OTHERS = [20, 50, 50, 75];
/** In ticks from where it is due, in the direction in which it loses. */
const STEPS = [-1, 0, 1, 300];
/** At once beyond where nothing is left, in thousandths of the mark. */
const FAR = [5n, 20n, 40n];
/** Nothing that anybody could draw. */
export const LEAST_LIMIT = "0.00000001";

/** Nothing waits in either, and the indexes are where they were first. */
export async function bothContracts(stage: Stage): Promise<readonly [TwoSides, TwoSides] | null> {
  const drawn = await TwoSides.begin(stage);
  if (drawn === null) return null;
  const inMarket = (symbol: string) => new TwoSides(stage, symbol, drawn.holder, drawn.other);
  const [one, other] = stage.random.shuffle([...TWO_SYMBOLS]).map(inMarket);
  if (one === undefined || other === undefined) return null;
  for (const sides of [one, other]) {
    await stage.clear("contract", sides.symbol);
    await sides.setIndex(sides.price);
    await sides.flatten();
  }
  return [one, other];
}

/** One step of the grid, so many thousandths of the mark above it. */
export async function restFar(
  sides: TwoSides,
  [side, positionSide]: readonly ["BUY" | "SELL", "LONG" | "SHORT"],
  thousandths: number,
  attached: object = {},
): Promise<void> {
  const { holder, market, stage, symbol } = sides;
  const { mark, rules } = market;
  const price = mark + (mark * BigInt(thousandths)) / 1_000n;
  const terms = { symbol, side, positionSide, type: "LIMIT", timeInForce: "GTC" };
  await stage.place(holder, "contract", {
    ...{ ...terms, price: text((price / rules.tick) * rules.tick) },
    ...{ quantity: text(rules.step * (symbol === SYMBOL ? 1n : 3n)), ...attached },
  });
}

export const twoContracts: Scene = async (stage) => {
  const { random, traders } = stage;
  const both = await bothContracts(stage);
  if (both === null) return;
  const [first, second] = both;
  const { holder, other } = first;
  const third = traders.find((one) => one !== holder && one !== other);
  const poor = third === undefined || random.chance(0.2) ? null : third;
  const weak = poor === null ? second : new TwoSides(stage, second.symbol, holder, poor);
  const leverage = random.pick(LEVERAGES);
  for (const sides of [first, weak]) {
    await sides.setMode("CROSSED", random.pick(["COMBINED", "SEPARATED"] as const));
    await sides.setLeverage(leverage);
  }
  if (poor !== null) await impoverish(stage, new TwoSides(stage, second.symbol, poor, other));
  await first.fund(random.pick(["100", "150", "300"]));
  const [ofFirst, ofSecond] = [random.pick(SIDES), random.pick(SIDES)];
  await first.open(ofFirst, random.pick([0.3, 0.4, 0.5, 0.6]));
  await weak.open(ofSecond, random.pick([0.5, 0.8, 0.9, 1]));
  if (random.chance(0.3)) await weak.open(ofSecond === "LONG" ? "SHORT" : "LONG", 0.5);
  for (const sides of both) {
    if (random.chance(0.4)) await restFar(sides, ["BUY", "LONG"], -40);
    if (random.chance(0.4)) await restFar(sides, ["SELL", "SHORT"], 40);
  }
  const isLimited = random.chance(0.7);
  if (isLimited) await limitDraws(stage, both, LEAST_LIMIT);
  if (random.chance(0.3)) await first.takeOut(random.pick([0.5, 0.9, 1]));
  await losses(stage, both);
  if (isLimited) await limitDraws(stage, both, null);
  await replenish(stage, first);
  for (const sides of both) await sides.end();
  if (poor !== null) await new TwoSides(stage, second.symbol, poor, other).flatten();
};

/** Whoever takes the other side has a little more than its margin, and nothing beside it. */
async function impoverish(stage: Stage, sides: TwoSides): Promise<void> {
  const { random } = stage;
  await sides.flatten();
  await sides.setMode(random.pick(["CROSSED", "ISOLATED"] as const), "COMBINED");
  await sides.setLeverage(random.pick(LEVERAGES_OF_OTHERS));
  await sides.fund(random.pick(["150", "200", "300"]));
}

async function limitDraws(
  stage: Stage,
  both: readonly TwoSides[],
  insuranceDrawLimit: string | null,
): Promise<void> {
  for (const { symbol } of both) {
    await stage.changeMarket("contract", { insuranceDrawLimit }, symbol);
  }
}

/** The mark of either goes to where the account is due, while the other may not trade. */
async function losses(stage: Stage, both: readonly TwoSides[]): Promise<void> {
  const { exchange, random } = stage;
  const [moved, still] = random.chance(0.7) ? both : [...both].reverse();
  if (moved === undefined || still === undefined) return;
  const path = `markets/contract/${still.symbol}`;
  const state = random.pick(["trading", "trading", "trading", "halted", "cancel-only"]);
  if (state !== "trading") await stage.operate("PATCH", path, { state });
  // As of a mark that was pinned, of the other index nothing is new.
  const isPinned = exchange.sandbox && random.chance(0.2);
  const pinned = `sandbox/mark-prices/${still.symbol}`;
  if (isPinned) await stage.operate("PUT", pinned, { price: text(still.market.mark) });
  const naive = await stage.look();
  const [first] = moved.positions;
  const dueAt = first === undefined ? 0n : naive.liquidatePrice(first);
  const { mark, rules } = moved.market;
  // A hedge may lose where its position gains.
  const loses = dueAt < mark ? -1n : 1n;
  const beyond = STEPS.map((ticks) => BigInt(ticks) * rules.tick);
  const far = (mark * random.pick(FAR)) / 1_000n;
  const distances = random.chance(0.5) ? [far] : [...beyond, far];
  for (const distance of dueAt === 0n ? [] : distances) {
    await moved.moveMark(dueAt + loses * (distance - (distance % rules.tick)));
    await stage.look();
    if (random.chance(0.2)) await replenish(stage, moved);
  }
  if (isPinned) await stage.operate("PUT", pinned, { price: null });
  if (state !== "trading") await stage.operate("PATCH", path, { state: "trading" });
  await stage.look();
}

/** The fund is given a unit or enough, behind which what was held is tried again. */
export async function replenish(stage: Stage, { holder }: TwoSides): Promise<void> {
  const unit = (await stage.look()).unit("USDT");
  const body = { id: holder.nextOrderId, amount: text(stage.random.pick([unit, exact("1000")])) };
  await stage.operate("POST", "insurance/USDT/deposits", body);
  await stage.look();
}
