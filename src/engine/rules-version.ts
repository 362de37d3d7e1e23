/**
 * The rules versions. The effect of an existing command changes only with the journaled command
 * `adopt-rules`, so every change branches on one of these, and a journal of an older version still
 * replays to the same state.
 */

/** Adds contracts: an older state never holds any. */
export const RULES_WITH_CONTRACTS = 2;

/** No fill, price or liquidation passes one account's loss to the insurance fund. */
export const RULES_WITH_MARKET_INTEGRITY = 3;

/** No index comes from a spot book of before a stop, or from samples in other ticks. */
export const RULES_WITH_SOUND_SPOT_INDEX = 4;

/** The version that this program adopts; it also knows every version below. */
export const RULES_VERSION = 4;
