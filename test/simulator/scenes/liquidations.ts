/**
 * A position that is as large as its margin allows, and a mark that comes to the price at which it
 * is due: a tick before, at it, a tick behind, and far beyond.
 */
import { text } from "../../support/exact.ts";
import type { Scene } from "./stage.ts";
import { closes, TwoSides } from "./two-sides.ts";

const LEVERAGES = [20, 50, 50, 75, 100];
const FUNDS = ["40", "150", "400", "1000"];
/** In ticks from where it is due, in the direction in which it loses. */
const STEPS = [-1, 0, 1, 20, 300, 3_000];

export const liquidation: Scene = async (stage) => {
  const { random } = stage;
  const sides = await TwoSides.begin(stage);
  if (sides === null) return;
  if (random.chance(0.4)) {
    await sides.flatten();
    const separated = random.pick(["COMBINED", "COMBINED", "SEPARATED"] as const);
    await sides.setMode(random.pick(["CROSSED", "CROSSED", "ISOLATED"] as const), separated);
  }
  await sides.setLeverage(random.pick(LEVERAGES));
  await sides.fund(random.pick(FUNDS));
  const positionSide = random.pick(["LONG", "SHORT"] as const);
  await sides.open(positionSide, random.pick([1, 1, 0.9, 0.5]));
  if (random.chance(0.3)) await sides.open(positionSide === "LONG" ? "SHORT" : "LONG", 0.5);
  if (random.chance(0.3)) await sides.takeOut(random.pick([0.5, 0.9, 1]));
  if (random.chance(0.4)) await sides.restToClose();
  const naive = await stage.look();
  const [first] = sides.positions;
  if (first === undefined) return await sides.end();
  const dueAt = naive.liquidatePrice(random.pick([...sides.positions]));
  const loses = first.side === "LONG" ? -1n : 1n;
  const { mark, rules } = sides.market;
  if (random.chance(0.6)) {
    // Somebody takes a part of it, between here and where nothing is left.
    const price = mark + ((dueAt - mark) * BigInt(random.integer(2, 12))) / 10n;
    const onGrid = text((price / rules.tick) * rules.tick);
    const part = ((first.size / rules.step) * BigInt(random.integer(1, 12))) / 10n;
    const taken = closes(first.side);
    if (part > 0n) await sides.offer(taken, text(part * rules.step), onGrid);
  }
  for (const ticks of STEPS) {
    await sides.moveMark(dueAt + loses * BigInt(ticks) * rules.tick);
    if (random.chance(0.3)) await stage.look();
  }
  await sides.end();
};
