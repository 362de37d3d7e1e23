/**
 * Settlement of one match: the money of both sides, their fees, the orders' progress and the
 * market's last price change together, as one ledger entry and one trade event.
 */
import { exactProduct, invariant, toBigInt } from "../../domain/index.ts";
import { accrueCommissions, mayEarnCommission } from "../affiliate/accrual.ts";
import { addExactFee, feeDueMinor } from "../ledger/fees.ts";
import { SPOT_AVAILABLE, SPOT_FROZEN } from "../ledger/ledger.ts";
import type { OrderProgress } from "../matching/order-pool.ts";
import { BUY, type SideIndex } from "../matching/slot.ts";
import {
  type Asset,
  type Context,
  type SpotMarket,
  type User,
  userAccount,
  userOfOrder,
} from "../state.ts";
import { setLastPrice } from "./markets.ts";
import { leaveBook } from "./resting-orders.ts";

/** The incoming order while it is being matched. */
export interface TakerOrder {
  readonly orderId: number;
  readonly user: User;
  readonly side: SideIndex;
  /** 0 for a market order, whose frozen funds are released as a whole when it ends. */
  readonly limitTicks: number;
  readonly takerFeeRateE8: number;
  filledLots: number;
  filledQuoteMinor: bigint;
  /** Exact fee so far, over 10^8: see ledger/fees.ts. */
  feeNumerator: bigint;
}

/** Trades `lots` of the taker with a resting order, at the resting order's price. */
export function settleMatch(
  context: Context,
  market: SpotMarket,
  taker: TakerOrder,
  makerSlot: number,
  lots: number,
): void {
  const { orders } = context.state;
  const { rules } = market;
  const maker = userOfOrder(context.state, makerSlot);
  const priceTicks = orders.priceTicks(makerSlot);
  const baseMinor = toBigInt(lots) * rules.baseMinorPerLot;
  const quoteMinor = exactProduct(priceTicks, lots) * rules.quoteMinorPerTickLot;
  const takerBuys = taker.side === BUY;

  // Each side pays its fee from what it receives: the buyer in base, the seller in quote.
  const takerReceivesMinor = takerBuys ? baseMinor : quoteMinor;
  const makerReceivesMinor = takerBuys ? quoteMinor : baseMinor;
  const takerNumerator = addExactFee(taker.feeNumerator, takerReceivesMinor, taker.takerFeeRateE8);
  const takerFeeMinor = feeDueMinor(taker.feeNumerator, takerNumerator);
  const makerBefore = orders.progress(makerSlot) ?? NO_PROGRESS;
  const makerRateE8 = orders.makerFeeRateE8(makerSlot);
  const makerNumerator = addExactFee(makerBefore.feeNumerator, makerReceivesMinor, makerRateE8);
  const makerFeeMinor = feeDueMinor(makerBefore.feeNumerator, makerNumerator);

  const match: Match = {
    buyer: takerBuys ? taker.user : maker,
    seller: takerBuys ? maker : taker.user,
    makerSlot,
    makerUid: maker.uid,
    priceTicks,
    lots,
    baseMinor,
    quoteMinor,
    makerFeeMinor,
    takerFeeMinor,
  };
  postMatch(context, market, taker, match);
  taker.filledLots += lots;
  taker.filledQuoteMinor += quoteMinor;
  taker.feeNumerator = takerNumerator;
  market.book.reduce(makerSlot, lots);
  setLastPrice(market, priceTicks * market.priceUnitsPerTick);
  market.ticker.record(market.lastPriceUnits, baseMinor, quoteMinor, context.nowMs);
  const tradeId = emitTrade(context, market, taker, match);
  if (mayEarnCommission(maker, taker.user)) accrue(context, market, taker, match, tradeId);
  const filledQuoteMinor = makerBefore.filledQuoteMinor + quoteMinor;
  if (orders.openLots(makerSlot) === 0) {
    leaveBook(context, market, maker, makerSlot, "filled", filledQuoteMinor);
  } else {
    const updatedMs = context.nowMs;
    orders.setProgress(makerSlot, { filledQuoteMinor, feeNumerator: makerNumerator, updatedMs });
  }
}

const NO_PROGRESS: Pick<OrderProgress, "filledQuoteMinor" | "feeNumerator"> = {
  filledQuoteMinor: 0n,
  feeNumerator: 0n,
};

interface Match {
  readonly buyer: User;
  readonly seller: User;
  readonly makerSlot: number;
  readonly makerUid: number;
  readonly priceTicks: number;
  readonly lots: number;
  readonly baseMinor: bigint;
  readonly quoteMinor: bigint;
  readonly makerFeeMinor: bigint;
  readonly takerFeeMinor: bigint;
}

