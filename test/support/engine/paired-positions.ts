/**
 * Puts positions straight into a state, ledger included, for tests and benchmarks that need many of
 * them and not the orders that led there. Positions come in pairs, because every LONG has a SHORT.
 */
import { invariant, type MarginType } from "../../../src/domain/index.ts";
import type { User } from "../../../src/engine/accounts/user.ts";
import { type MarginState, symbolAccountOf } from "../../../src/engine/contract/contract-state.ts";
import { initialMarginMinor, valueMinor } from "../../../src/engine/contract/formulas/valuation.ts";
import {
  type ContractMarket,
  LONG,
  Position,
  type PositionSideIndex,
  SHORT,
} from "../../../src/engine/contract/state/contract-market.ts";
import { CONTRACT_AVAILABLE, CONTRACT_POSITION_MARGIN } from "../../../src/engine/ledger/ledger.ts";

/** Both sides are opened at one price, without fees. */
export interface Pair {
  readonly market: ContractMarket;
  readonly holders: readonly [long: User, short: User];
  readonly marginType: MarginType;
  readonly priceTicks: number;
  readonly lots: number;
  /** Sets the margin of both when isolated. */
  readonly leverage: number;
  /** The first id of the two. */
  readonly positionId: number;
}

/** A deposit into the contract wallet. */
export function fund(
  state: MarginState,
  user: User,
  market: ContractMarket,
  amountMinor: bigint,
): void {
  const { account } = symbolAccountOf(state, user, market);
  const external = state.ledger.houseAccount(account.assetIndex, "external");
  state.ledger.move(external, account.base + CONTRACT_AVAILABLE, amountMinor);
  state.contract.risk.accountChanged(account);
}

/** Adds a LONG and a SHORT; isolated margin comes out of the holders' contract wallets. */
export function openPair(state: MarginState, pair: Pair): readonly [Position, Position] {
  const long = open(state, pair, LONG);
  const short = open(state, pair, SHORT);
  return [long, short];
}

function open(state: MarginState, pair: Pair, side: PositionSideIndex): Position {
  const { contract, ledger } = state;
  const { market, marginType, lots, leverage, priceTicks } = pair;
  const owner = symbolAccountOf(state, pair.holders[side], market);
  const { account } = owner;
  invariant(owner.positions[side].length === 0, "a COMBINED side holds one position");
  owner.marginType = marginType;
  if (marginType === "CROSSED") owner.crossLeverage = leverage;
  else owner.isolatedLeverage[side] = leverage;
  const position = new Position({
    positionId: pair.positionId + side,
    owner,
    side,
    marginType,
    separatedOpenOrderId: 0,
    sequence: 1,
    nowMs: 1,
  });
  position.sizeLots = lots;
  position.openValueMinor = valueMinor(market.rules, priceTicks, lots);
  if (marginType === "ISOLATED") {
    position.marginMinor = initialMarginMinor(position.openValueMinor, leverage);
    account.isolatedMarginMinor += position.marginMinor;
    const { base } = account;
    const to = base + CONTRACT_POSITION_MARGIN;
    ledger.move(base + CONTRACT_AVAILABLE, to, position.marginMinor);
  } else {
    account.crossPositions.push(position);
  }
  owner.positions[side].push(position);
  owner.sideLots[side] += lots;
  market.positions.add(position);
  market.openLots[side] += BigInt(lots);
  market.openValueMinor[side] += position.openValueMinor;
  contract.positions.set(position.positionId, position);
  contract.risk.positionChanged(position);
  contract.risk.accountChanged(account);
  return position;
}

/** Another mark, as if index and book had led to it. */
export function setMark(state: MarginState, market: ContractMarket, ticks: number): void {
  market.indexPrice.ticks = ticks;
  market.mark.ticks = ticks;
  state.contract.liquidityRevision++;
  state.contract.risk.markChanged(market);
}
