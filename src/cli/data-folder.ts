/** Finds the data folder of an exchange, and locks it while a command works on it. */
import { existsSync } from "node:fs";
import { join } from "node:path";
import { StartRefused } from "../app/config.ts";
import { presentFolder } from "../app/states/branch-file.ts";
import { lockDataFolder } from "../journal/data-lock.ts";

/** The journal's folder. Refuses a folder without a journal, which is usually a mistyped name. */
export async function existingJournalFolder(dataFolder: string): Promise<string> {
  const folder = join(await presentFolder(dataFolder), "journal");
  if (existsSync(folder)) return folder;
  throw new StartRefused(`There is no exchange in ${dataFolder}. Name its folder with --data-dir.`);
}

/** Runs `work` with the folder locked, so that no exchange can use it in the meantime. */
export async function withLockedFolder(
  dataFolder: string,
  work: (journalFolder: string) => Promise<void>,
): Promise<void> {
  const folder = await existingJournalFolder(dataFolder);
  const lock = lockDataFolder(dataFolder);
  if (!lock.ok) throw new StartRefused(lock.message);
  try {
    await work(folder);
  } finally {
    lock.release();
  }
}
