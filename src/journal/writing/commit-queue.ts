/**
 * Batches waiting to be written, grouped into commits: what arrives during the sync of one commit
 * becomes the next. Each batch is encoded on arrival, so that the work overlaps with the sync.
 */
import { invariant } from "../../domain/index.ts";
import type { AppendResult, Batch } from "../../protocol/index.ts";
import { encodeBatch, encodedBatchLength, MAX_BATCH_BYTES } from "../segments/batch-format.ts";
import type { ChainPosition } from "../segments/segment-scan.ts";

/** Batches that are written and synced together, and answered together. */
export class Commit {
  readonly firstSequence: number;
  /** The last sequence that was durable when its batches were written. */
  readonly durableSequence: number;
  #bytes: Buffer;
  #length = 0;
  #answers: ((result: AppendResult) => void)[] = [];

  constructor(firstSequence: number, buffer: Buffer) {
    this.firstSequence = firstSequence;
    this.durableSequence = firstSequence - 1;
    this.#bytes = buffer;
  }

  get bytes(): Buffer {
    return this.#bytes.subarray(0, this.#length);
  }

  get byteLength(): number {
    return this.#length;
  }

  /** Its memory, reused once the commit is done. */
  get buffer(): Buffer {
    return this.#bytes;
  }

  /** The position after the batch, and a promise of the commit's outcome. */
  add(batch: Batch, length: number, before: ChainPosition): Added {
    const end = this.#length + length;
    if (end > this.#bytes.length) this.#growTo(end);
    const { epoch, chainHash } = before;
    const place = { epoch, durableSequence: this.durableSequence, previousChainHash: chainHash };
    const bytes = this.#bytes.subarray(this.#length, end);
    const after = encodeBatch(batch, place, bytes);
    this.#length = end;
    const result = new Promise<AppendResult>((resolve) => {
      this.#answers.push(resolve);
    });
    const sequence = batch.firstSequence + batch.records.length - 1;
    return { position: { sequence, chainHash: after, epoch }, result };
  }

  #growTo(length: number): void {
    const grown = Buffer.allocUnsafeSlow(Math.max(length, this.#bytes.length * 2));
    this.#bytes.copy(grown, 0, 0, this.#length);
    this.#bytes = grown;
  }

  answer(result: AppendResult): void {
    for (const resolve of this.#answers) resolve(result);
    this.#answers = [];
  }
}

interface Added {
  readonly position: ChainPosition;
  readonly result: Promise<AppendResult>;
}

/** A commit with the end of the log after it. */
export interface SealedCommit {
  readonly commit: Commit;
  readonly position: ChainPosition;
}

const FIRST_BUFFER_BYTES = 256 * 1024;
/** Larger buffers, of rare large batches, are left to the garbage collector. */
const KEPT_BUFFER_BYTES = 4 * 1024 * 1024;
/** Far above what a sequencer keeps in flight: only a caller that ignores answers reaches it. */
const MAX_WAITING_BYTES = 256 * 1024 * 1024;

export class CommitQueue {
  readonly #maxCommitBytes: number;
  readonly #waiting: SealedCommit[] = [];
  #waitingBytes = 0;
  #position: ChainPosition;
  #spare: Buffer | null = null;

  constructor(position: ChainPosition, maxCommitBytes: number) {
    this.#position = position;
    this.#maxCommitBytes = maxCommitBytes;
  }

  /** The end of the log once everything queued is written. */
  get position(): ChainPosition {
    return this.#position;
  }

  get empty(): boolean {
    return this.#waiting.length === 0;
  }

  add(batch: Batch): Promise<AppendResult> {
    const length = encodedBatchLength(batch);
    invariant(batch.records.length > 0, "a batch has at least one record");
    invariant(length <= MAX_BATCH_BYTES, `a batch has at most ${MAX_BATCH_BYTES} bytes`);
    this.#waitingBytes += length;
    invariant(this.#waitingBytes <= MAX_WAITING_BYTES, "the journal's callers wait for answers");
    const last = this.#waiting.at(-1)?.commit;
    const fits = last !== undefined && last.byteLength + length <= this.#maxCommitBytes;
    const commit = fits ? last : this.#newCommit(batch.firstSequence);
    const { position, result } = commit.add(batch, length, this.#position);
    this.#position = position;
    if (fits) this.#waiting.pop();
    this.#waiting.push({ commit, position });
    return result;
  }

  #newCommit(firstSequence: number): Commit {
    const buffer = this.#spare ?? Buffer.allocUnsafeSlow(FIRST_BUFFER_BYTES);
    this.#spare = null;
    return new Commit(firstSequence, buffer);
  }

  /** The oldest commit; later batches go into another. */
  take(): SealedCommit | undefined {
    const sealed = this.#waiting.shift();
    if (sealed !== undefined) this.#waitingBytes -= sealed.commit.byteLength;
    return sealed;
  }

  /** Answers all that is queued, in order: nothing of it will be written. */
  answerAll(result: AppendResult): void {
    for (let next = this.take(); next !== undefined; next = this.take()) next.commit.answer(result);
  }

  /** Gives a finished commit's memory back. */
  recycle(commit: Commit): void {
    if (commit.buffer.length <= KEPT_BUFFER_BYTES) this.#spare = commit.buffer;
  }
}
