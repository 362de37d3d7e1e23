/** Snapshots in a folder, one file each, named by sequence, written and read in chunks. */
import { createHash, type Hash } from "node:crypto";
import { basename, join } from "node:path";
import { crc32 } from "node:zlib";
import {
  type FileSystem,
  isDiskFull,
  isMissingFile,
  NODE_FILE_SYSTEM,
  NODE_PLATFORM,
  type OpenFile,
} from "../../platform/index.ts";
import type { Snapshot, SnapshotSection, SnapshotStore } from "../../protocol/index.ts";
import { HASH_BYTES, sameBytes, viewOf } from "../disk/fixed-width.ts";
import { removeIfThere, TEMPORARY_SUFFIX } from "../disk/whole-file.ts";
import {
  CHECKSUM_BYTES,
  decodeSnapshotHeader,
  encodeSnapshotHeader,
  SNAPSHOT_PREFIX_BYTES,
  type SnapshotHeader,
  snapshotFileLength,
  snapshotHeaderLength,
} from "./snapshot-format.ts";

const SNAPSHOT_NAME = /^(\d{16})\.snapshot$/;
const SEQUENCE_DIGITS = 16;
const KEPT_SNAPSHOTS = 3;
const CHUNK_BYTES = 1024 * 1024;

/** A damaged snapshot file. */
export class DamagedSnapshot extends Error {
  override readonly name = "DamagedSnapshot";
  readonly file: string;
  readonly problem: string;

  constructor(file: string, problem: string) {
    super(`${file}: ${problem}. Remove it: another snapshot, or the journal, makes it good`);
    this.file = file;
    this.problem = problem;
  }
}

/** A snapshot that was not taken, and why. */
export interface PassedOver {
  readonly file: string;
  readonly problem: string;
}

export interface UsableSnapshot {
  /** Null when none is usable: the journal is then replayed from the beginning. */
  readonly snapshot: Snapshot | null;
  readonly passedOver: readonly PassedOver[];
}

/** Whether the journal's hash chain at `sequence` is this one. */
export type ChainCheck = (sequence: number, chainHash: Uint8Array) => Promise<boolean>;

export interface SnapshotFilesOptions {
  readonly folder: string;
  readonly fileSystem?: FileSystem;
  /** The wall clock, for `createdMs`. */
  readonly now?: () => number;
  /** Receives a line for every damaged file that is skipped. */
  readonly log?: (level: "warn", message: string) => void;
}

/** The first snapshot creates the folder. */
export function openSnapshotFiles(options: SnapshotFilesOptions): SnapshotFiles {
  return new SnapshotFiles(options);
}

export class SnapshotFiles implements SnapshotStore {
  #folder: string;
  readonly #fileSystem: FileSystem;
  readonly #now: () => number;
  readonly #log: (level: "warn", message: string) => void;

  constructor(options: SnapshotFilesOptions) {
    this.#folder = options.folder;
    this.#fileSystem = options.fileSystem ?? NODE_FILE_SYSTEM;
    this.#now = options.now ?? (() => NODE_PLATFORM.clock.wallMs());
    this.#log = options.log ?? (() => {});
  }

  /** From now on the snapshots are those of another folder. */
  switchTo(folder: string): void {
    this.#folder = folder;
  }

  #path(sequence: number): string {
    return join(this.#folder, `${String(sequence).padStart(SEQUENCE_DIGITS, "0")}.snapshot`);
  }

