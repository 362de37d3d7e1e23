/** Whether a disk has enough space for an exchange. */
import { existsSync } from "node:fs";
import { join } from "node:path";
import { diskSpace } from "../journal/index.ts";
import type { FileSystem } from "../platform/index.ts";
import { type Config, type Profile, StartRefused } from "./config.ts";
import { bytesText } from "./diagnosis/check.ts";

const MEBIBYTE = 1024 * 1024;

/**
 * Bytes that a first start writes, doubled: the journal with its preallocation, and the history.
 */
const FIRST_BYTES: Readonly<Record<Profile, number>> = {
  empty: 16 * MEBIBYTE,
  demo: 64 * MEBIBYTE,
};

type Place = Pick<Config, "dataFolder" | "profile">;

/**
 * Refuses a first start if it would nearly fill the disk. Later starts are allowed, because users
 * must be able to cancel.
 */
export async function checkFirstRoom(place: Place, files: FileSystem): Promise<void> {
  const { dataFolder, profile } = place;
  if (existsSync(join(dataFolder, "journal"))) return;
  const { freeBytes, reserveBytes } = await diskSpace(dataFolder, files);
  const neededBytes = reserveBytes + FIRST_BYTES[profile];
  if (freeBytes >= neededBytes) return;
  throw new StartRefused(
    `The disk of ${dataFolder} is too small: ${bytesText(freeBytes)} are free, but a first start ` +
      `with the ${profile} profile needs ${bytesText(neededBytes)} (orders are refused below ` +
      `${bytesText(reserveBytes)}). Free space, or choose another --data-dir.`,
  );
}

/** The refusal of a start whose first commands were refused. */
export async function noRoomForCommands(
  { dataFolder }: Place,
  files: FileSystem,
): Promise<StartRefused> {
  const { freeBytes, reserveBytes } = await diskSpace(dataFolder, files);
  return new StartRefused(
    `The journal cannot grow. The disk of ${dataFolder} has ${bytesText(freeBytes)} free and ` +
      `needs more than ${bytesText(reserveBytes)}: free space, then start again.`,
  );
}
