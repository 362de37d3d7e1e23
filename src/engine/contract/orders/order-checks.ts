/**
 * The checks of a contract order, in the order in which they refuse: form and size, price band,
 * limits of the position side, and what the account can bear. Reads only and opens no account, so a
 * refused order leaves no trace.
 */
import {
  accept,
  divideRoundingUp,
  exactProduct,
  formatSteps,
  RATE_ONE_E8,
  type Rejection,
  type Result,
  reject,
} from "../../../domain/index.ts";
import { CONTRACT_AVAILABLE } from "../../ledger/ledger.ts";
import { BUY, NONE, SELL, type SideIndex } from "../../matching/slot.ts";
import {
  bandLimitTicks,
  checkAboveFilled,
  checkOpenOrders,
  checkOpenToOrders,
  checkPriceBand,
  checkSize,
  mayRest,
  readLots,
  readTicks,
  shortageText,
} from "../../orders/order-intake.ts";
import { RULES_WITH_MARKET_INTEGRITY } from "../../rules-version.ts";
import { type PriceBand, type ReadContext, type State, userBalance } from "../../state.ts";
import { findMarginAccount } from "../contract-state.ts";
import {
  availableBalanceMinor,
  crossEquityMinor,
  crossMaintenanceE8,
} from "../formulas/account-equity.ts";
import { freezeOf } from "../formulas/order-margin.ts";
import {
  contractFeeRates,
  initialMarginMinor,
  maintenanceE8,
  ONE_E8,
  pnlMinor,
  tierIndex,
  valueMinor,
} from "../formulas/valuation.ts";
import { isFresh } from "../prices/prices.ts";
import {
  type ContractMarket,
  LONG,
  MarginAccount,
  type PositionSideIndex,
  SHORT,
  SymbolAccount,
} from "../state/contract-market.ts";
import type { ContractOrderRequest, ContractOrderTerms } from "../state/order-terms.ts";
import { AccountPicture } from "./account-picture.ts";
import { walkCrossing } from "./matching.ts";

/** What of the same order stands in the book and makes room for its new form. */
export interface ReplacedContractOrder {
  readonly orders: 0 | 1;
  /** Its position, where orders have one each, holds what it has filled. */
  readonly orderId: number;
  readonly openLots: number;
  readonly filledLots: number;
  readonly frozenMinor: bigint;
}

const NOTHING_REPLACED: ReplacedContractOrder = {
  orders: 0,
  orderId: NONE,
  openLots: 0,
  filledLots: 0,
  frozenMinor: 0n,
};

/** An order read against the rules of its market. */
export interface ContractOrderForm {
  readonly request: ContractOrderRequest;
  readonly side: SideIndex;
  readonly positionSide: PositionSideIndex;
  readonly isClosing: boolean;
  /** 0 for a market order. */
  readonly priceTicks: number;
  readonly quantityLots: number;
  /** Of the quantity, what is not filled yet: all of a new order. */
  readonly openLots: number;
  readonly band: PriceBand;
  readonly replaced: ReplacedContractOrder;
}

/** Buying LONG and selling SHORT open; the other two close. */
function closesPosition(side: SideIndex, positionSide: PositionSideIndex): boolean {
  return (side === BUY) !== (positionSide === LONG);
}

/** The highest tick at which a buy, and the lowest at which a sell, is accepted: by the mark. */
export function contractPriceBand(market: ContractMarket): PriceBand {
  const { band, mark, rules } = market;
  // The same for every order between two marks.
  if (band !== null && band.markTicks === mark.ticks && band.rules === rules) return band;
  const found = { markTicks: mark.ticks, rules, ...computePriceBand(market) };
  market.band = found;
  return found;
}

function computePriceBand({ mark, rules }: ContractMarket): PriceBand {
  const up = exactProduct(mark.ticks, RATE_ONE_E8 + rules.buyLimitPriceRatioE8) / ONE_E8;
  const down = exactProduct(mark.ticks, RATE_ONE_E8 - rules.sellLimitPriceRatioE8);
  const most = BigInt(Number.MAX_SAFE_INTEGER);
  return {
    buyMaxTicks: Number(up < most ? up : most),
    sellMinTicks: Number((down + ONE_E8 - 1n) / ONE_E8),
  };
}

