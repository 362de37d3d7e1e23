/** Rates and latencies per sample, for the charts. */
import { commandsPerSecond, type TrendSample } from "./health-sample.ts";
import { quantile, since } from "./histogram.ts";

/** Null if unknown, or if nothing happened. */
export type Trend = readonly (number | null)[];

export interface Trends {
  /** Unix seconds, by the browser's clock. */
  readonly seconds: readonly number[];
  readonly commandsPerSecond: Trend;
  readonly requestsPerSecond: Trend;
  /** In seconds. */
  readonly commitP50: Trend;
  readonly commitP99: Trend;
}

/** Each sample is compared with an earlier one this far back, to smooth the lines. */
const SPAN = 3;

export function trendsOf(samples: readonly TrendSample[]): Trends {
  const pairs = samples.slice(1).map((later, i) => {
    const earlier = samples[Math.max(0, i + 1 - SPAN)] ?? later;
    const commit = hasRestarted(earlier, later) ? null : since(later.commit, earlier.commit);
    return { earlier, later, commit };
  });
  return {
    seconds: pairs.map(({ later }) => later.takenMs / 1_000),
    commandsPerSecond: pairs.map(({ earlier, later }) => commandsPerSecond(earlier, later)),
    requestsPerSecond: pairs.map(({ earlier, later }) => requestsPerSecond(earlier, later)),
    commitP50: pairs.map(({ commit }) => (commit === null ? null : quantile(commit, 0.5))),
    commitP99: pairs.map(({ commit }) => (commit === null ? null : quantile(commit, 0.99))),
  };
}

function hasRestarted(earlier: TrendSample, later: TrendSample): boolean {
  return later.uptimeMs < earlier.uptimeMs;
}

/** Null if the process restarted in between. */
function requestsPerSecond(earlier: TrendSample, later: TrendSample): number | null {
  const seconds = (later.takenMs - earlier.takenMs) / 1_000;
  if (seconds <= 0 || hasRestarted(earlier, later)) return null;
  return (later.requestCount - earlier.requestCount) / seconds;
}
