/** The data folder: its owner, free disk space, the lock and the secrets in it. */
import { accessSync, constants, existsSync, statSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { diskSpace, lockDataFolder } from "../../journal/index.ts";
import {
  findMasterKeys,
  openOperatorToken,
  readOperatorToken,
  UnusableSecrets,
} from "../../keys/index.ts";
import { NODE_PLATFORM } from "../../platform/index.ts";
import { readBackupRecords } from "../backup/backup-record.ts";
import { StartRefused } from "../config.ts";
import { isSandboxFolder, lacksManifest, MISSING_MANIFEST_NEXT } from "../data-folder-manifest.ts";
import { findOpenToOthers } from "../private-folder.ts";
import { bytesText, type Check, fail, ok, spanText, warn } from "./check.ts";

const OPEN_TO_OTHERS = 0o077;
/** Older than most would want, so it is said without being asked. */
const BACKUP_OLD_MS = 24 * 3_600_000;

/** `isOpen`: the folder exists and this user may read it. */
export function checkFolder(folder: string): { readonly check: Check; readonly isOpen: boolean } {
  const name = "data-folder";
  const found = statSync(folder, { throwIfNoEntry: false });
  if (found === undefined) return { check: checkFutureFolder(folder), isOpen: false };
  if (!found.isDirectory()) {
    const check = fail(name, `${folder} is not a folder`, "Choose another --data-dir.");
    return { check, isOpen: false };
  }
  if (!isWritable(folder)) {
    const next = `Give it to the user that runs the exchange: chown -R <user> ${folder}`;
    return { check: fail(name, `this user may not write to ${folder}`, next), isOpen: false };
  }
  const of = (check: Check) => ({ check, isOpen: true });
  const uid = process.getuid?.();
  if (uid !== undefined && found.uid !== uid) {
    const next = "Run the exchange and its tools as that user, because they create files.";
    return of(warn(name, `${folder} belongs to uid ${found.uid}, but this is uid ${uid}`, next));
  }
  if ((found.mode & OPEN_TO_OTHERS) !== 0) {
    const mode = (found.mode & 0o777).toString(8);
    const next = `Its secrets are protected separately, but run chmod 700 ${folder}`;
    return of(warn(name, `other users can read ${folder} (mode ${mode})`, next));
  }
  const open = findOpenToOthers(folder);
  if (open.length > 0) {
    const next = `The next start fixes this, or run chmod -R go= ${folder}`;
    return of(warn(name, `other users can read ${open[0]} (${open.length} paths in all)`, next));
  }
  return of(ok(name, `${folder} is writable and private to this user`));
}

function checkFutureFolder(folder: string): Check {
  const name = "data-folder";
  let above = dirname(resolve(folder));
  while (!existsSync(above)) above = dirname(above);
  if (!isWritable(above)) {
    const next = "Create it for the user that runs the exchange, or choose another --data-dir.";
    return fail(name, `${folder} does not exist and cannot be created in ${above}`, next);
  }
  const next =
    "`npm start` creates it. If your data is elsewhere, name its folder with --data-dir.";
  return warn(name, `${folder} does not exist yet`, next);
}

function isWritable(folder: string): boolean {
  try {
    accessSync(folder, constants.R_OK | constants.W_OK | constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

export async function checkDisk(folder: string): Promise<Check> {
  const name = "disk";
  const { freeBytes, reserveBytes } = await diskSpace(folder);
  const reserve = bytesText(reserveBytes);
  const finding = `${bytesText(freeBytes)} free; below ${reserve} orders are refused`;
  const next = "Free space, or move the folder to a larger disk: the journal is never truncated.";
  if (freeBytes < reserveBytes) return fail(name, finding, next);
  if (freeBytes < 2 * reserveBytes) return warn(name, finding, next);
  return ok(name, finding);
}

/**
 * Whether an exchange holds the folder. A free lock is taken and released at once. The lock file is
 * never created, so that it does not end up belonging to the user who runs the check.
 */
export function checkLock(folder: string): { readonly check: Check; readonly isHeld: boolean } {
  const name = "lock";
  const free = { check: ok(name, "no exchange uses the folder"), isHeld: false };
  if (!existsSync(join(folder, "lock.db"))) return free;
  const lock = lockDataFolder(folder);
  if (lock.ok) {
    lock.release();
    return free;
  }
  if (lock.kind === "held")
    return { check: ok(name, "a running exchange uses the folder"), isHeld: true };
  const next = "Make the user that runs the exchange the owner of the whole folder.";
  return { check: fail(name, lock.message, next), isHeld: false };
}

export function checkVenue(folder: string): { readonly check: Check; readonly isSandbox: boolean } {
  const name = "venue";
  try {
    const isSandbox = isSandboxFolder(folder);
    if (lacksManifest(folder)) {
      const check = fail(name, "venue.json is missing", MISSING_MANIFEST_NEXT);
      return { check, isSandbox: false };
    }
    if (isSandbox === null) {
      return {
        check: ok(name, "no exchange has been started in this folder yet"),
        isSandbox: false,
      };
    }
    const finding = isSandbox ? "a sandbox: start it with --sandbox" : "not a sandbox";
    return { check: ok(name, finding), isSandbox };
  } catch (error) {
    if (!(error instanceof StartRefused)) throw error;
    const next = "Restore venue.json from a copy of the folder.";
    return { check: fail(name, error.message, next), isSandbox: false };
  }
}

/**
 * `withinMs`: how old the last backup of each target may be; null where nobody asked.
 * `lastSequence`: of the journal, null where that is not known.
 */
export function checkBackup(
  folder: string,
  withinMs: number | null,
  lastSequence: number | null,
  nowMs = NODE_PLATFORM.clock.wallMs(),
): Check {
  const name = "backup";
  const records = readBackupRecords(folder);
  const oldest = records.at(-1);
  const next = "Make one: rialto backup <folder on another disk>; with --every it goes on.";
  if (oldest === undefined) {
    const finding = "none was made with `rialto backup`";
    return withinMs === null ? ok(name, finding) : fail(name, finding, next);
  }
  const ageMs = nowMs - oldest.madeMs;
  const texts = records.map(({ target, sequence, madeMs }) => {
    const lag = lastSequence === null ? null : Math.max(0, lastSequence - sequence);
    const behind = lag === null ? "" : `, ${lag} commands behind`;
    return `${spanText(nowMs - madeMs)} old, up to sequence ${sequence} in ${target}${behind}`;
  });
  const finding = texts.join("; ");
  if (withinMs !== null && ageMs > withinMs) return fail(name, finding, next);
  return ageMs > BACKUP_OLD_MS ? warn(name, finding, next) : ok(name, finding);
}

/** `masterKeyFile` is RIALTO_MASTER_KEY_FILE; the sealed secrets are in `storeFolder`. */
export function checkMasterKey(
  folder: string,
  masterKeyFile: string | null,
  storeFolder: string,
): Check {
  const name = "master-key";
  const next = "Until then the exchange cannot start: it needs this key to read its API keys.";
  return orUnusable(name, next, () => {
    const keys = findMasterKeys(folder, masterKeyFile, storeFolder);
    if (keys === null) return ok(name, "none yet: the first start creates one");
    const versions = [...keys.byVersion.keys()].join(", ");
    if (masterKeyFile !== null) return ok(name, `${keys.path}, version ${versions}`);
    return ok(name, `${keys.path}, version ${versions}; back it up separately from keys.db`);
  });
}

export function checkOperatorToken(folder: string, given: string | null): Check {
  const name = "operator-token";
  return orUnusable(name, "Or set RIALTO_OPERATOR_TOKEN.", () => {
    if (given !== null) {
      openOperatorToken(folder, given);
      return ok(name, "RIALTO_OPERATOR_TOKEN");
    }
    const kept = readOperatorToken(folder);
    return ok(name, kept === null ? "none yet: the first start creates one" : kept.path);
  });
}

function orUnusable(name: string, next: string, look: () => Check): Check {
  try {
    return look();
  } catch (error) {
    if (error instanceof UnusableSecrets) return fail(name, error.message, next);
    // This user may not even open the file.
    if (error instanceof Error && "syscall" in error) return fail(name, error.message, next);
    throw error;
  }
}