/** Who may trade, what can be read and sized, and the prices: no look at an account. */
export function readForm(
  context: ReadContext,
  request: ContractOrderRequest,
): Result<ContractOrderForm> {
  const form = readSize(request, NOTHING_REPLACED);
  return form.ok ? (checkPrices(context, form.value) ?? form) : form;
}

/** The band around the mark, and the age of the index. */
export function checkPrices(context: ReadContext, form: ContractOrderForm): Rejection | null {
  return checkBand(form) ?? checkIndexAge(context, form);
}

/** Who may trade, and what can be read and sized. */
export function readSize(
  request: ContractOrderRequest,
  replaced: ReplacedContractOrder,
): Result<ContractOrderForm> {
  const { market, orderType } = request;
  const closed = checkOpenToOrders(request.user, market);
  if (closed !== null) return closed;
  const side = request.side === "BUY" ? BUY : SELL;
  const positionSide = request.positionSide === "LONG" ? LONG : SHORT;
  const isClosing = closesPosition(side, positionSide);
  const priceTicks = readPrice(request);
  if (typeof priceTicks !== "number") return priceTicks;
  const quantityLots = readQuantity(request);
  if (typeof quantityLots !== "number") return quantityLots;
  const { maxLots, marketOpenLimitLots } = market.rules;
  const opensAtMarket = orderType === "MARKET" && !isClosing;
  const limitLots = opensAtMarket ? Math.min(maxLots, marketOpenLimitLots) : maxLots;
  const refused =
    checkSize(market, quantityLots, limitLots) ??
    checkAboveFilled(market, quantityLots, replaced.filledLots);
  if (refused !== null) return refused;
  const band = contractPriceBand(market);
  const openLots = quantityLots - replaced.filledLots;
  return accept({
    request,
    side,
    positionSide,
    isClosing,
    priceTicks,
    quantityLots,
    openLots,
    band,
    replaced,
  });
}

/** A market without a mark has no band, and takes no orders. */
function checkBand({ request, side, priceTicks, band }: ContractOrderForm): Rejection | null {
  const { market } = request;
  if (market.mark.ticks === 0) return reject("no-mark-price", "symbol");
  return checkPriceBand(market, side, priceTicks, band);
}

/**
 * A position that is opened at a stale index is a free option: whoever knows where the price went
 * takes the profit, and leaves the loss to the insurance fund. Closing goes on.
 */
function checkIndexAge({ state, nowMs }: ReadContext, form: ContractOrderForm): Rejection | null {
  const { market } = form.request;
  if (form.isClosing || state.rulesVersion < RULES_WITH_MARKET_INTEGRITY) return null;
  if (market.indexPrice.ticks === 0 || isFresh(state, market, nowMs)) return null;
  return reject("index-stale", "symbol");
}

/** The limit price in ticks; 0 for a market order. */
function readPrice({ market, orderType, price, priceTicks }: ContractOrderRequest) {
  if (orderType === "MARKET") return 0;
  return price === null ? priceTicks : readTicks(market, price, "price");
}

function readQuantity({ market, quantity, quantityLots }: ContractOrderRequest) {
  return quantityLots ?? readLots(market, quantity);
}

/** What the account makes of an order that it can bear. */
type AccountTerms = Pick<
  ContractOrderTerms,
  "leverage" | "takerFeeRateE8" | "makerFeeRateE8" | "assumedTicks" | "limitTicks" | "frozenMinor"
>;

/**
 * What the position side may become, and what the account can bear. `attached` is how many
 * conditional orders come with the order.
 */
