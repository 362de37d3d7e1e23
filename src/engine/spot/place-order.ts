/**
 * Place an order: check everything, plan the matches, then execute the plan. Nothing changes before
 * the last check has passed, so a refused order leaves no trace.
 */
import {
  accept,
  type EndReason,
  exactProduct,
  formatDecimal,
  formatGrid,
  formatSteps,
  invariant,
  parseDecimal,
  parseSteps,
  type Rejection,
  type Result,
  reject,
} from "../../domain/index.ts";
import type { CommandOf, PlacedOrder } from "../../protocol/index.ts";
import { SPOT_AVAILABLE, SPOT_FROZEN } from "../ledger/ledger.ts";
import { type Fingerprint, fingerprint, plainDecimal } from "../matching/fingerprint.ts";
import { BUY, NONE, SELL, type SideIndex } from "../matching/slot.ts";
import {
  type Context,
  type FeeRates,
  feeRatesKey,
  type SpotMarket,
  type User,
  userBalance,
} from "../state.ts";
import { priceBandTicks } from "./markets.ts";
import { type MatchPlan, planMatches } from "./match-plan.ts";
import {
  endOrder,
  endRestingOrder,
  frozenByRestMinor,
  paymentAccounts,
  restOrder,
  type SpotOrderEnded,
  statusAfter,
} from "./resting-orders.ts";
import { settleMatch, type TakerOrder } from "./settlement.ts";

type PlaceOrder = CommandOf<"place-spot-order">;

/** An order read against the rules of its market. */
interface Order {
  readonly command: PlaceOrder;
  readonly user: User;
  readonly market: SpotMarket;
  readonly side: SideIndex;
  /** 0 for a market order. */
  readonly priceTicks: number;
  /** 0 for an order by quote amount. */
  readonly quantityLots: number;
  /** 0 for an order by base quantity. */
  readonly quoteAmountMinor: bigint;
  readonly plan: MatchPlan;
}

export function placeSpotOrder(context: Context, command: PlaceOrder): Result<PlacedOrder> {
  const { state } = context;
  const user = state.users.get(command.uid);
  if (user === undefined) return reject("unknown-user");
  const market = state.spotMarketsBySymbol.get(command.symbol);
  if (market === undefined) return reject("unknown-symbol", "symbol");

  const payload = payloadFingerprint(command);
  const repeated = findRepetition(context, command, payload);
  if (repeated !== null) return repeated;
  if (user.state === "frozen") return reject("user-frozen");
  if (market.state !== "trading") return reject("market-not-trading", "symbol", market.state);

  const read = readOrder(context, command, user, market);
  if (!read.ok) return read;
  const order = read.value;
  const reserveMinor = reservationMinor(order);
  const shortage = shortageOf(context, order, reserveMinor);
  if (shortage !== null) return shortage;

  const orderId = state.nextOrderId++;
  state.clientOrders.evict(context.nowMs);
  const clientEntry = state.clientOrders.add(
    user.uid,
    command.clientOrderId,
    orderId,
    payload.high,
    payload.low,
    context.nowMs,
  );
  const accounts = paymentAccounts(context, market, user, order.side);
  state.ledger.move(accounts + SPOT_AVAILABLE, accounts + SPOT_FROZEN, reserveMinor);
  execute(context, order, orderId, clientEntry, reserveMinor);
  return accept({
    orderId,
    clientOrderId: command.clientOrderId,
    symbol: market.symbol,
    createdMs: context.nowMs,
  });
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
  context: Context,
  command: PlaceOrder,
  payload: Fingerprint,
): Result<PlacedOrder> | null {
  const { clientOrders } = context.state;
  const entry = clientOrders.find(command.uid, command.clientOrderId, context.nowMs);
  if (entry === NONE) return null;
  const same =
    clientOrders.fingerprintHigh(entry) === payload.high &&
    clientOrders.fingerprintLow(entry) === payload.low;
  if (!same) {
    return reject("duplicate-client-order-id", "clientOrderId", "the first one stands");
  }
  return accept({
    orderId: clientOrders.orderId(entry),
    clientOrderId: command.clientOrderId,
    symbol: command.symbol,
    createdMs: clientOrders.createdMs(entry),
  });
}

