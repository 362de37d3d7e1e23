/**
 * The folder of a backup. Its files are named by their content and never change: a run adds files,
 * then replaces the manifest, then removes what the new one does not name. So a run that ends
 * anywhere leaves the backup before it, or its own; what it had copied serves the next one.
 */
import { createHash } from "node:crypto";
import { join } from "node:path";
import { type FileSystem, isMissingFile, type OpenFile } from "../../platform/index.ts";
import {
  readWholeFile,
  removeIfThere,
  replaceWholeFile,
  TEMPORARY_SUFFIX,
} from "../disk/whole-file.ts";
import {
  BACKUP_NAME,
  type BackupFile,
  type BackupManifest,
  DamagedBackup,
  decodeManifest,
  encodeManifest,
  filesOf,
  MANIFEST_FILE,
} from "./backup-manifest.ts";

const JOURNAL = "journal";
const SNAPSHOTS = "snapshots";
const FOLDERS: readonly string[] = [JOURNAL, SNAPSHOTS];
/** Of this program, and of SQLite for a copy of the key store. */
const UNFINISHED = /\.tmp(-journal)?$/;
const CHUNK_BYTES = 1024 * 1024;
const NAME_DIGITS = 32;
const SEQUENCE_DIGITS = 16;

/** Receives how many bytes were written or read since the last call. */
export type OnBytes = (bytes: number) => void;

export class BackupFolder {
  readonly path: string;
  readonly #fileSystem: FileSystem;
  readonly #onBytes: OnBytes;

  constructor(fileSystem: FileSystem, path: string, onBytes: OnBytes = () => {}) {
    this.path = path;
    this.#fileSystem = fileSystem;
    this.#onBytes = onBytes;
  }

