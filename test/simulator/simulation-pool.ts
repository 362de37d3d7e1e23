/** Simulations in processes of their own; one that dies is a breach of its step. */
import { type ChildProcess, fork } from "node:child_process";
import { fileURLToPath } from "node:url";
import type { Plant } from "../support/planted-text.ts";
import type { SimulationOptions, SimulationResult } from "./simulation.ts";

const PLANT = new URL("../support/plant.ts", import.meta.url).href;
const PROGRAM = fileURLToPath(new URL("simulation-process.ts", import.meta.url));

/** A simulation, as it is sent to a process. */
export interface SimulationRequest {
  readonly isCluster: boolean;
  readonly seed: number;
  readonly steps: number;
  /** Of these alone; null: all. */
  readonly kept: readonly number[] | null;
  readonly without: readonly string[];
  readonly silent: readonly string[];
}

type Said =
  | { readonly step: number }
  | { readonly result: SimulationResult; readonly processorMs: number };

export class SimulationPool {
  readonly #idle: ChildProcess[] = [];
  readonly #plant: Plant | null;
  /** Of the processor, by all simulations that came to an end. */
  processorMs = 0;

  /** With a bug planted into each process. */
  constructor(plant: Plant | null = null) {
    this.#plant = plant;
  }

  /** Starts a process when none is idle: as many run at once as there are calls. */
  async run(options: SimulationOptions): Promise<SimulationResult> {
    const child = this.#idle.pop() ?? this.#start();
    const { isCluster = false, keeps, onStep, seed, steps } = options;
    const { silent = new Set(), without = new Set() } = options;
    const all = Array.from({ length: steps }, (_, index) => index + 1);
    const kept = keeps === undefined ? null : all.filter(keeps);
    const asked: SimulationRequest = {
      isCluster,
      seed,
      steps,
      kept,
      without: [...without],
      silent: [...silent],
    };
    let at = 0;
    return await new Promise((resolve) => {
      const onExit = (): void => resolve(ended(seed, at));
      child.on("exit", onExit);
      child.on("message", (said: Said) => {
        if ("step" in said) {
          at = said.step;
          onStep?.(at);
          return;
        }
        child.removeAllListeners("message");
        child.off("exit", onExit);
        this.#idle.push(child);
        this.processorMs += said.processorMs;
        resolve(said.result);
      });
      child.send(asked);
    });
  }

  #start(): ChildProcess {
    if (this.#plant === null) return fork(PROGRAM);
    const env = { ...process.env, RIALTO_MUTANT: JSON.stringify(this.#plant) };
    return fork(PROGRAM, { env, execArgv: [...process.execArgv, `--import=${PLANT}`] });
  }

  close(): void {
    for (const child of this.#idle.splice(0)) child.disconnect();
  }
}

/** What is known of a simulation whose process died in a step. */
function ended(seed: number, step: number): SimulationResult {
  return {
    seed,
    breach: { step, check: "every step ends", text: "every step ends: this one never did" },
    ...{ steps: step, requests: 0, restarts: 0, faults: {}, traceHash: "", actors: [], log: [] },
  };
}
