/**
 * Liquidates a position, whole or by a step: the mark is pinned where the position is due, tick by
 * tick until it is, with an order of the house there that the liquidation finds in the book.
 */
import { accept, parseSteps, reject } from "../../../domain/index.ts";
import type { ContractMarketView, PositionView } from "../../../protocol/index.ts";
import { lotsOf, type MarketRules } from "../market-moment.ts";
import type { Outcome } from "../outcome.ts";
import { pinOf, positionText, priceText, type Scene, splitOrder } from "./scene.ts";

/** The account adds margin, or a tier changes on the way: then the price is another one. */
const ROUNDS_MAX = 200;
const NO_PRICE = "0";

/** The position goes. */
export async function liquidate(scene: Scene): Promise<Outcome<null>> {
  return await bringAbout(scene, () => null, false);
}

/** The position is reduced to a lower tier, and stays. */
export async function liquidatePartly(scene: Scene): Promise<Outcome<null>> {
  return await bringAbout(scene, refuseWhole, true);
}

type Check = (position: PositionView, market: ContractMarketView) => string | null;

async function bringAbout(scene: Scene, check: Check, isPartial: boolean): Promise<Outcome<null>> {
  const positions = await scene.positions();
  if (!positions.ok) return positions;
  const contract = await scene.contract();
  if (!contract.ok) return contract;
  const { market, prices } = contract.value;
  const position = nearest(positions.value, prices.markPrice);
  if (position === null) {
    const { symbol } = scene;
    const detail = `no price of ${symbol} liquidates the position: its account covers all of it`;
    return reject("conflict", "uid", detail);
  }
  const whole = check(position, market);
  if (whole !== null) return reject("conflict", "uid", whole);
  const opened = await scene.trading.open(scene.symbol, "contract", scene.actor);
  if (!opened.ok) return opened;
  const { uid, moment } = opened.value;
  const { marginAsset } = market;
  const [wallet, insurance] = [await scene.wallet(marginAsset), await scene.insurance(marginAsset)];
  const liquidations = await scene.liquidations();
  const placed: number[] = [];
  const { rules } = moment;
  const forced = await force(scene, { position, rules, uid, placed, liquidations, isPartial });
  await scene.cancel(uid, placed);
  const pinned = pinOf(prices);
  const restored = await scene.pin(pinned);
  if (!forced.ok) return forced;
  if (!restored.ok) return restored;
  const text = positionText(position, rules);
  const after = forced.value;
  const fund = await scene.insurance(marginAsset);
  const became = after === null ? "was liquidated" : `was reduced to ${after.size}`;
  const isLiquidated = (await scene.liquidations()) > liquidations;
  scene.did.push(
    `the ${text} of uid ${scene.request.uid} ` +
      (isLiquidated ? became : "was closed first, by a conditional order that the mark reached"),
    `the contract wallet of uid ${scene.request.uid} went from ${wallet} to ` +
      `${await scene.wallet(marginAsset)} ${marginAsset}`,
    `the insurance fund went from ${insurance} to ${fund} ${marginAsset}`,
    pinned === null ? "the mark price is unpinned" : `the mark price is pinned at ${pinned} again`,
  );
  return accept(null);
}

/** The one whose liquidation price the mark reaches first; null when no price liquidates any. */
function nearest(positions: readonly PositionView[], markPrice: string): PositionView | null {
  const mark = Number(markPrice);
  const away = ({ liquidatePrice }: PositionView) => Number(liquidatePrice) - mark;
  // The smaller side of a hedge gains on the way to its price, which is that of the larger one.
  const gains = (position: PositionView) =>
    Number(position.side === "LONG" ? away(position) > 0 : away(position) < 0);
  const distance = (position: PositionView) => Math.abs(away(position));
  const due = positions.filter(({ liquidatePrice }) => liquidatePrice !== NO_PRICE);
  const [first] = due.sort(
    (one, other) => gains(one) - gains(other) || distance(one) - distance(other),
  );
  return first ?? null;
}

function refuseWhole(position: PositionView, { tiers }: ContractMarketView): string | null {
  const { liquidatePrice, marginType, size } = position;
  const first = Number(tiers[0]?.maxNotional ?? 0);
  const isAbove = Number(size) * Number(liquidatePrice) > first;
  if (marginType === "CROSSED" && isAbove) return null;
  return `only cross positions above ${first} are liquidated in steps; this one is not`;
}

interface Forced {
  readonly position: PositionView;
  readonly rules: MarketRules;
  /** The house. */
  readonly uid: number;
  /** Orders of the house that may be left. */
  readonly placed: number[];
  /** Of the contract, before. */
  readonly liquidations: number;
  readonly isPartial: boolean;
}

/** Moves the mark until the position is liquidated; resolves to what is left of it. */
async function force(scene: Scene, forced: Forced): Promise<Outcome<PositionView | null>> {
  const { position, rules, uid, placed, liquidations, isPartial } = forced;
  const sign = position.side === "LONG" ? -1 : 1;
  let ticks = 0;
  for (let round = 0; round < ROUNDS_MAX; round++) {
    const present = await scene.position(position.id);
    if (!present.ok) return present;
    const now = present.value;
    if (now === null) return accept(now);
    // Less may be left because the account's other side was netted: that is no step.
    const isReduced = isPartial && now.size !== position.size;
    if (isReduced && (await scene.liquidations()) > liquidations) return accept(now);
    const due = parseSteps(now.liquidatePrice, rules.tick);
    // What its price is rounded by may be missing.
    const next = ticks === 0 ? 0 : ticks + sign;
    const wanted = typeof due === "number" && due > 0 ? due : next;
    ticks = ticks === 0 ? wanted : sign * Math.max(sign * wanted, sign * next);
    if (ticks < 1) break;
    const closing = await placeOpposite(scene, uid, rules, now, ticks);
    if (!closing.ok) return closing;
    placed.push(...closing.value);
    const borne = await scene.trading.bearAt(scene.symbol, ticks, scene.actor);
    if (!borne.ok) return borne;
    const pinned = await scene.pin(priceText(rules, ticks));
    if (!pinned.ok) return pinned;
    if (round === 0) {
      const side = position.side === "LONG" ? "bid" : "offered";
      scene.did.push(
        `the house ${side} ${now.size} ${rules.baseAsset} at ${priceText(rules, ticks)}`,
        `the mark price of ${scene.symbol} was pinned at ${priceText(rules, ticks)}`,
      );
    }
  }
  return reject("conflict", "uid", "the position was not liquidated: its account adds margin");
}

/** What a liquidation at this mark meets in the book. */
async function placeOpposite(
  scene: Scene,
  uid: number,
  rules: MarketRules,
  { side, size }: PositionView,
  ticks: number,
): Promise<Outcome<readonly number[]>> {
  const order = {
    side: side === "LONG" ? ("BUY" as const) : ("SELL" as const),
    ticks,
    lots: lotsOf(rules, size),
    timeInForce: "GTC" as const,
  };
  return await scene.place(uid, splitOrder(rules, order));
}
