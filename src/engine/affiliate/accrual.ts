/**
 * Commissions of a fill. The direct affiliate of each side earns its rate of the net fee; each
 * affiliate above earns what its own rate exceeds the highest rate below. Together they earn the
 * highest rate of the chain, never more than the fee.
 */
import { type CommissionFlag, invariant, type Product, RATE_ONE_E8 } from "../../domain/index.ts";
import type { Asset, Context, User } from "../state.ts";
import { type Affiliate, directAffiliateOf, rateE8Of } from "./affiliate-state.ts";
import { accrueMinor, balanceOf } from "./balances.ts";
import { countTowardsCap, withinCap } from "./referral-cap.ts";
import { isSelfReferral, isWashTrade } from "./suspicions.ts";

const ONE_E8 = BigInt(RATE_ONE_E8);
/** Held commissions an affiliate may have at most; one more is not earned. */
export const HELD_COMMISSIONS_MAX = 1_000_000;

/** One side of a fill, and the fee that it paid. */
export interface FillSide {
  readonly trader: User;
  readonly feeAsset: Asset;
  readonly feeMinor: bigint;
}

/** A fill in the book, of either product. */
export interface Fill {
  readonly product: Product;
  readonly symbol: string;
  readonly tradeId: number;
  readonly quoteAsset: Asset;
  readonly notionalMinor: bigint;
  readonly maker: FillSide;
  readonly taker: FillSide;
}

/**
 * Whether a fill may earn a commission. Checked first, because most fills earn none and must cost
 * nothing more. A match of a user with itself earns nothing.
 */
export function mayEarnCommission(maker: User, taker: User): boolean {
  return (maker.inviterUid !== null || taker.inviterUid !== null) && maker !== taker;
}

/** The commissions of both sides of a fill; their events follow the trade's. */
export function accrueCommissions(context: Context, fill: Fill): void {
  accrueSide(context, fill, fill.maker, fill.taker.trader);
  accrueSide(context, fill, fill.taker, fill.maker.trader);
}

function accrueSide(context: Context, fill: Fill, side: FillSide, counterparty: User): void {
  const { trader, feeAsset, feeMinor } = side;
  if (trader.inviterUid === null) return;
  const { quoteAsset, notionalMinor, product } = fill;
  const isWash = isWashTrade(context, trader, counterparty, quoteAsset, notionalMinor);
  const direct = directAffiliateOf(context.state.affiliates, trader);
  if (direct === null || trader.house) return;
  let below: Below | null = null;
  let highestE8 = 0;
  let grossSumMinor = 0n;
  for (let affiliate: Affiliate | null = direct; affiliate !== null; affiliate = affiliate.parent) {
    const rateE8 = rateE8Of(affiliate, product);
    if (below === null || rateE8 > highestE8) {
      const appliedE8 = rateE8 - highestE8;
      grossSumMinor += accrueRow(context, fill, side, { affiliate, appliedE8, below, isWash });
      highestE8 = rateE8;
      below = { affiliate, rateVersion: affiliate.rateVersion };
    } else {
      below = { affiliate, rateVersion: below.rateVersion };
    }
  }
  const shareMinor = (feeMinor * BigInt(highestE8)) / ONE_E8;
  invariant(grossSumMinor <= shareMinor && shareMinor <= feeMinor, "no fee is given away twice");
  postResidue(context, fill.tradeId, trader.uid, feeAsset, shareMinor - grossSumMinor);
}

/** The chain below an affiliate. */
interface Below {
  /** The next one. */
  readonly affiliate: Affiliate;
  /** The affiliate below with the highest rate, which is subtracted. */
  readonly rateVersion: number;
}

interface Row {
  readonly affiliate: Affiliate;
  readonly appliedE8: number;
  /** Null for the direct affiliate. */
  readonly below: Below | null;
  readonly isWash: boolean;
}

/** One commission; returns what it was before the cap. */
function accrueRow(context: Context, fill: Fill, side: FillSide, row: Row): bigint {
  const { affiliates } = context.state;
  const { trader, feeAsset, feeMinor } = side;
  const { affiliate, appliedE8, below } = row;
  const grossMinor = (feeMinor * BigInt(appliedE8)) / ONE_E8;
  const flags: CommissionFlag[] = [];
  if (isSelfReferral(affiliates, affiliate, trader)) flags.push("self-referral");
  if (row.isWash) flags.push("wash-trade");
  const isRefused = flags.length > 0 && affiliates.held.size >= HELD_COMMISSIONS_MAX;
  const isHeld = flags.length > 0 && !isRefused;
  const commissionMinor = isRefused
    ? 0n
    : withinCap(context, affiliate, trader.uid, feeAsset, grossMinor);
  countTowardsCap(context, affiliate, trader.uid, feeAsset, commissionMinor);
  const commissionId = affiliates.nextCommissionId++;
  const balance = balanceOf(affiliate, feeAsset.index);
  if (commissionMinor > 0n) accrueMinor(context, balance, commissionMinor, isHeld);
  const { product, symbol } = fill;
  const traderUid = trader.uid;
  if (isHeld) {
    affiliates.held.set(commissionId, {
      commissionId,
      affiliate,
      traderUid,
      product,
      symbol,
      assetIndex: feeAsset.index,
      amountMinor: commissionMinor,
      flags,
      timestampMs: context.nowMs,
    });
  }
  context.emit({
    type: "commission-accrued",
    commissionId,
    tradeId: fill.tradeId,
    product,
    symbol,
    isMaker: side === fill.maker,
    traderUid,
    affiliateUid: affiliate.user.uid,
    viaUid: below?.affiliate.user.uid ?? null,
    asset: feeAsset.asset,
    feeMinor,
    rateE8: appliedE8,
    rateVersion: affiliate.rateVersion,
    viaRateVersion: below?.rateVersion ?? null,
    notionalMinor: fill.notionalMinor,
    cappedMinor: grossMinor - commissionMinor,
    commissionMinor,
    flags,
    isHeld,
  });
  return grossMinor;
}

/** What rounding each commission down left of the whole share: fees → rounding. */
function postResidue(
  context: Context,
  tradeId: number,
  traderUid: number,
  feeAsset: Asset,
  residueMinor: bigint,
): void {
  if (residueMinor === 0n) return;
  const { ledger } = context.state;
  const fees = ledger.houseAccount(feeAsset.index, "fees");
  ledger.move(fees, ledger.houseAccount(feeAsset.index, "rounding"), residueMinor);
  const { asset } = feeAsset;
  context.emit({ type: "commission-rounded", tradeId, traderUid, asset, residueMinor });
}
