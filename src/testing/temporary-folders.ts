/**
 * Data folders that last as long as the test process. A process that was killed cannot remove its
 * own, so the next one that starts an exchange on the same machine does.
 */
import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { hostname, tmpdir } from "node:os";
import { join } from "node:path";

/** The machine's name is part of it: containers may share a folder, and have pids of their own. */
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

/** Folders of processes that are not there any more. */
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
    // Another user's process may not be signalled, but it is there.
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
}
