/**
 * How the numbers of a step become prices, sizes and times. Boundaries of the rules are far more
 * likely than other values: next to the index, the bound of the mark, margins, the band.
 */

/** Distances from the index, as parts of it. */
const DISTANCES = [
  0, 0.0001, 0.0005, 0.001, 0.002, 0.0022, 0.0025, 0.003, 0.004, 0.0044, 0.005, 0.0055, 0.0065,
  0.008, 0.01, 0.012, 0.02, 0.03, 0.04, 0.045, 0.0475, 0.0495, 0.05,
] as const;
const WAITS_MS = [
  1, 100, 400, 1_000, 1_000, 1_001, 2_000, 3_000, 5_000, 10_000, 16_000, 31_000, 39_600, 61_000,
] as const;
const PARTS = [1, 1, 0.9, 0.5, 0.2, 0.05] as const;
/** Most numbers are places, the rest is anywhere between. */
const PLACES_SHARE = 0.8;
const FARTHEST = 0.05;

function place<Item>(items: readonly Item[], number: number): Item {
  return items[Math.min(items.length - 1, Math.floor(number * items.length))] as Item;
}

/** A part of the index, above or below it. */
export function distance(number: number): number {
  const half = number < 0.5 ? number * 2 : number * 2 - 1;
  const size =
    half < PLACES_SHARE
      ? place(DISTANCES, half / PLACES_SHARE)
      : ((half - PLACES_SHARE) / (1 - PLACES_SHARE)) * FARTHEST;
  return number < 0.5 ? -size : size;
}

/** The number that `distance` makes this distance of, or the nearest that it has a place for. */
export function numberOf(part: number): number {
  const size = Math.abs(part);
  let nearest = 0;
  for (const [i, known] of DISTANCES.entries()) {
    if (Math.abs(known - size) < Math.abs((DISTANCES[nearest] as number) - size)) nearest = i;
  }
  const half = ((nearest + 0.5) / DISTANCES.length) * PLACES_SHARE;
  return part < 0 ? half / 2 : half / 2 + 0.5;
}

export function waitMs(number: number): number {
  return place(WAITS_MS, number);
}

/** The number of the first wait that is at least so long. */
export function numberOfWait(ms: number): number {
  const found = WAITS_MS.findIndex((known) => known >= ms);
  return ((found < 0 ? WAITS_MS.length - 1 : found) + 0.5) / WAITS_MS.length;
}

export function part(number: number): number {
  return place(PARTS, number);
}

/** A jump of the index: mostly small. */
export function jump(number: number): number {
  const centred = number * 2 - 1;
  return Math.sign(centred) * centred * centred * 0.02;
}

export function pickFrom<Item>(items: readonly Item[], number: number): Item {
  return place(items, number);
}