  /** Null where no backup was ever finished. Throws `DamagedBackup`. */
  async readManifest(): Promise<BackupManifest | null> {
    const path = join(this.path, MANIFEST_FILE);
    const bytes = await readWholeFile(this.#fileSystem, path);
    return bytes === null ? null : decodeManifest(bytes, path);
  }

  /** Makes the folders, and removes what a killed run was writing. */
  async prepare(): Promise<void> {
    for (const name of FOLDERS) await this.#fileSystem.makeFolder(join(this.path, name));
    for (const name of await this.#names()) {
      if (UNFINISHED.test(name)) await this.#fileSystem.remove(join(this.path, name));
    }
  }

  /** A segment's piece, or a whole compressed segment. */
  putSegment(
    firstSequence: number,
    form: "raw" | "compressed",
    chunks: AsyncIterable<Uint8Array>,
  ): Promise<BackupFile> {
    const suffix = form === "raw" ? "segment" : "segment.zst";
    return this.#put(`${JOURNAL}/${digits(firstSequence)}-`, `.${suffix}`, chunks);
  }

  putSnapshot(sequence: number, chunks: AsyncIterable<Uint8Array>): Promise<BackupFile> {
    return this.#put(`${SNAPSHOTS}/${digits(sequence)}-`, ".snapshot", chunks);
  }

  putKeys(chunks: AsyncIterable<Uint8Array>): Promise<BackupFile> {
    return this.#put("keys-", ".db", chunks);
  }

  /** Durable, and read back, before it has its name. */
  async #put(
    before: string,
    after: string,
    chunks: AsyncIterable<Uint8Array>,
  ): Promise<BackupFile> {
    const temporary = join(this.path, `${before}${TEMPORARY_SUFFIX}`);
    await removeIfThere(this.#fileSystem, temporary);
    try {
      const { bytes, sha256 } = await this.#write(temporary, chunks);
      const name = `${before}${sha256.slice(0, NAME_DIGITS)}${after}`;
      const file = { name, bytes, sha256 };
      await this.#readThrough(temporary, file);
      await this.#fileSystem.rename(temporary, join(this.path, name));
      return file;
    } catch (error) {
      // The partial file would keep a full disk full.
      await removeIfThere(this.#fileSystem, temporary).catch(() => undefined);
      throw error;
    }
  }

  async #write(path: string, chunks: AsyncIterable<Uint8Array>) {
    const hash = createHash("sha256");
    let bytes = 0;
    const file = await this.#fileSystem.open(path, "create");
    try {
      for await (const chunk of chunks) {
        hash.update(chunk);
        await file.write(chunk, bytes);
        bytes += chunk.length;
        this.#onBytes(chunk.length);
      }
      await file.sync();
    } finally {
      await file.close();
    }
    return { bytes, sha256: hash.digest("hex") };
  }

  /** Whether a file of an earlier run is there; with `all` whether each byte of it is. */
  async holds(file: BackupFile, check: "all" | "size"): Promise<boolean> {
    try {
      if (check === "all") await this.verify(file);
      else await this.#withFile(file, async () => undefined);
      return true;
    } catch (error) {
      if (error instanceof DamagedBackup) return false;
      throw error;
    }
  }

  /** Reads every byte. Throws `DamagedBackup`. */
  verify(file: BackupFile): Promise<void> {
    return this.#readThrough(join(this.path, file.name), file);
  }

  /** Copies every byte to the end of `to`. Throws `DamagedBackup`; what is written is then void. */
  async copyTo(file: BackupFile, to: OpenFile): Promise<void> {
    let position = await to.size();
    await this.#readThrough(join(this.path, file.name), file, async (chunk) => {
      await to.write(chunk, position);
      position += chunk.length;
    });
  }

  async #readThrough(
    path: string,
    file: BackupFile,
    take: (chunk: Uint8Array) => Promise<void> = async () => {},
  ): Promise<void> {
    const hash = createHash("sha256");
    await this.#withFile(
      file,
      async (open) => {
        const chunk = new Uint8Array(Math.min(CHUNK_BYTES, file.bytes));
        for (let position = 0; position < file.bytes; ) {
          const count = await open.read(chunk, position);
          if (count === 0) break;
          const bytes = chunk.subarray(0, count);
          hash.update(bytes);
          await take(bytes);
          position += count;
          this.#onBytes(count);
        }
      },
      path,
    );
    if (hash.digest("hex") === file.sha256) return;
    throw new DamagedBackup(path, "it does not match its hash in the manifest");
  }

  async #withFile(
    file: BackupFile,
    use: (open: OpenFile) => Promise<void>,
    path = join(this.path, file.name),
  ): Promise<void> {
    let open: OpenFile;
    try {
      open = await this.#fileSystem.open(path, "read");
    } catch (error) {
      if (isMissingFile(error)) throw new DamagedBackup(path, "it is missing");
      throw error;
    }
    try {
      const size = await open.size();
      if (size !== file.bytes) {
        throw new DamagedBackup(path, `it has ${size} bytes instead of ${file.bytes}`);
      }
      await use(open);
    } finally {
      await open.close();
    }
  }

  /** From now on this is the backup. */
  async commit(manifest: BackupManifest): Promise<void> {
    for (const name of FOLDERS) await this.#fileSystem.syncFolder(join(this.path, name));
    await this.#fileSystem.syncFolder(this.path);
    const path = join(this.path, MANIFEST_FILE);
    await replaceWholeFile(this.#fileSystem, path, encodeManifest(manifest));
  }

  /** Removes the files of earlier runs that the manifest does not name. */
  async prune(manifest: BackupManifest): Promise<void> {
    const named = new Set(filesOf(manifest).map(({ name }) => name));
    for (const name of await this.#names()) {
      if (named.has(name) || !BACKUP_NAME.test(name)) continue;
      await removeIfThere(this.#fileSystem, join(this.path, name));
    }
  }

  async #names(): Promise<readonly string[]> {
    const names = [...(await this.#fileSystem.list(this.path))];
    for (const folder of FOLDERS) {
      const inner = await this.#fileSystem.list(join(this.path, folder));
      names.push(...inner.map((name) => `${folder}/${name}`));
    }
    return names;
  }
}

function digits(sequence: number): string {
  return String(sequence).padStart(SEQUENCE_DIGITS, "0");
}

/** The bytes of a file in order, in chunks that the receiver may keep until the next one. */
export async function* chunksOf(
  fileSystem: FileSystem,
  path: string,
): AsyncGenerator<Uint8Array, void, undefined> {
  const file = await fileSystem.open(path, "read");
  try {
    const chunk = new Uint8Array(CHUNK_BYTES);
    for (let position = 0; ; ) {
      const count = await file.read(chunk, position);
      if (count === 0) return;
      position += count;
      yield chunk.subarray(0, count);
    }
  } finally {
    await file.close();
  }
}
