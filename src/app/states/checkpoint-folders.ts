/**
 * The checkpoints of a sandbox, each in a folder that is made like a data folder: the journal up to
 * its command, the snapshot of the state after it, the history and the sealed secrets as they were
 * then. `checkpoint.json` is written last; a folder without it was never finished.
 */
import { existsSync, readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { readWholeFile, replaceWholeFile } from "../../journal/index.ts";
import type { FileSystem } from "../../platform/index.ts";

const FOLDER = "checkpoints";
const RECORD = "checkpoint.json";
const FORMAT_VERSION = 1;

export interface CheckpointRecord {
  readonly name: string;
  readonly sequence: number;
  readonly stateHash: string;
  /** End of the journal's hash chain at the sequence, in hex. */
  readonly chainHash: string;
  /** Of the journal at the sequence. */
  readonly epoch: number;
  /** The exchange's wall clock when it was made. */
  readonly clockMs: number;
  /** The machine's. */
  readonly createdMs: number;
}

/** Null when the folder has no finished checkpoint. */
export async function readCheckpoint(
  folder: string,
  fileSystem: FileSystem,
): Promise<CheckpointRecord | null> {
  const bytes = await readWholeFile(fileSystem, join(folder, RECORD));
  if (bytes === null) return null;
  try {
    const { formatVersion, ...record } = JSON.parse(Buffer.from(bytes).toString());
    const { chainHash, clockMs, epoch, sequence } = record;
    const isWhole =
      [clockMs, epoch, sequence].every((value) => typeof value === "number") &&
      typeof chainHash === "string";
    return formatVersion === FORMAT_VERSION && isWhole ? record : null;
  } catch {
    return null;
  }
}

/** The last step of making a checkpoint: from then on there is one. */
export async function writeCheckpoint(
  folder: string,
  record: CheckpointRecord,
  fileSystem: FileSystem,
): Promise<void> {
  const text = `${JSON.stringify({ formatVersion: FORMAT_VERSION, ...record })}\n`;
  await replaceWholeFile(fileSystem, join(folder, RECORD), Buffer.from(text));
  await fileSystem.syncFolder(folder);
}

export class CheckpointFolders {
  readonly #folder: string;
  readonly #records = new Map<string, CheckpointRecord>();

  private constructor(folder: string) {
    this.#folder = folder;
  }

  /** Removes what an earlier run left unfinished. */
  static async open(dataFolder: string, fileSystem: FileSystem): Promise<CheckpointFolders> {
    const folders = new CheckpointFolders(join(dataFolder, FOLDER));
    for (const name of namesIn(folders.#folder)) {
      const path = folders.path(name);
      const record = isOfRun(name) ? null : await readCheckpoint(path, fileSystem);
      if (record === null) rmSync(path, { recursive: true, force: true });
      else folders.#records.set(name, record);
    }
    return folders;
  }

  path(name: string): string {
    return join(this.#folder, name);
  }

  get size(): number {
    return this.#records.size;
  }

  /** In the order in which they were made. */
  list(): readonly CheckpointRecord[] {
    return [...this.#records.values()].sort((one, other) => one.createdMs - other.createdMs);
  }

  find(name: string): CheckpointRecord | null {
    return this.#records.get(name) ?? null;
  }

  add(record: CheckpointRecord): void {
    this.#records.set(record.name, record);
  }

  /** The record goes first, so that nothing is left that looks finished. */
  async remove(name: string, fileSystem: FileSystem): Promise<void> {
    this.#records.delete(name);
    const path = this.path(name);
    if (existsSync(path)) await fileSystem.remove(join(path, RECORD));
    rmSync(path, { recursive: true, force: true });
  }
}

/** Checkpoints that one run of the exchange makes for itself; no name of a user begins so. */
const OF_RUN = ".";

function isOfRun(name: string): boolean {
  return name.startsWith(OF_RUN);
}

/** Where a run keeps a state of its own; the next one removes it. */
export function runFolder(folders: CheckpointFolders, name: string): string {
  return folders.path(OF_RUN + name);
}

function namesIn(folder: string): readonly string[] {
  return existsSync(folder) ? readdirSync(folder) : [];
}
