/**
 * What `npm test` consists of: the static checks, and the tests by folder. A folder of `test/` that
 * is not named here still runs, so that no test is forgotten.
 */
import { existsSync, globSync, readdirSync, statSync } from "node:fs";
import { join, relative, resolve } from "node:path";

export const ROOT = resolve(import.meta.dirname, "../..");

/** What the first check builds. */
export const TESTED_PROGRAM = join(ROOT, "dist/cli/main.js");

/** A program that passes when it exits with 0. */
export interface Check {
  readonly name: string;
  readonly binary: string;
  readonly args: readonly string[];
  /** Runs before everything else, which uses what it makes. */
  readonly isFirst: boolean;
}

export type Suite =
  | { readonly name: string; readonly kind: "checks"; readonly checks: readonly Check[] }
  | {
      readonly name: string;
      readonly kind: "tests";
      readonly files: readonly string[];
      /** Variables that its tests see. */
      readonly env?: Readonly<Record<string, string>>;
    };

const CHECKS: readonly Omit<Check, "isFirst">[] = [
  // The other checks and the tests use the other cores; more checkers look at much of it twice.
  { name: "types", binary: "tsc", args: ["-p", ".", "--checkers", "1"] },
  { name: "types of the console", binary: "tsc", args: ["-p", "src/console"] },
  { name: "format and lint", binary: "biome", args: ["check", "--max-diagnostics=50"] },
  {
    name: "import rules",
    binary: "depcruise",
    args: ["--config", ".dependency-cruiser.cjs", "src", "test", "bench", "build"],
  },
  { name: "dead code", binary: "knip", args: ["--no-progress"] },
];

const BUILD: Check = {
  name: "the program, built",
  binary: "node",
  args: ["build/tested-program.ts"],
  isFirst: true,
};

/**
 * Folders whose tests run again on an exchange whose gateway has a thread of its own, with this
 * part of the random operations. One thread, because each makes a start longer, and tests start
 * hundreds of exchanges; `gateways.test.ts` has two. Here are those that such a thread can break:
 * each call and each answer crosses to the engine once, and so do streams, sockets, limits, faults
 * and acknowledgements. The long run has the others too, about what the engine and the history say.
 */
const THREADED = [
  { folder: "crash", share: 0.4, names: ["full-disk", "kill", "lifecycle"] },
  {
    folder: "conformance",
    share: 1,
    names: [
      ...["ccxt", "ccxt-swap", "contract-wire-shapes", "extremes", "openapi-answers"],
      ...["pages", "rate-limits", "replayed-requests", "sandbox-faults", "sdk-calls"],
      ...["sdk-retries", "sdk-socket", "sdk-streams", "streams", "streams-ccxt"],
      ...["streams-deaf", "streams-fan-out", "streams-private", "streams-v2", "trading-socket"],
      ...["trading-socket-order", "v2-batches", "wire-shapes"],
    ],
  },
];
/** They start no exchange, or one of their own choice, or are about the demo's data alone. */
const NOT_THREADED = new RegExp(
  "/(backup-page|cli-reference|console-pages|dead-thread|demo-history|demo-profile|" +
    "gateways|go|in-ci|kept-books|operating-pages|python|readme|sandbox-forks|" +
    "sandbox-markets-reference|sandbox-reference|sandbox-replay|sandbox-states|" +
    "sdk-lying-server|sdk-package|test-kit)\\.test\\.ts$",
);

const TEST_FOLDERS = ["models", "crash", "hostile", "conformance", "browser"];

/** Takes minutes and a registry: only the long run has it. */
const LONG_FOLDER = "long";

/** Every suite that has something to run. */
function allSuites(isLong: boolean): Suite[] {
  const unit = testSuite("unit", ["src/**/*.test.ts", "bench/**/*.test.ts", "test/*.test.ts"]);
  const suites: Suite[] = [
    { name: "static", kind: "checks", checks: presentChecks() },
    // Backwards: its last files are long, and a run would end with one of them alone.
    { ...unit, files: unit.files.toReversed() },
  ];
  const others = readdirSync(join(ROOT, "test")).filter(
    (name) => !TEST_FOLDERS.includes(name) && (isLong || name !== LONG_FOLDER),
  );
  for (const folder of [...TEST_FOLDERS, ...others.sort()]) {
    suites.push(testSuite(folder, [`test/${folder}/**/*.test.ts`]));
  }
  for (const { folder, names, share } of THREADED) {
    const suite = testSuite(`${folder}-in-threads`, [`test/${folder}/**/*.test.ts`]);
    const files = isLong
      ? suite.files.filter((file) => !NOT_THREADED.test(file))
      : names.map((name) => join(ROOT, "test", folder, `${name}.test.ts`));
    const scale = share * Number(process.env.RIALTO_TEST_SCALE ?? "1");
    const long = process.env.RIALTO_TEST_LONG;
    const env = {
      RIALTO_TEST_GATEWAYS: "1",
      RIALTO_TEST_SCALE: String(scale),
      ...(long !== undefined && { RIALTO_TEST_LONG: String(share * Number(long)) }),
    };
    suites.push({ ...suite, files, env });
  }
  return suites.filter((suite) => suite.kind === "checks" || suite.files.length > 0);
}

/**
 * The suites that the arguments name: a suite by its name, a file or a folder by its path. Returns
 * text for the user when an argument names nothing.
 */
export function selectSuites(args: readonly string[], isLong: boolean): Suite[] | string {
  const suites = allSuites(isLong);
  if (args.length === 0) return suites;
  const selected: Suite[] = [];
  for (const arg of args) {
    const named = suites.find((suite) => suite.name === arg);
    const suite = named ?? (existsSync(arg) ? pathSuite(arg) : null);
    if (suite === null) {
      const names = suites.map((known) => known.name).join(", ");
      return `"${arg}" is neither a suite (${names}) nor a path with *.test.ts files.`;
    }
    selected.push(suite);
  }
  return selected;
}

function presentChecks(): Check[] {
  const checks = CHECKS.map((check) => ({
    ...check,
    args: check.args.filter((arg) => arg !== "bench" || existsSync(join(ROOT, "bench"))),
    isFirst: false,
  }));
  return [BUILD, ...checks];
}

function pathSuite(path: string): Suite | null {
  if (!statSync(path).isDirectory()) return { name: path, kind: "tests", files: [resolve(path)] };
  const suite = testSuite(path, [join(relative(ROOT, resolve(path)), "**/*.test.ts")]);
  return suite.files.length === 0 ? null : suite;
}

function testSuite(name: string, patterns: readonly string[]): Suite & { kind: "tests" } {
  const files = globSync(patterns, { cwd: ROOT }).sort();
  return { name, kind: "tests", files: files.map((file) => join(ROOT, file)) };
}
