/**
 * The file system, as far as the journal needs one: simulated disks make any call fail and cut the
 * power at any moment. The real one is below.
 */
import {
  close,
  fdatasync,
  fstat,
  ftruncate,
  open,
  promises,
  read,
  write,
  writeSync,
} from "node:fs";
import { promisify } from "node:util";

/** `read` and `write` need an existing file, `create` a missing one. */
export type FileAccess = "read" | "write" | "create";

export interface OpenFile {
  readonly path: string;
  size(): Promise<number>;
  /** Fills `into` from `position` as far as the file goes; resolves with the count of bytes. */
  read(into: Uint8Array, position: number): Promise<number>;
  /** All bytes or a rejection; what was written of them is then unknown. */
  write(bytes: Uint8Array, position: number): Promise<void>;
  /** A synchronous `write`, into the page cache: cheaper than a trip to another thread. */
  writeNow(bytes: Uint8Array, position: number): void;
  /** To stable storage, with the size. Never retry after a rejection: the state is unknown. */
  sync(): Promise<void>;
  truncate(length: number): Promise<void>;
  close(): Promise<void>;
}

export interface DiskSpace {
  readonly totalBytes: number;
  /** What an unprivileged process may still use. */
  readonly freeBytes: number;
}

export interface FileSystem {
  /** With its parents; no error when it exists. */
  makeFolder(folder: string): Promise<void>;
  /** Names in the folder, in no order. */
  list(folder: string): Promise<readonly string[]>;
  open(path: string, access: FileAccess): Promise<OpenFile>;
  rename(from: string, to: string): Promise<void>;
  remove(path: string): Promise<void>;
  /** A second name for the same file; a name that exists is an error. */
  link(from: string, to: string): Promise<void>;
  /** Makes creations, renames and removals in the folder durable. */
  syncFolder(folder: string): Promise<void>;
  space(folder: string): Promise<DiskSpace>;
}

/** True for the error of a full disk or an exhausted quota. */
export function isDiskFull(error: unknown): boolean {
  return hasCode(error, "ENOSPC") || hasCode(error, "EDQUOT");
}

/** True for an error of the file system, and not of what a file holds. */
export function isFileError(error: unknown): boolean {
  return error instanceof Error && "syscall" in error;
}

/** True for the error of a file system that has no second names for a file, or no more of them. */
export function isLinkRefused(error: unknown): boolean {
  return ["EPERM", "ENOTSUP", "ENOSYS", "EXDEV", "EMLINK"].some((code) => hasCode(error, code));
}

export function isMissingFile(error: unknown): boolean {
  return hasCode(error, "ENOENT");
}

function hasCode(error: unknown, code: string): boolean {
  return error instanceof Error && "code" in error && error.code === code;
}

export const FILE_FLAGS: Readonly<Record<FileAccess, string>> = {
  read: "r",
  write: "r+",
  create: "wx+",
};
export const PRIVATE_FILE_MODE = 0o600;

const openFile = promisify(open);
const closeFile = promisify(close);
const statFile = promisify(fstat);
const truncateFile = promisify(ftruncate);
const syncFile = promisify(fdatasync);

/**
 * Bare descriptors and callbacks: `FileHandle` objects cost several microseconds more on every
 * commit.
 */
class NodeFile implements OpenFile {
  readonly path: string;
  readonly #descriptor: number;

  constructor(path: string, descriptor: number) {
    this.path = path;
    this.#descriptor = descriptor;
  }

  async size(): Promise<number> {
    return (await statFile(this.#descriptor)).size;
  }

  async read(into: Uint8Array, position: number): Promise<number> {
    let done = 0;
    while (done < into.length) {
      const count = await this.#readSome(into, done, position + done);
      if (count === 0) break;
      done += count;
    }
    return done;
  }

  #readSome(into: Uint8Array, start: number, position: number): Promise<number> {
    return new Promise((resolve, fail) => {
      read(this.#descriptor, into, start, into.length - start, position, (error, count) =>
        error ? fail(error) : resolve(count),
      );
    });
  }

  async write(bytes: Uint8Array, position: number): Promise<void> {
    let done = 0;
    while (done < bytes.length) done += await this.#writeSome(bytes, done, position + done);
  }

  #writeSome(bytes: Uint8Array, start: number, position: number): Promise<number> {
    return new Promise((resolve, fail) => {
      write(this.#descriptor, bytes, start, bytes.length - start, position, (error, count) =>
        error ? fail(error) : resolve(count),
      );
    });
  }

  writeNow(bytes: Uint8Array, position: number): void {
    let done = 0;
    while (done < bytes.length) {
      done += writeSync(this.#descriptor, bytes, done, bytes.length - done, position + done);
    }
  }

  sync(): Promise<void> {
    return syncFile(this.#descriptor);
  }

  truncate(length: number): Promise<void> {
    return truncateFile(this.#descriptor, length);
  }

  close(): Promise<void> {
    return closeFile(this.#descriptor);
  }
}

/** The real file system. */
export const NODE_FILE_SYSTEM: FileSystem = {
  async makeFolder(folder) {
    await promises.mkdir(folder, { recursive: true, mode: 0o700 });
  },
  list: (folder) => promises.readdir(folder),
  async open(path, access) {
    return new NodeFile(path, await openFile(path, FILE_FLAGS[access], PRIVATE_FILE_MODE));
  },
  rename: (from, to) => promises.rename(from, to),
  remove: (path) => promises.unlink(path),
  link: (from, to) => promises.link(from, to),
  async syncFolder(folder) {
    const descriptor = await openFile(folder, "r");
    try {
      await syncFile(descriptor);
    } finally {
      await closeFile(descriptor);
    }
  },
  async space(folder) {
    const found = await promises.statfs(folder);
    return { totalBytes: found.blocks * found.bsize, freeBytes: found.bavail * found.bsize };
  },
};
