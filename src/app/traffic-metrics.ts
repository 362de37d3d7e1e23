/**
 * Metrics of what clients do: requests and streams. Every gateway counts for itself; the process
 * adds them up when somebody asks.
 */
import { Counter, Gauge, Registry } from "@prometheus-io/client";
import type { SocketEnd, SocketMetrics } from "../gateway/socket/trading-connection.ts";
import type { ChannelKind, EndCause, StreamMetrics } from "../streams/index.ts";
import { SECONDS_BUCKETS } from "./metrics.ts";
import { RequestDurations } from "./request-durations.ts";

export class TrafficMetrics implements SocketMetrics, StreamMetrics {
  readonly #registry = new Registry();
  readonly #gateway: string;
  readonly #onAnswered: () => void;
  readonly #connections = new Gauge({
    name: "rialto_gateway_connections",
    help: "Open connections by gateway, streams included",
    labelNames: ["gateway"],
    registers: [this.#registry],
  });
  readonly #requests = new RequestDurations(SECONDS_BUCKETS);
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
    help: "Updates skipped for slow subscribers, who get the current state later, by channel",
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

  /** `onAnswered` is told of every answered request. */
  constructor(gateway: string, onAnswered: () => void) {
    this.#gateway = gateway;
    this.#onAnswered = onAnswered;
    this.#registry.registerMetric(this.#requests.asMetric());
  }

  answered(routeId: string, status: number, durationMs: number): void {
    this.#onAnswered();
    this.#requests.observe(routeId, status, durationMs / 1000);
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

  /** As data, to be added up by `renderSum`. */
  count(connections: number): Promise<object> {
    this.#connections.set({ gateway: this.#gateway }, connections);
    return this.#registry.getMetricsAsJSON();
  }
}

/** The sum of what gateways counted, as text. */
export function renderSum(counted: readonly object[]): Promise<string> {
  return Registry.aggregate([...counted]).metrics();
}
