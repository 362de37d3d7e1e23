/** `venue.json` in the data folder: its format version, and whether the folder is a sandbox. */
import { closeSync, fsyncSync, openSync, readFileSync, renameSync, writeSync } from "node:fs";
import { join } from "node:path";
import { StartRefused } from "./config.ts";

const FILE = "venue.json";
const FORMAT_VERSION = 1;

interface Manifest {
  readonly formatVersion: number;
  readonly sandbox: boolean;
}

/** Creates the file at the first start; later, refuses a start that contradicts it. */
export function openManifest(dataFolder: string, sandbox: boolean): void {
  const path = join(dataFolder, FILE);
  const manifest = readManifest(path);
  if (manifest === null) {
    writeDurably(path, dataFolder, { formatVersion: FORMAT_VERSION, sandbox });
    return;
  }
  if (manifest.formatVersion !== FORMAT_VERSION) {
    throw new StartRefused(
      `${dataFolder} has format ${manifest.formatVersion}; this program reads ${FORMAT_VERSION}. ` +
        "Start it with the version of Rialto that created it.",
      78,
    );
  }
  if (manifest.sandbox && !sandbox) {
    throw new StartRefused(
      `${dataFolder} was created with --sandbox: its clock may be ahead of the wall clock. ` +
        "Start it with --sandbox, or choose another --data-dir.",
    );
  }
  if (!manifest.sandbox && sandbox) {
    throw new StartRefused(
      `${dataFolder} was created without --sandbox, so its clock must stay the wall clock. ` +
        "Start it without --sandbox, or choose another --data-dir.",
    );
  }
}

/** Whether the folder is a sandbox; null before its first start. */
export function isSandboxFolder(dataFolder: string): boolean | null {
  return readManifest(join(dataFolder, FILE))?.sandbox ?? null;
}

function readManifest(path: string): Manifest | null {
  let text: string;
  try {
    text = readFileSync(path, "utf8");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return null;
    throw error;
  }
  try {
    const { formatVersion, sandbox } = JSON.parse(text) as Partial<Manifest>;
    if (typeof formatVersion === "number" && typeof sandbox === "boolean") {
      return { formatVersion, sandbox };
    }
  } catch {
    // Not JSON: refused below, like JSON of the wrong shape.
  }
  throw new StartRefused(`${path} is damaged. Restore it from a copy of the data folder.`, 78);
}

function writeDurably(path: string, folder: string, manifest: Manifest): void {
  const temporary = `${path}.tmp`;
  const file = openSync(temporary, "w", 0o600);
  writeSync(file, `${JSON.stringify(manifest)}\n`);
  fsyncSync(file);
  closeSync(file);
  renameSync(temporary, path);
  const directory = openSync(folder, "r");
  fsyncSync(directory);
  closeSync(directory);
}
