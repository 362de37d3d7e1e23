/**
 * A dialect is one version of the stream protocol: names of channels, requests, responses and the
 * encoding of updates. It contains nothing else. Feeds, publishers, throttles, limits, buffers and
 * account trackers serve all dialects and depend on none.
 */

import type { AccountKind, PublicChannel } from "../../api/channel-names.ts";
import type { StreamDialect } from "../../api/stream-paths.ts";
import type { Product } from "../../domain/index.ts";
import type { Update } from "./updates.ts";

/** Encodes a channel for the clients that call it by one name. */
export interface MessageEncoder {
  readonly dialect: StreamDialect;
  /** The channel as its clients call it. */
  readonly name: string;
  /** Whether tickers show prices and open interest of the contract; only then are they queried. */
  readonly showsContractPrices: boolean;
  /** The messages in order; most updates are one message. */
  encode(update: Update): readonly string[];
}

/** A channel, with its name and encoder for one client. */
export interface Named<Channel> {
  readonly channel: Channel;
  readonly encoder: MessageEncoder;
}

/** What a response repeats, as received: ids in v3, channels and times in v2; null for nothing. */
export type Echo = string | number | null;

export type StreamRequest = { readonly echo: Echo } & (
  | { readonly kind: "subscribe" | "unsubscribe"; readonly names: readonly string[] }
  /** Heartbeats: the response to the exchange's ping, and the client's own ping. */
  | { readonly kind: "pong" | "ping" }
  | { readonly kind: "invalid"; readonly problem: string }
);

export interface StreamRefusal {
  /** A mistake of the client, a market that is not there, or what may be tried again. */
  readonly reason: "invalid-parameter" | "unknown-symbol" | "rate-limited" | "overloaded";
  readonly message: string;
}

export interface Dialect {
  /** Null when no channel of the product has that name. */
  publicChannel(product: Product, name: string): Named<PublicChannel> | null;
  privateChannel(product: Product, name: string): Named<AccountKind> | null;
  readRequest(bytes: Uint8Array): StreamRequest;
  /** Responses to subscribing and unsubscribing. */
  done(request: StreamRequest): object;
  refused(request: StreamRequest, refusal: StreamRefusal): object;
  /** The exchange's ping; times are exchange time as text. */
  ping(time: string, isPrivate: boolean): object;
  /** The response to a heartbeat; null for none. */
  alive(request: StreamRequest, time: string, isPrivate: boolean): object | null;
}

export const NAME_LENGTH_MAX = 64;