export function checkLimits(
  state: State,
  form: ContractOrderForm,
  attached: number,
): Result<AccountTerms> {
  const { market, user } = form.request;
  const { rules } = market;
  const owner = presentOwner(state, form);
  const others = owner.openOrders - form.replaced.orders;
  const tooMany = checkOpenOrders(market, form.request, others);
  if (tooMany !== null) return tooMany;
  if (attached > 0 && owner.conditionalOrders + attached > rules.maxOpenOrders) {
    return reject("too-many-open-orders", "symbol", `at most ${rules.maxOpenOrders} conditional`);
  }
  const leverage = owner.leverage(form.positionSide);
  const { makerFeeRateE8, takerFeeRateE8 } = contractFeeRates(user, market);
  if (form.isClosing) {
    const refused = checkClosable(owner, form);
    if (refused !== null) return refused;
    const limitTicks = form.priceTicks > 0 ? form.priceTicks : bandLimitTicks(form.side, form.band);
    const nothing = { assumedTicks: 0, limitTicks, frozenMinor: 0n };
    return accept({ leverage, takerFeeRateE8, makerFeeRateE8, ...nothing });
  }
  const refused = checkPositionLimit(owner, form) ?? checkTier(owner, form, leverage);
  if (refused !== null) return refused;
  const { assumedTicks, limitTicks } = pricesToOpen(form);
  const rateE8 = Math.max(makerFeeRateE8, takerFeeRateE8);
  const frozenMinor = freezeOf(rules, assumedTicks, form.openLots, leverage, rateE8);
  const terms = { leverage, takerFeeRateE8, makerFeeRateE8, assumedTicks, limitTicks, frozenMinor };
  return checkMargin(state, owner, form, terms) ?? accept(terms);
}

/** The user's account in the market as it is; one that was never opened is as by default. */
function presentOwner(state: State, { request }: ContractOrderForm): SymbolAccount {
  const { user, market } = request;
  const { index } = market.rules.marginAsset;
  const account = findMarginAccount(state, user, index) ?? new MarginAccount(user, index, NONE);
  return account.symbols.get(market.index) ?? new SymbolAccount(account, market);
}

/** What is open and not promised to another closing order. */
function checkClosable(owner: SymbolAccount, form: ContractOrderForm): Rejection | null {
  const { positionSide, openLots, replaced } = form;
  const promisedLots = owner.restingCloseLots[positionSide] - replaced.openLots;
  const closableLots = owner.sideLots[positionSide] - promisedLots;
  if (openLots <= closableLots) return null;
  const closable = formatSteps(Math.max(0, closableLots), owner.market.rules.step);
  return reject("close-exceeds-position", "quantity", `at most ${closable}`);
}

/** The size of the side if everything that rests and this order were filled. */
function prospectiveLots(
  owner: SymbolAccount,
  { positionSide, openLots, replaced }: ContractOrderForm,
): number {
  const restingLots = owner.restingOpenLots[positionSide] - replaced.openLots;
  return owner.sideLots[positionSide] + restingLots + openLots;
}

function checkPositionLimit(owner: SymbolAccount, form: ContractOrderForm): Rejection | null {
  const { maxPositionLots, step } = owner.market.rules;
  if (prospectiveLots(owner, form) <= maxPositionLots) return null;
  const most = formatSteps(maxPositionLots, step);
  return reject("position-limit", "quantity", `at most ${most} with what is open`);
}

