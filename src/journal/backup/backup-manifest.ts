/**
 * `manifest.json` of a backup: what the backup is, and every file of it with its hash. It is
 * written last and replaced in one step, so that a folder holds the backup before a run or the one
 * after it. Its own hash stands at its end and covers all of its bytes.
 */
import { hash } from "node:crypto";

export const MANIFEST_FILE = "manifest.json";
const FORMAT_VERSION = 1;
const SEGMENT = /journal\/\d{16}-[0-9a-f]{32}\.segment(\.zst)?/;
const SNAPSHOT = /snapshots\/\d{16}-[0-9a-f]{32}\.snapshot/;
const KEYS = /keys-[0-9a-f]{32}\.db/;
/** What a backup consists of: nothing else in its folder is read or removed. */
export const BACKUP_NAME: RegExp = new RegExp(
  `^(${SEGMENT.source}|${SNAPSHOT.source}|${KEYS.source})$`,
);

/** A file that never changes; its name has a part of its hash. */
export interface BackupFile {
  readonly name: string;
  readonly bytes: number;
  /** Of all its bytes, in hex. */
  readonly sha256: string;
}

/** A segment of the journal: one compressed file, or raw pieces that follow each other. */
export interface BackupSegment {
  readonly form: "raw" | "compressed";
  readonly firstSequence: number;
  /** The end of what the backup has of it. */
  readonly lastSequence: number;
  /** In hex. */
  readonly chainHash: string;
  readonly epoch: number;
  /** Exchange time of its last command. */
  readonly lastTimestampMs: number;
  readonly files: readonly BackupFile[];
}

export interface BackupSnapshot {
  readonly sequence: number;
  readonly file: BackupFile;
  /** The wall clock of the run that copied it; earlier versions did not say. */
  readonly copiedMs?: number;
}

/** What is outside of the journal, and needed to start. */
export interface BackupVenue {
  /** Null: an older version of the program made its data folder, and it was not started since. */
  readonly id: string | null;
  readonly sandbox: boolean;
  /** How far a sandbox's clock is behind the machine's. */
  readonly clockBehindMs: number;
}

export interface BackupManifest {
  /** The last command that can be restored. */
  readonly sequence: number;
  /** The wall clock when the backup was asked for: it has all that was durable then. */
  readonly takenMs: number;
  readonly venue: BackupVenue;
  readonly segments: readonly BackupSegment[];
  readonly snapshots: readonly BackupSnapshot[];
  /** The sealed secrets of API keys. */
  readonly keys: BackupFile | null;
}

/** A file of a backup is missing, or is not what the manifest says. */
export class DamagedBackup extends Error {
  override readonly name = "DamagedBackup";
  readonly file: string;

  constructor(file: string, problem: string) {
    super(
      `${file}: ${problem}. Restore from another copy of the backup; while the exchange still ` +
        "has its data, `rialto backup` into another folder makes a new one",
    );
    this.file = file;
  }
}

export function filesOf({ segments, snapshots, keys }: BackupManifest): readonly BackupFile[] {
  return [
    ...segments.flatMap(({ files }) => files),
    ...snapshots.map(({ file }) => file),
    ...(keys === null ? [] : [keys]),
  ];
}

export function bytesOf(files: readonly BackupFile[]): number {
  return files.reduce((sum, { bytes }) => sum + bytes, 0);
}

export function encodeManifest(manifest: BackupManifest): Uint8Array {
  return Buffer.from(sealed({ formatVersion: FORMAT_VERSION, ...manifest }));
}

/** Throws `DamagedBackup` for anything that `encodeManifest` did not write. */
export function decodeManifest(bytes: Uint8Array, path: string): BackupManifest {
  const text = Buffer.from(bytes).toString();
  const { sha256: _, ...body } = parsed(text, path);
  if (sealed(body) !== text) throw new DamagedBackup(path, "it does not match its hash");
  const { formatVersion, ...manifest } = body;
  if (formatVersion !== FORMAT_VERSION) {
    throw new DamagedBackup(path, `format ${formatVersion} is not known to this program`);
  }
  const result = manifest as unknown as BackupManifest;
  const stray = filesOf(result).find(({ name }) => !BACKUP_NAME.test(name));
  if (stray !== undefined) throw new DamagedBackup(path, `${stray.name} is no file of a backup`);
  return result;
}

function parsed(text: string, path: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value === "object" && value !== null) return value as Record<string, unknown>;
  } catch {
    // Refused below, like JSON of the wrong shape.
  }
  throw new DamagedBackup(path, "it is damaged");
}

/** The hash comes last, so that it is of all that precedes it. */
function sealed(body: object): string {
  const sha256 = hash("sha256", JSON.stringify(body));
  return `${JSON.stringify({ ...body, sha256 })}\n`;
}
