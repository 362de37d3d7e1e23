/**
 * Data folders that last as long as the test process. A killed process cannot remove its own, so
 * the next process that starts an exchange on the same machine removes them.
 */
import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { hostname, tmpdir } from "node:os";
import { join } from "node:path";

/** Includes the machine's name: containers may share a folder but have their own pids. */
const PREFIX = `rialto-testing-${hostname().replaceAll(/[^A-Za-z0-9.]/g, "_")}-`;

const folders = new Set<string>();

process.on("exit", () => {
  for (const folder of folders) removeFolder(folder);
});

/** A new empty folder. */
export function makeTemporaryFolder(): string {
  removeLeftovers();
  const folder = mkdtempSync(join(tmpdir(), `${PREFIX}${process.pid}-`));
  folders.add(folder);
  return folder;
}

export function removeTemporaryFolder(folder: string): void {
  folders.delete(folder);
  removeFolder(folder);
}

function removeFolder(folder: string): void {
  rmSync(folder, { recursive: true, force: true, maxRetries: 3 });
}

/** Folders of processes that no longer exist. */
function removeLeftovers(): void {
  for (const name of readdirSync(tmpdir())) {
    if (!name.startsWith(PREFIX)) continue;
    const pid = Number(name.slice(PREFIX.length).split("-")[0]);
    if (Number.isSafeInteger(pid) && pid > 0 && !isAlive(pid)) removeFolder(join(tmpdir(), name));
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // Another user's process may not be signalled, but it exists.
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
}
