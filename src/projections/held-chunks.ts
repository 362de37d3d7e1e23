/**
 * Chunks that arrived ahead of a gap, in order. When they grow too large the oldest are dropped:
 * the journal has them.
 */
import type { EventChunk } from "./event-chunk.ts";

const HELD_BYTES_MAX = 16 * 1024 * 1024;

export interface HeldChunk extends EventChunk {
  readonly firstSequence: number;
}

export class HeldChunks {
  readonly #chunks: HeldChunk[] = [];
  #bytes = 0;

  /** Chunks are added in the order of their sequences. */
  add(held: HeldChunk): void {
    this.#chunks.push(held);
    this.#bytes += held.chunk.byteLength;
    while (this.#bytes > HELD_BYTES_MAX) this.#dropOldest();
  }

  /** Removes and returns the chunk with `sequence`, or null; older ones are dropped. */
  take(sequence: number): HeldChunk | null {
    for (let oldest = this.#chunks[0]; oldest !== undefined; oldest = this.#chunks[0]) {
      if (oldest.firstSequence > sequence) return null;
      this.#dropOldest();
      if (oldest.lastSequence >= sequence) return oldest;
    }
    return null;
  }

  #dropOldest(): void {
    const dropped = this.#chunks.shift();
    if (dropped !== undefined) this.#bytes -= dropped.chunk.byteLength;
  }
}
