/** What streams are given by the composition root. */
import type { IncomingMessage } from "node:http";
import type { Duplex } from "node:stream";
import type { Refusal } from "../../api/errors.ts";
import type { StreamPath } from "../../api/stream-paths.ts";
import type { Accepted } from "../../domain/index.ts";
import type { EngineClient } from "../../protocol/index.ts";
import type { HistoryPort } from "../../queries/history-port.ts";
import type { ChannelKind } from "./channel-name.ts";

export interface StreamClock {
  /** Exchange time: every time in a message. */
  exchangeMs(): number;
  /** Never jumps: what limits and periods are counted on. */
  monotonicMs(): number;
}

/** Who opened a connection; `uid` 0 and no key on a public one. */
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
  /** Whether the key that opened a connection still lives. */
  isLive(apiKey: string): boolean;
  /** Exchange time at which it ends by itself; null never. */
  expiresAtMs(apiKey: string): number | null;
  refuse(socket: Duplex, refusal: Refusal, path: StreamPath): void;
}

/** Why the exchange ended a connection, as counted. */
export type EndCause = "too-slow" | "no-pong" | "key-ended" | "misuse" | "stopping";

export interface StreamMetrics {
  streamOpened(): void;
  streamClosed(): void;
  streamRefused(reason: string): void;
  /** The exchange ended a connection. */
  streamEnded(cause: EndCause): void;
  streamSent(channel: ChannelKind): void;
  /** An update was left out for a slow subscriber, who gets the whole state later. */
  streamConflated(channel: ChannelKind): void;
}

/** Where present state and candles come from; every answer is durable when it arrives. */
export interface StreamSources {
  readonly engine: Pick<EngineClient, "query">;
  readonly history: HistoryPort;
}

/** What all feeds need. */
export interface FeedPorts extends StreamSources {
  readonly clock: StreamClock;
  /** Least time between two updates of one channel; 100 ms. */
  readonly periodMs: number;
  /** How long market data waits at present until it is written. */
  readonly delayMs: () => number;
  /** A broken invariant: the process has to end. */
  readonly onFatal: (error: Error) => void;
}
