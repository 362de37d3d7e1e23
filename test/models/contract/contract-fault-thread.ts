/** Runs the contract model on code with one fault in it, and reports whether it noticed. */
import { parentPort, workerData } from "node:worker_threads";
import { Random } from "../../support/random.ts";
import { plant } from "../plant-fault.ts";
import type { FaultReport, PlantedFault } from "../planted-fault.ts";

const RUNS = 12;
const COMMANDS_PER_RUN = 1_000;

const { fault, seed }: { fault: PlantedFault | null; seed: number } = workerData;
if (fault !== null) plant(fault);
// Loaded after the fault was planted, and with it.
const { Divergence } = await import("../divergence.ts");
const { ContractModelRun } = await import("./contract-model-run.ts");
const { contractScenarios } = await import("./contract-scenarios.ts");
parentPort?.postMessage(findFault());

function findFault(): FaultReport {
  // Of its own, so that another scenario leaves the traffic as it is.
  const restarts = new Random(seed);
  for (const { name, script } of contractScenarios()) {
    const report = reportOf(name, () => new ContractModelRun(restarts, script).run(script.length));
    if (report !== null) return report;
  }
  const random = new Random(seed);
  for (let run = 1; run <= RUNS; run++) {
    const report = reportOf(`run ${run}`, () => new ContractModelRun(random).run(COMMANDS_PER_RUN));
    if (report !== null) return report;
  }
  return { finder: null, detail: "" };
}

function reportOf(where: string, check: () => void): FaultReport | null {
  try {
    check();
    return null;
  } catch (error) {
    const finder = error instanceof Divergence ? error.finder : "run";
    return { finder, detail: `${where}, ${String(error)}` };
  }
}
