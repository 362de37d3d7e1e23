/**
 * What an order must satisfy, in the order in which it is told: its form and size, the price band,
 * then what the position side may become and what the account can bear. Reads only, and opens no
 * account: a refused order leaves no trace.
 */
import {
  accept,
  exactProduct,
  formatDecimal,
  formatGrid,
  formatSteps,
  parseSteps,
  RATE_ONE_E8,
  type Rejection,
  type Result,
  reject,
} from "../../domain/index.ts";
import { CONTRACT_AVAILABLE } from "../ledger/ledger.ts";
import { BUY, NONE, SELL, type SideIndex } from "../matching/slot.ts";
import { type PriceBand, type State, userBalance } from "../state.ts";
import { availableBalanceMinor, crossEquityMinor, crossMaintenanceE8 } from "./account-equity.ts";
import {
  type ContractMarket,
  LONG,
  MarginAccount,
  type PositionSideIndex,
  SHORT,
  SymbolAccount,
} from "./contract-market.ts";
import { findMarginAccount } from "./contract-state.ts";
import { walkCrossing } from "./matching.ts";
import { freezeOf } from "./order-margin.ts";
import type { ContractOrderRequest, ContractOrderTerms } from "./order-terms.ts";
import {
  contractFeeRates,
  initialMarginMinor,
  maintenanceE8,
  ONE_E8,
  pnlMinor,
  tierIndex,
  valueMinor,
} from "./valuation.ts";

/** An order read against the rules of its market. */
export interface OrderForm {
  readonly request: ContractOrderRequest;
  readonly side: SideIndex;
  readonly positionSide: PositionSideIndex;
  readonly isClosing: boolean;
  /** 0 for a market order. */
  readonly priceTicks: number;
  readonly quantityLots: number;
  readonly band: PriceBand;
}

/** Buying LONG and selling SHORT open; the other two close. */
function closesPosition(side: SideIndex, positionSide: PositionSideIndex): boolean {
  return (side === BUY) !== (positionSide === LONG);
}

/** The highest tick at which a buy, and the lowest at which a sell, is accepted: by the mark. */
export function contractPriceBand({ mark, rules }: ContractMarket): PriceBand {
  const up = exactProduct(mark.ticks, RATE_ONE_E8 + rules.buyLimitPriceRatioE8) / ONE_E8;
  const down = exactProduct(mark.ticks, RATE_ONE_E8 - rules.sellLimitPriceRatioE8);
  const most = BigInt(Number.MAX_SAFE_INTEGER);
  return {
    buyMaxTicks: Number(up < most ? up : most),
    sellMinTicks: Number((down + ONE_E8 - 1n) / ONE_E8),
  };
}

/** Who may trade, and what can be read and sized: everything that needs no look at an account. */
export function readForm(request: ContractOrderRequest): Result<OrderForm> {
  const { user, market, orderType } = request;
  if (user.state === "frozen") return reject("user-frozen");
  if (market.state !== "trading") return reject("market-not-trading", "symbol", market.state);
  const side = request.side === "BUY" ? BUY : SELL;
  const positionSide = request.positionSide === "LONG" ? LONG : SHORT;
  const isClosing = closesPosition(side, positionSide);
  const priceTicks = readPrice(request);
  if (typeof priceTicks !== "number") return priceTicks;
  const quantityLots = readQuantity(request);
  if (typeof quantityLots !== "number") return quantityLots;
  const size = checkSize(market, quantityLots, orderType === "MARKET" && !isClosing);
  if (size !== null) return size;
  if (market.mark.ticks === 0) return reject("no-mark-price", "symbol");
  const band = contractPriceBand(market);
  if (priceTicks > 0) {
    const { tick } = market.rules;
    if (side === BUY && priceTicks > band.buyMaxTicks) {
      const highest = formatSteps(band.buyMaxTicks, tick);
      return reject("price-outside-band", "price", `at most ${highest}`);
    }
    if (side === SELL && priceTicks < band.sellMinTicks) {
      const lowest = formatSteps(band.sellMinTicks, tick);
      return reject("price-outside-band", "price", `at least ${lowest}`);
    }
  }
  return accept({ request, side, positionSide, isClosing, priceTicks, quantityLots, band });
}

/** The limit price in ticks; 0 for a market order. */
function readPrice({ market, orderType, price, priceTicks }: ContractOrderRequest) {
  if (orderType === "MARKET") return 0;
  return price === null ? priceTicks : readTicks(market, price, "price");
}

/** A price above zero on the market's grid, in ticks. */
export function readTicks(
  { rules: { tick } }: ContractMarket,
  text: string,
  field: string,
): number | Rejection {
  const ticks = parseSteps(text, tick);
  if (ticks === "malformed") return reject("malformed", field, "a decimal");
  if (ticks === "off-grid") return reject("off-tick", field, `a multiple of ${formatGrid(tick)}`);
  if (ticks === "out-of-range") return reject("out-of-range", field);
  return ticks === 0 ? reject("out-of-range", field, "more than 0") : ticks;
}

