/** A small JSON file that only its owner may read; always replaced atomically. */
import { closeSync, fsyncSync, openSync, readFileSync, renameSync, writeSync } from "node:fs";

/** Null when the file does not exist or is not JSON. */
export function readPrivateJson(path: string): unknown {
  try {
    return JSON.parse(readFileSync(path, "utf8"));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT" || error instanceof SyntaxError) {
      return null;
    }
    throw error;
  }
}

export function writePrivateJson(path: string, value: unknown): void {
  const temporary = `${path}.tmp`;
  const file = openSync(temporary, "w", 0o600);
  writeSync(file, `${JSON.stringify(value, null, 2)}\n`);
  fsyncSync(file);
  closeSync(file);
  renameSync(temporary, path);
}
