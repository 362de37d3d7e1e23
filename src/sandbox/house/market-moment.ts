/**
 * A market as the house sees it at one moment: its rules, what everybody else has in the book, and
 * its own orders and positions. Spot and contracts in one shape, in ticks and lots.
 */
import {
  accept,
  type Grid,
  invariant,
  type MarketState,
  type PositionSide,
  type Product,
  parseDecimal,
  parseGrid,
  parseSteps,
  powerOfTen,
  RATE_SCALE,
  reject,
  type Side,
} from "../../domain/index.ts";
import type {
  ContractMarketView,
  ContractOrderView,
  EngineClient,
  SpotDepthView,
  SpotMarketView,
  SpotOrderView,
} from "../../protocol/index.ts";
import type { Outcome } from "./outcome.ts";

/** More levels of a side are not looked at. */
const DEPTH_LEVELS_MAX = 100_000;

export interface Level {
  readonly ticks: number;
  readonly lots: number;
}

/** Best price first. */
export interface BookLevels {
  readonly bids: readonly Level[];
  readonly asks: readonly Level[];
}

export interface MarketRules {
  readonly product: Product;
  readonly symbol: string;
  readonly state: MarketState;
  readonly baseAsset: string;
  readonly quoteAsset: string;
  readonly baseScale: number;
  readonly quoteScale: number;
  readonly tick: Grid;
  readonly step: Grid;
  readonly minLots: number;
  readonly maxLots: number;
  readonly minNotionalMinor: bigint;
  /** Quote minor units of one lot at one tick. */
  readonly minorPerTickLot: bigint;
  readonly maxOpenOrders: number;
  readonly buyLimitRatioE8: bigint;
  readonly sellLimitRatioE8: bigint;
}

export interface OwnOrder extends Level {
  readonly orderId: number;
  readonly side: Side;
}

export interface MarketMoment {
  readonly rules: MarketRules;
  readonly others: BookLevels;
  readonly own: readonly OwnOrder[];
  /** The last trade; 0 before the first. */
  readonly lastTicks: number;
  /** What the limits of order prices are measured from: the last trade, or the mark. */
  readonly bandTicks: number;
  /** Of the house; none on spot. */
  readonly positionLots: Readonly<Record<PositionSide, number>>;
  readonly sequence: number;
}

const NO_POSITIONS = { LONG: 0, SHORT: 0 } as const;

/** The market of a symbol: of a product, or without one spot before contracts. */
export async function readMoment(
  engine: EngineClient,
  uid: number,
  symbol: string,
  product: Product | null,
): Promise<Outcome<MarketMoment>> {
  if (product === "contract") return await contractMoment(engine, uid, symbol);
  const spot = await spotMoment(engine, uid, symbol);
  const isUnknown = !spot.ok && "reason" in spot && spot.reason === "unknown-symbol";
  return isUnknown && product === null ? await contractMoment(engine, uid, symbol) : spot;
}

async function spotMoment(
  engine: EngineClient,
  uid: number,
  symbol: string,
): Promise<Outcome<MarketMoment>> {
  // Asked in one turn, answered at one moment.
  const [markets, depth, open, tickers] = await Promise.all([
    engine.query({ type: "spot-markets", symbol }),
    engine.query({ type: "spot-depth", symbol, levels: DEPTH_LEVELS_MAX }),
    engine.query({ type: "spot-open-orders", uid, symbol }),
    engine.query({ type: "spot-book-tickers", symbol }),
  ]);
  if (!markets.ok) return markets;
  if (!depth.ok) return depth;
  if (!tickers.ok) return tickers;
  const [market] = markets.value;
  const [ticker] = tickers.value;
  if (market === undefined || ticker === undefined) return reject("unknown-symbol", "symbol");
  const rules = spotRules(market);
  // An account that never traded may be unknown.
  const own = open.ok ? ownOrders(rules, open.value) : [];
  const lastTicks = nearestTicks(rules, ticker.lastPrice);
  return accept({
    rules,
    others: withoutOwn(rules, depth.value, own),
    own,
    lastTicks,
    bandTicks: lastTicks,
    positionLots: NO_POSITIONS,
    sequence: depth.sequence,
  });
}

