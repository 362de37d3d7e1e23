/**
 * The orders of the house in one market, as commands that are done in order with nothing between
 * them: its old orders are cancelled, orders of others that stand in the way are filled, a trade
 * prints the price, and its new book is placed.
 */
import { formatSteps, type PositionSide, type Side, type TimeInForce } from "../../domain/index.ts";
import type { CommandOf } from "../../protocol/index.ts";
import type { Needs } from "./liquidity-account.ts";
import type { BookLevels, Level, MarketMoment, MarketRules } from "./market-moment.ts";

export type HouseCommand =
  | CommandOf<"cancel-spot-order">
  | CommandOf<"cancel-contract-order">
  | CommandOf<"place-spot-order">
  | CommandOf<"place-contract-order">
  | CommandOf<"set-index-price">;

export interface HouseOrder extends Level {
  readonly side: Side;
  readonly timeInForce: TimeInForce;
}

/** What is to be in the market afterwards. */
export interface Plan {
  /** A trade of the house with itself at this price; 0 for none. */
  readonly tradeTicks: number;
  readonly book: BookLevels;
}

/** Orders of others between here and there are filled, at their prices. */
export function ordersOf(moment: MarketMoment, { tradeTicks, book }: Plan): HouseOrder[] {
  const { rules } = moment;
  const highestBuy = Math.max(tradeTicks, book.bids[0]?.ticks ?? 0);
  const lowestSell = Math.min(tradeTicks || Number.MAX_SAFE_INTEGER, lowestOf(book.asks));
  const orders = [
    ...sweep(rules, "BUY", highestBuy, moment.others.asks),
    ...sweep(rules, "SELL", lowestSell, moment.others.bids),
  ];
  if (tradeTicks > 0) {
    const trade = { ticks: tradeTicks, lots: smallestLots(rules, tradeTicks) };
    orders.push({ ...trade, side: "SELL", timeInForce: "GTC" });
    orders.push({ ...trade, side: "BUY", timeInForce: "IOC" });
  }
  const rest = (side: Side) => (level: Level) => ({ ...level, side, timeInForce: "GTC" as const });
  return [...orders, ...book.bids.map(rest("BUY")), ...book.asks.map(rest("SELL"))];
}

function lowestOf(asks: readonly Level[]): number {
  return asks[0]?.ticks ?? Number.MAX_SAFE_INTEGER;
}

/** Takes what others offer up to a price. */
function sweep(
  rules: MarketRules,
  side: Side,
  ticks: number,
  offers: readonly Level[],
): HouseOrder[] {
  const isReached = (level: Level) =>
    side === "BUY" ? level.ticks <= ticks : level.ticks >= ticks;
  let lots = offers.filter(isReached).reduce((sum, level) => sum + level.lots, 0);
  const orders: HouseOrder[] = [];
  while (lots > 0) {
    // The last one may ask for more than there is: it does not rest.
    const size = Math.max(Math.min(lots, rules.maxLots), smallestLots(rules, ticks));
    orders.push({ side, ticks, lots: size, timeInForce: "IOC" });
    lots -= size;
  }
  return orders;
}

/** The smallest quantity that the market takes at a price. */
export function smallestLots(rules: MarketRules, ticks: number): number {
  const { minLots, minNotionalMinor, minorPerTickLot } = rules;
  const perLot = BigInt(ticks) * minorPerTickLot;
  return Math.max(minLots, Number((minNotionalMinor + perLot - 1n) / perLot));
}

/** What the orders may cost at most; contracts with all they hold, should the price go there. */
export function needsOf(moment: MarketMoment, orders: readonly HouseOrder[]): Needs {
  const { positionLots, rules } = moment;
  const baseUnits = 10n ** BigInt(Math.max(0, rules.baseScale - rules.step.scale));
  const baseMinorPerLot = BigInt(rules.step.step) * baseUnits;
  let quoteMinor = 0n;
  let baseMinor = 0n;
  let highest = Math.max(moment.bandTicks, moment.lastTicks);
  for (const { side, ticks, lots } of orders) {
    const costsQuote = side === "BUY" || rules.product === "contract";
    if (costsQuote) quoteMinor += valueMinor(rules, ticks, lots);
    if (side === "SELL") baseMinor += BigInt(lots) * baseMinorPerLot;
    highest = Math.max(highest, ticks);
  }
  quoteMinor += 2n * valueMinor(rules, highest, positionLots.LONG + positionLots.SHORT);
  return { quoteMinor, baseMinor };
}

export function valueMinor(rules: MarketRules, ticks: number, lots: number): bigint {
  return BigInt(ticks) * BigInt(lots) * rules.minorPerTickLot;
}

/** Cancels all orders that the house has in the market, then places these. */
export function commandsOf(
  moment: MarketMoment,
  uid: number,
  orders: readonly HouseOrder[],
): HouseCommand[] {
  const { own, positionLots, rules, sequence } = moment;
  const cancels = own.map(({ orderId }) => cancelOf(rules, uid, orderId));
  // All orders that close are cancelled before.
  const closable = { ...positionLots };
  const places = orders.map((order, place) => {
    // The sequence makes the id another one each time, and the same in a repeated run.
    const clientOrderId = `h${sequence.toString(36)}-${rules.product}-${place.toString(36)}`;
    return orderCommand(rules, uid, order, clientOrderId, closable);
  });
  return [...cancels, ...places];
}

function cancelOf({ product, symbol }: MarketRules, uid: number, orderId: number): HouseCommand {
  return product === "spot"
    ? { type: "cancel-spot-order", uid, symbol, orderId, clientOrderId: null }
    : { type: "cancel-contract-order", uid, orderId, clientOrderId: null };
}

/** On contracts it closes what the account holds, as far as that is enough, before it opens. */
function orderCommand(
  rules: MarketRules,
  uid: number,
  { side, ticks, lots, timeInForce }: HouseOrder,
  clientOrderId: string,
  closable: Record<PositionSide, number>,
): CommandOf<"place-spot-order"> | CommandOf<"place-contract-order"> {
  const order = {
    uid,
    symbol: rules.symbol,
    side,
    orderType: "LIMIT",
    timeInForce,
    price: formatSteps(ticks, rules.tick),
    quantity: formatSteps(lots, rules.step),
    clientOrderId,
  } as const;
  if (rules.product === "spot") {
    return { type: "place-spot-order", ...order, quantityUnit: "base" };
  }
  const closing: PositionSide = side === "BUY" ? "SHORT" : "LONG";
  const opening: PositionSide = side === "BUY" ? "LONG" : "SHORT";
  const closes = closable[closing] >= lots;
  if (closes) closable[closing] -= lots;
  return {
    type: "place-contract-order",
    ...order,
    positionSide: closes ? closing : opening,
    tpTriggerPrice: null,
    slTriggerPrice: null,
    tpWorkingType: "CONTRACT_PRICE",
    slWorkingType: "CONTRACT_PRICE",
  };
}
