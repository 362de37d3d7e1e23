/** When a rule's fault happens, and how long a delay is: functions of seed and position alone. */
import type { DelayFault, FaultWhen } from "../api/operator/faults.ts";
import { seededDraw } from "../platform/index.ts";

/** Purposes of `seededDraw`. */
const WHETHER = 0;
const HOW_LONG = 1;
const ANGLE = 2;

/** A range holds this many standard deviations on each side of its middle. */
const NORMAL_SIGMAS = 3;
/** Of the distribution in which a fifth of the delays makes up four fifths of the time. */
const PARETO_SHAPE = Math.log(5) / Math.log(4);

/** Whether the fault happens to the `position`-th of what a rule meets, from 1. */
export function happens(when: FaultWhen, seed: number, position: number): boolean {
  const { probability, every, next, after } = when;
  if (probability !== undefined) return seededDraw(seed, position, WHETHER) < probability;
  if (every !== undefined) return position % every === 0;
  if (next !== undefined) return position <= next;
  return after === undefined || position > after;
}

/** Milliseconds, within the fault's range. */
export function delayMs({ ms, distribution }: DelayFault, seed: number, position: number): number {
  if (typeof ms === "number") return ms;
  const [low, high] = ms as [number, number];
  const drawn = seededDraw(seed, position, HOW_LONG);
  switch (distribution) {
    case "normal": {
      const turn = 2 * Math.PI * seededDraw(seed, position, ANGLE);
      const normal = Math.sqrt(-2 * Math.log(1 - drawn)) * Math.cos(turn);
      const sigma = (high - low) / 2 / NORMAL_SIGMAS;
      return Math.min(high, Math.max(low, (low + high) / 2 + sigma * normal));
    }
    case "pareto": {
      const scale = Math.max(1, low);
      if (high <= scale) return high;
      const tail = 1 - (scale / high) ** PARETO_SHAPE;
      return Math.min(high, scale / (1 - drawn * tail) ** (1 / PARETO_SHAPE));
    }
    default:
      return low + drawn * (high - low);
  }
}
