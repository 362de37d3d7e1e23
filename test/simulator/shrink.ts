/**
 * Makes the schedule of a breach smaller while the same check still fails: fewer steps, then fewer
 * kinds of faults, then fewer actors.
 */
import { type SimulationOptions, type SimulationResult, simulate } from "./simulation.ts";

export interface Shrunk {
  readonly steps: readonly number[];
  readonly without: ReadonlySet<string>;
  readonly silent: ReadonlySet<string>;
  /** Of the smallest schedule. */
  readonly result: SimulationResult;
  /** Simulations that this took. */
  readonly runs: number;
}

export type Simulate = (options: SimulationOptions) => Promise<SimulationResult>;

/** Up to which step it repeats: what fails behind the last step is not another one. */
export function lastStepOf({ breach }: SimulationResult, { steps }: SimulationOptions): number {
  return Math.min(breach?.step ?? 0, steps);
}

class Shrinking {
  readonly #seed: number;
  readonly #from: SimulationOptions;
  readonly #check: string;
  readonly #runsMax: number;
  readonly #simulate: Simulate;
  readonly #onStep: SimulationOptions["onStep"];
  runs = 0;
  steps: readonly number[];
  without: ReadonlySet<string>;
  silent: ReadonlySet<string>;
  result: SimulationResult;

  constructor(found: SimulationResult, from: SimulationOptions, runsMax: number, run: Simulate) {
    this.#seed = found.seed;
    this.#from = from;
    this.#check = found.breach?.check ?? "";
    this.#runsMax = runsMax;
    this.#simulate = run;
    this.#onStep = from.onStep;
    this.result = found;
    const { keeps = () => true, without = new Set(), silent = new Set() } = from;
    const last = lastStepOf(found, from);
    this.steps = Array.from({ length: last }, (_, index) => index + 1).filter(keeps);
    this.without = without;
    this.silent = silent;
  }

  async all(): Promise<void> {
    for (let size = Math.ceil(this.steps.length / 2); size >= 1; size = Math.floor(size / 2)) {
      await this.#dropRuns(size);
    }
    for (const kind of Object.keys(this.result.faults)) {
      const without = new Set([...this.without, kind]);
      if (await this.#fails(this.steps, without, this.silent)) this.without = without;
    }
    for (const actor of this.result.actors) {
      const silent = new Set([...this.silent, actor]);
      if (await this.#fails(this.steps, this.without, silent)) this.silent = silent;
    }
  }

  /** Leaves out as many steps in a row, from the end to the beginning. */
  async #dropRuns(size: number): Promise<void> {
    for (let end = this.steps.length; end > 0; end -= size) {
      const kept = this.steps.filter((_, at) => at < end - size || at >= end);
      if (kept.length === this.steps.length) continue;
      if (await this.#fails(kept, this.without, this.silent)) this.steps = kept;
    }
  }

  async #fails(
    steps: readonly number[],
    without: ReadonlySet<string>,
    silent: ReadonlySet<string>,
  ): Promise<boolean> {
    if (this.runs >= this.#runsMax) return false;
    this.runs++;
    const kept = new Set(steps);
    const keeps = (step: number): boolean => kept.has(step);
    const last = lastStepOf(this.result, this.#from);
    const options = { seed: this.#seed, steps: last, keeps, without, silent };
    const onStep = this.#onStep;
    const result = await this.#simulate(onStep === undefined ? options : { ...options, onStep });
    if (result.breach?.check !== this.#check) return false;
    this.result = result;
    return true;
  }
}

/** `from` is how the breach was found. */
export async function shrink(
  found: SimulationResult,
  from: SimulationOptions,
  runsMax: number,
  run: Simulate = simulate,
): Promise<Shrunk> {
  const shrinking = new Shrinking(found, from, runsMax, run);
  await shrinking.all();
  const { result, runs, silent, steps, without } = shrinking;
  return { steps, without, silent, result, runs };
}
