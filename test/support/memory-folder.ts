/** Where files may be that nobody needs after a crash of the machine: in memory, if it has such. */
import { accessSync, constants } from "node:fs";
import { tmpdir } from "node:os";

const MEMORY = "/dev/shm";

/** The folder of temporary files, unless the environment names one, or there is none in memory. */
export function memoryFolder(): string {
  if (process.env.TMPDIR !== undefined) return tmpdir();
  try {
    accessSync(MEMORY, constants.W_OK);
    return MEMORY;
  } catch {
    return tmpdir();
  }
}
