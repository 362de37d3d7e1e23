/**
 * Keeps the data folder private to its owner: files 0600, folders 0700. New files are created with
 * these modes; whatever a copy or an older version left open is fixed at the start. Only Rialto's
 * own files are changed, because the folder may contain others.
 */
import { chmodSync, type Dirent, readdirSync, statSync } from "node:fs";
import { join } from "node:path";

const OPEN_TO_OTHERS = 0o077;
const STICKY = 0o1000;
const PRIVATE_FILE_MODE = 0o600;
const PRIVATE_FOLDER_MODE = 0o700;

const FOLDERS = /^(journal|snapshots|branches|checkpoints)$/;
const DATABASES = /^(history-v\d+|keys|lock)\.db(-wal|-shm|-journal|\.damaged)?$/;
const DOCUMENTS = /^(venue|demo-keys|running|branch|backup(-[0-9a-f]{16})?)\.json(\.tmp|\.new)?$/;
/**
 * These are not fixed here: their readers refuse them while others can read them. Fixing the mode
 * silently would hide that the secret may have been read.
 */
const SECRETS = /^(master\.key|operator\.token)(\.new)?$/;

/** Rialto's files that other users can access; the folder itself comes last. */
export function findOpenToOthers(dataFolder: string): readonly string[] {
  const entries = readdirSync(dataFolder, { withFileTypes: true });
  const found: string[] = [];
  for (const entry of entries.filter(isOurs)) {
    const path = join(dataFolder, entry.name);
    if (entry.isDirectory()) found.push(...filesIn(path));
    found.push(path);
  }
  const isOursAlone = entries.every((entry) => isOurs(entry) || SECRETS.test(entry.name));
  if (isOursAlone && (modeOf(dataFolder) & STICKY) === 0) found.push(dataFolder);
  return found.filter((path) => (modeOf(path) & OPEN_TO_OTHERS) !== 0);
}

function isOurs(entry: Dirent): boolean {
  const { name } = entry;
  if (entry.isDirectory()) return FOLDERS.test(name);
  return entry.isFile() && (DATABASES.test(name) || DOCUMENTS.test(name));
}

/** Those of a sandbox's branches and checkpoints have folders of their own. */
function filesIn(folder: string): string[] {
  const entries = readdirSync(folder, { withFileTypes: true });
  return entries.flatMap((entry) => {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) return [...filesIn(path), path];
    return entry.isFile() ? [path] : [];
  });
}

/** Zero for a file that has disappeared in the meantime. */
function modeOf(path: string): number {
  return statSync(path, { throwIfNoEntry: false })?.mode ?? 0;
}

export interface Closing {
  readonly closed: readonly string[];
  /** Files that belong to another user. */
  readonly failed: readonly string[];
}

/** Makes all of them private, as far as this user may. */
export function closeToOthers(dataFolder: string): Closing {
  const closed: string[] = [];
  const failed: string[] = [];
  for (const path of findOpenToOthers(dataFolder)) {
    try {
      chmodSync(path, statSync(path).isDirectory() ? PRIVATE_FOLDER_MODE : PRIVATE_FILE_MODE);
      closed.push(path);
    } catch {
      failed.push(path);
    }
  }
  return { closed, failed };
}
