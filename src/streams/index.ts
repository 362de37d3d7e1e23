/** Streams over WebSocket: market data and private channels, made from durable events. */

export type { ChannelKind } from "../api/channel-names.ts";
export type { EndCause, StreamMetrics } from "./channels/ports.ts";
export type { Subscriber, Topic } from "./channels/topic.ts";
export { EventRouter } from "./event-router.ts";
export { isStreamHandshake, Streams } from "./streams.ts";
export { AddressLimits, createAddressMemory } from "./transport/limits.ts";
