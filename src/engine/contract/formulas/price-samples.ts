/**
 * Prices of the last seconds, one per whole second, in half ticks. A ring is an array with the
 * newest sample last and a window of a fixed number of seconds. While the source stays the same,
 * later samples are repetitions that can be filled in afterwards: `isSteady` says when,
 * `repeatLast` does it.
 */
import type { PriceSample } from "../state/contract-market.ts";

export const SECOND_MS = 1000;
/** Seconds that a ring of the mark keeps. */
export const MARK_SECONDS = 30;

/** The last whole second at or before a time. */
export function secondOf(timestampMs: number): number {
  return timestampMs - (timestampMs % SECOND_MS);
}

/** The sample of a second; null when nothing was sampled then. */
export function sampleAt(ring: readonly PriceSample[], atMs: number): PriceSample | null {
  const last = ring.at(-1);
  return last?.atMs === atMs ? last : null;
}

export function addSample(
  ring: PriceSample[],
  atMs: number,
  halfTicks: number,
  seconds: number,
): void {
  ring.push({ atMs, halfTicks });
  dropOld(ring, atMs, seconds);
}

/** Drops samples as old as the window or older. */
export function dropOld(ring: PriceSample[], nowMs: number, seconds: number): void {
  let old = 0;
  while (old < ring.length && (ring[old] as PriceSample).atMs <= nowMs - seconds * SECOND_MS) old++;
  ring.splice(0, old);
}

/** Whether another second of the same price would change nothing but the times. */
export function isSteady(
  ring: readonly PriceSample[],
  halfTicks: number,
  seconds: number,
): boolean {
  return ring.length === seconds && ring.every((sample) => sample.halfTicks === halfTicks);
}

/** Repeats the sample of `fromMs`, if there is one, for every second up to `toMs`. */
export function repeatLast(
  ring: PriceSample[],
  fromMs: number,
  toMs: number,
  seconds: number,
): void {
  const last = sampleAt(ring, fromMs);
  if (last === null) return;
  const firstMs = Math.max(fromMs, toMs - seconds * SECOND_MS) + SECOND_MS;
  for (let atMs = firstMs; atMs <= toMs; atMs += SECOND_MS) {
    ring.push({ atMs, halfTicks: last.halfTicks });
  }
  dropOld(ring, toMs, seconds);
}

/** The prices become finer: a tick is `factor` new ones. */
export function rescaleSamples(ring: PriceSample[], factor: number): void {
  for (const [i, { atMs, halfTicks }] of ring.entries()) {
    ring[i] = { atMs, halfTicks: halfTicks * factor };
  }
}

/** The median to the nearest tick, half up; of an even number the mean of the middle two. */
export function medianTicks(ring: readonly PriceSample[]): number {
  const sorted = ring.map(({ halfTicks }) => halfTicks).sort((one, other) => one - other);
  const middle = sorted.length >> 1;
  const above = sorted[middle] ?? 0;
  const below = sorted.length % 2 === 1 ? above : (sorted[middle - 1] ?? 0);
  return floorQuotient(below + above + 2, 4);
}

/**
 * The mean over so many seconds in ticks, half up, of either sign; a second without a sample counts
 * as nothing.
 */
export function meanTicks(ring: readonly PriceSample[], seconds: number): number {
  let sum = 0;
  for (const { halfTicks } of ring) sum += halfTicks;
  return floorQuotient(sum + seconds, 2 * seconds);
}

/** Exact, of safe integers: the mark is looked at after every command, which bigints would slow. */
export function floorQuotient(numerator: number, denominator: number): number {
  const remainder = numerator % denominator;
  const above = remainder < 0 ? remainder + denominator : remainder;
  return (numerator - above) / denominator;
}
