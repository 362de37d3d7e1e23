/** The bytes of a raw or compressed segment in order, through a window that grows on demand. */
import { once } from "node:events";
import { Readable } from "node:stream";
import { createZstdDecompress } from "node:zlib";
import type { FileSystem, OpenFile } from "../../platform/index.ts";
import type { SegmentName } from "./segment.ts";

/** Reads begin small, as many need one batch only, and double up to this. */
const FIRST_CHUNK_BYTES = 16 * 1024;
const MAX_CHUNK_BYTES = 512 * 1024;

interface ByteSource {
  /** The next bytes, at least one; null at the end of the file. The receiver may keep them. */
  pull(): Promise<Uint8Array | null>;
  /** Continues at this offset, as later bytes may have changed; false if they cannot have. */
  rewind(offset: number): boolean;
  close(): Promise<void>;
}

class RawSource implements ByteSource {
  readonly #file: OpenFile;
  #position = 0;
  #chunkBytes = FIRST_CHUNK_BYTES;

  constructor(file: OpenFile) {
    this.#file = file;
  }

  async pull(): Promise<Uint8Array | null> {
    const chunk = Buffer.allocUnsafeSlow(this.#chunkBytes);
    const count = await this.#file.read(chunk, this.#position);
    if (count === 0) return null;
    this.#position += count;
    this.#chunkBytes = Math.min(2 * this.#chunkBytes, MAX_CHUNK_BYTES);
    return chunk.subarray(0, count);
  }

  rewind(offset: number): boolean {
    this.#position = offset;
    this.#chunkBytes = FIRST_CHUNK_BYTES;
    return true;
  }

  close(): Promise<void> {
    return this.#file.close();
  }
}

/** A compressed segment is closed and never changes, so there is nothing to rewind. */
class CompressedSource implements ByteSource {
  readonly #file: OpenFile;
  readonly #compressed: Readable;
  readonly #unpacked: Readable;
  readonly #chunks: AsyncIterator<Uint8Array>;

  constructor(file: OpenFile) {
    this.#file = file;
    const unpacker = createZstdDecompress();
    this.#compressed = Readable.from(pullAll(new RawSource(file)));
    this.#compressed.on("error", (error) => unpacker.destroy(error));
    this.#unpacked = this.#compressed.pipe(unpacker);
    this.#chunks = this.#unpacked[Symbol.asyncIterator]();
  }

  async pull(): Promise<Uint8Array | null> {
    const { done, value } = await this.#chunks.next();
    return done ? null : value;
  }

  rewind(): boolean {
    return false;
  }

  /** The file is closed after the last read of it has come back. */
  async close(): Promise<void> {
    this.#unpacked.destroy();
    this.#compressed.destroy();
    if (!this.#compressed.closed) await once(this.#compressed, "close");
    await this.#file.close();
  }
}

async function* pullAll(source: ByteSource): AsyncGenerator<Uint8Array> {
  for (;;) {
    const chunk = await source.pull();
    if (chunk === null) return;
    yield chunk;
  }
}

const NO_BYTES = new Uint8Array(0);

/** A window over a source. Returned bytes stay valid: windows are replaced, not overwritten. */
export class ByteCursor {
  readonly #source: ByteSource;
  #window: Uint8Array = NO_BYTES;
  #start = 0;
  #offset = 0;

  private constructor(source: ByteSource) {
    this.#source = source;
  }

  static async open(fileSystem: FileSystem, segment: SegmentName): Promise<ByteCursor> {
    const file = await fileSystem.open(segment.path, "read");
    const compressed = segment.form === "compressed";
    return new ByteCursor(compressed ? new CompressedSource(file) : new RawSource(file));
  }

  /** The position of the next byte in the (uncompressed) file. */
  get offset(): number {
    return this.#offset;
  }

  get available(): number {
    return this.#window.length - this.#start;
  }

  /** Whether the file has `count` more bytes; then they are in the window. */
  async ensure(count: number): Promise<boolean> {
    while (this.available < count) {
      const chunk = await this.#source.pull();
      if (chunk === null) return false;
      this.#append(chunk);
    }
    return true;
  }

  #append(chunk: Uint8Array): void {
    const rest = this.#window.subarray(this.#start);
    this.#window = rest.length === 0 ? chunk : Buffer.concat([rest, chunk]);
    this.#start = 0;
  }

  /** The next bytes without going past them; fewer where the window ends. */
  peek(count: number): Uint8Array {
    return this.#window.subarray(this.#start, this.#start + count);
  }

  take(count: number): Uint8Array {
    const bytes = this.peek(count);
    this.#start += bytes.length;
    this.#offset += bytes.length;
    return bytes;
  }

  /** Goes past `count` bytes, or to the end of the file. */
  async advance(count: number): Promise<void> {
    for (let left = count; left > 0 && (await this.ensure(1)); ) left -= this.take(left).length;
  }

  /** Drops what was read ahead: the writer may have written since. */
  refresh(): void {
    if (!this.#source.rewind(this.#offset)) return;
    this.#window = NO_BYTES;
    this.#start = 0;
  }

  close(): Promise<void> {
    return this.#source.close();
  }
}
