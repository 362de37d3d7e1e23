/** Slots, levels and entries are places in typed arrays: small integers from 0 on. */

/** "No such slot", "no such level", "no such entry". */
export const NONE = -1;

/** Index into `SIDES`: how a side is held in a typed array. */
export const BUY = 0;
export const SELL = 1;
export type SideIndex = typeof BUY | typeof SELL;
