/**
 * Slots of funding at rates that are given, from nothing to the whole value: holders of isolated
 * and cross positions pay, some of them near the mark at which they are due. What the slot leaves
 * them decides where they are due from then on, and the mark comes there.
 */
import { text } from "../../support/exact.ts";
import { TWO_SYMBOLS } from "../markets.ts";
import { operate } from "../operate.ts";
import { checkReadings } from "../readings.ts";
import { freeze, passTo } from "./clock.ts";
import type { Scene, Stage } from "./stage.ts";
import { TwoSides } from "./two-sides.ts";

const HOLDERS_MAX = 3;
const ROUNDS_MAX = 2;
const LEVERAGES = [5, 20, 50];
const FUNDS = ["60", "300", "1500"];
const SIDES = ["LONG", "SHORT"] as const;
/** Null is the one that follows from premiums. */
const RATES = [null, "0", "0.00000001", "0.0001", "0.002", "0.01", "0.05", "0.2", "0.2", "1"];
/** Of a mark from where somebody is due, in ticks. */
const NEAR = [1, 2, 10, 60, 300];
/** A mark farther from the last one takes everybody along. */
const AWAY_MAX = 0.1;
const READINGS = [
  "GET /capi/v3/account/position/allPosition",
  "GET /capi/v3/market/fundingRate",
  "GET /capi/v3/market/premiumIndex",
];

export const fundings: Scene = async (stage) => {
  const { random, traders } = stage;
  const first = await TwoSides.begin(stage);
  if (first === null) return;
  const { other } = first;
  const holders = traders.filter((trader) => trader !== other).slice(0, HOLDERS_MAX);
  const rest = TWO_SYMBOLS.filter((symbol) => symbol !== first.symbol);
  const symbols = [first.symbol, ...(random.chance(0.4) ? rest : [])];
  const all = holders.map((holder) =>
    symbols.map((symbol) => new TwoSides(stage, symbol, holder, other)),
  );
  for (const one of all[0] ?? []) {
    await stage.clear("contract", one.symbol);
    await one.setIndex(one.price);
  }
  for (const own of all) await open(stage, own);
  const goOn = await freeze(stage);
  for (let round = random.integer(1, ROUNDS_MAX); round > 0; round--) {
    await passSlot(stage, all.flat());
    await comeToDue(stage, all.flat());
  }
  for (const symbol of symbols) await pin(stage, symbol, null);
  await goOn();
  for (const one of all.flat()) await one.flatten();
  for (const [one] of all) await one?.fund("2000");
  for (const one of all[0] ?? []) await one.end();
};

export async function pin(stage: Stage, symbol: string, price: string | null): Promise<void> {
  await stage.do(operate(stage.exchange, "PUT", `sandbox/mark-prices/${symbol}`, { price }));
}

/** One or two sides of each contract; SEPARATED ones in parts. */
async function open(stage: Stage, own: readonly TwoSides[]): Promise<void> {
  const { random } = stage;
  for (const one of own) await one.flatten();
  for (const one of own) {
    const separated = random.pick(["COMBINED", "SEPARATED"] as const);
    await one.setMode(random.pick(["CROSSED", "ISOLATED"] as const), separated);
    await one.setLeverage(random.pick(LEVERAGES));
  }
  await own[0]?.fund(random.pick(FUNDS));
  const shares = random.pick([[0.3, 0.3], [0.3, 0.3, 0.9], [0.6, 0.2], [0.95]]);
  const side = random.pick(SIDES);
  for (const one of own) {
    const isBoth = random.chance(0.3);
    for (const share of shares) await one.open(isBoth ? random.pick(SIDES) : side, share);
    await stage.clear("contract", one.symbol);
  }
}

/** With what was given before, in one contract or several, also over a snapshot. */
async function passSlot(stage: Stage, all: readonly TwoSides[]): Promise<void> {
  const { exchange, random } = stage;
  await comeNear(stage, all);
  for (const { symbol } of all.filter(isFirstOfSymbol)) {
    const rate = random.pick(RATES);
    const signed = rate === null || rate === "0" || random.chance(0.5) ? rate : `-${rate}`;
    if (random.chance(0.9)) {
      await stage.operate("POST", `sandbox/markets/${symbol}/funding`, { rate: signed });
    }
  }
  await stage.look();
  if (random.chance(0.3)) exchange.story.startAgain();
  const slotMs = all[0]?.market.nextSlotMs ?? 0;
  for (const ms of [slotMs - 1, slotMs]) {
    await passTo(stage, ms);
    await stage.look();
  }
}

function isFirstOfSymbol({ symbol }: TwoSides, index: number, all: readonly TwoSides[]): boolean {
  return all.findIndex((one) => one.symbol === symbol) === index;
}

/** Somebody's position, and how far each tick leads towards where it is due. */
async function someDue(stage: Stage, all: readonly TwoSides[]) {
  const naive = await stage.look();
  const held = all.flatMap((sides) => sides.positions.map((position) => ({ sides, position })));
  if (held.length === 0) return null;
  const { position, sides } = stage.random.pick(held);
  const loses = position.side === "LONG" ? -1n : 1n;
  const { tick } = sides.market.rules;
  return { sides, dueAt: naive.liquidatePrice(position), step: loses * tick };
}

/** The mark of somebody is a little before where it is due. */
async function comeNear(stage: Stage, all: readonly TwoSides[]): Promise<void> {
  const due = stage.random.chance(0.7) ? await someDue(stage, all) : null;
  if (due === null) return;
  const { dueAt, sides, step } = due;
  await goTo(stage, sides, dueAt - step * BigInt(stage.random.pick(NEAR)));
}

/** Where somebody is due now: a tick before, there, a tick behind. */
export async function comeToDue(stage: Stage, all: readonly TwoSides[]): Promise<void> {
  const { random } = stage;
  for (const sides of random.shuffle([...all]).slice(0, 2)) {
    await checkReadings(sides.holder, "contract", 1, READINGS);
  }
  const due = await someDue(stage, all);
  if (due === null) return;
  const { dueAt, sides, step } = due;
  for (const ticks of [-1n, 0n, 1n]) {
    await goTo(stage, sides, dueAt + ticks * step);
    await stage.look();
  }
}

/** By a pinned mark, to the tick, or by the index, which leaves the book its say. */
async function goTo(stage: Stage, sides: TwoSides, mark: bigint): Promise<void> {
  const now = sides.market.mark;
  if (mark <= 0n || Math.abs(Number(mark) / Number(now) - 1) > AWAY_MAX) return;
  if (stage.random.chance(0.6)) return await pin(stage, sides.symbol, text(mark));
  await pin(stage, sides.symbol, null);
  await stage.look();
  await sides.moveMark(mark);
}
