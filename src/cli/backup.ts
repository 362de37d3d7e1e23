/** `rialto backup` and `rialto restore`. */
import { join, resolve } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { type Command, InvalidArgumentError, Option } from "commander";
import type { BackupResult } from "../app/backup/back-up.ts";
import { bytesText } from "../app/diagnosis/check.ts";
import type { RestoreLimit } from "../journal/backup/log-restoring.ts";
import { NODE_PLATFORM } from "../platform/index.ts";
import {
  addCommand,
  dataFolderOption,
  type OutputFlags,
  parseDuration,
  parseUid,
  print,
} from "./command.ts";
import { CommandFailed, reportFailure } from "./failure.ts";
import { textTime } from "./text-table.ts";

interface BackupFlags extends OutputFlags {
  readonly dataDir: string;
  readonly every?: number;
  readonly keepSnapshots: number;
}

const SNAPSHOT_DAYS_DEFAULT = 7;
const SNAPSHOT_DAYS_MAX = 3_660;
/** How often a loop reads all of the backup again. */
const READ_ALL_MS = 24 * 3_600_000;

export function addBackupCommands(program: Command): void {
  addCommand(program, "backup <target>", {
    description:
      "back up the exchange into a folder, also while it runs; a later run adds what is new",
    examples: [
      "rialto backup /backup/rialto --data-dir /var/lib/rialto",
      "rialto backup /backup/rialto --data-dir /var/lib/rialto --every 10s",
    ],
  })
    .addOption(dataFolderOption())
    .option(
      "--every <duration>",
      "go on until it is stopped, such as every 10s or 5m",
      parseDuration,
    )
    .option(
      "--keep-snapshots <days>",
      "for how many days to keep the last snapshot of each, for a quick restore to that day",
      parseDays,
      SNAPSHOT_DAYS_DEFAULT,
    )
    .action(backup);
  addCommand(program, "restore <source>", {
    description: "make a data folder from a backup, as of its end or an earlier command",
    examples: [
      "rialto restore /backup/rialto --data-dir /var/lib/rialto",
      "rialto restore /backup/rialto --data-dir /var/lib/rialto --to-time 2026-03-01T09:30:00Z",
    ],
  })
    .addOption(dataFolderOption())
    .addOption(
      new Option("--to-sequence <n>", "last command to restore")
        .argParser(parseLastSequence)
        .conflicts("toTime"),
    )
    .option(
      "--to-time <t>",
      "restore the commands up to this exchange time: ISO 8601 with a zone, or milliseconds",
      parseTime,
    )
    .option("--verify", "replay from the first command, not from a snapshot")
    .action(restore);
}

function parseDays(text: string): number {
  const days = /^\d{1,4}$/.test(text) ? Number(text) : Number.NaN;
  if (days <= SNAPSHOT_DAYS_MAX) return days;
  throw new InvalidArgumentError(`Use a whole number of days, 0 to ${SNAPSHOT_DAYS_MAX}.`);
}

function parseLastSequence(text: string): number {
  try {
    return parseUid(text);
  } catch {
    throw new InvalidArgumentError("A command's sequence is a whole number, 1 or more.");
  }
}

const ISO_TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d(\.\d{1,3})?)?(Z|[+-]\d\d:\d\d)$/;

function parseTime(text: string): number {
  const ms = /^\d{1,15}$/.test(text) ? Number(text) : ISO_TIME.test(text) ? Date.parse(text) : NaN;
  if (Number.isSafeInteger(ms)) return ms;
  throw new InvalidArgumentError(
    "Use a time such as 2026-03-01T09:30:00Z, or milliseconds since 1970.",
  );
}

async function backup(target: string, flags: BackupFlags): Promise<void> {
  const { backUp } = await import("../app/backup/back-up.ts");
  const dataFolder = flags.dataDir;
  const { keepSnapshots: snapshotDays } = flags;
  const result = await backUp({ dataFolder, target, check: "all", snapshotDays });
  console.error(aboutMasterKey(dataFolder));
  if (flags.every === undefined) return print(flags, documentOf(result), textOf(result));
  await repeat(target, flags, flags.every, result);
}

