/** Metrics of the process, in Prometheus' text format, at `/metrics`. */
import { Counter, Gauge, Histogram, Registry } from "@prometheus-io/client";
import type { Clock, Scheduler } from "../platform/index.ts";
import { ClusterMetrics } from "./cluster-metrics.ts";
import { HealthSamples } from "./health-samples.ts";
import { type AskIntegrity, IntegrityMetrics } from "./integrity-metrics.ts";
import { type AskOperation, OperatingMetrics } from "./operating-metrics.ts";
import type { SequencerMetrics } from "./sequencer.ts";
import { threadSeconds } from "./thread-times.ts";

/** Values that are read when metrics are requested. */
export interface Gauges {
  readonly durableSequence: () => number;
  readonly queueDepth: () => number;
  readonly historyBacklogBytes: () => number;
  readonly historyLag: () => number;
  readonly journalNearlyFull: () => boolean;
  readonly integrity: AskIntegrity;
}

export const SECONDS_BUCKETS = [
  0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1,
];
/** Of what `Metrics.render` returns. */
export const METRICS_CONTENT_TYPE = Registry.PROMETHEUS_CONTENT_TYPE;

const BATCH_BUCKETS = [1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024, 2048];

export class Metrics implements SequencerMetrics {
  readonly #clock: Clock;
  readonly #registry = new Registry();
  readonly #commands = new Counter({
    name: "rialto_commands_total",
    help: "Commands that changed the state and are durable",
    registers: [this.#registry],
  });
  readonly #submissions = new Counter({
    name: "rialto_submissions_total",
    help: "Commands and queries that the sequencer answered",
    registers: [this.#registry],
  });
  readonly #commit = new Histogram({
    name: "rialto_commit_seconds",
    help: "From the end of apply to the release of a batch: append, sync and queueing",
    buckets: SECONDS_BUCKETS,
    registers: [this.#registry],
  });
  readonly #batch = new Histogram({
    name: "rialto_batch_submissions",
    help: "Submissions per batch",
    buckets: BATCH_BUCKETS,
    registers: [this.#registry],
  });
  /** Of a node. */
  readonly cluster = new ClusterMetrics(this.#registry);
  #integrity: IntegrityMetrics | null = null;
  #operating: OperatingMetrics | null = null;
  #traffic: () => Promise<string> = async () => "";
  /** Of commits up to each bound and above the one before it; the last are above all bounds. */
  readonly #commitCounts = new Array<number>(SECONDS_BUCKETS.length + 1).fill(0);
  #health: HealthSamples | null = null;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  batchReleased(commands: number, submissions: number, durationMs: number): void {
    this.#submissions.inc(submissions);
    this.#batch.observe(submissions);
    if (commands === 0) return;
    this.#commands.inc(commands);
    const seconds = durationMs / 1000;
    this.#commit.observe(seconds);
    const bucket = SECONDS_BUCKETS.findIndex((bound) => seconds <= bound);
    const at = bucket === -1 ? SECONDS_BUCKETS.length : bucket;
    this.#commitCounts[at] = (this.#commitCounts[at] ?? 0) + 1;
  }

  /** Called once, when everything that is measured exists. */
  watch(gauges: Gauges): void {
    const rows: readonly (readonly [name: string, help: string, read: () => number])[] = [
      ["rialto_durable_sequence", "Last durable command", gauges.durableSequence],
      ["rialto_queue_depth", "Submissions waiting for their batch", gauges.queueDepth],
      [
        "rialto_history_backlog_bytes",
        "Bytes of events not yet in the history store",
        gauges.historyBacklogBytes,
      ],
      [
        "rialto_history_lag_commands",
        "Number of commands that the history store is behind",
        gauges.historyLag,
      ],
      [
        "rialto_journal_nearly_full",
        "1 while the disk is nearly full and new commands are refused",
        () => (gauges.journalNearlyFull() ? 1 : 0),
      ],
      ["rialto_resident_bytes", "Resident memory", () => process.memoryUsage.rss()],
      ["rialto_cpu_seconds", "CPU time of all threads", () => secondsOf(process.cpuUsage())],
      [
        "rialto_trading_cpu_seconds",
        "CPU time of the thread that accepts, matches and answers orders",
        () => secondsOf(process.threadCpuUsage()),
      ],
      ["rialto_uptime_seconds", "Time since the start", () => process.uptime()],
    ];
    for (const [name, help, read] of rows) {
      new Gauge({
        name,
        help,
        registers: [this.#registry],
        collect() {
          this.set(read());
        },
      });
    }
    watchThreads(this.#registry);
    this.#health = new HealthSamples(this.#clock, {
      gauges,
      commits: () => this.#commitsUpToBounds(),
      traffic: () => this.#traffic(),
    });
    this.#integrity = new IntegrityMetrics(this.#registry, gauges.integrity, this.#clock);
  }

  /** Called once, when there is an operator API. */
  watchOperation(ask: AskOperation): void {
    this.#operating = new OperatingMetrics(this.#registry, ask, this.#clock);
  }

  /** The metrics of all gateways, as text. Called once. */
  addTraffic(traffic: () => Promise<string>): void {
    this.#traffic = traffic;
  }

  #commitsUpToBounds(): readonly number[] {
    let count = 0;
    return this.#commitCounts.map((inBucket) => {
      count += inBucket;
      return count;
    });
  }

  startSampling(scheduler: Scheduler): void {
    this.#health?.start(scheduler);
  }

  stopSampling(): void {
    this.#health?.stop();
  }

  samples() {
    const samples = this.#health?.samples ?? [];
    return { nowMs: Math.round(this.#clock.wallMs()), bounds: SECONDS_BUCKETS, samples };
  }

  get contentType(): string {
    return METRICS_CONTENT_TYPE;
  }

  async render(): Promise<string> {
    this.cluster.refresh();
    await this.#integrity?.refresh();
    await this.#operating?.refresh();
    return (await this.#registry.metrics()) + (await this.#traffic());
  }
}

function watchThreads(registry: Registry): void {
  new Gauge({
    name: "rialto_thread_cpu_seconds",
    help: "CPU time by thread",
    labelNames: ["thread"],
    registers: [registry],
    collect() {
      for (const [thread, seconds] of threadSeconds()) this.set({ thread }, seconds);
    },
  });
}

function secondsOf({ user, system }: NodeJS.CpuUsage): number {
  return (user + system) / 1_000_000;
}