function readQuantity({ market, quantity, quantityLots }: ContractOrderRequest) {
  if (quantityLots !== null) return quantityLots;
  const { step } = market.rules;
  const lots = parseSteps(quantity, step);
  if (lots === "malformed") return reject("malformed", "quantity", "a decimal");
  if (lots === "off-grid") {
    return reject("off-step", "quantity", `a multiple of ${formatGrid(step)}`);
  }
  // Beyond any number of lots: the check of the size says what is possible.
  return lots === "out-of-range" ? Number.POSITIVE_INFINITY : lots;
}

function checkSize(
  { rules }: ContractMarket,
  lots: number,
  isMarketOpening: boolean,
): Rejection | null {
  if (lots < rules.minLots) {
    const least = formatSteps(rules.minLots, rules.step);
    return reject("quantity-below-minimum", "quantity", `at least ${least}`);
  }
  const { maxLots, marketOpenLimitLots } = rules;
  const limitLots = isMarketOpening ? Math.min(maxLots, marketOpenLimitLots) : maxLots;
  if (lots <= limitLots) return null;
  const most = formatSteps(limitLots, rules.step);
  return reject("quantity-above-maximum", "quantity", `at most ${most}`);
}

/** What the account makes of an order that it can bear. */
type OrderRoom = Pick<
  ContractOrderTerms,
  "leverage" | "takerFeeRateE8" | "makerFeeRateE8" | "assumedTicks" | "limitTicks"
>;

/**
 * What the position side may become, and what the account can bear. `attached` is how many
 * conditional orders come with the order.
 */
export function checkRoom(state: State, form: OrderForm, attached: number): Result<OrderRoom> {
  const { market, user, orderType, timeInForce } = form.request;
  const { rules } = market;
  const owner = presentOwner(state, form);
  const mayRest = orderType === "LIMIT" && (timeInForce === "GTC" || timeInForce === "POST_ONLY");
  if (mayRest && owner.openOrders >= rules.maxOpenOrders) {
    return reject("too-many-open-orders", "symbol", `at most ${rules.maxOpenOrders}`);
  }
  if (attached > 0 && owner.algoOrders + attached > rules.maxOpenOrders) {
    return reject("too-many-open-orders", "symbol", `at most ${rules.maxOpenOrders} conditional`);
  }
  const leverage = owner.leverage(form.positionSide);
  const { makerFeeRateE8, takerFeeRateE8 } = contractFeeRates(user, market);
  const rates = { makerFeeRateE8, takerFeeRateE8 };
  if (form.isClosing) {
    const refused = checkClosable(owner, form);
    const limitTicks = form.priceTicks > 0 ? form.priceTicks : bandLimit(form);
    return refused ?? accept({ leverage, ...rates, assumedTicks: 0, limitTicks });
  }
  const refused = checkPositionLimit(owner, form) ?? checkTier(owner, form, leverage);
  if (refused !== null) return refused;
  const prices = pricesToOpen(form);
  const room = { leverage, ...rates, ...prices };
  return checkMargin(state, owner, form, room) ?? accept(room);
}

/** The user's account in the market as it is; one that was never opened is as by default. */
function presentOwner(state: State, { request }: OrderForm): SymbolAccount {
  const { user, market } = request;
  const { index } = market.rules.marginAsset;
  const account = findMarginAccount(state, user, index) ?? new MarginAccount(user, index, NONE);
  return account.symbols.get(market.index) ?? new SymbolAccount(account, market);
}

function bandLimit({ side, band }: OrderForm): number {
  return side === BUY ? band.buyMaxTicks : band.sellMinTicks;
}

/** What is open and not promised to another closing order. */
function checkClosable(owner: SymbolAccount, form: OrderForm): Rejection | null {
  const { positionSide, quantityLots } = form;
  const closableLots = owner.sideLots[positionSide] - owner.restingCloseLots[positionSide];
  if (quantityLots <= closableLots) return null;
  const closable = formatSteps(Math.max(0, closableLots), owner.market.rules.step);
  return reject("close-exceeds-position", "quantity", `at most ${closable}`);
}

/** The size of the side if everything that rests and this order were filled. */
function prospectiveLots(owner: SymbolAccount, { positionSide, quantityLots }: OrderForm): number {
  return owner.sideLots[positionSide] + owner.restingOpenLots[positionSide] + quantityLots;
}

function checkPositionLimit(owner: SymbolAccount, form: OrderForm): Rejection | null {
  const { maxPositionLots, step } = owner.market.rules;
  if (prospectiveLots(owner, form) <= maxPositionLots) return null;
  const most = formatSteps(maxPositionLots, step);
  return reject("position-limit", "quantity", `at most ${most} with what is open`);
}

