/**
 * A liquidation that several take over at once, each at a price that leaves a fee: its user's
 * stream tells every fill with its own part.
 */
import { text } from "../../support/exact.ts";
import { PrivateWatch } from "../watches.ts";
import type { Scene } from "./stage.ts";
import { closes, TwoSides } from "./two-sides.ts";

const PARTS_MAX = 4;
/** Of the way from where nothing is left to where it is due, in tenths. */
const PLACES = [4, 6, 7, 8, 9, 10];

export const sharedLiquidations: Scene = async (stage) => {
  const { random } = stage;
  const sides = await TwoSides.begin(stage);
  if (sides === null) return;
  await sides.flatten();
  await sides.setMode(random.pick(["CROSSED", "ISOLATED"] as const), "COMBINED");
  await sides.setLeverage(random.pick([20, 50]));
  await sides.fund(random.pick(["150", "1000"]));
  await sides.open(random.pick(["LONG", "SHORT"] as const), 0.9);
  await stage.clear("contract", sides.symbol);
  const naive = await stage.look();
  const [position] = sides.positions;
  if (position === undefined) return await sides.end();
  const watch = new PrivateWatch(sides.holder, "contract", random.pick(["v2", "v3"]));
  await stage.do(watch.connect());
  const { rules } = sides.market;
  const { n, d } = naive.bankruptcy(position);
  const due = naive.liquidatePrice(position);
  const parts = BigInt(random.integer(2, PARTS_MAX));
  for (let left = parts; left > 0n; left--) {
    const price = n / d + ((due - n / d) * BigInt(random.pick(PLACES))) / 10n;
    const lots = position.size / rules.step / parts + 1n;
    const onGrid = text((price / rules.tick) * rules.tick);
    await sides.offer(closes(position.side), text(lots * rules.step), onGrid);
  }
  const loses = position.side === "LONG" ? -1n : 1n;
  await sides.moveMark(due + loses * rules.tick);
  await stage.look();
  await stage.do(watch.check());
  watch.disconnect();
  await sides.end();
};
