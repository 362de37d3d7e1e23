/** The unit in which events reach the projections. */

/** Whole commands with their events, in order. */
export interface EventChunk {
  readonly chunk: Uint8Array;
  /** Sequence of the last command in it. */
  readonly lastSequence: number;
}
