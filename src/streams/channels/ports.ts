/** The dependencies that the composition root passes to the streams. */
import type { IncomingMessage } from "node:http";
import type { Duplex } from "node:stream";
import type { ChannelKind } from "../../api/channel-names.ts";
import type { Refusal } from "../../api/errors.ts";
import type { StreamPath } from "../../api/stream-paths.ts";
import type { Accepted } from "../../domain/index.ts";
import type { Scheduler } from "../../platform/index.ts";
import type { EngineClient } from "../../protocol/index.ts";
import type { HistoryPort } from "../../queries/history-port.ts";
import type { Activity } from "./activity.ts";

export interface StreamClock {
  /** Exchange time, used for every time in a message. */
  exchangeMs(): number;
  /** Monotonic clock, used for limits and periods. */
  monotonicMs(): number;
}

/** The user of a connection; `uid` 0 and no key on a public one. */
export interface StreamCaller {
  readonly uid: number;
  readonly apiKey: string;
}

/** The gateway's part of a handshake. */
export interface StreamAuthenticator {
  addressOf(request: IncomingMessage): string;
  identify(
    request: IncomingMessage,
    path: StreamPath,
    address: string,
  ): Accepted<StreamCaller> | Refusal;
  /** Whether the key that opened a connection is still valid. */
  isLive(apiKey: string): boolean;
  /** Exchange time at which the key expires; null for never. */
  expiresAtMs(apiKey: string): number | null;
  refuse(socket: Duplex, refusal: Refusal, path: StreamPath): void;
}

/** Why the exchange closed a connection, as counted in the metrics. */
export type EndCause =
  | "too-slow"
  | "no-pong"
  | "key-ended"
  | "misuse"
  | "stopping"
  | "missed-events";

export interface StreamMetrics {
  streamOpened(): void;
  streamClosed(): void;
  streamRefused(reason: string): void;
  /** The exchange closed a connection. */
  streamEnded(cause: EndCause): void;
  streamSent(channel: ChannelKind): void;
  /** An update was dropped for a slow subscriber, which gets the whole state later. */
  streamConflated(channel: ChannelKind): void;
}

/** Source of current state and candles; every answer is durable when it arrives. */
export interface StreamSources {
  readonly engine: Pick<EngineClient, "query">;
  readonly history: HistoryPort;
}

/** The dependencies of all feeds. */
export interface FeedPorts extends StreamSources {
  readonly clock: StreamClock;
  readonly scheduler: Scheduler;
  /** Least time between two updates of one channel; 100 ms. */
  readonly periodMs: number;
  /** How long market data currently waits before it is written. */
  readonly delayMs: () => number;
  /** A broken invariant: the process must end. */
  readonly onFatal: (error: Error) => void;
  /** Counts the updates that are due. */
  readonly activity: Activity;
}
