/**
 * The positions nearest to liquidation, of one market or all, for the operator. It walks all open
 * positions, so it is meant to be queried now and then.
 */
import { formatDecimal, formatSteps, POSITION_SIDES, RATE_SCALE } from "../../domain/index.ts";
import type { PositionAtRiskView } from "../../protocol/index.ts";
import {
  liquidationTicks,
  markValueMinor,
  unrealizedMinor,
} from "../contract/formulas/account-equity.ts";
import { ONE_E8 } from "../contract/formulas/valuation.ts";
import type { ContractMarket, Position } from "../contract/state/contract-market.ts";
import type { State } from "../state.ts";

interface Candidate {
  readonly position: Position;
  /** 0 when no price liquidates it. */
  readonly liquidateTicks: bigint;
  /** Between mark and liquidation price as a part of the mark; null when there is none of them. */
  readonly distanceE8: bigint | null;
}

/** At most `limit`, nearest first; those that no price liquidates last; ties by id. */
export function positionAtRiskViews(
  state: State,
  market: ContractMarket | null,
  limit: number,
): PositionAtRiskView[] {
  const candidates: Candidate[] = [];
  for (const position of state.contract.positions.values()) {
    if (market !== null && position.owner.market !== market) continue;
    candidates.push(candidateOf(state, position));
  }
  return candidates.sort(nearestFirst).slice(0, limit).map(toView);
}

function candidateOf({ ledger }: State, position: Position): Candidate {
  const markTicks = position.owner.market.mark.ticks;
  const liquidateTicks = liquidationTicks(ledger, position);
  if (markTicks === 0 || liquidateTicks === 0n)
    return { position, liquidateTicks, distanceE8: null };
  const mark = BigInt(markTicks);
  const apart = mark > liquidateTicks ? mark - liquidateTicks : liquidateTicks - mark;
  return { position, liquidateTicks, distanceE8: (apart * ONE_E8) / mark };
}

function nearestFirst(one: Candidate, other: Candidate): number {
  const [near, far] = [one.distanceE8, other.distanceE8];
  if (near !== far) {
    if (near === null) return 1;
    if (far === null) return -1;
    return near < far ? -1 : 1;
  }
  return one.position.positionId - other.position.positionId;
}

function toView({ position, liquidateTicks, distanceE8 }: Candidate): PositionAtRiskView {
  const { owner, side, marginType, positionId, leverage, sizeLots } = position;
  const { symbol, mark, rules } = owner.market;
  const { tick, step, marginAsset } = rules;
  const amount = (minor: bigint): string => formatDecimal(minor, marginAsset.scale);
  return {
    id: positionId,
    uid: owner.account.user.uid,
    symbol,
    side: POSITION_SIDES[side],
    marginType,
    leverage,
    size: formatDecimal(BigInt(sizeLots) * BigInt(step.step), step.scale),
    marginAsset: marginAsset.asset,
    value: amount(markValueMinor(position)),
    unrealizePnl: amount(unrealizedMinor(position)),
    markPrice: formatSteps(mark.ticks, tick),
    liquidatePrice: formatDecimal(liquidateTicks * BigInt(tick.step), tick.scale),
    distance: distanceE8 === null ? null : formatDecimal(distanceE8, RATE_SCALE),
  };
}
