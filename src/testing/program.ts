/**
 * How to run the program from this package, wherever it lies: in a clone, linked into a project, or
 * unpacked into its node_modules.
 */
import { existsSync, readFileSync } from "node:fs";
import { join, sep } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";

/** The package, seen from `src/testing` as from `dist/testing`. */
const PACKAGE = fileURLToPath(new URL("../..", import.meta.url));
const MAIN = join(PACKAGE, "src/cli/main.ts");

export interface Program {
  readonly node: string;
  /** In front of the arguments of the command line. */
  readonly args: readonly string[];
  /** Where compiled code is kept between starts, which halves the time to ready. */
  readonly compileCache: string;
}

/** Throws when there is no Node that can run it. */
export function findProgram(): Program {
  const compileCache = join(PACKAGE, "node_modules/.cache/rialto");
  return { node: findNode(), args: [...typeFlags(), MAIN], compileCache };
}

/** Node does not remove the types of TypeScript in packages; the hook that does is experimental. */
function typeFlags(): readonly string[] {
  if (!PACKAGE.split(sep).includes("node_modules")) return [];
  const hook = pathToFileURL(join(PACKAGE, "strip-types.mjs")).href;
  return ["--disable-warning=ExperimentalWarning", `--import=${hook}`];
}

/** The pinned one of the package or the project around it, else the running one if it will do. */
function findNode(): string {
  const pinned = [join(PACKAGE, "node_modules/.bin/node"), join(PACKAGE, "../.bin/node")];
  const found = pinned.find((path) => existsSync(path));
  if (found !== undefined) return found;
  const { engines } = JSON.parse(readFileSync(join(PACKAGE, "package.json"), "utf8"));
  if (firstNumber(process.versions.node) >= firstNumber(engines.node)) return process.execPath;
  throw new Error(
    `Rialto needs Node ${engines.node}; this is ${process.versions.node}. Run \`npm ci\` in ` +
      `${PACKAGE}, which brings the pinned one along where it runs.`,
  );
}

function firstNumber(text: string): number {
  return Number(/\d+/.exec(text)?.[0]);
}
