/**
 * The durations of HTTP requests by route and status, as a histogram of the metrics registry.
 * Counted in place, because it is done for every request: the registry's own histogram makes an
 * object and a text of the labels each time.
 */
import type { Metric } from "@prometheus-io/client";

interface Series {
  readonly labels: { readonly route: string; readonly status: string };
  /** Of durations up to each bound and above the one before it; the last are above all bounds. */
  readonly counts: Float64Array;
  sumSeconds: number;
}

interface Sample {
  readonly metricName: string;
  readonly labels: { readonly le?: number | "+Inf" };
  readonly sharedLabels: Series["labels"];
  readonly value: number;
}

export class RequestDurations {
  readonly name = "rialto_request_seconds";
  readonly help = "HTTP requests by route and status";
  readonly type = "histogram";
  readonly #bounds: readonly number[];
  readonly #series = new Map<string, Map<number, Series>>();

  /** `bounds` are the upper bounds of the buckets in seconds, ascending. */
  constructor(bounds: readonly number[]) {
    this.#bounds = bounds;
  }

  observe(route: string, status: number, seconds: number): void {
    const series = this.#series.get(route)?.get(status) ?? this.#begin(route, status);
    let bucket = 0;
    while (bucket < this.#bounds.length && seconds > (this.#bounds[bucket] as number)) bucket++;
    series.counts[bucket] = (series.counts[bucket] as number) + 1;
    series.sumSeconds += seconds;
  }

  #begin(route: string, status: number): Series {
    const byStatus = this.#series.get(route) ?? new Map<number, Series>();
    this.#series.set(route, byStatus);
    const labels = { route, status: String(status) };
    const counts = new Float64Array(this.#bounds.length + 1);
    const series = { labels, counts, sumSeconds: 0 };
    byStatus.set(status, series);
    return series;
  }

  /** What the registry asks a metric for; all that it needs of one. */
  async get() {
    const values: Sample[] = [];
    for (const byStatus of this.#series.values()) {
      for (const series of byStatus.values()) this.#addSamples(values, series);
    }
    const { name, help, type } = this;
    return { name, help, type, values, aggregator: "sum" };
  }

  /** Cumulative, as the format wants them. */
  #addSamples(values: Sample[], { labels: sharedLabels, counts, sumSeconds }: Series): void {
    let count = 0;
    const metricName = `${this.name}_bucket`;
    for (const [bucket, inBucket] of counts.entries()) {
      count += inBucket;
      const le = this.#bounds[bucket] ?? "+Inf";
      values.push({ metricName, labels: { le }, sharedLabels, value: count });
    }
    const total = (name: string, value: number): Sample => {
      return { metricName: `${this.name}_${name}`, labels: {}, sharedLabels, value };
    };
    values.push(total("sum", sumSeconds), total("count", count));
  }

  asMetric(): Metric<"le"> {
    return this as unknown as Metric<"le">;
  }
}
