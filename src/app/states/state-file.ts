/**
 * A state of a sandbox in one file, to be opened elsewhere: the files of a checkpoint and the
 * master key that opens its secrets. Whoever has the file has working keys.
 *
 *   "RIALTOST" ‖ version (u32) ‖ length of the header (u32) ‖ header (JSON) ‖ CRC-32 of it ‖
 *   zstd of: the files, one after the other, and SHA-256 over header and files
 */
import { createHash, type Hash } from "node:crypto";
import { createReadStream, existsSync, mkdirSync, readdirSync, statSync } from "node:fs";
import { type FileHandle, open } from "node:fs/promises";
import { dirname, join } from "node:path";
import { PassThrough, Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { constants, crc32, createZstdCompress, createZstdDecompress } from "node:zlib";

const MAGIC = Buffer.from("RIALTOST", "latin1");
const FORMAT_VERSION = 1;
const PREFIX_BYTES = 16;
const CHECKSUM_BYTES = 4;
const HASH_BYTES = 32;
const HEADER_BYTES_MAX = 16 * 1024 * 1024;
/** Of all files; a journal that is longer has more commands than a report needs. */
export const STATE_BYTES_MAX = 4 * 1024 * 1024 * 1024;
const PRIVATE_FILE_MODE = 0o600;
const PRIVATE_FOLDER_MODE = 0o700;
const ZSTD_PARAMETERS = { [constants.ZSTD_c_checksumFlag]: 1 };
/** What a state consists of: nothing else is written where it is opened. */
const IN_FOLDERS = /^(journal\/\d{16}\.segment(\.zst)?|snapshots\/\d{16}\.snapshot)$/;
const BESIDE_THEM = /^(history-v\d+\.db|keys\.db|master\.key|checkpoint\.json)$/;

function isOfState(name: string): boolean {
  return IN_FOLDERS.test(name) || BESIDE_THEM.test(name);
}

/** The file is damaged or no state file; names it. */
export class UnusableStateFile extends Error {
  override readonly name = "UnusableStateFile";

  constructor(path: string, problem: string) {
    super(`${path}: ${problem}. Save the state again, or copy the file again.`);
  }
}

interface Entry {
  readonly name: string;
  readonly byteLength: number;
}

interface Header {
  readonly entries: readonly Entry[];
}

interface Source extends Entry {
  readonly path: string;
}

/** The files of a checkpoint; those that never change while it exists. */
function sourcesIn(folder: string, masterKey: string): readonly Source[] {
  const found: Source[] = [];
  const add = (name: string, path: string) => {
    if (isOfState(name)) found.push({ name, path, byteLength: statSync(path).size });
  };
  for (const name of readdirSync(folder)) {
    const path = join(folder, name);
    if (!statSync(path).isDirectory()) add(name, path);
    else for (const inner of readdirSync(path)) add(`${name}/${inner}`, join(path, inner));
  }
  if (existsSync(masterKey)) add("master.key", masterKey);
  return found;
}

/** Bytes of the state in a checkpoint's folder. */
export function stateBytes(folder: string): number {
  return sourcesIn(folder, "").reduce((sum, { byteLength }) => sum + byteLength, 0);
}

/** The state in a checkpoint's folder as the bytes of a file; never all of it in memory. */
export function packState(folder: string, masterKey: string): Readable {
  const sources = sourcesIn(folder, masterKey);
  const entries = sources.map(({ name, byteLength }) => ({ name, byteLength }));
  const header = Buffer.from(JSON.stringify({ entries } satisfies Header));
  const prefix = Buffer.alloc(PREFIX_BYTES);
  MAGIC.copy(prefix);
  prefix.writeUInt32LE(FORMAT_VERSION, 8);
  prefix.writeUInt32LE(header.length, 12);
  const checksum = Buffer.alloc(CHECKSUM_BYTES);
  checksum.writeUInt32LE(crc32(header));
  const out = new PassThrough();
  out.write(Buffer.concat([prefix, header, checksum]));
  const compress = createZstdCompress({ params: ZSTD_PARAMETERS });
  pipeline(Readable.from(contents(sources, header)), compress, out).catch((error: Error) =>
    out.destroy(error),
  );
  return out;
}

async function* contents(sources: readonly Source[], header: Buffer): AsyncGenerator<Buffer> {
  const hash = createHash("sha256").update(header);
  for (const { path, byteLength } of sources) {
    if (byteLength === 0) continue;
    for await (const chunk of createReadStream(path, { end: byteLength - 1 })) {
      hash.update(chunk);
      yield chunk;
    }
  }
  yield hash.digest();
}

/**
 * Writes the files of a state below `folder`, the master key to `masterKeyPath`. Throws
 * `UnusableStateFile`.
 */
export function unpackState(path: string, target: StateTarget): Promise<void> {
  return readState(path, target, {});
}

/** Reads the whole file. `onRead` is told its bytes so far. */
export function checkState(path: string, watched: Watched): Promise<void> {
  return readState(path, null, watched);
}

interface Watched {
  readonly onRead?: (bytes: number) => void;
  readonly signal?: AbortSignal;
}

async function readState(
  path: string,
  target: StateTarget | null,
  { onRead, signal }: Watched,
): Promise<void> {
  const file = await open(path, "r");
  try {
    const { header, bytes, offset } = await readHeader(file, path);
    const packed = createReadStream(path, { start: offset, ...(signal && { signal }) });
    packed.on("data", () => onRead?.(packed.bytesRead));
    const unpacked = createZstdDecompress();
    packed.on("error", (error) => unpacked.destroy(error));
    packed.pipe(unpacked);
    const reader = new ExactReader(unpacked, path, createHash("sha256").update(bytes));
    try {
      for (const entry of header.entries) await takeEntry(reader, entry, target);
      await reader.end();
      // Whatever follows would be left unread.
      const { size } = await file.stat();
      if (unpacked.bytesWritten !== size - offset) {
        throw new UnusableStateFile(path, "the file goes on after its end");
      }
    } finally {
      packed.destroy();
      unpacked.destroy();
    }
  } finally {
    await file.close();
  }
}

export interface StateTarget {
  readonly folder: string;
  readonly masterKeyPath: string;
}

async function readHeader(file: FileHandle, path: string) {
  const prefix = Buffer.alloc(PREFIX_BYTES);
  const { bytesRead } = await file.read(prefix, 0, PREFIX_BYTES, 0);
  if (bytesRead < PREFIX_BYTES || !prefix.subarray(0, MAGIC.length).equals(MAGIC)) {
    throw new UnusableStateFile(path, "this is no state file of Rialto");
  }
  const version = prefix.readUInt32LE(8);
  if (version !== FORMAT_VERSION) {
    throw new UnusableStateFile(path, `format ${version} is not known to this program`);
  }
  const length = prefix.readUInt32LE(12);
  if (length > HEADER_BYTES_MAX) throw new UnusableStateFile(path, "the header is damaged");
  const rest = Buffer.alloc(length + CHECKSUM_BYTES);
  const read = await file.read(rest, 0, rest.length, PREFIX_BYTES);
  const bytes = rest.subarray(0, length);
  if (read.bytesRead < rest.length || crc32(bytes) !== rest.readUInt32LE(length)) {
    throw new UnusableStateFile(path, "the header is damaged");
  }
  const header = JSON.parse(bytes.toString()) as Header;
  const total = header.entries.reduce((sum, { byteLength }) => sum + byteLength, 0);
  const isKnown = header.entries.every(({ name }) => isOfState(name));
  if (!isKnown || total > STATE_BYTES_MAX) throw new UnusableStateFile(path, "the header is wrong");
  return { header, bytes, offset: PREFIX_BYTES + rest.length };
}

async function takeEntry(
  reader: ExactReader,
  { name, byteLength }: Entry,
  target: StateTarget | null,
): Promise<void> {
  if (target === null) {
    for await (const _ of reader.take(byteLength));
    return;
  }
  const { folder, masterKeyPath } = target;
  const path = name === "master.key" ? masterKeyPath : join(folder, name);
  mkdirSync(dirname(path), { recursive: true, mode: PRIVATE_FOLDER_MODE });
  const file = await open(path, "wx", PRIVATE_FILE_MODE);
  try {
    for await (const chunk of reader.take(byteLength)) await file.write(chunk);
    await file.datasync();
  } finally {
    await file.close();
  }
}

/** Reads a stream in parts of known lengths, and hashes them. */
class ExactReader {
  readonly #chunks: AsyncIterator<Buffer>;
  readonly #path: string;
  readonly #hash: Hash;
  #rest: Buffer = Buffer.alloc(0);

  constructor(stream: Readable, path: string, hash: Hash) {
    this.#chunks = stream[Symbol.asyncIterator]();
    this.#path = path;
    this.#hash = hash;
  }

  async *take(byteLength: number): AsyncGenerator<Buffer> {
    for (let left = byteLength; left > 0; ) {
      const chunk = (await this.#some()).subarray(0, left);
      this.#rest = this.#rest.subarray(chunk.length);
      left -= chunk.length;
      this.#hash.update(chunk);
      yield chunk;
    }
  }

  async #some(): Promise<Buffer> {
    while (this.#rest.length === 0) {
      const next = await this.#next();
      if (next === null) throw new UnusableStateFile(this.#path, "the file ends too early");
      this.#rest = next;
    }
    return this.#rest;
  }

  async #next(): Promise<Buffer | null> {
    try {
      const { value, done } = await this.#chunks.next();
      return done === true ? null : value;
    } catch (error) {
      throw new UnusableStateFile(this.#path, `it is damaged (${(error as Error).message})`);
    }
  }

  /** The hash of all that was taken is the next, and the last. */
  async end(): Promise<void> {
    const expected = this.#hash.copy().digest();
    const stored: Buffer[] = [];
    for await (const chunk of this.take(HASH_BYTES)) stored.push(chunk);
    const isSame = Buffer.concat(stored).equals(expected);
    const isEnd = this.#rest.length === 0 && (await this.#next()) === null;
    if (!isSame || !isEnd) throw new UnusableStateFile(this.#path, "it does not match its hash");
  }
}
