/**
 * `branch.json` in the data folder of a sandbox: which branch of the journal the exchange is on.
 * Without the file it is the one that began with the folder, whose files lie in the folder itself.
 * A restore makes the folder of a new branch and then replaces this file, in one step: a crash
 * leaves the exchange before the restore or after it, and nothing of either is mixed.
 */
import { join } from "node:path";
import { readWholeFile, replaceWholeFile } from "../../journal/index.ts";
import { type FileSystem, NODE_FILE_SYSTEM } from "../../platform/index.ts";
import { StartRefused } from "../config.ts";

const FILE = "branch.json";
const BRANCHES = "branches";
const ORIGIN = "origin.json";
const FORMAT_VERSION = 1;

export interface Branch {
  /** 0 for the one that began with the folder. */
  readonly number: number;
  /** How far the exchange's wall clock is behind the machine's, by restores of earlier times. */
  readonly clockBehindMs: number;
}

const FIRST_BRANCH: Branch = { number: 0, clockBehindMs: 0 };

/** Where the journal, the snapshots, the history and the secrets of a branch are. */
export function branchFolder(dataFolder: string, number: number): string {
  return number === 0 ? dataFolder : join(dataFolder, BRANCHES, String(number));
}

/** Throws `StartRefused` when the file cannot be read. */
export async function readBranch(
  dataFolder: string,
  fileSystem: FileSystem = NODE_FILE_SYSTEM,
): Promise<Branch> {
  const path = join(dataFolder, FILE);
  const bytes = await readWholeFile(fileSystem, path);
  if (bytes === null) return FIRST_BRANCH;
  try {
    const { formatVersion, number, clockBehindMs } = JSON.parse(Buffer.from(bytes).toString());
    if (formatVersion === FORMAT_VERSION && isCount(number) && Number.isInteger(clockBehindMs)) {
      return { number, clockBehindMs };
    }
  } catch {
    // Not JSON: refused below, like JSON of the wrong shape.
  }
  const advice = `Restore it from a copy, or write the number of a folder in ${BRANCHES} into it.`;
  throw new StartRefused(`${path} is damaged. ${advice}`, 78);
}

function isCount(value: unknown): boolean {
  return Number.isSafeInteger(value) && (value as number) >= 0;
}

/** From the moment when this is durable, the exchange is on that branch. */
export async function writeBranch(
  dataFolder: string,
  branch: Branch,
  fileSystem: FileSystem = NODE_FILE_SYSTEM,
): Promise<void> {
  const text = `${JSON.stringify({ formatVersion: FORMAT_VERSION, ...branch })}\n`;
  await replaceWholeFile(fileSystem, join(dataFolder, FILE), Buffer.from(text));
}

/** Of a branch that the exchange has gone over to: where it comes from, also for people. */
export interface Origin {
  readonly checkpoint: string;
  readonly sequence: number;
  readonly stateHash: string;
  readonly chainHash: string;
  readonly leftBranch: number;
  readonly madeMs: number;
}

export async function writeOrigin(
  folder: string,
  origin: Origin,
  fileSystem: FileSystem,
): Promise<void> {
  const text = `${JSON.stringify(origin)}\n`;
  await replaceWholeFile(fileSystem, join(folder, ORIGIN), Buffer.from(text));
}

/**
 * The branch to start on. Throws `StartRefused` when a later one was in use: then `branch.json` is
 * missing or an older copy, and what was acknowledged since would be lost without a word.
 */
export async function latestBranch(dataFolder: string, fileSystem: FileSystem): Promise<Branch> {
  const branch = await readBranch(dataFolder, fileSystem);
  const folders = await fileSystem.list(join(dataFolder, BRANCHES)).catch(() => []);
  for (const name of folders) {
    if (!(Number(name) > branch.number)) continue;
    const folder = join(dataFolder, BRANCHES, name);
    if ((await readWholeFile(fileSystem, join(folder, ORIGIN))) === null) continue;
    const file = join(dataFolder, FILE);
    const problem = `${file} is missing or older than ${folder}, which was in use.`;
    const advice = `Restore it from a copy, or delete ${folder} to lose what is there.`;
    throw new StartRefused(`${problem} ${advice}`, 78);
  }
  return branch;
}

/** The folder of the branch that the exchange is on. */
export async function presentFolder(dataFolder: string): Promise<string> {
  return branchFolder(dataFolder, (await readBranch(dataFolder)).number);
}
