/** The marker of a data folder that a restore has begun and not ended. */
import { existsSync } from "node:fs";
import { join } from "node:path";
import { StartRefused } from "../config.ts";

export const UNFINISHED_RESTORE = "restore.unfinished";

/** Throws `StartRefused` for a folder that is not whole. */
export function refuseUnfinishedRestore(dataFolder: string): void {
  if (!existsSync(join(dataFolder, UNFINISHED_RESTORE))) return;
  throw new StartRefused(
    `A restore into ${dataFolder} did not end. Run it again: it begins anew.`,
    78,
  );
}
