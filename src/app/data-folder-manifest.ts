/**
 * `venue.json` in the data folder: its format version, whether the folder is a sandbox, and the id
 * of the venue. Everything that a client remembers of a venue holds while its id is the same: a
 * folder that was restored from a backup may lack what was acknowledged later, and has another id.
 */
import {
  closeSync,
  existsSync,
  fsyncSync,
  openSync,
  readFileSync,
  renameSync,
  writeSync,
} from "node:fs";
import { join } from "node:path";
import { NODE_PLATFORM, type Randomness } from "../platform/index.ts";
import { StartRefused } from "./config.ts";

const FILE = "venue.json";
const FORMAT_VERSION = 1;

/** Where a restored folder comes from. */
export interface VenueOrigin {
  /** The id of the venue that was backed up; null where it had none. */
  readonly id: string | null;
  /** The last command that was restored. */
  readonly sequence: number;
  /** The wall clock of the restore. */
  readonly restoredMs: number;
}

export interface Venue {
  readonly id: string;
  /** Null unless the folder was restored from a backup. */
  readonly origin: VenueOrigin | null;
}

interface Manifest extends Partial<Venue> {
  readonly formatVersion: number;
  readonly sandbox: boolean;
  /** The journal is a node's copy of a log in PostgreSQL, and is written by that alone. */
  readonly cluster?: true;
}

export const MISSING_MANIFEST_NEXT =
  "Restore venue.json from a copy of the folder. Without a copy, write " +
  `{"formatVersion":${FORMAT_VERSION},"sandbox":false} into it, or true for a sandbox: ` +
  "the venue then gets a new id.";

/** Whether it has a journal, which does not say if it is a sandbox or a node of a cluster. */
export function lacksManifest(dataFolder: string): boolean {
  return existsSync(join(dataFolder, "journal")) && !existsSync(join(dataFolder, FILE));
}

/** Creates the file at the first start; later, refuses a start that contradicts or lacks it. */
export function openManifest(
  dataFolder: string,
  sandbox: boolean,
  randomness: Randomness = NODE_PLATFORM.randomness,
): Venue {
  const manifest = readManifest(join(dataFolder, FILE));
  if (manifest !== null) checkManifest(dataFolder, manifest, sandbox);
  else if (lacksManifest(dataFolder)) {
    throw new StartRefused(
      `${join(dataFolder, FILE)} is missing. ${MISSING_MANIFEST_NEXT} Then start again.`,
      78,
    );
  }
  if (manifest?.cluster) {
    throw new StartRefused(
      `${dataFolder} belongs to a node of a cluster, whose log is in PostgreSQL. Start it with ` +
        "--postgres; for an exchange of its own, restore a backup of it into another folder.",
    );
  }
  const { id, origin = null } = manifest ?? {};
  if (id !== undefined) return { id, origin };
  // An older version of the program gave its folders no id.
  const venue: Venue = { id: newVenueId(randomness), origin: null };
  writeManifest(dataFolder, sandbox, venue);
  return venue;
}

/**
 * Marks the folder as that of a node, at its first start and whenever it had been an exchange of
 * its own with this venue.
 */
export function openNodeManifest(dataFolder: string, venueId: string, sandbox: boolean): Venue {
  const manifest = readManifest(join(dataFolder, FILE));
  if (manifest !== null) checkManifest(dataFolder, manifest, sandbox);
  const venue: Venue = { id: venueId, origin: manifest?.origin ?? null };
  if (!manifest?.cluster) writeManifest(dataFolder, sandbox, venue, true);
  return venue;
}

/** Whether the folder is that of a node of a cluster. */
export function isNodeFolder(dataFolder: string): boolean {
  return readManifest(join(dataFolder, FILE))?.cluster === true;
}

/** A random UUID (RFC 9562, version 4). */
export function newVenueId(randomness: Randomness): string {
  const bytes = randomness.bytes(16);
  bytes.writeUInt8((bytes.readUInt8(6) & 0x0f) | 0x40, 6);
  bytes.writeUInt8((bytes.readUInt8(8) & 0x3f) | 0x80, 8);
  return bytes.toString("hex").replace(/^(.{8})(.{4})(.{4})(.{4})/, "$1-$2-$3-$4-");
}

function checkManifest(dataFolder: string, manifest: Manifest, sandbox: boolean): void {
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

/** The id of the venue; null before its first start, and where an older version made it. */
export function venueIdOf(dataFolder: string): string | null {
  return readManifest(join(dataFolder, FILE))?.id ?? null;
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
    const manifest = JSON.parse(text) as Partial<Manifest>;
    const { formatVersion, sandbox, id, origin } = manifest;
    if (typeof formatVersion === "number" && typeof sandbox === "boolean") {
      const venue = typeof id === "string" ? { id, origin: origin ?? null } : {};
      const cluster = manifest.cluster === true ? { cluster: true as const } : {};
      return { formatVersion, sandbox, ...venue, ...cluster };
    }
  } catch {
    // Not JSON: refused below, like JSON of the wrong shape.
  }
  throw new StartRefused(`${path} is damaged. Restore it from a copy of the data folder.`, 78);
}

/** Durable when it returns. */
export function writeManifest(
  dataFolder: string,
  sandbox: boolean,
  venue: Venue,
  isNode = false,
): void {
  const path = join(dataFolder, FILE);
  const { id, origin } = venue;
  const cluster = isNode ? { cluster: true as const } : {};
  const manifest: Manifest = { formatVersion: FORMAT_VERSION, sandbox, id, origin, ...cluster };
  const temporary = `${path}.tmp`;
  const file = openSync(temporary, "w", 0o600);
  writeSync(file, `${JSON.stringify(manifest)}\n`);
  fsyncSync(file);
  closeSync(file);
  renameSync(temporary, path);
  const directory = openSync(dataFolder, "r");
  fsyncSync(directory);
  closeSync(directory);
}
