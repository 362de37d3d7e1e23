/**
 * The checks of a spot order, in the order in which errors are reported, and its match plan. Reads
 * only, and opens no account: a rejected order leaves no trace, and an order test runs the very
 * checks that the order itself would pass.
 */
import {
  accept,
  exactProduct,
  formatDecimal,
  invariant,
  type OrderType,
  parseDecimal,
  type Rejection,
  type Result,
  reject,
  type Side,
  type TimeInForce,
} from "../../domain/index.ts";
import type { CommandOf, PlacedOrder } from "../../protocol/index.ts";
import { SPOT_AVAILABLE } from "../ledger/ledger.ts";
import { type Fingerprint, fingerprint, plainDecimal } from "../matching/fingerprint.ts";
import { BUY, SELL, type SideIndex } from "../matching/slot.ts";
import {
  bandLimitTicks,
  checkOpenOrders,
  checkOpenToOrders,
  checkPriceBand,
  checkSize,
  findRepetition,
  readLots,
  readTicks,
  shortageText,
} from "../orders/order-intake.ts";
import { type ReadContext, type SpotMarket, type User, userBalance } from "../state.ts";
import { priceBandTicks } from "./markets.ts";
import { type MatchPlan, planMatches } from "./match-plan.ts";
import { frozenByRestMinor } from "./resting-orders.ts";

type PlaceOrder = CommandOf<"place-spot-order">;

