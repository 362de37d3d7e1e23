/**
 * The records of a batch, one after the other in its bytes. Creating a view of each would cost more
 * than reading it, and a replay reads them one at a time.
 */
import { invariant } from "../domain/index.ts";
import { ByteReader } from "./bytes.ts";

export class RecordRun implements Iterable<Uint8Array> {
  readonly length: number;
  readonly #bytes: Uint8Array;
  /** Where each record begins and ends. */
  readonly #bounds: Uint32Array;

  /** `bounds` alternates the offsets in `bytes` at which each record begins and ends. */
  constructor(bytes: Uint8Array, bounds: Uint32Array) {
    this.length = bounds.length / 2;
    // Never a `Buffer`: code that reads two kinds of arrays is slower for both.
    this.#bytes = new Uint8Array(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    this.#bounds = bounds;
  }

  /** A view of the record. */
  at(index: number): Uint8Array {
    invariant(index >= 0 && index < this.length, "a record of the batch");
    return this.#bytes.subarray(this.#bounds[2 * index], this.#bounds[2 * index + 1]);
  }

  *[Symbol.iterator](): Generator<Uint8Array> {
    for (let index = 0; index < this.length; index++) yield this.at(index);
  }

  /** The first `count` records. */
  first(count: number): RecordRun {
    return new RecordRun(this.#bytes, this.#bounds.subarray(0, 2 * count));
  }

  /** A reader for `open`. */
  reader(): ByteReader {
    return new ByteReader(this.#bytes);
  }

  /** Moves `reader` to a record: it sees only that record's bytes. */
  open(reader: ByteReader, index: number): void {
    invariant(index >= 0 && index < this.length, "a record of the batch");
    reader.narrow(this.#bounds[2 * index] as number, this.#bounds[2 * index + 1] as number);
  }
}
