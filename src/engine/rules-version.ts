/**
 * The versions of the rules. What an existing command does changes only with the journaled command
 * `adopt-rules`, so every change branches on one of these, and a journal of an older version still
 * leads to the state that it led to.
 */

/** Contracts came with it: an older state never holds any. */
export const RULES_WITH_CONTRACTS = 2;

/** No fill, price or liquidation hands one account's loss to the insurance fund. */
export const RULES_WITH_MARKET_INTEGRITY = 3;

/** What this program adopts; it also knows every version below. */
export const RULES_VERSION = 3;
