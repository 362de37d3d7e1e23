/** The client of the exchange, for Node and browsers: the entry point `rialto/client`. */
export type { Statement, StatementVerdict } from "../affiliate-statement/index.ts";
export type { CallId } from "../api/calls.ts";
export * from "./affiliate.ts";
export * from "./contract.ts";
export {
  type ApiCredentials,
  type Credentials,
  Signer,
  type SigningCredentials,
} from "./credentials.ts";
export { NetworkError, RialtoError, StreamError } from "./errors.ts";
export type { HttpOptions } from "./http-calls.ts";
export { OperatorClient, type OperatorClientOptions } from "./operator-client.ts";
export type * from "./operator-types.ts";
export type { CallOptions } from "./retries.ts";
export { RialtoClient, type RialtoClientOptions } from "./rialto-client.ts";
export type { Answer, Body, Query } from "./route-types.ts";
export { type ClientRuntime, SYSTEM_RUNTIME } from "./runtime.ts";
export * from "./spot.ts";
export * from "./spot-v2.ts";
export { type BookTop, LocalOrderBook } from "./streams/local-order-book.ts";
export type { StreamState } from "./streams/stream-connection.ts";
export type {
  ContractWallet,
  PriceType,
  SpotBalance,
  StreamBookOrders,
  StreamBookTicker,
  StreamDepth,
  StreamFill,
  StreamKline,
  StreamLevel,
  StreamOrder,
  StreamPosition,
  StreamTicker,
  StreamTrade,
} from "./streams/stream-events.ts";
export {
  ContractAccountStreams,
  ContractStreams,
  SpotAccountStreams,
  SpotStreams,
  type StreamOptions,
  Streams,
} from "./streams/streams.ts";
export { Subscription } from "./streams/subscription.ts";