  async #names(): Promise<readonly string[]> {
    try {
      return await this.#fileSystem.list(this.#folder);
    } catch (error) {
      if (isMissingFile(error)) return [];
      throw error;
    }
  }

  /** Sequences by file name, newest first. */
  async #sequences(): Promise<number[]> {
    const names = await this.#names();
    const sequences = names.flatMap((name) => {
      const match = SNAPSHOT_NAME.exec(name);
      return match === null ? [] : [Number(match[1])];
    });
    return sequences.sort((left, right) => right - left);
  }

  async list(): Promise<readonly { readonly sequence: number; readonly createdMs: number }[]> {
    const found: SnapshotHeader[] = [];
    for (const sequence of await this.#sequences()) {
      const header = await this.#header(sequence);
      if (typeof header !== "string") found.push(header);
      else this.#log("warn", new DamagedSnapshot(this.#path(sequence), header).message);
    }
    return found.map(({ sequence, createdMs }) => ({ sequence, createdMs }));
  }

  async #header(sequence: number): Promise<SnapshotHeader | string> {
    try {
      const read = await this.#withFile(sequence, (file) => readHeader(file, sequence));
      return read?.header ?? "it was removed while the folder was read";
    } catch (error) {
      if (error instanceof DamagedSnapshot) return error.problem;
      throw error;
    }
  }

  load(sequence: number): Promise<Snapshot | null> {
    return this.#withFile(sequence, (file) => readSnapshot(file, sequence));
  }

  /** Null when there is no file of that sequence. */
  async #withFile<Value>(
    sequence: number,
    use: (file: OpenFile) => Promise<Value>,
  ): Promise<Value | null> {
    let file: OpenFile;
    try {
      file = await this.#fileSystem.open(this.#path(sequence), "read");
    } catch (error) {
      if (isMissingFile(error)) return null;
      throw error;
    }
    try {
      return await use(file);
    } finally {
      await file.close();
    }
  }

  /** The newest one that is whole and belongs to the journal that `check` knows. */
  async loadNewestUsable(check: ChainCheck): Promise<UsableSnapshot> {
    const passedOver: PassedOver[] = [];
    for (const sequence of await this.#sequences()) {
      const file = this.#path(sequence);
      try {
        const snapshot = await this.load(sequence);
        if (snapshot === null) continue;
        if (await check(sequence, snapshot.chainHash)) return { snapshot, passedOver };
        passedOver.push({ file, problem: "it does not belong to this journal (hash chain)" });
      } catch (error) {
        if (!(error instanceof DamagedSnapshot)) throw error;
        passedOver.push({ file, problem: error.problem });
      }
    }
    return { snapshot: null, passedOver };
  }

  async save(snapshot: Snapshot): Promise<void> {
    const path = this.#path(snapshot.sequence);
    const temporary = path + TEMPORARY_SUFFIX;
    await this.#fileSystem.makeFolder(this.#folder);
    await this.#removeLeftovers();
    try {
      await this.#write(temporary, snapshot);
    } catch (error) {
      // The partial file would keep a full disk full.
      if (isDiskFull(error)) await removeIfThere(this.#fileSystem, temporary);
      throw error;
    }
    await this.#fileSystem.rename(temporary, path);
    await this.#fileSystem.syncFolder(this.#folder);
    await this.#prune();
  }

  async #write(path: string, snapshot: Snapshot): Promise<void> {
    const file = await this.#fileSystem.open(path, "create");
    try {
      await writeSnapshot(file, snapshot, this.#now());
      await file.sync();
    } finally {
      await file.close();
    }
  }

  /** Removes the snapshots after `sequence`, damaged ones too, and returns their sequences. */
  async dropAfter(sequence: number): Promise<readonly number[]> {
    const dropped = (await this.#sequences()).filter((candidate) => candidate > sequence);
    for (const candidate of dropped) await this.#fileSystem.remove(this.#path(candidate));
    if (dropped.length > 0) await this.#fileSystem.syncFolder(this.#folder);
    return dropped;
  }

  async #removeLeftovers(): Promise<void> {
    for (const name of await this.#fileSystem.list(this.#folder)) {
      if (!name.endsWith(TEMPORARY_SUFFIX)) continue;
      await removeIfThere(this.#fileSystem, join(this.#folder, name));
    }
  }

  /** Damaged ones do not count as kept; they are removed once they are older than the kept. */
  async #prune(): Promise<void> {
    const oldestKept = (await this.list())[KEPT_SNAPSHOTS - 1];
    if (oldestKept === undefined) return;
    for (const sequence of await this.#sequences()) {
      if (sequence >= oldestKept.sequence) continue;
      await this.#fileSystem.remove(this.#path(sequence));
    }
  }
}

