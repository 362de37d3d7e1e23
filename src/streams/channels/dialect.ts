/**
 * A dialect is one generation of the API's streams: what its channels are called, what its
 * clients ask and are answered, and how updates are said. It is words and nothing else. Feeds,
 * publishers, paces, limits, buffers and account trackers serve all dialects and know none.
 */
import type { StreamDialect } from "../../api/stream-paths.ts";
import type { Product } from "../../domain/index.ts";
import type { PrivateKind, PublicChannel } from "./channel-name.ts";
import type { Update } from "./updates.ts";

/** How a channel is said to those who called it by one name. */
export interface MessageEncoder {
  readonly dialect: StreamDialect;
  /** The channel as its clients call it. */
  readonly name: string;
  /** Whether tickers show prices and open interest of the contract, which are asked for then. */
  readonly showsContractPrices: boolean;
  /** The messages, in their order; most updates are one. */
  encode(update: Update): readonly string[];
}

/** A channel, and how one client calls it and is told of it. */
export interface Named<Channel> {
  readonly channel: Channel;
  readonly encoder: MessageEncoder;
}

/** What an answer repeats, as received: ids in v3, channels and times in v2; null for nothing. */
export type Echo = string | number | null;

export type StreamRequest = { readonly echo: Echo } & (
  | { readonly kind: "subscribe" | "unsubscribe"; readonly names: readonly string[] }
  /** Signs of life: the answer to a ping of ours, and a ping of the client's own. */
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
  privateChannel(product: Product, name: string): Named<PrivateKind> | null;
  readRequest(bytes: Uint8Array): StreamRequest;
  /** Answers to a subscription or its end. */
  done(request: StreamRequest): object;
  refused(request: StreamRequest, refusal: StreamRefusal): object;
  /** A heartbeat of ours; times are exchange time as text. */
  ping(time: string, isPrivate: boolean): object;
  /** The answer to a sign of life; null for none. */
  alive(request: StreamRequest, time: string, isPrivate: boolean): object | null;
}

export const NAME_LENGTH_MAX = 64;
