/**
 * Preallocation: zeros that are written and synced ahead of the log's end before any batch needs
 * them. A commit then changes neither the file's size nor its blocks, which makes its sync fast;
 * and a full disk is noticed here, while there is still space for cancels, not inside a batch.
 */
import { type FileSystem, isDiskFull, type OpenFile } from "../../platform/index.ts";

export interface PreallocationOptions {
  /** The file never grows beyond this ahead of need. */
  readonly limitBytes: number;
  /** Zeros kept ahead of the log's end. */
  readonly aheadBytes: number;
}

/** Zeros are written in pieces: a commit's sync waits for all dirty pages of its file. */
const PIECE_BYTES = 128 * 1024;
const ZEROS = new Uint8Array(PIECE_BYTES);

export class Preallocation {
  /**
   * A descriptor of its own: the kernel reports a failed write-back once per descriptor, and the
   * sync of a commit must not miss a report because this one has received it.
   */
  readonly #file: OpenFile;
  readonly #options: PreallocationOptions;
  #end: number;
  #growing: Promise<void> | null = null;
  #target = 0;
  #diskFull = false;
  #closed = false;
  #failure: unknown = null;

  private constructor(file: OpenFile, end: number, options: PreallocationOptions) {
    this.#file = file;
    this.#end = end;
    this.#options = options;
  }

  /** `end`: the file's length, up to which it is zeros behind the last batch. */
  static async open(
    fileSystem: FileSystem,
    path: string,
    end: number,
    options: PreallocationOptions,
  ): Promise<Preallocation> {
    return new Preallocation(await fileSystem.open(path, "write"), end, options);
  }

  /** True from the moment the disk has no space for more zeros until it has again. */
  get diskFull(): boolean {
    return this.#diskFull;
  }

  /** The error of a failed sync; nothing may be written to the log after one. */
  get failure(): unknown {
    return this.#failure;
  }

  covers(end: number): boolean {
    return end <= this.#end;
  }

  /** Keeps zeros ahead of `offset`, in the background. Those that had no space are tried again. */
  keepAhead(offset: number): void {
    const { aheadBytes, limitBytes } = this.#options;
    const isAhead = this.#end - offset > aheadBytes - Math.min(PIECE_BYTES, aheadBytes / 2);
    if (isAhead && !this.#diskFull) return;
    this.#grow(Math.min(offset + aheadBytes, limitBytes));
  }

  /** Zeros up to `end`, or a rejection. */
  async extendTo(end: number): Promise<void> {
    while (!this.covers(end) && this.#failure === null) {
      this.#grow(end);
      await this.#growing;
      if (this.#diskFull) throw new Error("the disk is full: no space for the next batch");
    }
    if (this.#failure !== null) throw this.#failure;
  }

  #grow(end: number): void {
    this.#target = Math.max(this.#target, end);
    if (this.#growing !== null || this.#closed || this.#failure !== null) return;
    if (this.#end >= this.#target) return;
    this.#growing = this.#writeZeros().finally(() => {
      this.#growing = null;
    });
  }

  async #writeZeros(): Promise<void> {
    while (this.#end < this.#target && !this.#closed) {
      const piece = ZEROS.subarray(0, Math.min(PIECE_BYTES, this.#target - this.#end));
      try {
        await this.#file.write(piece, this.#end);
      } catch (error) {
        this.#target = this.#end;
        if (isDiskFull(error)) this.#diskFull = true;
        else this.#failure = error;
        return;
      }
      try {
        await this.#file.sync();
      } catch (error) {
        this.#failure = error;
        return;
      }
      this.#end += piece.length;
      this.#diskFull = false;
    }
  }

  /** After the write in progress. */
  async close(): Promise<void> {
    this.#closed = true;
    await this.#growing;
    await this.#file.close();
  }
}
