/**
 * An isolated position that takes more margin by itself where it is due: nothing is left for it,
 * just what saves it, a unit less or more, or plenty; beside it a cross position may need the same
 * money. Money is taken out to the last unit, and one more.
 */
import { ONE, text } from "../../support/exact.ts";
import type { Scene, Stage } from "./stage.ts";
import { bothContracts } from "./two-contracts.ts";
import type { TwoSides } from "./two-sides.ts";

const SIDES = ["LONG", "SHORT"] as const;
const ROUNDS_MAX = 3;
/** In ticks behind where it is due. */
const BEHIND = [1, 2, 5, 20, 50];

export const appendedMargins: Scene = async (stage) => {
  const { random } = stage;
  const both = await bothContracts(stage);
  if (both === null) return;
  const [sides, beside] = both;
  await sides.setMode("ISOLATED", random.pick(["COMBINED", "SEPARATED"] as const));
  await sides.setLeverage(random.pick([20, 50, 100]));
  await sides.fund(random.pick(["100", "400"]));
  await sides.open(random.pick(SIDES), random.pick([0.3, 0.6, 0.9]));
  const hasCross = random.chance(0.4);
  if (hasCross) {
    await beside.setMode("CROSSED", "COMBINED");
    await beside.setLeverage(50);
    await sides.fund("100");
    await beside.open(random.pick(SIDES), 0.8);
  }
  const isOn = random.chance(0.8);
  await stage.look();
  for (const { id } of sides.positions) {
    const body = { positionId: id, autoAppendMargin: isOn };
    await stage.send(sides.holder, "POST", "/capi/v3/account/modifyAutoAppendMargin", body);
  }
  for (let round = random.integer(1, ROUNDS_MAX); round > 0; round--) await due(stage, sides);
  if (random.chance(0.5)) await takeAll(stage, sides);
  for (const each of both) await each.end();
};

/** The mark goes to a tick before where it is due, and behind it. */
async function due(stage: Stage, sides: TwoSides): Promise<void> {
  const { random } = stage;
  const naive = await stage.look();
  const [position] = sides.positions;
  if (position === undefined) return;
  const { mark, rules } = sides.market;
  const dueAt = naive.liquidatePrice(position);
  const loses = position.side === "LONG" ? -1n : 1n;
  await sides.moveMark(dueAt - loses * 2n * rules.tick);
  const price = dueAt + loses * BigInt(random.pick(BEHIND)) * rules.tick;
  const present = await stage.look();
  const value = (position.size * price) / ONE;
  const pnl = -loses * (value - position.openValue);
  const missing = value * present.maintenanceOf(position) - (position.margin + pnl) * ONE;
  const unit = present.unit("USDT");
  const saving = missing < 0n ? 0n : (missing / (ONE * unit)) * unit + unit;
  const edges = [0n, saving - unit, saving, saving, saving + unit, 3n * saving, saving * 100n];
  const left = random.pick(edges);
  if (random.chance(0.3)) await takeAll(stage, sides);
  await sides.fund(text(left < 0n ? 0n : left));
  await sides.moveMark(price);
  await stage.look();
  if (random.chance(0.3)) await sides.moveMark(mark);
}

/** More than there is, by a unit; then all of it. */
async function takeAll(stage: Stage, { holder }: TwoSides): Promise<void> {
  const naive = await stage.look();
  const unit = naive.unit("USDT");
  const spare = naive.availableBalance(holder.uid, "USDT");
  const most = spare - (spare % unit);
  for (const amount of [most + unit, most]) {
    if (amount <= 0n) continue;
    const moved = { asset: "USDT", amount: text(amount) };
    if (stage.random.chance(0.5)) {
      await stage.move(holder, "withdrawals", { account: "contract", ...moved });
    } else {
      const way = { fromType: "CONTRACT", toType: "SPOT", coinName: "USDT" };
      await stage.do(holder.transfer({ ...way, amount: moved.amount }));
    }
    await stage.look();
  }
}
