/** Runs tests on a mutant, one after the other, until one of them notices it. */

import { runTest } from "../support/test-process.ts";
import type { CoveringTests } from "./covering-tests.ts";
import type { Mutant } from "./mutant-text.ts";
import { comesTo, type Reach } from "./reach.ts";

/** How the tests answered to a mutant. */
export interface Verdict {
  readonly mutant: Mutant;
  readonly kind: "killed" | "survived";
  /** The test that noticed it. */
  readonly by: string | null;
  /** Tests that it was shown to. */
  readonly tests: number;
  readonly seconds: number;
}

export interface RunOptions {
  readonly covering: CoveringTests;
  readonly reach: Reach;
  /** Tests that a mutant is shown to at most. */
  readonly testsMax: number;
  /** What these take at most together, without a mutant. */
  readonly secondsMax: number;
  /** Factor of random operations in the tests. */
  readonly scale: number;
  /** How many mutants of a file a test has noticed. */
  readonly kills: (file: string, test: string) => number;
}

/** How far a test may be of which it is not known yet what it reaches: finding out takes a run. */
const NEAREST_MAX = 24;
/** What a mutant that loops or waits for ever may take beyond the test's own time. */
const SLOWER_MAX = 3;
const PATIENCE_SECONDS = 5;
/** Of the wall clock, which other work on the machine makes longer. */
const WAITING_SECONDS = 30;
const SLOWEST = 8;

export class MutantRuns {
  readonly #options: RunOptions;
  readonly #failing = new Set<string>();

  constructor(options: RunOptions) {
    this.#options = options;
  }

  async show(mutant: Mutant): Promise<Verdict> {
    const startedMs = performance.now();
    let tests = 0;
    let secondsLeft = this.#options.secondsMax;
    const end = (by: string | null): Verdict => ({
      mutant,
      kind: by === null ? "survived" : "killed",
      by,
      tests,
      seconds: (performance.now() - startedMs) / 1_000,
    });
    const { reach, testsMax } = this.#options;
    for (const [distance, test] of this.#inOrder(mutant.file).entries()) {
      if (tests === testsMax) break;
      if (distance >= NEAREST_MAX && !reach.isKnown(test)) continue;
      if (reach.lastSeconds(test) > secondsLeft) continue;
      const reached = await reach.of(test);
      if (reached.outcome === "failed") this.#leaveOut(test);
      if (reached.outcome !== "passed" || reached.seconds > secondsLeft) continue;
      if (!comesTo(reached, mutant)) continue;
      tests++;
      secondsLeft -= reached.seconds;
      if (!(await this.#passes(test, mutant, reached.seconds))) return end(test);
    }
    return end(null);
  }

  /** Those that noticed most of the file's other mutants come first. */
  #inOrder(file: string): string[] {
    const { covering, kills } = this.#options;
    const tests = covering.of(file).map((test) => ({ test, kills: kills(file, test) }));
    return tests.sort((one, other) => other.kills - one.kills).map(({ test }) => test);
  }

  #leaveOut(test: string): void {
    if (this.#failing.has(test)) return;
    this.#failing.add(test);
    console.log(`left out, because it fails without a mutant: ${test}`);
  }

  async #passes(test: string, mutant: Mutant, seconds: number): Promise<boolean> {
    const { scale } = this.#options;
    const cpuSeconds = Math.ceil(PATIENCE_SECONDS + SLOWER_MAX * seconds);
    const wallMs = 1_000 * (WAITING_SECONDS + SLOWEST * seconds);
    return (await runTest(test, { mutant, scale, bound: { cpuSeconds, wallMs } })).passed;
  }
}
