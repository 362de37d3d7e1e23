/**
 * What a spot order must satisfy, in the order in which it is told, and what it would trade with.
 * Reads only, and opens no account: a refused order leaves no trace, and whoever only asks whether
 * an order would be taken asks the very check that the order itself would pass.
 */
import {
  accept,
  exactProduct,
  formatDecimal,
  formatGrid,
  formatSteps,
  invariant,
  type OrderType,
  parseDecimal,
  parseSteps,
  type Rejection,
  type Result,
  reject,
  type Side,
  type TimeInForce,
} from "../../domain/index.ts";
import type { CommandOf, PlacedOrder } from "../../protocol/index.ts";
import { SPOT_AVAILABLE } from "../ledger/ledger.ts";
import { type Fingerprint, fingerprint, plainDecimal } from "../matching/fingerprint.ts";
import { BUY, NONE, SELL, type SideIndex } from "../matching/slot.ts";
import { type Look, type SpotMarket, type User, userBalance } from "../state.ts";
import { priceBandTicks } from "./markets.ts";
import { type MatchPlan, planMatches } from "./match-plan.ts";
import { frozenByRestMinor } from "./resting-orders.ts";

type PlaceOrder = CommandOf<"place-spot-order">;

/** What is asked for, before it is read against the rules of the market. */
export interface OrderAsk {
  readonly user: User;
  readonly market: SpotMarket;
  readonly side: Side;
  readonly orderType: OrderType;
  readonly timeInForce: TimeInForce;
  readonly price: string;
  readonly quantity: string;
  readonly quantityUnit: PlaceOrder["quantityUnit"];
  readonly clientOrderId: string;
}

/** What of the same order stands in the book and makes room for its new form. */
export interface ReplacedOrder {
  readonly orders: 0 | 1;
  readonly filledLots: number;
  readonly frozenMinor: bigint;
}

const NOTHING_REPLACED: ReplacedOrder = { orders: 0, filledLots: 0, frozenMinor: 0n };

/** An order read against the rules of its market. */
export interface SpotOrderForm {
  readonly ask: OrderAsk;
  readonly side: SideIndex;
  /** 0 for a market order. */
  readonly priceTicks: number;
  /** 0 for an order by quote amount. */
  readonly quantityLots: number;
  /** 0 for an order by base quantity. */
  readonly quoteAmountMinor: bigint;
}

/** An order that has passed every check; its execution at this very state cannot fail. */
export interface CheckedOrder extends SpotOrderForm {
  /** Of the quantity, filled before the order was amended. */
  readonly filledLots: number;
  readonly plan: MatchPlan;
  /** What the order reserves before it trades; it can never cost more than this. */
  readonly reserveMinor: bigint;
}

/** A new order, or the first answer again. */
export type Placement =
  | { readonly repeated: PlacedOrder }
  | { readonly repeated: null; readonly order: CheckedOrder; readonly payload: Fingerprint };

/** Everything that can be said of a new order before it is placed. */
export function checkPlacement(look: Look, command: PlaceOrder): Result<Placement> {
  const { state } = look;
  const user = state.users.get(command.uid);
  if (user === undefined) return reject("unknown-user");
  const market = state.spotMarketsBySymbol.get(command.symbol);
  if (market === undefined) return reject("unknown-symbol", "symbol");

  const payload = payloadFingerprint(command);
  const repeated = findRepetition(look, command, payload);
  if (repeated !== null) return repeated;
  const closed = checkOpenToOrders(user, market);
  if (closed !== null) return closed;

  const form = readForm({
    user,
    market,
    side: command.side,
    orderType: command.orderType,
    timeInForce: command.timeInForce,
    price: command.price,
    quantity: command.quantity,
    quantityUnit: command.quantityUnit,
    clientOrderId: command.clientOrderId,
  });
  if (!form.ok) return form;
  const order = checkRoom(look, form.value, NOTHING_REPLACED);
  return order.ok ? accept({ repeated: null, order: order.value, payload }) : order;
}

/** Two requests are the same order when these agree, however their decimals are written. */
function payloadFingerprint(command: PlaceOrder): Fingerprint {
  return fingerprint(
    command.symbol,
    command.side,
    command.orderType,
    command.timeInForce,
    plainDecimal(command.price),
    plainDecimal(command.quantity),
    command.quantityUnit,
  );
}

/**
 * The first answer again for a repeated client order id; a refusal when the order is another one.
 */
