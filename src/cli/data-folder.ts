/**
 * The one flag that every command about stored data takes, and holding the folder while it works.
 */
import { existsSync } from "node:fs";
import { join } from "node:path";
import { Option } from "commander";
import { StartRefused } from "../app/config.ts";
import { lockDataFolder } from "../journal/index.ts";

export function dataFolderOption(): Option {
  return new Option("--data-dir <folder>", "everything that is kept")
    .default("data")
    .env("RIALTO_DATA_DIR");
}

/** The journal's folder. Refuses a folder without one, which is most often a mistyped name. */
export function existingJournalFolder(dataFolder: string): string {
  const folder = join(dataFolder, "journal");
  if (existsSync(folder)) return folder;
  throw new StartRefused(`There is no exchange in ${dataFolder}. Name its folder with --data-dir.`);
}

/** Runs with the folder locked, so that no exchange uses it meanwhile. */
export async function withLockedFolder(
  dataFolder: string,
  work: (journalFolder: string) => Promise<void>,
): Promise<void> {
  const folder = existingJournalFolder(dataFolder);
  const lock = lockDataFolder(dataFolder);
  if (!lock.ok) throw new StartRefused(lock.message);
  try {
    await work(folder);
  } finally {
    lock.release();
  }
}
