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
  await sides.setMode(
    random.pick(["ISOLATED", "ISOLATED", "ISOLATED", "CROSSED"] as const),
    separated,
  );
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

/** An isolated position with more than it needs: a unit beyond what is spare, then just that. */
async function takeBack(stage: Stage, sides: TwoSides): Promise<void> {
  const position = sides.positions.find(({ marginType }) => marginType === "ISOLATED");
  if (position === undefined) return;
  const move = async (amount: bigint, type: 1 | 2): Promise<void> => {
    const body = { isolatedPositionId: position.id, amount: text(amount), type };
    await stage.send(sides.holder, "POST", "/capi/v3/account/positionMargin", body);
  };
  const unit = stage.exchange.story.naive.unitOf(sides.symbol);
  const before = await spareOf(stage, sides);
  const lacks = before === null ? 0n : least(0n, before);
  if (lacks < 0n || stage.random.chance(0.3)) {
    await move(BigInt(stage.random.pick([1, 500, 20_000])) * unit - lacks, 1);
  }
  const spare = await spareOf(stage, sides);
  if (spare === null || spare < 0n) return;
  await move(spare + unit, 2);
  if (spare > 0n) await move(spare, 2);
}

/** Null without an isolated position. */
async function spareOf(stage: Stage, sides: TwoSides): Promise<bigint | null> {
  const naive = await stage.look();
  const { holder, positions, symbol } = sides;
  const position = positions.find(({ marginType }) => marginType === "ISOLATED");
  if (position === undefined) return null;
  const unit = naive.unitOf(symbol);
  const share = BigInt(naive.leverage(holder.uid, symbol, position.side)) * unit;
  const needed = ((naive.markValue(position) + share - 1n) / share) * unit;
  return position.margin + least(0n, naive.pnlOf(position)) - needed;
}
