/** Whether a disk has room for a venue, told in figures to who starts one. */
import { existsSync } from "node:fs";
import { join } from "node:path";
import { diskSpace, type FileSystem } from "../journal/index.ts";
import { type Config, type Profile, StartRefused } from "./config.ts";
import { bytesText } from "./diagnosis/check.ts";

const MEBIBYTE = 1024 * 1024;

/** What a first start writes, twice over: the journal with its room ahead, and the history. */
const FIRST_BYTES: Readonly<Record<Profile, number>> = {
  empty: 16 * MEBIBYTE,
  demo: 64 * MEBIBYTE,
};

type Place = Pick<Config, "dataFolder" | "profile">;

/**
 * Refuses the first start in a folder whose disk would be nearly full at once. A later one goes on,
 * because people must be able to cancel.
 */
export async function checkFirstRoom(place: Place, files: FileSystem): Promise<void> {
  const { dataFolder, profile } = place;
  if (existsSync(join(dataFolder, "journal"))) return;
  const { freeBytes, reserveBytes } = await diskSpace(dataFolder, files);
  const neededBytes = reserveBytes + FIRST_BYTES[profile];
  if (freeBytes >= neededBytes) return;
  throw new StartRefused(
    `The disk of ${dataFolder} is too small for a venue: ${bytesText(freeBytes)} are free, a ` +
      `first start with the ${profile} profile needs ${bytesText(neededBytes)} (no order is ` +
      `taken below ${bytesText(reserveBytes)}). Make room, or choose another --data-dir.`,
  );
}

/** What a start says whose first commands were refused. */
export async function noRoomForCommands(
  { dataFolder }: Place,
  files: FileSystem,
): Promise<StartRefused> {
  const { freeBytes, reserveBytes } = await diskSpace(dataFolder, files);
  return new StartRefused(
    `The journal takes no commands. The disk of ${dataFolder} has ${bytesText(freeBytes)} free ` +
      `and needs more than ${bytesText(reserveBytes)}: make room, then start again.`,
  );
}
