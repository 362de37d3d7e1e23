/** Streams over WebSocket: market data and private channels, made from durable events. */
export { EventRouter } from "./event-router.ts";
export type { EndCause, StreamMetrics } from "./channels/ports.ts";
export { isStreamHandshake, Streams } from "./streams.ts";
export type { ChannelKind, Subscriber, Topic } from "./channels/topic.ts";