/** The leverage that the size at the mark still allows; cross counts both sides. */
function checkTier(owner: SymbolAccount, form: OrderForm, leverage: number): Rejection | null {
  const { rules, mark } = owner.market;
  const otherSide = form.positionSide === LONG ? SHORT : LONG;
  const otherLots = owner.marginType === "CROSSED" ? owner.sideLots[otherSide] : 0;
  const notional =
    valueMinor(rules, mark.ticks, prospectiveLots(owner, form)) +
    valueMinor(rules, mark.ticks, otherLots);
  const tier = rules.tiers[tierIndex(rules, notional)];
  const most = Math.min(rules.maxLeverage, tier?.maxLeverage ?? rules.maxLeverage);
  if (leverage <= most) return null;
  return reject("leverage-above-maximum", "quantity", `leverage at most ${most} at that size`);
}

/**
 * The price at which an opening order is frozen, never better than one of its fills: its own, for a
 * sell the best bid if that is higher, for a market buy the worst ask that it would touch, which is
 * then its limit too; the mark when there is nothing to touch.
 */
function pricesToOpen(form: OrderForm): Pick<OrderRoom, "assumedTicks" | "limitTicks"> {
  const { priceTicks, quantityLots, request, side } = form;
  const { book, mark } = request.market;
  const limitTicks = priceTicks > 0 ? priceTicks : bandLimit(form);
  if (side === SELL) {
    const bestTicks = book.bestPriceTicks(BUY);
    if (bestTicks !== NONE && bestTicks >= limitTicks)
      return { assumedTicks: bestTicks, limitTicks };
    return { assumedTicks: priceTicks > 0 ? priceTicks : mark.ticks, limitTicks };
  }
  if (priceTicks > 0) return { assumedTicks: priceTicks, limitTicks };
  const { worstTicks } = walkCrossing(request.market, BUY, limitTicks, quantityLots);
  if (worstTicks === 0) return { assumedTicks: mark.ticks, limitTicks };
  return { assumedTicks: worstTicks, limitTicks: worstTicks };
}

/** Whether the account can freeze what the order may cost, and would not be due at once with it. */
function checkMargin(
  state: State,
  owner: SymbolAccount,
  form: OrderForm,
  room: OrderRoom,
): Rejection | null {
  const { market, user } = form.request;
  const { marginAsset } = market.rules;
  const { account } = owner;
  // An account that was never opened has no positions: its cash is all that there is.
  const isOpen = account.base !== NONE;
  const cashMinor = userBalance(state, user, marginAsset.index, CONTRACT_AVAILABLE);
  const availableMinor = isOpen ? availableBalanceMinor(state.ledger, account) : cashMinor;
  const rateE8 = Math.max(room.makerFeeRateE8, room.takerFeeRateE8);
  const { assumedTicks, leverage } = room;
  const frozenMinor = freezeOf(market.rules, assumedTicks, form.quantityLots, leverage, rateE8);
  if (frozenMinor > availableMinor) {
    const needed = formatDecimal(frozenMinor, marginAsset.scale);
    const available = formatDecimal(availableMinor, marginAsset.scale);
    const { asset } = marginAsset;
    return reject("insufficient-margin", "quantity", `needs ${needed} ${asset}, has ${available}`);
  }
  const equityMinor = isOpen ? crossEquityMinor(state.ledger, account) : cashMinor;
  if (!isDueAtBirth(owner, form, room, equityMinor)) return null;
  return reject("insufficient-margin", "price", "it would be liquidated as soon as it is filled");
}

/**
 * Whether what the order opens, filled at its assumed price, would have to be liquidated at the
 * present mark. Such an order could hand its loss to the insurance fund and the profit to a friend.
 */
function isDueAtBirth(
  owner: SymbolAccount,
  form: OrderForm,
  { assumedTicks, leverage, takerFeeRateE8 }: OrderRoom,
  crossEquity: bigint,
): boolean {
  const { rules, mark } = owner.market;
  const { positionSide, quantityLots } = form;
  const value = valueMinor(rules, assumedTicks, quantityLots);
  const atMark = valueMinor(rules, mark.ticks, quantityLots);
  const pnl = pnlMinor(positionSide, value, atMark);
  const isCross = owner.marginType === "CROSSED";
  const otherSide = positionSide === LONG ? SHORT : LONG;
  const openLots = owner.sideLots[positionSide] + (isCross ? owner.sideLots[otherSide] : 0);
  const tier = tierIndex(rules, atMark + valueMinor(rules, mark.ticks, openLots));
  const maintenance = atMark * maintenanceE8(rules, tier, takerFeeRateE8);
  if (!isCross) return (initialMarginMinor(value, leverage) + pnl) * ONE_E8 <= maintenance;
  const feeE8 = value * BigInt(takerFeeRateE8);
  const fee = (feeE8 + ONE_E8 - 1n) / ONE_E8;
  const surplusE8 = (crossEquity + pnl - fee) * ONE_E8 - crossMaintenanceE8(owner.account);
  return surplusE8 <= maintenance;
}
