/**
 * Fees that do not depend on how an order is split into fills: a fill is charged the exact fee of
 * the order so far, rounded up, less what the order was charged before. The order keeps the exact
 * fee as a numerator over 10^8 minor units.
 */
import { divideRoundingUp, RATE_ONE_E8, toBigInt } from "../../domain/index.ts";

const ONE_E8 = BigInt(RATE_ONE_E8);

/** Adds a fill of `amountMinor` at `rateE8` to the exact fee so far. */
export function addExactFee(numeratorSoFar: bigint, amountMinor: bigint, rateE8: number): bigint {
  return rateE8 === 0 ? numeratorSoFar : numeratorSoFar + amountMinor * toBigInt(rateE8);
}

/** What to charge now, in minor units; never more than the fill that caused it. */
export function feeDueMinor(numeratorBefore: bigint, numeratorAfter: bigint): bigint {
  if (numeratorBefore === numeratorAfter) return 0n;
  return divideRoundingUp(numeratorAfter, ONE_E8) - divideRoundingUp(numeratorBefore, ONE_E8);
}
