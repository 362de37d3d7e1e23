/**
 * The counts of a benchmark, for long and short runs: `RIALTO_BENCH_SCALE=0.1 npm run bench` does a
 * tenth of the work, to see whether everything runs. Its figures mean little.
 */

export const SCALE = Number(process.env.RIALTO_BENCH_SCALE ?? "1");
if (!(SCALE > 0)) throw new Error("RIALTO_BENCH_SCALE is a positive number");

export function scaled(count: number, least = 1): number {
  return Math.max(least, Math.round(count * SCALE));
}
