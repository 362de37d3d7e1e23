/** Events → read models, in a thread of their own. */
export type { EventChunk } from "./event-chunk.ts";
export * from "./open-projections.ts";
export { ProjectionWriter } from "./projection-writer.ts";
export { Projector } from "./projector.ts";
