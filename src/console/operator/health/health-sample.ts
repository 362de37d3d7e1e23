/** One sample of the process: its status and its metrics. */
import type { GetStatusAnswer } from "../../../client/index.ts";
import { type Histogram, histogramOf } from "./histogram.ts";
import { readMetrics, totalOf } from "./metrics-text.ts";

export interface HealthSample {
  /** By the browser's clock. */
  readonly takenMs: number;
  readonly status: GetStatusAnswer;
  readonly version: string;
  readonly durableSequence: number;
  readonly submissions: number;
  readonly queueDepth: number;
  readonly historyLag: number;
  readonly historyBacklogBytes: number;
  readonly isJournalNearlyFull: boolean;
  readonly streamConnections: number;
  readonly residentBytes: number;
  readonly uptimeMs: number;
  readonly commit: Histogram;
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
  return {
    takenMs,
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
    requests: histogramOf(samples, REQUESTS),
    requestsByRoute: new Map(
      [...byRoute].map(([route, ofRoute]) => [route, histogramOf(ofRoute, REQUESTS)]),
    ),
  };
}

/** Commands per second between two samples; null if the process restarted in between. */
export function commandsPerSecond(earlier: HealthSample, later: HealthSample): number | null {
  const commands = later.status.sequence - earlier.status.sequence;
  const seconds = (later.takenMs - earlier.takenMs) / 1_000;
  if (seconds <= 0 || commands < 0 || later.uptimeMs < earlier.uptimeMs) return null;
  return commands / seconds;
}
