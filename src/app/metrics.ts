/** Metrics of the process, in Prometheus' text format, at `/metrics`. */
import { Counter, Gauge, Histogram, Registry } from "@prometheus-io/client";
import type { SocketEnd, SocketMetrics } from "../gateway/socket/trading-connection.ts";
import type { ChannelKind, EndCause, StreamMetrics } from "../streams/index.ts";
import { type AskIntegrity, IntegrityMetrics } from "./integrity-metrics.ts";
import type { SequencerMetrics } from "./sequencer.ts";

/** Values that are read when metrics are requested. */
export interface Gauges {
  readonly durableSequence: () => number;
  readonly queueDepth: () => number;
  readonly historyBacklogBytes: () => number;
  readonly historyLag: () => number;
  readonly journalNearlyFull: () => boolean;
  readonly integrity: AskIntegrity;
}

const SECONDS_BUCKETS = [
  0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1,
];
const BATCH_BUCKETS = [1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024, 2048];

export class Metrics implements SequencerMetrics, SocketMetrics, StreamMetrics {
  readonly #registry = new Registry();
  readonly #commands = new Counter({
    name: "rialto_commands_total",
    help: "Commands that changed the state and are durable",
    registers: [this.#registry],
  });
  readonly #submissions = new Counter({
    name: "rialto_submissions_total",
    help: "Commands and questions that the sequencer answered",
    registers: [this.#registry],
  });
  readonly #commit = new Histogram({
    name: "rialto_commit_seconds",
    help: "From the end of apply to the release of a batch: append, sync, and its turn",
    buckets: SECONDS_BUCKETS,
    registers: [this.#registry],
  });
  readonly #batch = new Histogram({
    name: "rialto_batch_submissions",
    help: "Submissions per batch",
    buckets: BATCH_BUCKETS,
    registers: [this.#registry],
  });
  readonly #requests = new Histogram({
    name: "rialto_request_seconds",
    help: "Requests by route or WebSocket method and status",
    labelNames: ["route", "status"],
    buckets: SECONDS_BUCKETS,
    registers: [this.#registry],
  });
  readonly #streams = new Gauge({
    name: "rialto_stream_connections",
    help: "Open stream connections",
    registers: [this.#registry],
  });
  readonly #streamMessages = new Counter({
    name: "rialto_stream_messages_total",
    help: "Messages sent to subscribers by channel",
    labelNames: ["channel"],
    registers: [this.#registry],
    collect: () => this.#countMessages(),
  });
  readonly #streamConflations = new Counter({
    name: "rialto_stream_conflated_total",
    help: "Updates left out for slow subscribers, who get the state later, by channel",
    labelNames: ["channel"],
    registers: [this.#registry],
  });
  readonly #streamRefusals = new Counter({
    name: "rialto_stream_refused_total",
    help: "Handshakes refused by reason",
    labelNames: ["reason"],
    registers: [this.#registry],
  });
  readonly #streamEnds = new Counter({
    name: "rialto_stream_ended_total",
    help: "Connections that the exchange ended by cause",
    labelNames: ["cause"],
    registers: [this.#registry],
  });

  readonly #sockets = new Gauge({
    name: "rialto_trading_sockets",
    help: "Open connections of the trading WebSocket",
    registers: [this.#registry],
  });
  readonly #socketRefusals = new Counter({
    name: "rialto_trading_socket_refused_total",
    help: "Handshakes of the trading WebSocket refused by reason",
    labelNames: ["reason"],
    registers: [this.#registry],
  });
  readonly #socketEnds = new Counter({
    name: "rialto_trading_socket_ended_total",
    help: "Connections of the trading WebSocket that the exchange ended by cause",
    labelNames: ["cause"],
    registers: [this.#registry],
  });

  /** Sent since metrics were last requested. Counted here first, because messages are many. */
  readonly #sentMessages = new Map<ChannelKind, number>();

  #integrity: IntegrityMetrics | null = null;
  #lastRequestMs = Number.NEGATIVE_INFINITY;

  /** When the last HTTP request was answered, by `performance.now`. */
  get lastRequestMs(): number {
    return this.#lastRequestMs;
  }

  batchReleased(commands: number, submissions: number, durationMs: number): void {
    this.#submissions.inc(submissions);
    this.#batch.observe(submissions);
    if (commands === 0) return;
    this.#commands.inc(commands);
    this.#commit.observe(durationMs / 1000);
  }

  answered(routeId: string, status: number, durationMs: number): void {
    this.#lastRequestMs = performance.now();
    this.#requests.observe({ route: routeId, status: String(status) }, durationMs / 1000);
  }

  socketOpened(): void {
    this.#sockets.inc();
  }

  socketClosed(): void {
    this.#sockets.dec();
  }

  socketRefused(reason: string): void {
    this.#socketRefusals.inc({ reason });
  }

  socketEnded(cause: SocketEnd): void {
    this.#socketEnds.inc({ cause });
  }

  streamOpened(): void {
    this.#streams.inc();
  }

  streamClosed(): void {
    this.#streams.dec();
  }

  streamRefused(reason: string): void {
    this.#streamRefusals.inc({ reason });
  }

  streamEnded(cause: EndCause): void {
    this.#streamEnds.inc({ cause });
  }

  streamSent(channel: ChannelKind): void {
    this.#sentMessages.set(channel, (this.#sentMessages.get(channel) ?? 0) + 1);
  }

  streamConflated(channel: ChannelKind): void {
    this.#streamConflations.inc({ channel });
  }

  #countMessages(): void {
    for (const [channel, count] of this.#sentMessages) this.#streamMessages.inc({ channel }, count);
    this.#sentMessages.clear();
  }

  /** Called once, when everything that is measured exists. */
  watch(gauges: Gauges): void {
    const rows: readonly (readonly [name: string, help: string, read: () => number])[] = [
      ["rialto_durable_sequence", "Last durable command", gauges.durableSequence],
      ["rialto_queue_depth", "Submissions that wait for their batch", gauges.queueDepth],
      [
        "rialto_history_backlog_bytes",
        "Events on their way to the history store",
        gauges.historyBacklogBytes,
      ],
      [
        "rialto_history_lag_commands",
        "Commands that the history store is behind",
        gauges.historyLag,
      ],
      [
        "rialto_journal_nearly_full",
        "1 while the disk is nearly full and new commands are refused",
        () => (gauges.journalNearlyFull() ? 1 : 0),
      ],
      ["rialto_resident_bytes", "Resident memory", () => process.memoryUsage.rss()],
      ["rialto_cpu_seconds", "Processor time of all threads", () => secondsOf(process.cpuUsage())],
      [
        "rialto_trading_cpu_seconds",
        "Processor time of the thread that takes, matches and answers orders",
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
    this.#integrity = new IntegrityMetrics(this.#registry, gauges.integrity);
  }

  get contentType(): string {
    return this.#registry.contentType;
  }

  async render(): Promise<string> {
    await this.#integrity?.refresh();
    return this.#registry.metrics();
  }
}

function secondsOf({ user, system }: NodeJS.CpuUsage): number {
  return (user + system) / 1_000_000;
}
