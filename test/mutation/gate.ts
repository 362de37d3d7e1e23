/** Shows mutants to the tests, some at once, and keeps the verdicts. */
import { join } from "node:path";
import { ROOT } from "../support/root.ts";
import { CoveringTests } from "./covering-tests.ts";
import { MutantRuns, type Verdict } from "./mutant-run.ts";
import type { Mutant } from "./mutant-text.ts";
import { Reach } from "./reach.ts";
import { VerdictFile } from "./verdict-file.ts";

/** Not in the repository: the verdicts, and what each test reaches. */
const RESULTS = join(ROOT, "test/results/mutation");

interface GateOptions {
  readonly testsMax: number;
  readonly secondsMax: number;
  readonly scale: number;
  /** Mutants at once. */
  readonly jobs: number;
  /** Shows what is known again. */
  readonly isFresh: boolean;
  readonly onVerdict: (verdict: Verdict, shown: number) => void;
}

export class Gate {
  readonly #options: GateOptions;
  readonly #file: VerdictFile;
  readonly #runs: MutantRuns;

  constructor(options: GateOptions) {
    const covering = new CoveringTests();
    const { scale, secondsMax, testsMax } = options;
    this.#options = options;
    this.#file = new VerdictFile(join(RESULTS, "verdicts.jsonl"), covering);
    this.#runs = new MutantRuns({
      covering,
      reach: new Reach(covering, { folder: join(RESULTS, "reach"), scale, secondsMax }),
      testsMax,
      secondsMax,
      scale,
      kills: (file, test) => this.#file.kills(file, test),
    });
  }

  /** The last verdicts of those that have one. */
  known(mutants: readonly Mutant[]): Verdict[] {
    return mutants.map((mutant) => this.#file.last(mutant)).filter((verdict) => verdict !== null);
  }

  /** A verdict for each; what is known is not shown again. */
  async show(mutants: readonly Mutant[]): Promise<Verdict[]> {
    const { isFresh, jobs, onVerdict } = this.#options;
    const verdicts: Verdict[] = [];
    const waiting = mutants.values();
    const work = async (): Promise<void> => {
      for (const mutant of waiting) {
        const known = isFresh ? null : this.#file.of(mutant);
        const verdict = known ?? (await this.#runs.show(mutant));
        verdicts.push(verdict);
        if (known !== null) continue;
        this.#file.add(verdict);
        onVerdict(verdict, verdicts.length);
      }
    };
    await Promise.all(Array.from({ length: jobs }, work));
    return verdicts;
  }
}