/** Until a signal. What fails is tried again: a disk may be full for a while, or away. */
async function repeat(
  target: string,
  flags: BackupFlags,
  everyMs: number,
  first: BackupResult,
): Promise<void> {
  const { backUp } = await import("../app/backup/back-up.ts");
  const { clock } = NODE_PLATFORM;
  const stopped = new AbortController();
  for (const signal of ["SIGTERM", "SIGINT", "SIGHUP"] as const) {
    process.once(signal, () => stopped.abort());
  }
  let readAllMs = clock.monotonicMs();
  printLine(flags, first);
  for (;;) {
    await sleep(everyMs, undefined, { signal: stopped.signal }).catch(() => undefined);
    if (stopped.signal.aborted) return;
    const check = clock.monotonicMs() - readAllMs >= READ_ALL_MS ? "all" : "size";
    try {
      const { dataDir: dataFolder, keepSnapshots: snapshotDays } = flags;
      const options = { dataFolder, target, check, snapshotDays, mustExist: true } as const;
      printLine(flags, await backUp(options));
      if (check === "all") readAllMs = clock.monotonicMs();
    } catch (error) {
      reportFailure(error, flags.json === true);
    }
  }
}

function printLine(flags: BackupFlags, result: BackupResult): void {
  const { addedBytes, sequence } = result;
  const time = textTime(NODE_PLATFORM.clock.wallMs());
  const text = `${time}  sequence ${sequence}, ${bytesText(addedBytes)} added`;
  console.log(flags.json ? JSON.stringify(documentOf(result)) : text);
}

function documentOf({ target, sequence, files, bytes }: BackupResult): object {
  return { target, sequence, files, bytes, verified: true };
}

function textOf({ target, sequence, files, bytes, addedBytes }: BackupResult): string {
  return (
    `backed up to ${target}, verified: every command up to sequence ${sequence}, ` +
    `${files} files of ${bytesText(bytes)}, ${bytesText(addedBytes)} added`
  );
}

function aboutMasterKey(dataFolder: string): string {
  const path = process.env.RIALTO_MASTER_KEY_FILE ?? resolve(join(dataFolder, "master.key"));
  return (
    `rialto: the backup does not have ${path}, which opens its API keys. Keep a copy of that ` +
    "file in another place than the backup, such as a password manager or a safe."
  );
}

interface RestoreFlags extends OutputFlags {
  readonly dataDir: string;
  readonly toSequence?: number;
  readonly toTime?: number;
  readonly verify?: true;
}

async function restore(source: string, flags: RestoreFlags): Promise<void> {
  const { restore: restoreBackup } = await import("../app/backup/restore.ts");
  const { ReplayDivergence } = await import("../app/replay.ts");
  const { dataDir: dataFolder, verify = false } = flags;
  const limit = limitOf(flags);
  try {
    const options = { source, dataFolder, limit, fromTheBeginning: verify };
    const { sequence, stateHash, venueId, needsMasterKey } = await restoreBackup(options);
    if (needsMasterKey) console.error(aboutMissingMasterKey(dataFolder));
    const text =
      `restored to ${dataFolder}: every command up to sequence ${sequence}\n` +
      `state hash ${stateHash}\nthe venue has a new id, ${venueId}`;
    print(flags, { sequence, stateHash }, text);
  } catch (error) {
    if (!(error instanceof ReplayDivergence)) throw error;
    throw new CommandFailed("diverged", `${error.message}. Restore with the version that wrote it`);
  }
}

function limitOf({ toSequence, toTime }: RestoreFlags): RestoreLimit | null {
  if (toSequence !== undefined) return { sequence: toSequence };
  return toTime === undefined ? null : { timeMs: toTime };
}

function aboutMissingMasterKey(dataFolder: string): string {
  const path = process.env.RIALTO_MASTER_KEY_FILE ?? join(dataFolder, "master.key");
  return (
    `rialto: put the master key back as ${path}, with mode 0600, before you start: a backup does ` +
    "not have it, and the API keys are sealed with it."
  );
}
