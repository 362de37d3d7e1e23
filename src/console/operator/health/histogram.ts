/** Cumulative histograms: built from samples, subtracted, and their quantiles. */
import type { MetricSample } from "./metrics-text.ts";

export interface Bucket {
  /** Upper bound, included; the last one is infinite. */
  readonly bound: number;
  /** Observations up to the bound. */
  readonly count: number;
}

/** Ascending by bound. Empty if there are no samples of that name. */
export type Histogram = readonly Bucket[];

/** All samples `<name>_bucket`, added up over their other labels. */
export function histogramOf(
  samples: readonly MetricSample[],
  name: string,
  isWanted: (labels: MetricSample["labels"]) => boolean = () => true,
): Histogram {
  const counts = new Map<number, number>();
  for (const sample of samples) {
    const { le } = sample.labels;
    if (sample.name !== `${name}_bucket` || le === undefined || !isWanted(sample.labels)) continue;
    const bound = le === "+Inf" ? Number.POSITIVE_INFINITY : Number(le);
    counts.set(bound, (counts.get(bound) ?? 0) + sample.value);
  }
  return [...counts]
    .map(([bound, count]) => ({ bound, count }))
    .sort((one, other) => one.bound - other.bound);
}

export function observations(histogram: Histogram): number {
  return histogram.at(-1)?.count ?? 0;
}

/** Observations since `earlier`. After a restart counts begin at 0, so it is all of `later`. */
export function since(later: Histogram, earlier: Histogram): Histogram {
  if (observations(later) < observations(earlier)) return later;
  const before = new Map(earlier.map(({ bound, count }) => [bound, count]));
  return later.map(({ bound, count }) => ({ bound, count: count - (before.get(bound) ?? 0) }));
}

/**
 * The quantile, interpolated inside its bucket; null without observations. Beyond the last finite
 * bound only that bound is known.
 */
export function quantile(histogram: Histogram, share: number): number | null {
  const rank = observations(histogram) * share;
  if (rank === 0) return null;
  let lower = 0;
  let below = 0;
  for (const { bound, count } of histogram) {
    if (count >= rank) {
      if (!Number.isFinite(bound)) return lower;
      return lower + ((bound - lower) * (rank - below)) / (count - below);
    }
    lower = bound;
    below = count;
  }
  return lower;
}

/** Observations per bucket, not cumulative. */
export function bucketCounts(histogram: Histogram): number[] {
  return histogram.map(({ count }, i) => count - (histogram[i - 1]?.count ?? 0));
}

/** "1.25 ms"; "≥ 1 s" beyond the last finite bound; "–" without observations. */
export function quantileText(
  histogram: Histogram,
  share: number,
  text: (seconds: number) => string,
): string {
  const seconds = quantile(histogram, share);
  if (seconds === null) return "–";
  const lastBound = histogram.at(-2)?.bound ?? 0;
  return `${seconds >= lastBound ? "≥ " : ""}${text(seconds)}`;
}
