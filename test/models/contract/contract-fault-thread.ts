/**
 * Runs the contract model on code with one fault in it, and reports where it noticed. What noticed
 * the fault the last time is tried first; it decides how long the search takes, not what it finds.
 */
import { parentPort, workerData } from "node:worker_threads";
import { Random } from "../../support/random.ts";
import { plant } from "../plant-fault.ts";
import type { FaultReport, PlantedFault } from "../planted-fault.ts";

const RUNS = 12;
const COMMANDS_PER_RUN = 1_000;

/** `place` is what noticed the fault: a scenario by its name, or a run of random traffic. */
export interface ContractFaultReport extends FaultReport {
  readonly place: string | null;
}

interface Search {
  readonly fault: PlantedFault | null;
  readonly seed: number;
  /** Where to look first. */
  readonly place: string | null;
  /** Looks nowhere else; null for everywhere. */
  readonly only: readonly string[] | null;
}

const { fault, seed, place, only }: Search = workerData;
if (fault !== null) plant(fault);
// Loaded after the fault was planted, and with it.
const { Divergence } = await import("../divergence.ts");
const { ContractModelRun } = await import("./contract-model-run.ts");
const { contractScenarios } = await import("./contract-scenarios.ts");
parentPort?.postMessage(findFault());

function findFault(): ContractFaultReport {
  const checks = new Map<string, () => void>();
  for (const { name, script } of contractScenarios()) {
    // Each with a source of its own, so that none depends on those before it.
    checks.set(name, () => new ContractModelRun(new Random(seed), script).run(script.length));
  }
  for (let run = 1; run <= RUNS; run++) {
    const source = new Random((seed + run) % 2 ** 32);
    checks.set(`run ${run}`, () => new ContractModelRun(source).run(COMMANDS_PER_RUN));
  }
  const first = place === null ? undefined : checks.get(place);
  if (place !== null && first !== undefined) {
    checks.delete(place);
    const report = reportOf(place, first);
    if (report !== null) return report;
  }
  for (const [name, check] of checks) {
    if (only !== null && !only.includes(name)) continue;
    const report = reportOf(name, check);
    if (report !== null) return report;
  }
  return { finder: null, detail: "", place: null };
}

function reportOf(where: string, check: () => void): ContractFaultReport | null {
  try {
    check();
    return null;
  } catch (error) {
    const finder = error instanceof Divergence ? error.finder : "run";
    return { finder, detail: `${where}, ${String(error)}`, place: where };
  }
}
