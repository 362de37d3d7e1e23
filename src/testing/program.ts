/**
 * How to run the program from this package, wherever it is: in a clone, linked into a project, or
 * unpacked into its node_modules.
 */
import { existsSync, readFileSync } from "node:fs";
import { join, sep } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";

/** The package, relative to both `src/testing` and `dist/testing`. */
const PACKAGE = fileURLToPath(new URL("../..", import.meta.url));
const MAIN = join(PACKAGE, "src/cli/main.ts");

export interface Program {
  readonly node: string;
  /** Goes before the arguments of the command line. */
  readonly args: readonly string[];
  /** Compiled code is cached here between starts, which halves the time to ready. */
  readonly compileCache: string;
}

/** Throws when no Node can run it. */
export function findProgram(): Program {
  const compileCache = join(PACKAGE, "node_modules/.cache/rialto");
  return { node: findNode(), args: [...typeFlags(), MAIN], compileCache };
}

/** Node does not strip TypeScript types in packages; the hook that does is experimental. */
function typeFlags(): readonly string[] {
  if (!PACKAGE.split(sep).includes("node_modules")) return [];
  const hook = pathToFileURL(join(PACKAGE, "strip-types.mjs")).href;
  return ["--disable-warning=ExperimentalWarning", `--import=${hook}`];
}

/**
 * The pinned Node of the package or the project around it, otherwise the running one if it is
 * suitable.
 */
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
