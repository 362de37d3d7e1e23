/**
 * What a margin account is worth, what maintenance margin it needs and what it may still use, from
 * its ledger accounts and its positions at the current marks. Amounts are minor units of the margin
 * asset; a name that ends in `E8` is scaled by 10^8, so that rates apply without division.
 */
import {
  CONTRACT_AVAILABLE,
  CONTRACT_ORDER_MARGIN,
  CONTRACT_POSITION_MARGIN,
  type Ledger,
} from "../../ledger/ledger.ts";
import {
  LONG,
  type MarginAccount,
  type Position,
  type PositionSideIndex,
  SHORT,
  type SymbolAccount,
} from "../state/contract-market.ts";
import {
  initialMarginMinor,
  isDueAt,
  isIsolatedDue,
  maintenanceE8,
  nearestTick,
  ONE_E8,
  pnlMinor,
  takerRateE8,
  tierIndex,
  valueMinor,
} from "./valuation.ts";

/** Everything in the contract wallet: cash, order margin and position margin, at no price. */
export function walletMinor(ledger: Ledger, account: MarginAccount): bigint {
  const { base } = account;
  return (
    ledger.balance(base + CONTRACT_AVAILABLE) +
    ledger.balance(base + CONTRACT_ORDER_MARGIN) +
    ledger.balance(base + CONTRACT_POSITION_MARGIN)
  );
}

/** Value of a position at the mark. */
export function markValueMinor(position: Position): bigint {
  const { market } = position.owner;
  return valueMinor(market.rules, market.mark.ticks, position.sizeLots);
}

/** Unrealised profit or loss of a position at the mark. */
export function unrealizedMinor(position: Position): bigint {
  return pnlMinor(position.side, position.openValueMinor, markValueMinor(position));
}

/** Unrealised profit and loss of all cross positions of the account. */
function crossPnlMinor(account: MarginAccount): bigint {
  let pnl = 0n;
  for (const position of account.crossPositions) pnl += unrealizedMinor(position);
  return pnl;
}

/** Whether the symbol has cross positions: all positions of a symbol are of one margin type. */
function hasCrossPositions({ marginType, sideLots }: SymbolAccount): boolean {
  return marginType === "CROSSED" && (sideLots[LONG] > 0 || sideLots[SHORT] > 0);
}

/** The symbols in which the account has cross positions. */
export function crossOwners(account: MarginAccount): SymbolAccount[] {
  const owners: SymbolAccount[] = [];
  if (account.crossPositions.length === 0) return owners;
  for (const owner of account.symbols.values()) if (hasCrossPositions(owner)) owners.push(owner);
  return owners;
}

/** Value at the mark of long and short of a symbol together: what chooses the tier when cross. */
export function crossNotionalMinor({ market, sideLots }: SymbolAccount): bigint {
  const { rules, mark } = market;
  return (
    valueMinor(rules, mark.ticks, sideLots[LONG]) + valueMinor(rules, mark.ticks, sideLots[SHORT])
  );
}

/** Value at the mark of all isolated positions of one side: what chooses their tier. */
export function isolatedGroupMinor(
  { market, sideLots }: SymbolAccount,
  side: PositionSideIndex,
): bigint {
  return valueMinor(market.rules, market.mark.ticks, sideLots[side]);
}

/** Maintenance rate of a symbol's cross positions, the fee of closing them included. */
export function crossRateE8(owner: SymbolAccount): bigint {
  return tierRateE8(owner, crossNotionalMinor(owner));
}

/** The same at a notional that the symbol may reach. */
export function tierRateE8({ account, market }: SymbolAccount, notionalMinor: bigint): bigint {
  const tier = tierIndex(market.rules, notionalMinor);
  return maintenanceE8(market.rules, tier, takerRateE8(account.user, market));
}

/** Maintenance rate of a side's isolated positions, the fee of closing them included. */
export function isolatedRateE8(owner: SymbolAccount, side: PositionSideIndex): bigint {
  return tierRateE8(owner, isolatedGroupMinor(owner, side));
}

/** Maintenance of all cross positions, scaled by 10^8. */
export function crossMaintenanceE8(account: MarginAccount): bigint {
  let maintenance = 0n;
  for (const owner of account.symbols.values()) {
    if (!hasCrossPositions(owner)) continue;
    const notional = crossNotionalMinor(owner);
    maintenance += notional * tierRateE8(owner, notional);
  }
  return maintenance;
}