function readOrder(
  context: Context,
  command: PlaceOrder,
  user: User,
  market: SpotMarket,
): Result<Order> {
  const side = command.side === "BUY" ? BUY : SELL;
  const priceTicks = readPrice(command, market);
  if (typeof priceTicks !== "number") return priceTicks;
  const isByAmount = command.quantityUnit === "quote";
  const quantityLots = isByAmount ? 0 : readQuantity(command, market);
  if (typeof quantityLots !== "number") return quantityLots;
  const quoteAmountMinor = isByAmount ? readQuoteAmount(command, market) : 0n;
  if (typeof quoteAmountMinor !== "bigint") return quoteAmountMinor;

  const notional = checkNotional(market, priceTicks, quantityLots, quoteAmountMinor);
  if (notional !== null) return notional;
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
  if (mayRest(command) && (user.openOrderCounts[market.index] ?? 0) >= rules.maxOpenOrders) {
    return reject("too-many-open-orders", "symbol", `at most ${rules.maxOpenOrders}`);
  }
  const marketLimit = side === BUY ? band.buyMaxTicks : band.sellMinTicks;
  const plan = planMatches(context.state, market, {
    uid: user.uid,
    side,
    limitTicks: priceTicks > 0 ? priceTicks : marketLimit,
    lotsMax: quoteAmountMinor > 0n ? rules.maxLots : quantityLots,
    costTickLotsMax: quoteAmountMinor > 0n ? quoteAmountMinor / rules.quoteMinorPerTickLot : null,
    selfTradePrevention: user.selfTradePrevention,
  });
  return accept({ command, user, market, side, priceTicks, quantityLots, quoteAmountMinor, plan });
}

/** Whether the order can stay in the book. */
function mayRest(command: PlaceOrder): boolean {
  const { timeInForce } = command;
  return command.orderType === "LIMIT" && (timeInForce === "GTC" || timeInForce === "POST_ONLY");
}