async function contractMoment(
  engine: EngineClient,
  uid: number,
  symbol: string,
): Promise<Outcome<MarketMoment>> {
  const [markets, depth, open, prices, positions] = await Promise.all([
    engine.query({ type: "contract-markets", symbol }),
    engine.query({ type: "contract-depth", symbol, levels: DEPTH_LEVELS_MAX }),
    engine.query({ type: "contract-open-orders", uid, symbol }),
    engine.query({ type: "contract-prices", symbol }),
    engine.query({ type: "contract-positions", uid, symbol }),
  ]);
  if (!markets.ok) return markets;
  if (!depth.ok) return depth;
  if (!prices.ok) return prices;
  const [market] = markets.value;
  const [price] = prices.value;
  if (market === undefined || price === undefined) return reject("unknown-symbol", "symbol");
  const rules = contractRules(market);
  const own = open.ok ? ownOrders(rules, open.value) : [];
  const positionLots = { LONG: 0, SHORT: 0 };
  for (const { side, size } of positions.ok ? positions.value : []) {
    positionLots[side] += lotsOf(rules, size);
  }
  return accept({
    rules,
    others: withoutOwn(rules, depth.value, own),
    own,
    lastTicks: nearestTicks(rules, price.lastPrice),
    bandTicks: nearestTicks(rules, price.markPrice),
    positionLots,
    sequence: depth.sequence,
  });
}

function spotRules(market: SpotMarketView): MarketRules {
  return {
    product: "spot",
    ...commonRules(market, market.minTradeAmount, market.maxTradeAmount),
    baseScale: market.baseScale,
    minNotionalMinor: minorOf(market.minNotional, market.quoteScale),
  };
}

function contractRules(market: ContractMarketView): MarketRules {
  return {
    product: "contract",
    ...commonRules(market, market.minOrderSize, market.maxOrderSize),
    baseScale: 0,
    minNotionalMinor: 0n,
  };
}

function commonRules(
  market: SpotMarketView | ContractMarketView,
  minQuantity: string,
  maxQuantity: string,
) {
  const { symbol, state, baseAsset, quoteAsset, quoteScale, maxOpenOrders } = market;
  const tick = parseGrid(market.tickSize);
  const step = parseGrid(market.stepSize);
  invariant(tick !== null && step !== null, "a listed market has a tick and a lot");
  const minorPerUnit = powerOfTen(quoteScale);
  const units = powerOfTen(tick.scale) * powerOfTen(step.scale);
  return {
    symbol,
    state,
    baseAsset,
    quoteAsset,
    quoteScale,
    tick,
    step,
    minLots: Math.max(1, stepsOf(minQuantity, step)),
    maxLots: stepsOf(maxQuantity, step),
    minorPerTickLot: (BigInt(tick.step) * BigInt(step.step) * minorPerUnit) / units,
    maxOpenOrders,
    buyLimitRatioE8: minorOf(market.buyLimitPriceRatio, RATE_SCALE),
    sellLimitRatioE8: minorOf(market.sellLimitPriceRatio, RATE_SCALE),
  };
}

function minorOf(text: string, scale: number): bigint {
  const minor = parseDecimal(text, scale);
  invariant(typeof minor === "bigint", "the exchange writes amounts in the scale of their asset");
  return minor;
}

/** Rounded down, at most the largest whole number. */
function stepsOf(text: string, grid: Grid): number {
  const steps = parseSteps(text, grid);
  if (typeof steps === "number") return steps;
  return steps === "out-of-range" ? Number.MAX_SAFE_INTEGER : 0;
}

export function lotsOf({ step }: MarketRules, quantity: string): number {
  const lots = parseSteps(quantity, step);
  invariant(typeof lots === "number", "quantities of a market are whole lots");
  return lots;
}

/** After a change of the tick an older price may lie between two. */
export function nearestTicks({ tick }: MarketRules, price: string): number {
  const ticks = parseSteps(price, tick);
  if (typeof ticks === "number") return ticks;
  return Math.round((Number(price) * 10 ** tick.scale) / tick.step);
}

function ownOrders(
  rules: MarketRules,
  orders: readonly (SpotOrderView | ContractOrderView)[],
): OwnOrder[] {
  return orders.map(({ orderId, side, price, quantity, filledQuantity }) => ({
    orderId,
    side,
    ticks: nearestTicks(rules, price),
    lots: lotsOf(rules, quantity) - lotsOf(rules, filledQuantity),
  }));
}

function withoutOwn(
  rules: MarketRules,
  { bids, asks }: SpotDepthView,
  own: readonly OwnOrder[],
): BookLevels {
  const side = (rows: SpotDepthView["bids"], name: Side): Level[] => {
    const ownLots = new Map<number, number>();
    for (const order of own) {
      if (order.side !== name) continue;
      ownLots.set(order.ticks, (ownLots.get(order.ticks) ?? 0) + order.lots);
    }
    return rows
      .map(([price, quantity]) => {
        const ticks = nearestTicks(rules, price);
        return { ticks, lots: lotsOf(rules, quantity) - (ownLots.get(ticks) ?? 0) };
      })
      .filter(({ lots }) => lots > 0);
  };
  return { bids: side(bids, "BUY"), asks: side(asks, "SELL") };
}
