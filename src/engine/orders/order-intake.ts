/**
 * The checks that a new order passes in every product: its client order id, tick and lot, price
 * band, count of open orders, and whether user and market take orders at all. They read only, so
 * that placing, testing and amending share them; each product calls them in the order in which it
 * reports refusals, between checks of its own.
 */
import {
  accept,
  formatDecimal,
  formatGrid,
  formatSteps,
  type Grid,
  type MarketState,
  type OrderType,
  parseSteps,
  type Rejection,
  type Result,
  reject,
  type TimeInForce,
} from "../../domain/index.ts";
import type { PlacedOrder } from "../../protocol/index.ts";
import type { Asset, User } from "../accounts/user.ts";
import type { ClientOrderIndex } from "../matching/client-order-index.ts";
import type { Fingerprint } from "../matching/fingerprint.ts";
import { BUY, NONE, type SideIndex } from "../matching/slot.ts";
import type { PriceBand } from "../state.ts";

/** A market of either product, as far as the intake of orders knows it. */
interface OrderMarket {
  readonly state: MarketState;
  readonly rules: {
    readonly tick: Grid;
    readonly step: Grid;
    readonly minLots: number;
    readonly maxOpenOrders: number;
  };
}

/** Null for a new client order id, else the first answer again or a refusal of another order. */
export function findRepetition(
  clientOrders: ClientOrderIndex,
  { uid, clientOrderId, symbol }: Omit<PlacedOrder, "orderId" | "createdMs"> & { uid: number },
  payload: Fingerprint,
  nowMs: number,
  field = "clientOrderId",
): Result<{ readonly repeated: PlacedOrder }> | null {
  const entry = clientOrders.find(uid, clientOrderId, nowMs);
  if (entry === NONE) return null;
  const same =
    clientOrders.fingerprintHigh(entry) === payload.high &&
    clientOrders.fingerprintLow(entry) === payload.low;
  if (!same) return reject("duplicate-client-order-id", field, "the first one stands");
  const orderId = clientOrders.orderId(entry);
  const createdMs = clientOrders.createdMs(entry);
  return accept({ repeated: { orderId, clientOrderId, symbol, createdMs } });
}

/** Whether the user may place orders, and the market takes any. */
export function checkOpenToOrders(
  user: User,
  market: Pick<OrderMarket, "state">,
): Rejection | null {
  if (user.state === "frozen") return reject("user-frozen");
  return market.state === "trading" ? null : reject("market-not-trading", "symbol", market.state);
}

/** A price above zero on the market's grid, in ticks. */
export function readTicks(
  { rules: { tick } }: { readonly rules: Pick<OrderMarket["rules"], "tick"> },
  text: string,
  field: string,
): number | Rejection {
  const ticks = parseSteps(text, tick);
  if (ticks === "malformed") return reject("malformed", field, "a decimal");
  if (ticks === "off-grid") return reject("off-tick", field, `a multiple of ${formatGrid(tick)}`);
  if (ticks === "out-of-range") return reject("out-of-range", field);
  return ticks === 0 ? reject("out-of-range", field, "more than 0") : ticks;
}

/** A quantity on the market's grid, in lots; infinite beyond any number of lots. */
export function readLots({ rules: { step } }: OrderMarket, quantity: string): number | Rejection {
  const lots = parseSteps(quantity, step);
  if (lots === "malformed") return reject("malformed", "quantity", "a decimal");
  if (lots === "off-grid") {
    return reject("off-step", "quantity", `a multiple of ${formatGrid(step)}`);
  }
  return lots === "out-of-range" ? Number.POSITIVE_INFINITY : lots;
}

/** Whether the size is within the market's minimum and the given maximum. */
export function checkSize(
  { rules: { minLots, step } }: OrderMarket,
  lots: number,
  maxLots: number,
): Rejection | null {
  if (lots < minLots) {
    return reject("quantity-below-minimum", "quantity", `at least ${formatSteps(minLots, step)}`);
  }
  if (lots <= maxLots) return null;
  return reject("quantity-above-maximum", "quantity", `at most ${formatSteps(maxLots, step)}`);
}

/** An amended quantity has to leave something open. */
export function checkAboveFilled(
  { rules: { step } }: OrderMarket,
  quantityLots: number,
  filledLots: number,
): Rejection | null {
  if (quantityLots > filledLots) return null;
  const filled = formatSteps(filledLots, step);
  return reject("out-of-range", "quantity", `more than ${filled}, which is filled`);
}

/** Whether a limit price is within the band; a market order, of 0 ticks, always is. */
export function checkPriceBand(
  { rules: { tick } }: OrderMarket,
  side: SideIndex,
  priceTicks: number,
  band: PriceBand,
): Rejection | null {
  if (priceTicks === 0) return null;
  if (side === BUY && priceTicks > band.buyMaxTicks) {
    const highest = formatSteps(band.buyMaxTicks, tick);
    return reject("price-outside-band", "price", `at most ${highest}`);
  }
  if (side !== BUY && priceTicks < band.sellMinTicks) {
    const lowest = formatSteps(band.sellMinTicks, tick);
    return reject("price-outside-band", "price", `at least ${lowest}`);
  }
  return null;
}

/** The worst price in the band, at which a market order still trades. */
export function bandLimitTicks(side: SideIndex, band: PriceBand): number {
  return side === BUY ? band.buyMaxTicks : band.sellMinTicks;
}

/** Whether the order may join so many others that are open. */
export function checkOpenOrders(
  { rules: { maxOpenOrders } }: OrderMarket,
  order: RestingTerms,
  otherOrders: number,
): Rejection | null {
  if (!mayRest(order) || otherOrders < maxOpenOrders) return null;
  return reject("too-many-open-orders", "symbol", `at most ${maxOpenOrders}`);
}

interface RestingTerms {
  readonly orderType: OrderType;
  readonly timeInForce: TimeInForce;
}

/** Whether what the order does not fill at once goes into the book. */
export function mayRest({ orderType, timeInForce }: RestingTerms): boolean {
  return orderType === "LIMIT" && (timeInForce === "GTC" || timeInForce === "POST_ONLY");
}

/** How much of an asset the order needs, and how much there is. */
export function shortageText({ asset, scale }: Asset, neededMinor: bigint, hasMinor: bigint) {
  const needed = formatDecimal(neededMinor, scale);
  return `needs ${needed} ${asset}, has ${formatDecimal(hasMinor, scale)}`;
}
