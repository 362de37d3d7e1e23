/**
 * The journal as the sequencer sees it. What a batch means (commands, events) is not its business;
 * files and offsets are nobody else's. Adapters: `file` (one machine) and `memory` (tests).
 */
import type { RecordRun } from "./record-run.ts";

/** What one commit makes durable: commands that take consecutive sequences and share one time. */
export interface Batch {
  /** Sequence of the first record, from 1; the others follow without a gap. */
  readonly firstSequence: number;
  readonly timestampMs: number;
  /** Encoded commands, at least one. */
  readonly records: Iterable<Uint8Array> & { readonly length: number };
  /**
   * Running digest of all events up to and including this batch: SHA-256 of the digest before it
   * and the batch's events. Null in most batches; set in the first that reaches a multiple of
   * 10,000.
   */
  readonly eventDigest: Uint8Array | null;
}

/** A batch as it is read back, with the end of the hash chain after it. */
export interface JournaledBatch extends Batch {
  readonly records: RecordRun;
  readonly epoch: number;
  readonly chainHash: Uint8Array;
}

/**
 * `durable`: on stable storage. `fenced`: another writer took over. `unknown`: the append failed
 * and may or may not be found by the next reader. The last two end the process.
 */
export type AppendResult = "durable" | "fenced" | "unknown";

export interface Journal {
  readonly epoch: number;
  /** The last durable sequence; 0 when the journal is empty. */
  readonly lastSequence: number;
  /** True while the store is nearly full: new commands are refused, cancels go on. */
  readonly nearlyFull: boolean;
  /** Appends in order of calls; `expectedSequence` is that of the last record before this batch. */
  append(expectedSequence: number, epoch: number, batch: Batch): Promise<AppendResult>;
  /** Durable batches from the one that holds `fromSequence`. */
  read(fromSequence: number): AsyncIterable<JournaledBatch>;
  /** As `read`, then goes on with batches as they become durable, until `signal` aborts. */
  tail(fromSequence: number, signal: AbortSignal): AsyncIterable<JournaledBatch>;
  close(): Promise<void>;
}

/**
 * State at a sequence. `sections` are the engine's; the store adds checksums and keeps the newest
 * three.
 */
export interface Snapshot {
  readonly sequence: number;
  readonly timestampMs: number;
  readonly rulesVersion: number;
  readonly stateHash: string;
  /** Running event digest as of `sequence`. */
  readonly eventDigest: Uint8Array;
  /** End of the journal's hash chain as of `sequence`: a snapshot of another journal is refused. */
  readonly chainHash: Uint8Array;
  readonly sections: readonly SnapshotSection[];
}

export interface SnapshotSection {
  readonly name: string;
  readonly bytes: Uint8Array;
}

export interface SnapshotStore {
  /** Newest first. Unreadable ones are reported and passed over, never returned. */
  list(): Promise<readonly { readonly sequence: number; readonly createdMs: number }[]>;
  /** Null when there is none at that sequence. Rejects when it is damaged. */
  load(sequence: number): Promise<Snapshot | null>;
  /** Temporary file, fsync, rename, fsync of the folder; then all but the newest three go. */
  save(snapshot: Snapshot): Promise<void>;
}
