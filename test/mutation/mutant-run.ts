/** Runs tests on a mutant, one after the other, until one of them notices it. */
import { spawn } from "node:child_process";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { type CoveringTests, ROOT } from "./covering-tests.ts";
import type { Mutant } from "./mutant-text.ts";

/** How the tests answered to a mutant. */
export interface Verdict {
  readonly mutant: Mutant;
  readonly kind: "killed" | "survived";
  /** The test that noticed it. */
  readonly by: string | null;
  readonly tests: number;
  readonly seconds: number;
}

export interface RunOptions {
  readonly covering: CoveringTests;
  /** Tests that a mutant is shown to at most. */
  readonly testsMax: number;
  /** Factor of random operations in the tests. */
  readonly scale: number;
}

/** A mutant that loops for ever is ended by the time that it takes beyond the test's own. */
const SLOWER_MAX = 5;
const PATIENCE_MS = 20_000;
/** One that allocates for ever is ended by its memory. */
const HEAP_MB = 2_048;
const PLANT = pathToFileURL(join(import.meta.dirname, "plant.ts")).href;

export class MutantRuns {
  readonly #options: RunOptions;
  /** How long a test takes on the code as it is, which it has to pass. */
  readonly #unchangedMs = new Map<string, Promise<number>>();

  constructor(options: RunOptions) {
    this.#options = options;
  }

  async show(mutant: Mutant): Promise<Verdict> {
    const startedMs = performance.now();
    const tests = this.#options.covering.of(mutant.file).slice(0, this.#options.testsMax);
    const end = (by: string | null): Verdict => ({
      mutant,
      kind: by === null ? "survived" : "killed",
      by,
      tests: tests.length,
      seconds: (performance.now() - startedMs) / 1_000,
    });
    for (const test of tests) {
      const patienceMs = Math.max(PATIENCE_MS, SLOWER_MAX * (await this.#unchanged(test)));
      if (!(await this.#passes(test, mutant, patienceMs))) return end(test);
    }
    return end(null);
  }

  #unchanged(test: string): Promise<number> {
    const known = this.#unchangedMs.get(test) ?? this.#measure(test);
    this.#unchangedMs.set(test, known);
    return known;
  }

  async #measure(test: string): Promise<number> {
    const startedMs = performance.now();
    if (!(await this.#passes(test, null, null))) throw new Error(`${test} fails without a mutant`);
    return performance.now() - startedMs;
  }

  /** In a group of its own: tests start processes, which end with them. */
  #passes(test: string, mutant: Mutant | null, patienceMs: number | null): Promise<boolean> {
    const { NODE_TEST_CONTEXT: _runner, NODE_OPTIONS: _options, ...env } = process.env;
    return new Promise((resolve, reject) => {
      const child = spawn(process.execPath, [join(ROOT, test)], {
        cwd: ROOT,
        detached: true,
        stdio: "ignore",
        env: {
          ...env,
          RIALTO_TEST_SCALE: String(this.#options.scale),
          NODE_OPTIONS: `--import=${PLANT} --max-old-space-size=${HEAP_MB}`,
          ...(mutant !== null && { RIALTO_MUTANT: JSON.stringify(mutant) }),
        },
      });
      const isBounded = patienceMs !== null;
      const timer = isBounded ? setTimeout(() => endGroup(child.pid), patienceMs) : undefined;
      child.once("error", reject);
      child.once("exit", (code) => {
        clearTimeout(timer);
        endGroup(child.pid);
        resolve(code === 0);
      });
    });
  }
}

function endGroup(pid: number | undefined): void {
  if (pid === undefined) return;
  try {
    process.kill(-pid, "SIGKILL");
  } catch {
    // All of them have ended.
  }
}
