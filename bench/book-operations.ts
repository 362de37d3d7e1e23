/**
 * The stream of operations for every book in the benchmark: about 60 % passive limit orders, 30 %
 * cancels and 10 % orders that trade at once, around a wandering price. The same seed gives the
 * same stream.
 */
import { Random } from "../test/support/random.ts";

const SEED = 20_260_101;
const LIMIT_SHARE = 0.6;
const CANCEL_SHARE = 0.3;
const START_PRICE_TICKS = 100_000;
/** Mean distance of a passive order from the middle; orders become rarer with distance. */
const MEAN_DISTANCE_TICKS = 60;
/** How far beyond the middle an order may be priced that should trade at once. */
const REACH_TICKS = 25;
const LIMIT_LOTS_MAX = 100;
const TAKING_LOTS_MAX = 400;

/** Columns; operation i has the id i + 1. */
export interface BookOperations {
  readonly count: number;
  /** 1 for a cancel, 0 for an order. */
  readonly isCancel: Uint8Array;
  /** The order's side as an index into `SIDES`. */
  readonly side: Uint8Array;
  readonly priceTicks: Float64Array;
  readonly lots: Float64Array;
  /** The id to cancel; the order may already be filled, as in live trading. */
  readonly target: Float64Array;
}

export function makeBookOperations(count: number): BookOperations {
  const random = new Random(SEED);
  const operations: BookOperations = {
    count,
    isCancel: new Uint8Array(count),
    side: new Uint8Array(count),
    priceTicks: new Float64Array(count),
    lots: new Float64Array(count),
    target: new Float64Array(count),
  };
  const placed: number[] = [];
  let middleTicks = START_PRICE_TICKS;
  for (let i = 0; i < count; i++) {
    if (random.chance(0.05)) middleTicks += random.integer(-1, 1);
    const kind = random.next();
    if (kind >= LIMIT_SHARE && kind < LIMIT_SHARE + CANCEL_SHARE && placed.length > 0) {
      operations.isCancel[i] = 1;
      operations.target[i] = takeAny(placed, random);
      continue;
    }
    const takes = kind >= LIMIT_SHARE + CANCEL_SHARE;
    const side = random.integer(0, 1);
    const away = takes
      ? -random.integer(1, REACH_TICKS)
      : 1 + Math.floor(-Math.log(1 - random.next()) * MEAN_DISTANCE_TICKS);
    operations.side[i] = side;
    operations.priceTicks[i] = side === 0 ? middleTicks - away : middleTicks + away;
    operations.lots[i] = random.integer(1, takes ? TAKING_LOTS_MAX : LIMIT_LOTS_MAX);
    if (!takes) placed.push(i + 1);
  }
  return operations;
}

function takeAny(ids: number[], random: Random): number {
  const at = random.integer(0, ids.length - 1);
  const id = ids[at] as number;
  ids[at] = ids[ids.length - 1] as number;
  ids.pop();
  return id;
}
