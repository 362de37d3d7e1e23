/**
 * Randomness that repeats: the number that belongs to a seed, a position and a purpose, without a
 * state. Whoever counts positions together, in whatever thread, draws the same numbers.
 */

/** From 0 (inclusive) to 1 (exclusive). All three are whole numbers from 0 to 2^32 - 1. */
export function seededDraw(seed: number, position: number, purpose: number): number {
  const mixed = mix(mix(mix(seed ^ 0x9e3779b9) ^ position) ^ Math.imul(purpose + 1, 0x85ebca6b));
  return mixed / 4_294_967_296;
}

/** The finaliser of MurmurHash3, after a step that moves 0. */
function mix(value: number): number {
  let mixed = (value + 0x6d2b79f5) | 0;
  mixed = Math.imul(mixed ^ (mixed >>> 16), 0x85ebca6b);
  mixed = Math.imul(mixed ^ (mixed >>> 13), 0xc2b2ae35);
  return (mixed ^ (mixed >>> 16)) >>> 0;
}
