/**
 * What each test reaches: a test that never comes to a place cannot notice a bug there. Each test
 * is run once without a mutant, which it has to pass, while V8 counts; what it found is kept until
 * the test or anything that it uses changes.
 */
import { globSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { ROOT } from "../support/root.ts";
import { runTest } from "../support/test-process.ts";
import { areaOf } from "./areas.ts";
import { type CoveringTests, digestOf } from "./covering-tests.ts";
import type { Mutant } from "./mutant-text.ts";

/** From inclusive to exclusive offsets, in ascending order. */
type Ranges = readonly (readonly [number, number])[];

interface Reached {
  readonly test: string;
  /** Of the test and what it uses, and of how it was run. */
  readonly digest: string;
  /** Of the processor. */
  readonly seconds: number;
  /** `long` is more than a mutant may take. */
  readonly outcome: "passed" | "failed" | "long";
  readonly files: Readonly<Record<string, Ranges>>;
}

interface ScriptCoverage {
  readonly url: string;
  readonly functions: readonly {
    readonly ranges: readonly {
      readonly startOffset: number;
      readonly endOffset: number;
      readonly count: number;
    }[];
  }[];
}

export interface ReachOptions {
  /** Where it is kept. */
  readonly folder: string;
  /** Factor of random operations in the tests. */
  readonly scale: number;
  /** A test that takes longer is of no use here. */
  readonly secondsMax: number;
}

/** What other work on the machine may make of a second. */
const SLOWEST = 20;
/** Their exchanges are killed, and a process that is killed has counted nothing. */
const IS_KILLED = /^test\/(crash|simulator|cluster)\//;

export class Reach {
  readonly #covering: CoveringTests;
  readonly #options: ReachOptions;
  /** As they were when this run began. */
  readonly #files = new Map<string, Reached | null>();
  readonly #known = new Map<string, Promise<Reached>>();

  constructor(covering: CoveringTests, options: ReachOptions) {
    this.#covering = covering;
    this.#options = options;
    mkdirSync(options.folder, { recursive: true });
  }

  /** How long it took when it was last run, however long ago; 0 if never. */
  lastSeconds(test: string): number {
    return this.#kept(test)?.seconds ?? 0;
  }

  of(test: string): Promise<Reached> {
    const known = this.#known.get(test) ?? this.#read(test);
    this.#known.set(test, known);
    return known;
  }

  /** Whether it needs no run. */
  isKnown(test: string): boolean {
    return this.#known.has(test) || this.#kept(test)?.digest === this.#digest(test);
  }

  async #read(test: string): Promise<Reached> {
    const { scale, secondsMax } = this.#options;
    const digest = this.#digest(test);
    const kept = this.#kept(test);
    if (kept?.digest === digest) return kept;
    const reached = { test, digest, ...(await measure(test, scale, secondsMax)) };
    // One that fails may pass the next time.
    if (reached.outcome !== "failed") writeFileSync(this.#path(test), JSON.stringify(reached));
    return reached;
  }

  #digest(test: string): string {
    return digestOf(`${this.#covering.digest(test)} ${this.#options.scale} ${process.version}`);
  }

  #kept(test: string): Reached | null {
    const known = this.#files.get(test);
    if (known !== undefined) return known;
    let kept: Reached | null = null;
    try {
      kept = JSON.parse(readFileSync(this.#path(test), "utf8")) as Reached;
    } catch {
      // Never run, or the run was ended while it wrote.
    }
    this.#files.set(test, kept);
    return kept;
  }

  #path(test: string): string {
    return join(this.#options.folder, `${test.replaceAll("/", "+")}.json`);
  }
}

async function measure(test: string, scale: number, secondsMax: number) {
  const folder = mkdtempSync(join(tmpdir(), "rialto-reach-"));
  try {
    const bound = { cpuSeconds: 2 * secondsMax, wallMs: SLOWEST * 1_000 * secondsMax };
    const { passed, seconds } = await runTest(test, {
      mutant: null,
      scale,
      bound,
      env: { NODE_V8_COVERAGE: folder },
    });
    // One that was ended has no times.
    const isLong = seconds >= secondsMax || (!passed && seconds === 0);
    const outcome: Reached["outcome"] = isLong ? "long" : passed ? "passed" : "failed";
    return { seconds, outcome, files: filesIn(folder) };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** What any process or thread of the test came to, in the files of the gate. */
function filesIn(folder: string): Record<string, Ranges> {
  const marks = new Map<string, Uint8Array>();
  for (const name of globSync("*.json", { cwd: folder })) {
    for (const script of scriptsOf(join(folder, name))) {
      if (!script.url.startsWith("file:")) continue;
      const file = relative(ROOT, fileURLToPath(script.url));
      if (areaOf(file) === undefined) continue;
      const reached = reachedOf(script);
      const all = marks.get(file);
      if (all === undefined) marks.set(file, reached);
      else for (const [at, mark] of reached.entries()) if (mark === 1) all[at] = 1;
    }
  }
  return Object.fromEntries([...marks].map(([file, reached]) => [file, rangesOf(reached)]));
}

/** Empty where the process was ended while it wrote. */
function scriptsOf(path: string): readonly ScriptCoverage[] {
  try {
    return (JSON.parse(readFileSync(path, "utf8")) as { result: ScriptCoverage[] }).result;
  } catch {
    return [];
  }
}

/** Inner ranges follow outer ones, and count for themselves. */
export function reachedOf({ functions }: ScriptCoverage): Uint8Array {
  const ranges = functions.flatMap((one) => one.ranges);
  const reached = new Uint8Array(Math.max(0, ...ranges.map((range) => range.endOffset)));
  for (const { startOffset, endOffset, count } of ranges) {
    reached.fill(count > 0 ? 1 : 0, startOffset, endOffset);
  }
  return reached;
}

export function rangesOf(reached: Uint8Array): Ranges {
  const ranges: [number, number][] = [];
  for (let at = reached.indexOf(1); at >= 0; ) {
    const end = reached.indexOf(0, at);
    ranges.push([at, end < 0 ? reached.length : end]);
    at = end < 0 ? -1 : reached.indexOf(1, end);
  }
  return ranges;
}

export function comesTo(reached: Reached, { file, start }: Mutant): boolean {
  if (IS_KILLED.test(reached.test)) return true;
  return (reached.files[file] ?? []).some(([from, to]) => from <= start && start < to);
}
