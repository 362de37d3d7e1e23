/**
 * Room ahead of the log's end: zeros that are written and synced before any batch needs them. So a
 * commit changes neither the file's size nor its blocks (which makes its sync fast), and a full
 * disk shows here, while there still is room for cancels, and not in the middle of a batch.
 */
import { type FileSystem, isDiskFull, type OpenFile } from "../disk/file-system.ts";

export interface RoomOptions {
  /** How far the file may grow ahead of need. */
  readonly limitBytes: number;
  /** How much room is kept ahead. */
  readonly aheadBytes: number;
}

/** Zeros are written in pieces, because a commit's sync waits for what is dirty in its file. */
const PIECE_BYTES = 128 * 1024;
const ZEROS = new Uint8Array(PIECE_BYTES);

export class RoomAhead {
  /**
   * A descriptor of its own: the kernel reports a failed write-back once per descriptor, and a
   * report that this one got must not be missing from the sync of a commit.
   */
  readonly #file: OpenFile;
  readonly #options: RoomOptions;
  #end: number;
  #growing: Promise<void> | null = null;
  #wanted = 0;
  #full = false;
  #closed = false;
  #failure: unknown = null;

  private constructor(file: OpenFile, end: number, options: RoomOptions) {
    this.#file = file;
    this.#end = end;
    this.#options = options;
  }

  /** `end`: the file's length, up to which it is zeros behind the last batch. */
  static async open(
    fileSystem: FileSystem,
    path: string,
    end: number,
    options: RoomOptions,
  ): Promise<RoomAhead> {
    return new RoomAhead(await fileSystem.open(path, "write"), end, options);
  }

  /** True after the disk had no room for more zeros, until it has. */
  get full(): boolean {
    return this.#full;
  }

  /** What a failed sync said; the log must not be written on after one. */
  get failure(): unknown {
    return this.#failure;
  }

  has(end: number): boolean {
    return end <= this.#end;
  }

  /** Keeps the room ahead of `offset`, in the background. */
  keepAhead(offset: number): void {
    const { aheadBytes, limitBytes } = this.#options;
    if (this.#end - offset > aheadBytes - Math.min(PIECE_BYTES, aheadBytes / 2)) return;
    this.#want(Math.min(offset + aheadBytes, limitBytes));
  }

  /** Room up to `end`, or a rejection. */
  async reach(end: number): Promise<void> {
    while (!this.has(end) && this.#failure === null) {
      this.#want(end);
      await this.#growing;
      if (this.#full) throw new Error("the disk is full: no room for the next batch");
    }
    if (this.#failure !== null) throw this.#failure;
  }

  #want(end: number): void {
    this.#wanted = Math.max(this.#wanted, end);
    if (this.#growing !== null || this.#closed || this.#failure !== null) return;
    if (this.#end >= this.#wanted) return;
    this.#growing = this.#grow().finally(() => {
      this.#growing = null;
    });
  }

  async #grow(): Promise<void> {
    while (this.#end < this.#wanted && !this.#closed) {
      const piece = ZEROS.subarray(0, Math.min(PIECE_BYTES, this.#wanted - this.#end));
      try {
        await this.#file.write(piece, this.#end);
      } catch (error) {
        this.#wanted = this.#end;
        if (isDiskFull(error)) this.#full = true;
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
      this.#full = false;
    }
  }

  /** Waits for what is under way. */
  async close(): Promise<void> {
    this.#closed = true;
    await this.#growing;
    await this.#file.close();
  }
}