/** The leverage that the size at the mark still allows; cross counts both sides. */
function checkTier(
  owner: SymbolAccount,
  form: ContractOrderForm,
  leverage: number,
): Rejection | null {
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
function pricesToOpen(form: ContractOrderForm): Pick<AccountTerms, "assumedTicks" | "limitTicks"> {
  const { priceTicks, openLots, request, side } = form;
  const { book, mark } = request.market;
  const limitTicks = priceTicks > 0 ? priceTicks : bandLimitTicks(form.side, form.band);
  if (side === SELL) {
    const bestTicks = book.bestPriceTicks(BUY);
    if (bestTicks !== NONE && bestTicks >= limitTicks)
      return { assumedTicks: bestTicks, limitTicks };
    return { assumedTicks: priceTicks > 0 ? priceTicks : mark.ticks, limitTicks };
  }
  if (priceTicks > 0) return { assumedTicks: priceTicks, limitTicks };
  const { worstTicks } = walkCrossing(request.market, BUY, limitTicks, openLots);
  if (worstTicks === 0) return { assumedTicks: mark.ticks, limitTicks };
  return { assumedTicks: worstTicks, limitTicks: worstTicks };
}

/** Whether the account can freeze what the order may cost, and would not be due at once with it. */
function checkMargin(
  state: State,
  owner: SymbolAccount,
  form: ContractOrderForm,
  terms: AccountTerms,
): Rejection | null {
  const { market, user } = form.request;
  const { marginAsset } = market.rules;
  const { account } = owner;
  // An account that was never opened has no positions: its cash is all that there is.
  const isOpen = account.base !== NONE;
  const cashMinor = userBalance(state, user, marginAsset.index, CONTRACT_AVAILABLE);
  const freedMinor = form.replaced.frozenMinor;
  const availableMinor = isOpen
    ? availableBalanceMinor(state.ledger, account, freedMinor)
    : cashMinor;
  const { frozenMinor } = terms;
  if (frozenMinor > availableMinor) {
    const shortage = shortageText(marginAsset, frozenMinor, availableMinor);
    return reject("insufficient-margin", "quantity", shortage);
  }
  let isDue: boolean;
  if (state.rulesVersion >= RULES_WITH_MARKET_INTEGRITY) {
    const picture = isOpen
      ? AccountPicture.of(state.ledger, owner)
      : new AccountPicture(owner, cashMinor, 0n);
    isDue = isDueWhenFilled(picture, form, terms);
  } else {
    const equityMinor = isOpen ? crossEquityMinor(state.ledger, account) : cashMinor;
    isDue = isDueAtBirth(owner, form, terms, equityMinor);
  }
  if (!isDue) return null;
  return reject("insufficient-margin", "price", "it would be liquidated as soon as it is filled");
}

/**
 * Whether something of the account would have to be liquidated at the present mark when the order
 * is filled: what it meets now at the worst price of that, what may rest at its own. Each fill is
 * looked at again when it comes; this is to say so before.
 */
function isDueWhenFilled(
  picture: AccountPicture,
  form: ContractOrderForm,
  { limitTicks, leverage, takerFeeRateE8 }: AccountTerms,
): boolean {
  const { market, timeInForce } = form.request;
  const { openLots, positionSide, priceTicks, side } = form;
  const { rules } = market;
  const isPostOnly = timeInForce === "POST_ONLY";
  const met = walkCrossing(market, side, limitTicks, isPostOnly ? 0 : openLots);
  const restLots = mayRest(form.request) ? openLots - met.lots : 0;
  if (met.lots + restLots === 0) return false;
  const metMinor = valueMinor(rules, met.worstTicks, met.lots);
  const restMinor = valueMinor(rules, priceTicks, restLots);
  const filledMinor = metMinor + restMinor;
  const marginMinor =
    picture.owner.marginType === "ISOLATED"
      ? initialMarginMinor(metMinor, leverage) + initialMarginMinor(restMinor, leverage)
      : 0n;
  picture.open(positionSide, form.replaced.orderId, {
    lots: met.lots + restLots,
    valueMinor: filledMinor,
    feeMinor: divideRoundingUp(filledMinor * BigInt(takerFeeRateE8), ONE_E8),
    marginMinor,
  });
  return picture.isDueAfterOpening(positionSide);
}

/**
 * Under older rules: whether what the order opens, by itself and filled at its assumed price, would
 * have to be liquidated at the present mark.
 */
function isDueAtBirth(
  owner: SymbolAccount,
  form: ContractOrderForm,
  { assumedTicks, leverage, takerFeeRateE8 }: AccountTerms,
  crossEquity: bigint,
): boolean {
  const { rules, mark } = owner.market;
  const { positionSide, openLots: orderLots } = form;
  const value = valueMinor(rules, assumedTicks, orderLots);
  const atMark = valueMinor(rules, mark.ticks, orderLots);
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
