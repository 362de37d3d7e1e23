/**
 * The money of a fill that closes a position in liquidation. It is measured from the bankruptcy
 * price, at which the holder has nothing left: what the fill brings above it is the residue. The
 * residue pays the taker fee, then the liquidation fee for the insurance fund; the rest is the
 * holder's. When it is short, the insurance fund pays the gap, as far as the market may draw on it.
 */
import { divideRoundingUp, floorDivide, invariant, POSITION_SIDES } from "../../../domain/index.ts";
import { CONTRACT_AVAILABLE, CONTRACT_POSITION_MARGIN, type Ledger } from "../../ledger/ledger.ts";
import type { Context } from "../../state.ts";
import { walletMinor } from "../formulas/account-equity.ts";
import { countDraw, countInsured, payableMinor } from "../formulas/insurance-limits.ts";
import { ONE_E8 } from "../formulas/valuation.ts";
import { LONG } from "../state/contract-market.ts";
import type { LiquidationTerms } from "../state/order-terms.ts";
import type { ClosedPart } from "./positions.ts";

/** The result of a liquidation fill. */
export interface SettledLiquidation {
  /** Taker fee; it counts as a closing fee of the position. */
  readonly feeMinor: bigint;
  /** Emits it after the trade. */
  emitSettled(tradeId: number): void;
}

interface Amounts {
  readonly residueMinor: bigint;
  readonly feeMinor: bigint;
  /** What the insurance fund pays. */
  readonly fixMinor: bigint;
  readonly liquidationFeeMinor: bigint;
}

/**
 * Posts a fill of value `valueMinor` that closes `parts`, and settles their fee: at most
 * `exactFeeMinor`, less when neither residue nor fund can pay it, because the exchange's own fee
 * never makes a debt. The released margin may become a unit or two more than its share, where
 * rounding alone would leave a gap at a price at which there is none.
 */
export function settleLiquidationSide(
  context: Context,
  parts: readonly ClosedPart[],
  valueMinor: bigint,
  exactFeeMinor: bigint,
  terms: LiquidationTerms,
): SettledLiquidation {
  const { contract, ledger } = context.state;
  const part = parts[0];
  invariant(part !== undefined && parts.length === 1, "a liquidation closes one position");
  const { position } = part;
  const { owner, positionId, side } = position;
  const { account, market } = owner;
  const { marginAsset } = market.rules;
  const insurance = ledger.houseAccount(marginAsset.index, "insurance");
  const fundMinor = payableMinor(context, market);
  const amounts = amountsOf(part, valueMinor, exactFeeMinor, terms, fundMinor);
  const { residueMinor, feeMinor, fixMinor, liquidationFeeMinor } = amounts;
  part.feeMinor = feeMinor;
  position.cumLiquidateFeeMinor += liquidationFeeMinor;
  contract.dirtyAccounts.add(account);
  countDraw(context, market, fixMinor);
  countInsured(context.state, position, terms, { lots: part.lots, valueMinor, feeMinor });
  post(ledger, part, amounts);
  const wallet = walletMinor(ledger, account);
  const insuranceMinor = ledger.balance(insurance);
  const walletAfterFixMinor = wallet + liquidationFeeMinor;
  return {
    feeMinor,
    emitSettled: (tradeId) => {
      context.emit({
        type: "liquidation-settled",
        symbol: market.symbol,
        uid: account.user.uid,
        positionId,
        positionSide: POSITION_SIDES[side],
        asset: marginAsset.asset,
        tradeId,
        residueMinor,
        feeMinor,
        liquidationFeeMinor,
        insurancePaidMinor: fixMinor,
        walletAfterFixMinor,
        walletMinor: wallet,
        insuranceMinor,
      });
    },
  };
}

function amountsOf(
  part: ClosedPart,
  valueMinor: bigint,
  exactFeeMinor: bigint,
  terms: LiquidationTerms,
  fundMinor: bigint,
): Amounts {
  const residueMinor =
    terms.marginType === "ISOLATED"
      ? isolatedResidue(part, valueMinor, terms, fundMinor)
      : floorDivide(aboveBankruptcy(part, valueMinor, terms), terms.bankruptcyDen);
  const coveredMinor = residueMinor + fundMinor;
  invariant(coveredMinor >= 0n, "the insurance fund covers every fill beyond bankruptcy");
  const feeMinor = exactFeeMinor < coveredMinor ? exactFeeMinor : coveredMinor;
  const gapMinor = feeMinor - residueMinor;
  const { rules } = part.position.owner.market;
  const fullFeeMinor = divideRoundingUp(valueMinor * BigInt(rules.liquidateFeeRateE8), ONE_E8);
  const leftMinor = gapMinor < 0n ? -gapMinor : 0n;
  return {
    residueMinor,
    feeMinor,
    fixMinor: gapMinor > 0n ? gapMinor : 0n,
    liquidationFeeMinor: fullFeeMinor < leftMinor ? fullFeeMinor : leftMinor,
  };
}

/** By how much the fill beats the bankruptcy price, times the denominator of that price. */
function aboveBankruptcy(
  { position, lots }: ClosedPart,
  valueMinor: bigint,
  { bankruptcyNum, bankruptcyDen }: LiquidationTerms,
): bigint {
  const { minorPerTickLot } = position.owner.market.rules;
  const above = valueMinor * bankruptcyDen - bankruptcyNum * BigInt(lots) * minorPerTickLot;
  return position.side === LONG ? above : -above;
}

/**
 * Released margin and realised profit together. Both were rounded down, so that a fill at or above
 * bankruptcy may seem to be below it, and one that the fund can just pay to be above the fund: the
 * margin that stays makes up for that.
 */
function isolatedResidue(
  part: ClosedPart,
  valueMinor: bigint,
  terms: LiquidationTerms,
  fundMinor: bigint,
): bigint {
  const lowestMinor = aboveBankruptcy(part, valueMinor, terms) >= 0n ? 0n : -fundMinor;
  const residueMinor = part.releasedMinor + part.realizedMinor;
  if (residueMinor >= lowestMinor) return residueMinor;
  const missingMinor = lowestMinor - residueMinor;
  invariant(missingMinor <= 2n, "only rounding leaves a gap that nobody pays");
  part.releasedMinor += missingMinor;
  invariant(part.releasedMinor <= part.position.marginMinor, "margin is released once");
  return lowestMinor;
}

/** Receipts first, so that cash falls below zero only where it has to. */
function post(ledger: Ledger, part: ClosedPart, amounts: Amounts): void {
  const { releasedMinor, realizedMinor } = part;
  const { feeMinor, fixMinor, liquidationFeeMinor } = amounts;
  const { account, market } = part.position.owner;
  const asset = market.rules.marginAsset.index;
  const available = account.base + CONTRACT_AVAILABLE;
  const clearing = ledger.houseAccount(asset, "pnl-clearing");
  const insurance = ledger.houseAccount(asset, "insurance");
  ledger.move(account.base + CONTRACT_POSITION_MARGIN, available, releasedMinor);
  ledger.move(insurance, available, fixMinor);
  if (realizedMinor > 0n) ledger.move(clearing, available, realizedMinor);
  else ledger.draw(available, clearing, -realizedMinor);
  ledger.draw(available, ledger.houseAccount(asset, "fees"), feeMinor);
  ledger.draw(available, insurance, liquidationFeeMinor);
}