/** One entry: base from seller to buyer, quote from buyer to seller, both less fees. */
function postMatch(context: Context, market: SpotMarket, taker: TakerOrder, match: Match): void {
  const { state } = context;
  const { ledger } = state;
  const { buyer, seller, baseMinor, quoteMinor } = match;
  const takerBuys = taker.side === BUY;
  const buyerFeeMinor = takerBuys ? match.takerFeeMinor : match.makerFeeMinor;
  const sellerFeeMinor = takerBuys ? match.makerFeeMinor : match.takerFeeMinor;
  invariant(buyerFeeMinor <= baseMinor && sellerFeeMinor <= quoteMinor, "a fee is part of a fill");
  const { baseAsset, quoteAsset, quoteMinorPerTickLot } = market.rules;
  const buyerQuote = userAccount(state, buyer, quoteAsset.index, 0);
  const sellerQuote = userAccount(state, seller, quoteAsset.index, SPOT_AVAILABLE);
  const buyerBase = userAccount(state, buyer, baseAsset.index, SPOT_AVAILABLE);
  const sellerBase = userAccount(state, seller, baseAsset.index, SPOT_FROZEN);
  const quoteFees = ledger.houseAccount(quoteAsset.index, "fees");
  const baseFees = ledger.houseAccount(baseAsset.index, "fees");

  ledger.move(buyerQuote + SPOT_FROZEN, sellerQuote, quoteMinor - sellerFeeMinor);
  if (sellerFeeMinor !== 0n) ledger.move(buyerQuote + SPOT_FROZEN, quoteFees, sellerFeeMinor);
  ledger.move(sellerBase, buyerBase, baseMinor - buyerFeeMinor);
  if (buyerFeeMinor !== 0n) ledger.move(sellerBase, baseFees, buyerFeeMinor);
  if (takerBuys && taker.limitTicks > match.priceTicks) {
    // Price improvement is released to the buyer at once.
    const improvement = exactProduct(taker.limitTicks - match.priceTicks, match.lots);
    const releasedMinor = improvement * quoteMinorPerTickLot;
    ledger.move(buyerQuote + SPOT_FROZEN, buyerQuote + SPOT_AVAILABLE, releasedMinor);
  }
}

/** Returns the id of the trade. */
function emitTrade(context: Context, market: SpotMarket, taker: TakerOrder, match: Match): number {
  const { state } = context;
  const { buyer, seller } = match;
  const { baseAsset, quoteAsset } = market.rules;
  const tradeId = state.nextTradeId++;
  context.emit({
    type: "spot-trade",
    tradeId,
    symbol: market.symbol,
    takerSide: taker.side === BUY ? "BUY" : "SELL",
    priceTicks: match.priceTicks,
    quantityLots: match.lots,
    baseMinor: match.baseMinor,
    quoteMinor: match.quoteMinor,
    makerOrderId: state.orders.orderId(match.makerSlot),
    takerOrderId: taker.orderId,
    makerUid: match.makerUid,
    takerUid: taker.user.uid,
    makerFeeMinor: match.makerFeeMinor,
    takerFeeMinor: match.takerFeeMinor,
    buyerBaseEquityMinor: spotEquityMinor(context, buyer, baseAsset),
    buyerQuoteEquityMinor: spotEquityMinor(context, buyer, quoteAsset),
    sellerBaseEquityMinor: spotEquityMinor(context, seller, baseAsset),
    sellerQuoteEquityMinor: spotEquityMinor(context, seller, quoteAsset),
  });
  return tradeId;
}

/** The buyer paid its fee in base, the seller in quote. */
function accrue(
  context: Context,
  { symbol, rules }: SpotMarket,
  taker: TakerOrder,
  match: Match,
  tradeId: number,
): void {
  const { baseAsset, quoteAsset } = rules;
  const takerBuys = taker.side === BUY;
  accrueCommissions(context, {
    product: "spot",
    symbol,
    tradeId,
    quoteAsset,
    notionalMinor: match.quoteMinor,
    maker: {
      trader: takerBuys ? match.seller : match.buyer,
      feeAsset: takerBuys ? quoteAsset : baseAsset,
      feeMinor: match.makerFeeMinor,
    },
    taker: {
      trader: taker.user,
      feeAsset: takerBuys ? baseAsset : quoteAsset,
      feeMinor: match.takerFeeMinor,
    },
  });
}

/** Available and frozen together. */
function spotEquityMinor({ state }: Context, user: User, asset: Asset): bigint {
  const accounts = userAccount(state, user, asset.index, 0);
  return (
    state.ledger.balance(accounts + SPOT_AVAILABLE) + state.ledger.balance(accounts + SPOT_FROZEN)
  );
}
