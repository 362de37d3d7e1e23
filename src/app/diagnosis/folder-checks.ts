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
import { readBackupRecord } from "../backup/backup-record.ts";
import { StartRefused } from "../config.ts";
import { isSandboxFolder } from "../data-folder-manifest.ts";
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
    const check = fail(name, `${folder} is no folder`, "Choose another --data-dir.");
    return { check, isOpen: false };
  }
  if (!isWritable(folder)) {
    const next = `Give it to the user that runs the exchange: chown -R <user> ${folder}`;
    return { check: fail(name, `this user may not write in ${folder}`, next), isOpen: false };
  }
  const of = (check: Check) => ({ check, isOpen: true });
  const uid = process.getuid?.();
  if (uid !== undefined && found.uid !== uid) {
    const next = "Run the exchange and its tools as that user: what they make is theirs.";
    return of(warn(name, `${folder} belongs to uid ${found.uid}, and this is uid ${uid}`, next));
  }
  if ((found.mode & OPEN_TO_OTHERS) !== 0) {
    const mode = (found.mode & 0o777).toString(8);
    const next = `Its secrets have modes of their own; close it all the same: chmod 700 ${folder}`;
    return of(warn(name, `others may look into ${folder} (mode ${mode})`, next));
  }
  const open = findOpenToOthers(folder);
  if (open.length > 0) {
    const next = `The next start closes them, or do it now: chmod -R go= ${folder}`;
    return of(warn(name, `others may look into ${open[0]} (${open.length} paths in all)`, next));
  }
  return of(ok(name, `${folder} is writable, and this user's alone`));
}

function checkFutureFolder(folder: string): Check {
  const name = "data-folder";
  let above = dirname(resolve(folder));
  while (!existsSync(above)) above = dirname(above);
  if (!isWritable(above)) {
    const next = "Make it for the user that runs the exchange, or choose another --data-dir.";
    return fail(name, `there is no ${folder}, and it cannot be made in ${above}`, next);
  }
  const next = "If there should be one, name it with --data-dir; else `npm start` makes it.";
  return warn(name, `there is no ${folder} yet`, next);
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
  const finding = `${bytesText(freeBytes)} free; below ${reserve} no order is taken`;
  const next = "Make room, or move the folder to a larger disk: the journal is kept whole.";
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
  const free = { check: ok(name, "nobody holds the folder"), isHeld: false };
  if (!existsSync(join(folder, "lock.db"))) return free;
  const lock = lockDataFolder(folder);
  if (lock.ok) {
    lock.release();
    return free;
  }
  if (lock.kind === "held") return { check: ok(name, "an exchange holds it"), isHeld: true };
  const next = "Give all of the folder to the user that runs the exchange.";
  return { check: fail(name, lock.message, next), isHeld: false };
}

export function checkVenue(folder: string): { readonly check: Check; readonly isSandbox: boolean } {
  const name = "venue";
  try {
    const isSandbox = isSandboxFolder(folder);
    if (isSandbox === null) {
      return { check: ok(name, "nothing was started in the folder yet"), isSandbox: false };
    }
    const finding = isSandbox ? "a sandbox: it is started with --sandbox" : "no sandbox";
    return { check: ok(name, finding), isSandbox };
  } catch (error) {
    if (!(error instanceof StartRefused)) throw error;
    const next = "Restore venue.json from a copy of the folder.";
    return { check: fail(name, error.message, next), isSandbox: false };
  }
}

/** `withinMs`: how old the last backup may be; null where nobody asked. */
export function checkBackup(
  folder: string,
  withinMs: number | null,
  nowMs = NODE_PLATFORM.clock.wallMs(),
): Check {
  const name = "backup";
  const record = readBackupRecord(folder);
  const next = "Make one: rialto backup <folder on another disk>; with --every it goes on.";
  if (record === null) {
    const finding = "none was made with `rialto backup`";
    return withinMs === null ? ok(name, finding) : fail(name, finding, next);
  }
  const ageMs = nowMs - record.madeMs;
  const finding = `${spanText(ageMs)} old, up to sequence ${record.sequence} in ${record.target}`;
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
  const next = "Until then no start: its API keys could not sign.";
  return orUnusable(name, next, () => {
    const keys = findMasterKeys(folder, masterKeyFile, storeFolder);
    if (keys === null) return ok(name, "none yet: the first start draws one");
    const versions = [...keys.byVersion.keys()].join(", ");
    if (masterKeyFile !== null) return ok(name, `${keys.path}, version ${versions}`);
    return ok(name, `${keys.path}, version ${versions}; keep a copy apart from those of keys.db`);
  });
}

export function checkOperatorToken(folder: string, given: string | null): Check {
  const name = "operator-token";
  return orUnusable(name, "Or give one by RIALTO_OPERATOR_TOKEN.", () => {
    if (given !== null) {
      openOperatorToken(folder, given);
      return ok(name, "RIALTO_OPERATOR_TOKEN");
    }
    const kept = readOperatorToken(folder);
    return ok(name, kept === null ? "none yet: the first start draws one" : kept.path);
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