/** The order as requested, before it is parsed by the rules of the market. */
export interface SpotOrderRequest {
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

/** The resting order that an amendment replaces: its place, its fills and its frozen funds. */
export interface ReplacedOrder {
  readonly orders: 0 | 1;
  readonly filledLots: number;
  readonly frozenMinor: bigint;
}

const NOTHING_REPLACED: ReplacedOrder = { orders: 0, filledLots: 0, frozenMinor: 0n };

/** An order parsed by the rules of its market. */
export interface SpotOrderForm {
  readonly request: SpotOrderRequest;
  readonly side: SideIndex;
  /** 0 for a market order. */
  readonly priceTicks: number;
  /** 0 for an order by quote amount. */
  readonly quantityLots: number;
  /** 0 for an order by base quantity. */
  readonly quoteAmountMinor: bigint;
}

/** An order that passed every check; its execution in this same state cannot fail. */
export interface CheckedOrder extends SpotOrderForm {
  /** Part of the quantity, filled before the order was amended. */
  readonly filledLots: number;
  readonly plan: MatchPlan;
  /** The funds reserved before it trades; it can never cost more than this. */
  readonly reserveMinor: bigint;
}

/** A new order, or the first answer again. */
export type Placement = { readonly market: SpotMarket } & (
  | { readonly repeated: PlacedOrder }
  | { readonly repeated: null; readonly order: CheckedOrder; readonly payload: Fingerprint }
);

/** All checks of a new order before it is placed. */
export function checkPlacement(context: ReadContext, command: PlaceOrder): Result<Placement> {
  const { state } = context;
  const user = state.users.get(command.uid);
  if (user === undefined) return reject("unknown-user");
  const market = state.spotMarketsBySymbol.get(command.symbol);
  if (market === undefined) return reject("unknown-symbol", "symbol");

  const payload = payloadFingerprint(command);
  const repeated = findRepetition(state.clientOrders, command, payload, context.nowMs);
  if (repeated !== null) return repeated.ok ? accept({ market, ...repeated.value }) : repeated;
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
  const order = checkLimits(context, form.value, NOTHING_REPLACED);
  return order.ok ? accept({ market, repeated: null, order: order.value, payload }) : order;
}

/** Two requests are the same order when these are equal, however their decimals are written. */
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

/** Price and amounts, each on its own and together. */
export function readForm(request: SpotOrderRequest): Result<SpotOrderForm> {
  const { market } = request;
  const priceTicks = readPrice(request);
  if (typeof priceTicks !== "number") return priceTicks;
  const isByAmount = request.quantityUnit === "quote";
  const quantityLots = isByAmount ? 0 : readQuantity(request);
  if (typeof quantityLots !== "number") return quantityLots;
  const quoteAmountMinor = isByAmount ? readQuoteAmount(request) : 0n;
  if (typeof quoteAmountMinor !== "bigint") return quoteAmountMinor;
  const notional = checkNotional(market, priceTicks, quantityLots, quoteAmountMinor);
  if (notional !== null) return notional;
  const side = request.side === "BUY" ? BUY : SELL;
  return accept({ request, side, priceTicks, quantityLots, quoteAmountMinor });
}

/** Checks against market and account: price band, open orders, trades and funds. */
export function checkLimits(
  context: ReadContext,
  form: SpotOrderForm,
  replaced: ReplacedOrder,
): Result<CheckedOrder> {
  const { request, side, priceTicks, quantityLots, quoteAmountMinor } = form;
  const { market, user } = request;
  const { rules } = market;
  const band = priceBandTicks(market);
  const refused =
    checkPriceBand(market, side, priceTicks, band) ??
    checkOpenOrders(market, request, (user.openOrderCounts[market.index] ?? 0) - replaced.orders);
  if (refused !== null) return refused;
  const { filledLots } = replaced;
  const plan = planMatches(context.state, market, {
    uid: user.uid,
    side,
    limitTicks: priceTicks > 0 ? priceTicks : bandLimitTicks(side, band),
    lotsMax: quoteAmountMinor > 0n ? rules.maxLots : quantityLots - filledLots,
    costTickLotsMax: quoteAmountMinor > 0n ? quoteAmountMinor / rules.quoteMinorPerTickLot : null,
    selfTradePrevention: user.selfTradePrevention,
  });
  const reserveMinor = reservationMinor(form, filledLots, plan);
  const order = {
    request,
    side,
    priceTicks,
    quantityLots,
    quoteAmountMinor,
    filledLots,
    plan,
    reserveMinor,
  };
  return shortageOf(context, order, replaced.frozenMinor) ?? accept(order);
}

/** Whether a post-only order would trade at its price. */
export function wouldTake({ plan }: CheckedOrder): boolean {
  return plan.makerCount > 0 || plan.end === "self-trade";
}

/** The limit price in ticks; 0 for a market order. */
function readPrice({ market, orderType, price }: SpotOrderRequest): number | Rejection {
  if (orderType === "MARKET") return 0;
  const priceTicks = readTicks(market, price, "price");
  if (typeof priceTicks !== "number") return priceTicks;
  if (!Number.isSafeInteger(priceTicks * market.priceUnitsPerTick)) {
    return reject("out-of-range", "price");
  }
  return priceTicks;
}

/** What a market buy may spend, in minor units. */
function readQuoteAmount({
  market,
  orderType,
  quantity,
  side,
}: SpotOrderRequest): bigint | Rejection {
  invariant(orderType === "MARKET" && side === "BUY", "only market buys by amount");
  const amountMinor = parseDecimal(quantity, market.rules.quoteAsset.scale);
  if (typeof amountMinor === "string") return reject(amountMinor, "quantity");
  if (amountMinor === 0n) return reject("quantity-below-minimum", "quantity", "more than 0");
  return amountMinor;
}

/** The quantity in lots. */
function readQuantity({ market, quantity }: SpotOrderRequest): number | Rejection {
  const lots = readLots(market, quantity);
  return typeof lots === "number" ? (checkSize(market, lots, market.rules.maxLots) ?? lots) : lots;
}

/**
 * A market order by base quantity is valued at the last price, and not at all before the first
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
      // The last price may lie between today's ticks: both sides times the units of a tick.
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
  { request, side, priceTicks, quantityLots, quoteAmountMinor }: SpotOrderForm,
  filledLots: number,
  plan: MatchPlan,
): bigint {
  const { market } = request;
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

/** Read without opening accounts. `releasedMinor` is what its old form in the book releases. */
function shortageOf(
  { state }: ReadContext,
  { request, reserveMinor, side }: CheckedOrder,
  releasedMinor: bigint,
): Rejection | null {
  const { baseAsset, quoteAsset } = request.market.rules;
  const paidIn = side === BUY ? quoteAsset : baseAsset;
  const availableMinor =
    userBalance(state, request.user, paidIn.index, SPOT_AVAILABLE) + releasedMinor;
  if (availableMinor >= reserveMinor) return null;
  const shortage = shortageText(paidIn, reserveMinor, availableMinor);
  return reject("insufficient-balance", "quantity", shortage);
}
