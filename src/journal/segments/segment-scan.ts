/** Walks one segment batch by batch and checks that each follows from the one before. */

import type { FileSystem } from "../../platform/index.ts";
import type { JournaledBatch } from "../../protocol/index.ts";
import { sameBytes } from "../disk/fixed-width.ts";
import {
  BATCH_HEADER_BYTES,
  type BatchHeader,
  claimedChainHash,
  decodeBatch,
  decodeBatchHeader,
} from "./batch-format.ts";
import { ByteCursor } from "./byte-source.ts";
import {
  decodeSegmentHeader,
  SEGMENT_HEADER_BYTES,
  type SegmentHeader,
  type SegmentName,
} from "./segment.ts";

/** A point between two batches of the log. */
export interface ChainPosition {
  /** Sequence of the last record before it; 0 at the beginning. */
  readonly sequence: number;
  readonly chainHash: Uint8Array;
  readonly epoch: number;
}

export interface ScannedBatch {
  readonly kind: "batch";
  readonly batch: JournaledBatch;
  readonly header: BatchHeader;
  /** The batch's bytes in the segment, and where they begin. */
  readonly bytes: Uint8Array;
  readonly offset: number;
}

/** No further batch begins at the scan's offset; `problem` says why. */
export interface ScanStop {
  readonly kind: "stop";
  readonly atEndOfFile: boolean;
  readonly problem: string;
}

const SKIPPED = { kind: "skipped" } as const;

export class SegmentScan {
  readonly segment: SegmentName;
  readonly header: SegmentHeader;
  readonly cursor: ByteCursor;
  #position: ChainPosition;

  private constructor(segment: SegmentName, header: SegmentHeader, cursor: ByteCursor) {
    this.segment = segment;
    this.header = header;
    this.cursor = cursor;
    const { firstSequence, chainHash, epoch } = header;
    this.#position = { sequence: firstSequence - 1, chainHash, epoch };
  }

  /** A sentence saying what is wrong when the file is no segment. */
  static async open(fileSystem: FileSystem, segment: SegmentName): Promise<SegmentScan | string> {
    const cursor = await ByteCursor.open(fileSystem, segment);
    try {
      await cursor.ensure(SEGMENT_HEADER_BYTES);
    } catch (error) {
      await cursor.close();
      return unreadable(error);
    }
    const header = decodeSegmentHeader(cursor.take(SEGMENT_HEADER_BYTES), segment);
    if (typeof header !== "string") return new SegmentScan(segment, header, cursor);
    await cursor.close();
    return header;
  }

  /** After the last batch that was taken. */
  get position(): ChainPosition {
    return this.#position;
  }

  get offset(): number {
    return this.cursor.offset;
  }

  /** The next batch with `fromSequence` or a later one; those before are skipped unhashed. */
  async next(fromSequence = 0): Promise<ScannedBatch | ScanStop> {
    for (;;) {
      const step = await this.#step(fromSequence);
      if (step.kind !== "skipped") return step;
    }
  }

  async #step(fromSequence: number): Promise<ScannedBatch | ScanStop | typeof SKIPPED> {
    const { cursor } = this;
    try {
      if (cursor.available < BATCH_HEADER_BYTES) await cursor.ensure(BATCH_HEADER_BYTES);
      const header = decodeBatchHeader(cursor.peek(BATCH_HEADER_BYTES));
      if (header === null) return this.#noHeader();
      const broken = brokenLink(header, this.#position);
      if (broken !== null) return stop(broken);
      const { byteLength } = header;
      if (cursor.available < byteLength && !(await cursor.ensure(byteLength))) {
        return stop("the file ends inside a batch");
      }
      return this.#take(header, fromSequence);
    } catch (error) {
      if (this.segment.form === "raw") throw error;
      return stop(unreadable(error));
    }
  }

  #noHeader(): ScanStop {
    if (this.cursor.available === 0) return stop("the file ends here", true);
    return stop("no batch begins here");
  }

  #take(header: BatchHeader, fromSequence: number): ScannedBatch | ScanStop | typeof SKIPPED {
    const { byteLength, lastSequence, epoch } = header;
    const { offset } = this.cursor;
    const bytes = this.cursor.peek(byteLength);
    if (lastSequence < fromSequence) {
      this.#position = { sequence: lastSequence, chainHash: claimedChainHash(bytes), epoch };
      this.cursor.take(byteLength);
      return SKIPPED;
    }
    const batch = decodeBatch(header, bytes);
    if (typeof batch === "string") return stop(batch);
    this.#position = { sequence: lastSequence, chainHash: batch.chainHash, epoch };
    this.cursor.take(byteLength);
    return { kind: "batch", batch, header, bytes, offset };
  }

  close(): Promise<void> {
    return this.cursor.close();
  }
}

function stop(problem: string, atEndOfFile = false): ScanStop {
  return { kind: "stop", atEndOfFile, problem };
}

function brokenLink(header: BatchHeader, position: ChainPosition): string | null {
  if (header.firstSequence !== position.sequence + 1) {
    return `a batch begins here with sequence ${header.firstSequence}`;
  }
  if (!sameBytes(header.previousChainHash, position.chainHash)) {
    return "the batch does not follow from the one before it (hash chain)";
  }
  if (header.epoch < position.epoch) return "the batch is of an earlier epoch";
  return null;
}

function unreadable(error: unknown): string {
  return `the file cannot be read: ${error instanceof Error ? error.message : String(error)}`;
}
