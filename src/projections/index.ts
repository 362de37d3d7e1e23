/** Events → read models, in a thread of their own. */
export type { EventChunk } from "./event-chunk.ts";
export * from "./open-projections.ts";
export { writeHistory } from "./projection-thread.ts";
export { HISTORY_WRITER, ProjectionWriter } from "./projection-writer.ts";
export { Projector } from "./projector.ts";
