/**
 * The journal as the sequencer sees it. It does not know what a batch means (commands, events), and
 * no other code knows its files, offsets and rows. Adapters: `file` (one machine), `quorum` (a log
 * in PostgreSQL that survives any machine) and `memory` (tests).
 */
import type { RecordRun } from "./record-run.ts";

/** The unit of a commit: commands with consecutive sequences and one shared time. */
export interface Batch {
  /** Sequence of the first record, from 1; the others follow without a gap. */
  readonly firstSequence: number;
  readonly timestampMs: number;
  /** Encoded commands, at least one. */
  readonly records: Iterable<Uint8Array> & { readonly length: number };
  /**
   * Running digest of all events up to and including this batch: SHA-256 of the previous digest and
   * the batch's events. Null in most batches; set in the first that reaches a multiple of 10,000.
   */
  readonly eventDigest: Uint8Array | null;
}

/** A batch as read back, with the end of the hash chain after it. */
export interface JournaledBatch extends Batch {
  readonly records: RecordRun;
  readonly epoch: number;
  readonly chainHash: Uint8Array;
}

/**
 * `durable`: on stable storage, with a quorum on that of two machines. `fenced`: another writer
 * took over, and the batch is not in the log. `unknown`: the append failed, and the next reader may
 * or may not find the batch. `missing`: batches that were durable are gone, so a person must
 * decide. All but the first end the process.
 */
export type AppendResult = "durable" | "fenced" | "unknown" | "missing";

export interface Journal {
  readonly epoch: number;
  /** The last durable sequence; 0 when the journal is empty. */
  readonly lastSequence: number;
  /** True while the disk is nearly full: new commands are refused, cancels are still accepted. */
  readonly nearlyFull: boolean;
  /** Appends in call order; `expectedSequence` is that of the last record before this batch. */
  append(expectedSequence: number, epoch: number, batch: Batch): Promise<AppendResult>;
  /** Durable batches, starting with the one that contains `fromSequence`. */
  read(fromSequence: number): AsyncIterable<JournaledBatch>;
  /** Like `read`, then continues with batches as they become durable, until `signal` aborts. */
  tail(fromSequence: number, signal: AbortSignal): AsyncIterable<JournaledBatch>;
  close(): Promise<void>;
}

/**
 * State at a sequence. The engine defines `sections`; the store adds checksums and keeps the newest
 * three snapshots.
 */
export interface Snapshot {
  readonly sequence: number;
  readonly timestampMs: number;
  /** Exchange time behind that command: later, where it moved exchange time. */
  readonly clockMs: number;
  readonly rulesVersion: number;
  readonly stateHash: string;
  /** Running event digest as of `sequence`. */
  readonly eventDigest: Uint8Array;
  /** End of the journal's hash chain at `sequence`: a snapshot of another journal is refused. */
  readonly chainHash: Uint8Array;
  readonly sections: readonly SnapshotSection[];
}

export interface SnapshotSection {
  readonly name: string;
  readonly bytes: Uint8Array;
}

export interface SnapshotStore {
  /** Newest first. Unreadable ones are reported and skipped. */
  list(): Promise<readonly { readonly sequence: number; readonly createdMs: number }[]>;
  /** Null when there is none at that sequence. Rejects when it is damaged. */
  load(sequence: number): Promise<Snapshot | null>;
  /** Temporary file, fsync, rename, fsync of the folder; then deletes all but the newest three. */
  save(snapshot: Snapshot): Promise<void>;
}