/** The limit price in ticks; 0 for a market order. */
function readPrice(command: PlaceOrder, market: SpotMarket): number | Rejection {
  if (command.orderType === "MARKET") return 0;
  const { tick } = market.rules;
  const priceTicks = parseSteps(command.price, tick);
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
function readQuoteAmount(command: PlaceOrder, market: SpotMarket): bigint | Rejection {
  invariant(command.orderType === "MARKET" && command.side === "BUY", "only market buys by amount");
  const amountMinor = parseDecimal(command.quantity, market.rules.quoteAsset.scale);
  if (typeof amountMinor === "string") return reject(amountMinor, "quantity");
  if (amountMinor === 0n) return reject("quantity-below-minimum", "quantity", "more than 0");
  return amountMinor;
}

/** The quantity in lots. */
function readQuantity(command: PlaceOrder, market: SpotMarket): number | Rejection {
  const { rules } = market;
  const lots = parseSteps(command.quantity, rules.step);
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

/** What the order reserves before it trades; it can never cost more than this. */
function reservationMinor(order: Order): bigint {
  const { rules } = order.market;
  if (order.side === BUY && order.priceTicks === 0) {
    return order.quoteAmountMinor > 0n
      ? order.quoteAmountMinor
      : order.plan.costTickLots * rules.quoteMinorPerTickLot;
  }
  return frozenByRestMinor(order.market, order.side, order.priceTicks, order.quantityLots);
}

function leastNotional({ rules }: SpotMarket): string {
  const { asset, scale } = rules.quoteAsset;
  return `price × quantity is at least ${formatDecimal(rules.minNotionalMinor, scale)} ${asset}`;
}

/** Read without opening accounts: a refused order leaves no trace. */
function shortageOf(context: Context, order: Order, reserveMinor: bigint): Rejection | null {
  const { baseAsset, quoteAsset } = order.market.rules;
  const { index, asset, scale } = order.side === BUY ? quoteAsset : baseAsset;
  const availableMinor = userBalance(context.state, order.user, index, SPOT_AVAILABLE);
  if (availableMinor >= reserveMinor) return null;
  const needed = formatDecimal(reserveMinor, scale);
  const available = formatDecimal(availableMinor, scale);
  return reject("insufficient-balance", "quantity", `needs ${needed} ${asset}, has ${available}`);
}

function execute(
  context: Context,
  order: Order,
  orderId: number,
  clientEntry: number,
  reserveMinor: bigint,
): void {
  const { command, market, user, side } = order;
  const rates = feeRatesOf(user, market);
  const taker: TakerOrder = {
    orderId,
    user,
    side,
    limitTicks: order.priceTicks,
    takerFeeRateE8: rates.takerFeeRateE8,
    filledLots: 0,
    filledQuoteMinor: 0n,
    feeNumerator: 0n,
  };
  const refused = refusalToTrade(order);
  if (refused === null) executePlan(context, order, taker);
  const reason = refused ?? endAfterMatching(order);
  if (reason === null) {
    restOrder(context, market, {
      orderId: taker.orderId,
      user,
      side,
      timeInForce: command.timeInForce,
      priceTicks: order.priceTicks,
      quantityLots: order.quantityLots,
      filledLots: taker.filledLots,
      filledQuoteMinor: taker.filledQuoteMinor,
      feeNumerator: taker.feeNumerator,
      makerFeeRateE8: rates.makerFeeRateE8,
      clientOrderId: command.clientOrderId,
      clientEntry,
      updatedMs: context.nowMs,
    });
    return;
  }
  releaseReservation(context, order, taker, reserveMinor);
  const ended: SpotOrderEnded = {
    type: "spot-order-ended",
    orderId,
    uid: user.uid,
    symbol: market.symbol,
    clientOrderId: command.clientOrderId,
    side: command.side,
    orderType: command.orderType,
    timeInForce: command.orderType === "MARKET" ? "IOC" : command.timeInForce,
    priceTicks: order.priceTicks,
    quantityLots: order.quantityLots,
    quoteAmountMinor: order.quoteAmountMinor,
    filledLots: taker.filledLots,
    filledQuoteMinor: taker.filledQuoteMinor,
    status: statusAfter(reason),
    reason,
    createdMs: context.nowMs,
  };
  endOrder(context, ended, clientEntry);
}

function executePlan(context: Context, { market, user, plan }: Order, taker: TakerOrder): void {
  for (let i = 0; i < plan.makerCount; i++) {
    const makerSlot = plan.makerSlots[i] as number;
    const lots = plan.lots[i] as number;
    if (lots > 0) settleMatch(context, market, taker, makerSlot, lots);
    // Only the user's own orders are prevented from trading.
    else endRestingOrder(context, market, user, makerSlot, "self-trade-prevented");
  }
}

/** Why the order must not trade at all, whatever its plan says. */
function refusalToTrade(order: Order): EndReason | null {
  const { command, plan, quantityLots } = order;
  if (command.orderType === "MARKET") return null;
  if (command.timeInForce === "POST_ONLY") {
    const takes = plan.makerCount > 0 || plan.end === "self-trade";
    return takes ? "would-take" : null;
  }
  const fillable = plan.filledLots === quantityLots;
  return command.timeInForce === "FOK" && !fillable ? "not-fillable-at-once" : null;
}

/** Why the order ends after its matches; null when the rest goes into the book. */
function endAfterMatching(order: Order): EndReason | null {
  const { command, plan } = order;
  if (plan.end === "self-trade") return "self-trade-prevented";
  if (plan.end === "complete") return "filled";
  // Spent as far as it goes: what is left buys no lot.
  if (plan.end === "amount-spent" && plan.filledLots > 0) return "filled";
  if (mayRest(command)) return null;
  return plan.filledLots > 0 ? "remainder-not-rested" : "nothing-to-match";
}

/** Gives back what the ended order reserved and did not spend. */
function releaseReservation(
  context: Context,
  order: Order,
  taker: TakerOrder,
  reserveMinor: bigint,
): void {
  const { market, side, priceTicks } = order;
  const spentMinor =
    side === BUY && priceTicks === 0
      ? taker.filledQuoteMinor
      : // Price improvement was given back with each match.
        frozenByRestMinor(market, side, priceTicks, taker.filledLots);
  const leftMinor = reserveMinor - spentMinor;
  if (leftMinor === 0n) return;
  const accounts = paymentAccounts(context, market, order.user, side);
  context.state.ledger.move(accounts + SPOT_FROZEN, accounts + SPOT_AVAILABLE, leftMinor);
}

/** The user's own rates, for the market or for the product; else the market's. */
function feeRatesOf(user: User, market: SpotMarket): FeeRates {
  if (user.feeRates.size > 0) {
    const own =
      user.feeRates.get(feeRatesKey("spot", market.symbol)) ??
      user.feeRates.get(feeRatesKey("spot", null));
    if (own !== undefined) return own;
  }
  return market.rules;
}
