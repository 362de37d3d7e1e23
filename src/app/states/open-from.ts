/**
 * `--from`: an exchange in an empty folder begins with the state of another one, which may go on:
 * of a state file, of a checkpoint's folder, or of a data folder. The state becomes the folder's
 * first branch; before `branch.json` names it the folder counts as empty.
 */
import { copyFileSync, existsSync, mkdirSync, readdirSync, rmSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import { backup, DatabaseSync } from "node:sqlite";
import {
  continueLog,
  copyLog,
  linkOrCopy,
  shareLog,
  verifyJournalEnd,
} from "../../journal/index.ts";
import type { Platform } from "../../platform/index.ts";
import { historyPath } from "../../store/index.ts";
import { type Config, StartRefused } from "../config.ts";
import { isSandboxFolder } from "../data-folder-manifest.ts";
import { branchFolder, readBranch, writeBranch } from "./branch-file.ts";
import { type CheckpointRecord, readCheckpoint } from "./checkpoint-folders.ts";
import { UnusableStateFile, unpackState } from "./state-file.ts";

const FIRST = 1;
const KEY_STORE_FILE = "keys.db";
const MASTER_KEY_FILE = "master.key";
const PRIVATE_FOLDER_MODE = 0o700;
/** What the lock, which is held, has made. */
const OF_LOCK = /^lock\.db/;

/** Does nothing without `--from`. Throws `StartRefused`, and leaves the folder empty then. */
export async function openFrom(config: Config, platform: Platform): Promise<void> {
  const { dataFolder, from } = config;
  if (from === null) return;
  if (!config.sandbox) {
    throw new StartRefused("--from opens a state of a sandbox: add --sandbox.");
  }
  if (readdirSync(dataFolder).some((name) => !OF_LOCK.test(name))) {
    throw new StartRefused(
      `${dataFolder} is not empty: --from needs a folder of its own. Name another --data-dir.`,
    );
  }
  try {
    await fill(config, from, platform);
  } catch (error) {
    for (const name of readdirSync(dataFolder)) {
      if (!OF_LOCK.test(name)) rmSync(join(dataFolder, name), { recursive: true, force: true });
    }
    if (error instanceof UnusableStateFile) throw new StartRefused(error.message);
    throw error;
  }
}

async function fill(config: Config, from: string, platform: Platform): Promise<void> {
  const to = branchFolder(config.dataFolder, FIRST);
  const found = statSync(from, { throwIfNoEntry: false });
  if (found === undefined) throw new StartRefused(`--from: there is no ${from}.`);
  mkdirSync(to, { recursive: true, mode: PRIVATE_FOLDER_MODE });
  let clockBehindMs: number;
  if (!found.isDirectory()) {
    const masterKeyPath = join(config.dataFolder, MASTER_KEY_FILE);
    await unpackState(from, { folder: to, masterKeyPath });
    clockBehindMs = await beginAfterCheckpoint(to, to, from, platform);
  } else if (existsSync(join(from, "venue.json"))) {
    clockBehindMs = await forkDataFolder(config, from, to, platform);
  } else {
    await shareCheckpoint(from, to, platform);
    clockBehindMs = await beginAfterCheckpoint(from, to, from, platform);
    copyMasterKey(config, dirname(dirname(from)));
  }
  await writeBranch(config.dataFolder, { number: FIRST, clockBehindMs }, platform.files);
}

/** Resolves with how far the clock is behind: it goes on where the checkpoint's was. */
async function beginAfterCheckpoint(
  folder: string,
  to: string,
  named: string,
  { clock, files }: Platform,
): Promise<number> {
  const record: CheckpointRecord | null = await readCheckpoint(folder, files);
  if (record === null) {
    throw new StartRefused(`--from: ${named} is no state file, checkpoint or data folder.`);
  }
  const { clockMs, epoch, sequence } = record;
  const chainHash = Uint8Array.from(Buffer.from(record.chainHash, "hex"));
  await continueLog(files, join(to, "journal"), { sequence, chainHash, epoch });
  return Math.round(clock.wallMs() - clockMs);
}

async function shareCheckpoint(from: string, to: string, { files }: Platform): Promise<void> {
  if (!existsSync(join(from, "checkpoint.json"))) {
    throw new StartRefused(`--from: ${from} is no state file, checkpoint or data folder.`);
  }
  await shareLog(files, { from: join(from, "journal"), to: join(to, "journal") });
  await shareSnapshots(from, to, Number.POSITIVE_INFINITY, { files });
  for (const path of [historyPath(from), join(from, KEY_STORE_FILE)]) {
    if (existsSync(path)) copyFileSync(path, join(to, path.slice(from.length + 1)));
  }
}

async function shareSnapshots(
  from: string,
  to: string,
  through: number,
  { files }: Pick<Platform, "files">,
): Promise<void> {
  const folder = join(to, "snapshots");
  await files.makeFolder(folder);
  const names = existsSync(join(from, "snapshots")) ? readdirSync(join(from, "snapshots")) : [];
  for (const name of names) {
    const isUsable = name.endsWith(".snapshot") && Number.parseInt(name, 10) <= through;
    if (isUsable) await linkOrCopy(files, join(from, "snapshots", name), folder);
  }
  await files.syncFolder(folder);
}

/** Its exchange may be running: what it has written whole is taken, up to one command. */
async function forkDataFolder(
  config: Config,
  from: string,
  to: string,
  { files }: Platform,
): Promise<number> {
  if (isSandboxFolder(from) !== true) {
    throw new StartRefused(`--from: ${from} was created without --sandbox: it cannot be forked.`);
  }
  const { number, clockBehindMs } = await readBranch(from, files);
  const source = branchFolder(from, number);
  // First what follows from the journal, so that the journal has all of it.
  await backUp(historyPath(source), historyPath(to));
  await backUp(join(source, KEY_STORE_FILE), join(to, KEY_STORE_FILE));
  const journal = join(source, "journal");
  const { lastSequence } = await verifyJournalEnd({ folder: journal });
  if (lastSequence === 0) throw new StartRefused(`--from: ${from} has no state yet.`);
  const copy = { from: journal, to: join(to, "journal"), throughSequence: lastSequence };
  const end = await copyLog(files, copy);
  await shareSnapshots(source, to, lastSequence, { files });
  await continueLog(files, copy.to, end);
  copyMasterKey(config, from);
  return clockBehindMs;
}

/** A file of SQLite that another process may be writing. */
async function backUp(from: string, to: string): Promise<void> {
  if (!existsSync(from)) return;
  const connection = new DatabaseSync(from, { readOnly: true, timeout: 5_000 });
  try {
    await backup(connection, to, { rate: 1_000_000 });
  } finally {
    connection.close();
  }
}

function copyMasterKey({ dataFolder, masterKeyFile }: Config, from: string): void {
  const path = join(from, MASTER_KEY_FILE);
  if (masterKeyFile === null && existsSync(path)) {
    copyFileSync(path, join(dataFolder, MASTER_KEY_FILE));
  }
}