/**
 * Equity that carries the cross positions: the wallet without the margins of isolated positions,
 * and unrealised profit and loss. Order margin is part of it, because orders are cancelled first.
 */
export function crossEquityMinor(ledger: Ledger, account: MarginAccount): bigint {
  return walletMinor(ledger, account) - account.isolatedMarginMinor + crossPnlMinor(account);
}

/** Margin that the cross positions occupy at the mark, each rounded up. */
function crossMarginMinor(account: MarginAccount): bigint {
  let margin = 0n;
  for (const position of account.crossPositions) {
    margin += initialMarginMinor(markValueMinor(position), position.leverage);
  }
  return margin;
}

/**
 * The free balance; below zero when losses or a lower leverage outweigh the cash. Unrealised profit
 * is not available, an unrealised loss is deducted.
 */
export function availableBeforeFloorMinor(ledger: Ledger, account: MarginAccount): bigint {
  const cash = ledger.balance(account.base + CONTRACT_AVAILABLE);
  if (account.crossPositions.length === 0) return cash;
  const pnl = crossPnlMinor(account);
  return cash + (pnl < 0n ? pnl : 0n) - crossMarginMinor(account);
}

/**
 * What the account may use for orders, margins and transfers; if an order that has frozen
 * `freedMinor` makes room for it, that too.
 */
export function availableBalanceMinor(
  ledger: Ledger,
  account: MarginAccount,
  freedMinor = 0n,
): bigint {
  const available = availableBeforeFloorMinor(ledger, account) + freedMinor;
  return available > 0n ? available : 0n;
}

/** Whether the account's cross positions have to be liquidated: equity at or below maintenance. */
export function isCrossDue(ledger: Ledger, account: MarginAccount): boolean {
  return isCrossDueWithout(ledger, account, 0n);
}

/** Whether they had to be if so much of the cash were gone. */
export function isCrossDueWithout(
  ledger: Ledger,
  account: MarginAccount,
  amountMinor: bigint,
): boolean {
  if (account.crossPositions.length === 0) return false;
  const equityMinor = crossEquityMinor(ledger, account) - amountMinor;
  return isDueAt(equityMinor, crossMaintenanceE8(account));
}

/** Whether an isolated position is due for liquidation at the current mark. */
export function isPositionDue(position: Position): boolean {
  const { owner, side } = position;
  return isIsolatedDue(position, owner.market.mark.ticks, isolatedRateE8(owner, side));
}

/**
 * The price at which a position would be liquidated, all other prices as they are: the root of the
 * exact rule, to the nearest tick; 0 when there is none. With the tier of the present mark. It may
 * be far beyond any price that is safe as a number.
 */
export function liquidationTicks(ledger: Ledger, position: Position): bigint {
  const { owner, side, marginType, openValueMinor, marginMinor, sizeLots } = position;
  if (marginType === "CROSSED") return crossLiquidationTicks(ledger, owner);
  const rateE8 = isolatedRateE8(owner, side);
  const perTick = BigInt(sizeLots) * owner.market.rules.minorPerTickLot;
  return side === LONG
    ? nearestTick((openValueMinor - marginMinor) * ONE_E8, perTick * (ONE_E8 - rateE8))
    : nearestTick((openValueMinor + marginMinor) * ONE_E8, perTick * (ONE_E8 + rateE8));
}

/** The same for all cross positions of a symbol; 0 when long and short are of one size. */
function crossLiquidationTicks(ledger: Ledger, owner: SymbolAccount): bigint {
  const { account, market, sideLots } = owner;
  const slopeE8 = crossSlopeE8(owner, crossRateE8(owner));
  if (sideLots[LONG] === sideLots[SHORT] || slopeE8 === 0n) return 0n;
  const surplusE8 = crossEquityMinor(ledger, account) * ONE_E8 - crossMaintenanceE8(account);
  const numerator = BigInt(market.mark.ticks) * slopeE8 - surplusE8;
  return slopeE8 > 0n ? nearestTick(numerator, slopeE8) : nearestTick(-numerator, -slopeE8);
}

/**
 * By how much a tick upwards raises equity less maintenance of the account, scaled by 10^8: the
 * long side gains what the short side loses, and the maintenance of both grows.
 */
export function crossSlopeE8({ market, sideLots }: SymbolAccount, rateE8: bigint): bigint {
  const long = BigInt(sideLots[LONG]);
  const short = BigInt(sideLots[SHORT]);
  return ((long - short) * ONE_E8 - (long + short) * rateE8) * market.rules.minorPerTickLot;
}
