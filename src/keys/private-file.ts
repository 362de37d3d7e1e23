/**
 * Files that hold secrets: readable by their owner alone, written whole or not at all. What
 * cannot be used as it is stops the start with a message that says what to do.
 */
import {
  closeSync,
  constants,
  fchmodSync,
  fchownSync,
  fstatSync,
  fsyncSync,
  openSync,
  readSync,
  renameSync,
  statSync,
  writeSync,
} from "node:fs";
import { dirname } from "node:path";

export const OWNER_ONLY_MODE = 0o600;
const LOOSER_THAN_OWNER = 0o077;
/**
 * Larger than any secret file of ours; a device or a log given by mistake is not read to its end.
 */
const PRIVATE_FILE_BYTES_MAX = 16 * 1024;

/** Secrets that are missing, readable by others, damaged, or not those that belong to the data. */
export class UnusableSecrets extends Error {
  override readonly name = "UnusableSecrets";
}

/**
 * The text of the file, null when there is none. Throws `UnusableSecrets` when others may read
 * it.
 */
export function readPrivateFile(path: string): string | null {
  const descriptor = openIfPresent(path);
  if (descriptor === null) return null;
  try {
    const mode = fstatSync(descriptor).mode & 0o777;
    if ((mode & LOOSER_THAN_OWNER) !== 0) {
      throw new UnusableSecrets(
        `${path} may be read or written by others (mode ${mode.toString(8).padStart(4, "0")}). ` +
          `Treat its content as known to them, or run: chmod 600 ${path}`,
      );
    }
    const buffer = Buffer.alloc(PRIVATE_FILE_BYTES_MAX + 1);
    const length = readSync(descriptor, buffer, 0, buffer.length, 0);
    if (length > PRIVATE_FILE_BYTES_MAX) {
      throw new UnusableSecrets(`${path} is longer than ${PRIVATE_FILE_BYTES_MAX} bytes`);
    }
    return buffer.toString("utf8", 0, length);
  } finally {
    closeSync(descriptor);
  }
}

/**
 * Writes a file with mode 0600 that is there whole after a crash, or not at all. One that it
 * replaces keeps its owner, also when root does it.
 */
export function writePrivateFile(path: string, text: string): void {
  const unfinished = `${path}.new`;
  const flags = constants.O_WRONLY | constants.O_CREAT | constants.O_TRUNC | constants.O_NOFOLLOW;
  const replaced = statSync(path, { throwIfNoEntry: false });
  const descriptor = openSync(unfinished, flags, OWNER_ONLY_MODE);
  try {
    if (replaced !== undefined && process.getuid?.() === 0) {
      fchownSync(descriptor, replaced.uid, replaced.gid);
    }
    // A file left over from a crash keeps its old mode, so it is set before the first byte.
    fchmodSync(descriptor, OWNER_ONLY_MODE);
    writeSync(descriptor, text);
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
  renameSync(unfinished, path);
  syncFolder(dirname(path));
}

/** Another one for each file that was put there; null without one. */
export function versionOf(path: string): string | null {
  const found = statSync(path, { bigint: true, throwIfNoEntry: false });
  return found === undefined ? null : `${found.ino} ${found.mtimeNs} ${found.ctimeNs}`;
}

/** Makes the names in a folder durable. */
export function syncFolder(folder: string): void {
  const descriptor = openSync(folder, constants.O_RDONLY);
  try {
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}

function openIfPresent(path: string): number | null {
  try {
    return openSync(path, constants.O_RDONLY);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return null;
    throw error;
  }
}
