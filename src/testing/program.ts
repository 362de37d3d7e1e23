/**
 * How to run the program beside this kit: the sources of a clone, linked or not, or what was
 * compiled of them in an installed package.
 */
import { existsSync } from "node:fs";
import { dirname, extname, join } from "node:path";
import { fileURLToPath } from "node:url";

/** Relative to both `src/testing` and `dist/testing`. */
const PACKAGE = fileURLToPath(new URL("../..", import.meta.url));
const IS_COMPILED = import.meta.url.endsWith(".js");
/** A run of all tests of a clone names what it built of the sources: that starts in a third. */
const SOURCES = process.env.RIALTO_TEST_PROGRAM ?? join(PACKAGE, "src/cli/main.ts");
const MAIN = IS_COMPILED ? join(PACKAGE, "dist/cli/main.js") : SOURCES;
const SCRIPTS = {
  start: MAIN,
  replay: MAIN,
  several: join(dirname(MAIN), `several-exchanges${extname(MAIN)}`),
} as const;

/**
 * Of an exchange in one thread: room for what a start makes, of which little is garbage, and no
 * helpers for the rest; many of them run on one machine.
 */
const SMALL_HEAP = ["--min-semi-space-size=8", "--single-threaded-gc"];

export interface Program {
  readonly node: string;
  /** Go before the flags. */
  readonly args: readonly string[];
  /** Compiled code is cached here between starts, which halves the time to ready. */
  readonly compileCache: string;
}

export function findProgram(script: keyof typeof SCRIPTS, isSmall: boolean): Program {
  const compileCache = join(PACKAGE, "node_modules/.cache/rialto");
  const heap = isSmall ? SMALL_HEAP : [];
  const command = script === "several" ? [] : [script];
  const args = [...heap, SCRIPTS[script], ...command];
  return { node: findNode(), args, compileCache };
}

/** The one that runs the test; in a clone the pinned one. */
function findNode(): string {
  const pinned = join(PACKAGE, "node_modules/.bin/node");
  return !IS_COMPILED && existsSync(pinned) ? pinned : process.execPath;
}
