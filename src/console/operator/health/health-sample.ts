/** One sample of the process: its status and its metrics. */
import type { GetStatusAnswer, ListHealthSamplesAnswer } from "../../../client/index.ts";
import { type Histogram, histogramOf, observations } from "./histogram.ts";
import { readMetrics, totalOf } from "./metrics-text.ts";

/** What charts draw; the exchange keeps half an hour of it. */
export interface TrendSample {
  /** By the browser's clock. */
  readonly takenMs: number;
  readonly uptimeMs: number;
  readonly sequence: number;
  readonly queueDepth: number;
  readonly historyLag: number;
  readonly streamConnections: number;
  readonly residentBytes: number;
  /** HTTP requests since the start. */
  readonly requestCount: number;
  readonly commit: Histogram;
}

export interface HealthSample extends TrendSample {
  readonly status: GetStatusAnswer;
  readonly version: string;
  readonly durableSequence: number;
  readonly submissions: number;
  readonly historyBacklogBytes: number;
  readonly isJournalNearlyFull: boolean;
  readonly requests: Histogram;
  /** By route name. */
  readonly requestsByRoute: ReadonlyMap<string, Histogram>;
}

const REQUESTS = "rialto_request_seconds";

export function toHealthSample(
  status: GetStatusAnswer,
  metricsText: string,
  takenMs: number,
): HealthSample {
  const samples = readMetrics(metricsText);
  const total = (name: string): number => totalOf(samples, name);
  const byRoute = Map.groupBy(
    samples.filter(({ name }) => name === `${REQUESTS}_bucket`),
    ({ labels }) => labels.route ?? "",
  );
  const requests = histogramOf(samples, REQUESTS);
  return {
    takenMs,
    sequence: status.sequence,
    requestCount: observations(requests),
    status,
    version: String(status.process.version ?? ""),
    durableSequence: total("rialto_durable_sequence"),
    submissions: total("rialto_submissions_total"),
    queueDepth: total("rialto_queue_depth"),
    historyLag: total("rialto_history_lag_commands"),
    historyBacklogBytes: total("rialto_history_backlog_bytes"),
    isJournalNearlyFull: total("rialto_journal_nearly_full") > 0,
    streamConnections: total("rialto_stream_connections"),
    residentBytes: total("rialto_resident_bytes"),
    uptimeMs: total("rialto_uptime_seconds") * 1_000,
    commit: histogramOf(samples, "rialto_commit_seconds"),
    requests,
    requestsByRoute: new Map(
      [...byRoute].map(([route, ofRoute]) => [route, histogramOf(ofRoute, REQUESTS)]),
    ),
  };
}

/** Commands per second between two samples; null if the process restarted in between. */
export function commandsPerSecond(earlier: TrendSample, later: TrendSample): number | null {
  const commands = later.sequence - earlier.sequence;
  const seconds = (later.takenMs - earlier.takenMs) / 1_000;
  if (seconds <= 0 || commands < 0 || later.uptimeMs < earlier.uptimeMs) return null;
  return commands / seconds;
}

/** What the exchange kept, by the browser's clock `nowMs`. */
export function toTrendSamples(
  { now, bounds, items }: ListHealthSamplesAnswer,
  nowMs: number,
): readonly TrendSample[] {
  return items.map(({ time, requests: requestCount, commits, ...sample }) => ({
    ...sample,
    requestCount,
    takenMs: time - now + nowMs,
    commit: commits.map((count, i) => ({ bound: bounds[i] ?? Number.POSITIVE_INFINITY, count })),
  }));
}