function findRepetition(
  { state, nowMs }: Look,
  command: PlaceOrder,
  payload: Fingerprint,
): Result<Placement> | null {
  const { clientOrders } = state;
  const entry = clientOrders.find(command.uid, command.clientOrderId, nowMs);
  if (entry === NONE) return null;
  const same =
    clientOrders.fingerprintHigh(entry) === payload.high &&
    clientOrders.fingerprintLow(entry) === payload.low;
  if (!same) {
    return reject("duplicate-client-order-id", "clientOrderId", "the first one stands");
  }
  const repeated = {
    orderId: clientOrders.orderId(entry),
    clientOrderId: command.clientOrderId,
    symbol: command.symbol,
    createdMs: clientOrders.createdMs(entry),
  };
  return accept({ repeated });
}

/** Whether the user may place orders, and the market takes any. */
export function checkOpenToOrders(user: User, market: SpotMarket): Rejection | null {
  if (user.state === "frozen") return reject("user-frozen");
  return market.state === "trading" ? null : reject("market-not-trading", "symbol", market.state);
}

/** Price and amounts, each by itself and together. */
export function readForm(ask: OrderAsk): Result<SpotOrderForm> {
  const { market } = ask;
  const priceTicks = readPrice(ask);
  if (typeof priceTicks !== "number") return priceTicks;
  const isByAmount = ask.quantityUnit === "quote";
  const quantityLots = isByAmount ? 0 : readQuantity(ask);
  if (typeof quantityLots !== "number") return quantityLots;
  const quoteAmountMinor = isByAmount ? readQuoteAmount(ask) : 0n;
  if (typeof quoteAmountMinor !== "bigint") return quoteAmountMinor;
  const notional = checkNotional(market, priceTicks, quantityLots, quoteAmountMinor);
  if (notional !== null) return notional;
  const side = ask.side === "BUY" ? BUY : SELL;
  return accept({ ask, side, priceTicks, quantityLots, quoteAmountMinor });
}

/** What the market and the account make of an order: the band, open orders, trades and funds. */
export function checkRoom(
  look: Look,
  form: SpotOrderForm,
  replaced: ReplacedOrder,
): Result<CheckedOrder> {
  const { ask, side, priceTicks, quantityLots, quoteAmountMinor } = form;
  const { market, user } = ask;
  const { rules } = market;
  const band = priceBandTicks(market);
  if (priceTicks > 0) {
    if (side === BUY && priceTicks > band.buyMaxTicks) {
      return reject(
        "price-outside-band",
        "price",
        `at most ${formatSteps(band.buyMaxTicks, rules.tick)}`,
      );
    }
    if (side === SELL && priceTicks < band.sellMinTicks) {
      const lowest = formatSteps(band.sellMinTicks, rules.tick);
      return reject("price-outside-band", "price", `at least ${lowest}`);
    }
  }
  const otherOrders = (user.openOrderCounts[market.index] ?? 0) - replaced.orders;
  if (mayRest(ask) && otherOrders >= rules.maxOpenOrders) {
    return reject("too-many-open-orders", "symbol", `at most ${rules.maxOpenOrders}`);
  }
  const { filledLots } = replaced;
  const marketLimit = side === BUY ? band.buyMaxTicks : band.sellMinTicks;
  const plan = planMatches(look.state, market, {
    uid: user.uid,
    side,
    limitTicks: priceTicks > 0 ? priceTicks : marketLimit,
    lotsMax: quoteAmountMinor > 0n ? rules.maxLots : quantityLots - filledLots,
    costTickLotsMax: quoteAmountMinor > 0n ? quoteAmountMinor / rules.quoteMinorPerTickLot : null,
    selfTradePrevention: user.selfTradePrevention,
  });
  const reserveMinor = reservationMinor(form, filledLots, plan);
  const order = {
    ask,
    side,
    priceTicks,
    quantityLots,
    quoteAmountMinor,
    filledLots,
    plan,
    reserveMinor,
  };
  return shortageOf(look, order, replaced.frozenMinor) ?? accept(order);
}

/** Whether the order can stay in the book. */
export function mayRest({
  orderType,
  timeInForce,
}: Pick<OrderAsk, "orderType" | "timeInForce">): boolean {
  return orderType === "LIMIT" && (timeInForce === "GTC" || timeInForce === "POST_ONLY");
}

/** Whether a post-only order would meet anybody at its price. */
export function wouldTake({ plan }: CheckedOrder): boolean {
  return plan.makerCount > 0 || plan.end === "self-trade";
}

