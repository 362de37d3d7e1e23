/**
 * A position with a profit or a loss, and the lowest leverage that it bears: found by trying, so
 * that the last one that is taken and the first one that is refused are side by side.
 */
import { least, text } from "../../support/exact.ts";
import type { Scene, Stage } from "./stage.ts";
import { TwoSides } from "./two-sides.ts";

const FUNDS = ["40", "400", "4000"];

export const leverage: Scene = async (stage) => {
  const { random } = stage;
  const sides = await TwoSides.begin(stage);
  if (sides === null) return;
  await sides.flatten();
  const separated = random.pick(["COMBINED", "SEPARATED"] as const);
  await sides.setMode(random.pick(["ISOLATED", "ISOLATED", "CROSSED"] as const), separated);
  const highest = random.integer(4, 45);
  await sides.setLeverage(highest);
  await sides.fund(random.pick(FUNDS));
  const positionSide = random.pick(["LONG", "SHORT"] as const);
  const fills = random.integer(1, 2);
  for (let count = 0; count < fills; count++) await sides.open(positionSide, 0.45);
  await stage.clear("contract", sides.symbol);
  const { mark, rules } = sides.market;
  // Less than the margin, with a profit more often than with a loss.
  const ratio = random.next() * Math.min(0.8 / highest, 0.1);
  const gains = random.chance(0.6) === (positionSide === "LONG");
  const ticks = BigInt(Math.round(Number(mark / rules.tick) * ratio));
  await sides.moveMark(mark + (gains ? ticks : -ticks) * rules.tick);
  if (random.chance(0.5)) await takeBack(stage, sides);
  let taken = highest;
  let refused = 0;
  while (taken - refused > 1) {
    const middle = Math.ceil((taken + refused) / 2);
    if (await sides.setLeverage(middle)) taken = middle;
    else refused = middle;
  }
  await takeBack(stage, sides);
  await sides.end();
};

/** Margin of an isolated position: a unit more than it can spare, then just that. */
async function takeBack(stage: Stage, { holder, positions, symbol }: TwoSides): Promise<void> {
  const naive = await stage.look();
  const position = positions.find(({ marginType }) => marginType === "ISOLATED");
  if (position === undefined) return;
  const unit = naive.unitOf(symbol);
  const share = BigInt(naive.leverage(holder.uid, symbol, position.side)) * unit;
  const needed = ((naive.markValue(position) + share - 1n) / share) * unit;
  const spare = position.margin + least(0n, naive.pnlOf(position)) - needed;
  for (const amount of [spare + unit, spare]) {
    if (amount <= 0n) continue;
    const body = { isolatedPositionId: position.id, amount: text(amount), type: 2 };
    await stage.send(holder, "POST", "/capi/v3/account/positionMargin", body);
  }
}