async function writeSnapshot(file: OpenFile, snapshot: Snapshot, createdMs: number): Promise<void> {
  const hash = createHash("sha256");
  let position = 0;
  const put = async (bytes: Uint8Array) => {
    hash.update(bytes);
    await file.write(bytes, position);
    position += bytes.length;
  };
  await put(encodeSnapshotHeader(snapshot, createdMs));
  for (const { bytes } of snapshot.sections) {
    let checksum = 0;
    for (let start = 0; start < bytes.length; start += CHUNK_BYTES) {
      const chunk = bytes.subarray(start, start + CHUNK_BYTES);
      checksum = crc32(chunk, checksum);
      await put(chunk);
    }
    const tail = new Uint8Array(CHECKSUM_BYTES);
    viewOf(tail).setUint32(0, checksum, true);
    await put(tail);
  }
  await file.write(hash.digest(), position);
}

async function readHeader(
  file: OpenFile,
  sequence: number,
): Promise<{ readonly header: SnapshotHeader; readonly bytes: Uint8Array }> {
  const prefix = new Uint8Array(SNAPSHOT_PREFIX_BYTES);
  const prefixLength = await file.read(prefix, 0);
  const length = snapshotHeaderLength(prefix.subarray(0, prefixLength));
  if (typeof length === "string") throw new DamagedSnapshot(file.path, length);
  const whole = new Uint8Array(length);
  const bytes = whole.subarray(0, await file.read(whole, 0));
  const header = decodeSnapshotHeader(bytes);
  if (typeof header === "string") throw new DamagedSnapshot(file.path, header);
  if (header.sequence !== sequence) {
    const problem = `${basename(file.path)} holds the snapshot of ${header.sequence}`;
    throw new DamagedSnapshot(file.path, problem);
  }
  const expected = snapshotFileLength(header, length);
  const size = await file.size();
  if (size !== expected) {
    throw new DamagedSnapshot(file.path, `the file has ${size} bytes instead of ${expected}`);
  }
  return { header, bytes };
}

async function readSnapshot(file: OpenFile, sequence: number): Promise<Snapshot> {
  const { header, bytes } = await readHeader(file, sequence);
  const hash = createHash("sha256").update(bytes);
  const sections: SnapshotSection[] = [];
  let position = bytes.length;
  for (const { name, byteLength } of header.sections) {
    sections.push({ name, bytes: await readSection(file, position, name, byteLength, hash) });
    position += byteLength + CHECKSUM_BYTES;
  }
  const stored = new Uint8Array(HASH_BYTES);
  await file.read(stored, position);
  if (!sameBytes(stored, hash.digest())) {
    throw new DamagedSnapshot(file.path, "the file does not match its hash");
  }
  const { timestampMs, clockMs, rulesVersion, stateHash, eventDigest, chainHash } = header;
  const times = { timestampMs, clockMs };
  return { sequence, ...times, rulesVersion, stateHash, eventDigest, chainHash, sections };
}

async function readSection(
  file: OpenFile,
  start: number,
  name: string,
  byteLength: number,
  hash: Hash,
): Promise<Uint8Array> {
  const bytes = new Uint8Array(byteLength);
  let checksum = 0;
  for (let done = 0; done < byteLength; done += CHUNK_BYTES) {
    const chunk = bytes.subarray(done, done + CHUNK_BYTES);
    await file.read(chunk, start + done);
    checksum = crc32(chunk, checksum);
    hash.update(chunk);
  }
  const tail = new Uint8Array(CHECKSUM_BYTES);
  await file.read(tail, start + byteLength);
  hash.update(tail);
  if (viewOf(tail).getUint32(0, true) === checksum) return bytes;
  throw new DamagedSnapshot(file.path, `section ${name} does not match its checksum`);
}
