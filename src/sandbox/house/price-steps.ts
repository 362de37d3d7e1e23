/**
 * One step of a price: the market trades there, the house's book moves along, and a contract whose
 * index nobody but the operator sets takes it as its index.
 */
import { accept, formatSteps, type Product, reject } from "../../domain/index.ts";
import type { ContractMarketView } from "../../protocol/index.ts";
import { priceLimits } from "./book-request.ts";
import type { HouseTrading } from "./house-trading.ts";
import { tightShape } from "./liquidity-models.ts";
import { bookAround, type Shape, shapeOf } from "./liquidity-shape.ts";
import { type BookLevels, type MarketRules, nearestTicks, readMoment } from "./market-moment.ts";
import type { Outcome } from "./outcome.ts";
import { stopsTo } from "./price-path.ts";

const EMPTY: BookLevels = { bids: [], asks: [] };

/** What moves with the price of a market, as it was when the move began. */
export interface MovingMarket {
  readonly rules: MarketRules;
  /** Null: what the house has there at the first step, or a tight book. */
  readonly shape: Shape | null;
  /** The contract that takes its index from each step. */
  readonly follower: MovingMarket | null;
}

/** A market that trades, as it is at the beginning of a move; `fromTicks` 0 without a price. */
export async function movingMarket(
  trading: HouseTrading,
  symbol: string,
  product: Product | null,
  actor: string,
): Promise<Outcome<{ readonly market: MovingMarket; readonly fromTicks: number }>> {
  const opened = await trading.open(symbol, product, actor);
  if (!opened.ok) return opened;
  const { moment, uid } = opened.value;
  const { rules } = moment;
  const fromTicks = moment.lastTicks || moment.bandTicks;
  const found = await contractOf(trading, rules);
  if (!found.ok) return found;
  const contract = found.value;
  const isFed = contract !== null && !contract.indexSource.startsWith("spot:");
  let follower: MovingMarket | null = null;
  if (rules.product === "contract" && !isFed) {
    const detail = `the contract's index follows the spot market: move that, or pin the mark price`;
    return reject("conflict", "product", detail);
  }
  if (rules.product === "spot" && isFed) {
    const other = await trading.look(symbol, uid);
    if (!other.ok) return other;
    follower = { rules: other.value.rules, shape: shapeOf(other.value), follower: null };
  }
  return accept({ market: { rules, shape: shapeOf(moment), follower }, fromTicks });
}

/** The contract of the same pair; null for none. */
async function contractOf(
  { engine }: HouseTrading,
  rules: MarketRules,
): Promise<Outcome<ContractMarketView | null>> {
  const { symbol } = rules;
  const reply = await engine.query({ type: "contract-markets", symbol });
  if (!reply.ok) return "unavailable" in reply ? reply : accept(null);
  const [market] = reply.value;
  if (market === undefined) return accept(null);
  const isSamePair = market.baseAsset === rules.baseAsset && market.quoteAsset === rules.quoteAsset;
  return accept(isSamePair ? market : null);
}

/** Moves a market to a price of its grid, and what follows it. */
export async function stepTo(
  trading: HouseTrading,
  market: MovingMarket,
  ticks: number,
  actor: string,
): Promise<Outcome<null>> {
  const { follower, rules } = market;
  const moved =
    rules.product === "spot"
      ? await stepSpot(trading, market, ticks, actor)
      : await stepContract(trading, market, ticks, actor);
  if (!moved.ok || follower === null) return moved;
  const price = formatSteps(ticks, rules.tick);
  const followerTicks = Math.max(1, nearestTicks(follower.rules, price));
  return await stepContract(trading, follower, followerTicks, actor);
}

async function stepSpot(
  trading: HouseTrading,
  { rules, shape }: MovingMarket,
  ticks: number,
  actor: string,
): Promise<Outcome<null>> {
  const opened = await trading.open(rules.symbol, "spot", actor);
  if (!opened.ok) return opened;
  const { uid } = opened.value;
  let { moment } = opened.value;
  const stops = stopsTo(moment, ticks);
  if (!stops.ok) return stops;
  const present = shape ?? shapeOf(moment) ?? tightShape(rules, ticks);
  for (const stop of stops.value) {
    const book = stop === ticks ? bookAround(present, ticks, rules) : EMPTY;
    const done = await trading.bringAbout(uid, moment, { tradeTicks: stop, book }, actor);
    if (!done.ok) return done;
    moment = done.value;
  }
  return accept(null);
}

async function stepContract(
  trading: HouseTrading,
  { rules, shape }: MovingMarket,
  ticks: number,
  actor: string,
): Promise<Outcome<null>> {
  const { symbol, tick } = rules;
  const price = formatSteps(ticks, tick);
  // The house must be able to bear its positions at the new mark.
  const prepared = await trading.bearAt(symbol, ticks, actor);
  if (!prepared.ok) return prepared;
  const command = { type: "set-index-price", actor, symbol, price, force: true } as const;
  const set = await trading.engine.execute(command);
  if (!set.ok) return set;
  const seen = await readMoment(trading.engine, 0, symbol, "contract");
  if (!seen.ok) return seen;
  const { highestBuy, lowestSell } = priceLimits(seen.value);
  // A mark that is pinned elsewhere, or a market that is halted: only the index follows.
  if (ticks > highestBuy || ticks < lowestSell || seen.value.rules.state !== "trading") {
    return accept(null);
  }
  const opened = await trading.open(symbol, "contract", actor);
  if (!opened.ok) return opened;
  const { uid, moment } = opened.value;
  const present = shape ?? shapeOf(moment) ?? tightShape(rules, ticks);
  const book = bookAround(present, ticks, rules);
  const done = await trading.bringAbout(uid, moment, { tradeTicks: ticks, book }, actor);
  return done.ok ? accept(null) : done;
}
