/**
 * What an opening order freezes: margin and fee of its open quantity. It is always computed anew as
 * a whole, so that frozen amounts return to exactly zero. Closing orders freeze nothing.
 */
import { divideRoundingUp } from "../../../domain/index.ts";
import type { ContractState } from "../contract-state.ts";
import type { ContractMarketRules } from "../state/contract-market.ts";
import { ONE_E8, valueMinor } from "./valuation.ts";

/**
 * Value / leverage + value × fee rate, rounded up. `feeRateE8` is the higher of the order's maker
 * and taker rates, because its fills may pay either.
 */
export function freezeOf(
  rules: ContractMarketRules,
  priceTicks: number,
  openLots: number,
  leverage: number,
  feeRateE8: number,
): bigint {
  if (openLots === 0) return 0n;
  const times = BigInt(leverage);
  const exact = valueMinor(rules, priceTicks, openLots) * (ONE_E8 + times * BigInt(feeRateE8));
  return divideRoundingUp(exact, times * ONE_E8);
}

/** What an order in the book has frozen for all of its open lots. */
export function frozenByRest(contract: ContractState, slot: number): bigint {
  return frozenForLots(contract, slot, contract.orders.openLots(slot));
}

/** What an order in the book has frozen when `openLots` of it are open. */
export function frozenForLots(contract: ContractState, slot: number, openLots: number): bigint {
  const { extras, markets, orders } = contract;
  if (extras.isClosing(slot)) return 0n;
  const rateE8 = Math.max(extras.takerFeeRateE8(slot), orders.makerFeeRateE8(slot));
  const { rules } = markets[orders.market(slot)] as { rules: ContractMarketRules };
  return freezeOf(rules, orders.priceTicks(slot), openLots, extras.leverage(slot), rateE8);
}
