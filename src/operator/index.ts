/** The operator API: runs the exchange. Accesses the engine and the keys only through ports. */
export { Mutex } from "./mutex.ts";
export type { CheckpointView, DurableEvents, HealthSample, States, Webhooks } from "./ports.ts";
export { createOperatorServer } from "./server.ts";
