/**
 * The parts of an episode: its initial situation, and steps, each a building block with a few
 * numbers that say who, where and how far. Plans are data, so that they can be mutated, shortened
 * and printed.
 */

export type BlockName =
  | ("pair" | "rest" | "take" | "rest-close" | "take-close" | "close-positions" | "pull")
  | ("quote" | "far-quote" | "ladder" | "wait" | "amend" | "conditional" | "tier-fill")
  | ("leverage" | "margin-type" | "margin" | "append" | "transfer" | "restart")
  | ("spot-quote" | "spot-take" | "maker" | "index");

/** Numbers are from 0 to below 1; every block reads them in its own way. */
export interface Step {
  readonly block: BlockName;
  /** Which of the hand. */
  readonly who: 0 | 1 | 2;
  readonly market: 0 | 1;
  readonly isLong: boolean;
  readonly x: number;
  readonly y: number;
  readonly z: number;
}

export interface HolderPlan {
  readonly market: 0 | 1;
  readonly isLong: boolean;
  readonly isIsolated: boolean;
  readonly leverage: number;
}

export const MAKER_MODES = ["none", "none", "bids", "asks", "thin", "deep"] as const;
export type MakerMode = (typeof MAKER_MODES)[number];

export interface Ground {
  /** Which of the exchanges. */
  readonly fixture: number;
  /** The index walks: nobody controls it, and no plan may profit from it at the fund's cost. */
  readonly walks: boolean;
  readonly holder: HolderPlan | null;
  readonly maker: MakerMode;
  /** Half of the maker's spread, as a part of the index. */
  readonly spread: number;
  readonly spotMaker: boolean;
  /** Of each of the hand. */
  readonly isolated: readonly [boolean, boolean, boolean];
  readonly separated: readonly [boolean, boolean, boolean];
  /** As parts of the highest one. */
  readonly leverage: readonly [number, number, number];
  /** At the end the hand takes its orders back, and the mark returns to the index. */
  readonly settles: boolean;
}

export interface EpisodePlan {
  /** The strategy that it began as. */
  readonly origin: string;
  readonly ground: Ground;
  readonly steps: readonly Step[];
}