/** The limit price in ticks; 0 for a market order. */
function readPrice({ market, orderType, price }: OrderAsk): number | Rejection {
  if (orderType === "MARKET") return 0;
  const { tick } = market.rules;
  const priceTicks = parseSteps(price, tick);
  if (priceTicks === "malformed") return reject("malformed", "price", "a decimal");
  if (priceTicks === "off-grid") {
    return reject("off-tick", "price", `a multiple of ${formatGrid(tick)}`);
  }
  if (priceTicks === "out-of-range") return reject("out-of-range", "price");
  if (priceTicks === 0) return reject("out-of-range", "price", "more than 0");
  if (!Number.isSafeInteger(priceTicks * market.priceUnitsPerTick)) {
    return reject("out-of-range", "price");
  }
  return priceTicks;
}

/** What a market buy may spend, in minor units. */
function readQuoteAmount({ market, orderType, quantity, side }: OrderAsk): bigint | Rejection {
  invariant(orderType === "MARKET" && side === "BUY", "only market buys by amount");
  const amountMinor = parseDecimal(quantity, market.rules.quoteAsset.scale);
  if (typeof amountMinor === "string") return reject(amountMinor, "quantity");
  if (amountMinor === 0n) return reject("quantity-below-minimum", "quantity", "more than 0");
  return amountMinor;
}

/** The quantity in lots. */
function readQuantity({ market, quantity }: OrderAsk): number | Rejection {
  const { rules } = market;
  const lots = parseSteps(quantity, rules.step);
  if (lots === "malformed") return reject("malformed", "quantity", "a decimal");
  if (lots === "off-grid") {
    return reject("off-step", "quantity", `a multiple of ${formatGrid(rules.step)}`);
  }
  if (lots === "out-of-range" || lots > rules.maxLots) {
    const most = formatSteps(rules.maxLots, rules.step);
    return reject("quantity-above-maximum", "quantity", `at most ${most}`);
  }
  if (lots < rules.minLots) {
    const least = formatSteps(rules.minLots, rules.step);
    return reject("quantity-below-minimum", "quantity", `at least ${least}`);
  }
  return lots;
}

/**
 * A market order by base quantity is measured at the last price, and not at all before the first
 * trade.
 */
function checkNotional(
  market: SpotMarket,
  priceTicks: number,
  quantityLots: number,
  quoteAmountMinor: bigint,
): Rejection | null {
  const { rules } = market;
  if (rules.minNotionalMinor === 0n) return null;
  let notionalMinor = quoteAmountMinor;
  let minimumMinor = rules.minNotionalMinor;
  if (notionalMinor === 0n) {
    if (priceTicks > 0) {
      notionalMinor = exactProduct(priceTicks, quantityLots) * rules.quoteMinorPerTickLot;
    } else {
      if (market.lastPriceUnits === 0) return null;
      // The last price may lie between ticks of today: both sides times the units of a tick.
      const unitLots = exactProduct(market.lastPriceUnits, quantityLots);
      notionalMinor = unitLots * rules.quoteMinorPerTickLot;
      minimumMinor *= BigInt(market.priceUnitsPerTick);
    }
  }
  return notionalMinor < minimumMinor
    ? reject("notional-below-minimum", "quantity", leastNotional(market))
    : null;
}

function reservationMinor(
  { ask, side, priceTicks, quantityLots, quoteAmountMinor }: SpotOrderForm,
  filledLots: number,
  plan: MatchPlan,
): bigint {
  const { market } = ask;
  if (side === BUY && priceTicks === 0) {
    return quoteAmountMinor > 0n
      ? quoteAmountMinor
      : plan.costTickLots * market.rules.quoteMinorPerTickLot;
  }
  return frozenByRestMinor(market, side, priceTicks, quantityLots - filledLots);
}

function leastNotional({ rules }: SpotMarket): string {
  const { asset, scale } = rules.quoteAsset;
  return `price × quantity is at least ${formatDecimal(rules.minNotionalMinor, scale)} ${asset}`;
}

/** Read without opening accounts. `releasedMinor` is what its old form in the book gives back. */
function shortageOf(
  { state }: Look,
  { ask, reserveMinor, side }: CheckedOrder,
  releasedMinor: bigint,
): Rejection | null {
  const { baseAsset, quoteAsset } = ask.market.rules;
  const { index, asset, scale } = side === BUY ? quoteAsset : baseAsset;
  const availableMinor = userBalance(state, ask.user, index, SPOT_AVAILABLE) + releasedMinor;
  if (availableMinor >= reserveMinor) return null;
  const needed = formatDecimal(reserveMinor, scale);
  const available = formatDecimal(availableMinor, scale);
  return reject("insufficient-balance", "quantity", `needs ${needed} ${asset}, has ${available}`);
}
