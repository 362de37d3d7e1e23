/**
 * The file system by calls that block, for a thread that has nothing else to do: waiting for a disk
 * costs it less than waking up a pool of threads and being woken by it.
 */
import {
  closeSync,
  fdatasyncSync,
  fstatSync,
  ftruncateSync,
  linkSync,
  mkdirSync,
  openSync,
  readdirSync,
  readSync,
  renameSync,
  statfsSync,
  unlinkSync,
  writeSync,
} from "node:fs";
import { FILE_FLAGS, type FileSystem, type OpenFile, PRIVATE_FILE_MODE } from "./file-system.ts";

/** Methods are async, so that what a call throws becomes a rejection. */
class BlockingFile implements OpenFile {
  readonly path: string;
  readonly #descriptor: number;

  constructor(path: string, descriptor: number) {
    this.path = path;
    this.#descriptor = descriptor;
  }

  async size(): Promise<number> {
    return fstatSync(this.#descriptor).size;
  }

  async read(into: Uint8Array, position: number): Promise<number> {
    let done = 0;
    while (done < into.length) {
      const count = readSync(this.#descriptor, into, done, into.length - done, position + done);
      if (count === 0) break;
      done += count;
    }
    return done;
  }

  async write(bytes: Uint8Array, position: number): Promise<void> {
    this.writeNow(bytes, position);
  }

  writeNow(bytes: Uint8Array, position: number): void {
    let done = 0;
    while (done < bytes.length) {
      done += writeSync(this.#descriptor, bytes, done, bytes.length - done, position + done);
    }
  }

  async sync(): Promise<void> {
    fdatasyncSync(this.#descriptor);
  }

  async truncate(length: number): Promise<void> {
    ftruncateSync(this.#descriptor, length);
  }

  async close(): Promise<void> {
    closeSync(this.#descriptor);
  }
}

export const BLOCKING_FILE_SYSTEM: FileSystem = {
  async makeFolder(folder) {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
  },
  list: async (folder) => readdirSync(folder),
  async open(path, access) {
    return new BlockingFile(path, openSync(path, FILE_FLAGS[access], PRIVATE_FILE_MODE));
  },
  rename: async (from, to) => renameSync(from, to),
  remove: async (path) => unlinkSync(path),
  link: async (from, to) => linkSync(from, to),
  async syncFolder(folder) {
    const descriptor = openSync(folder, "r");
    try {
      fdatasyncSync(descriptor);
    } finally {
      closeSync(descriptor);
    }
  },
  async space(folder) {
    const found = statfsSync(folder);
    return { totalBytes: found.blocks * found.bsize, freeBytes: found.bavail * found.bsize };
  },
};
