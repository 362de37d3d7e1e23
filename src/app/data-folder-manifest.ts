/** `venue.json` in the data folder: what the folder was made as, decided at its first start. */
import { closeSync, fsyncSync, openSync, readFileSync, renameSync, writeSync } from "node:fs";
import { join } from "node:path";
import { StartRefused } from "./config.ts";

const FILE = "venue.json";
const FORMAT_VERSION = 1;

interface Venue {
  readonly formatVersion: number;
  readonly sandbox: boolean;
}

/** Makes the file at the first start; refuses a start that contradicts it. */
export function openVenue(dataFolder: string, sandbox: boolean): void {
  const path = join(dataFolder, FILE);
  const venue = readVenue(path);
  if (venue === null) {
    writeDurably(path, dataFolder, { formatVersion: FORMAT_VERSION, sandbox });
    return;
  }
  if (venue.formatVersion !== FORMAT_VERSION) {
    throw new StartRefused(
      `${dataFolder} has format ${venue.formatVersion}; this program reads ${FORMAT_VERSION}. ` +
        "Start it with the version of Rialto that made it.",
      78,
    );
  }
  if (venue.sandbox && !sandbox) {
    throw new StartRefused(
      `${dataFolder} was made with --sandbox: its clock can be ahead of the wall clock. ` +
        "Start it with --sandbox, or choose another --data-dir.",
    );
  }
  if (!venue.sandbox && sandbox) {
    throw new StartRefused(
      `${dataFolder} was made without --sandbox, so its clock must stay the wall clock. ` +
        "Start it without --sandbox, or choose another --data-dir.",
    );
  }
}

/** Whether the folder was made as a sandbox; null when nothing was started in it yet. */
export function isSandboxFolder(dataFolder: string): boolean | null {
  return readVenue(join(dataFolder, FILE))?.sandbox ?? null;
}

function readVenue(path: string): Venue | null {
  let text: string;
  try {
    text = readFileSync(path, "utf8");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return null;
    throw error;
  }
  try {
    const { formatVersion, sandbox } = JSON.parse(text) as Partial<Venue>;
    if (typeof formatVersion === "number" && typeof sandbox === "boolean") {
      return { formatVersion, sandbox };
    }
  } catch {
    // Not JSON: refused below, like JSON of another shape.
  }
  throw new StartRefused(`${path} is damaged. Restore it from a copy of the data folder.`, 78);
}

function writeDurably(path: string, folder: string, venue: Venue): void {
  const temporary = `${path}.tmp`;
  const file = openSync(temporary, "w", 0o600);
  writeSync(file, `${JSON.stringify(venue)}\n`);
  fsyncSync(file);
  closeSync(file);
  renameSync(temporary, path);
  const directory = openSync(folder, "r");
  fsyncSync(directory);
  closeSync(directory);
}
