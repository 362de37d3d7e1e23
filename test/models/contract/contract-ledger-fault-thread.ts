/** Runs the event ledger on code with one fault in it, and reports whether it noticed. */
import { parentPort, workerData } from "node:worker_threads";
import { Random } from "../../support/random.ts";
import { plant } from "../plant-fault.ts";
import type { FaultReport, PlantedFault } from "../planted-fault.ts";

const RUNS = 8;
const COMMANDS_PER_RUN = 1_000;

const { fault, seed }: { fault: PlantedFault; seed: number } = workerData;
plant(fault);
// Loaded after the fault was planted, and with it.
const { Divergence } = await import("../divergence.ts");
const { ContractLedgerRun } = await import("./contract-ledger-run.ts");
parentPort?.postMessage(findFault());

function findFault(): FaultReport {
  const random = new Random(seed);
  for (let run = 1; run <= RUNS; run++) {
    try {
      new ContractLedgerRun(random).run(COMMANDS_PER_RUN);
    } catch (error) {
      // What the engine itself notices of a fault is not what is tested here.
      if (error instanceof Divergence) return { finder: error.finder, detail: String(error) };
      throw error;
    }
  }
  return { finder: null, detail: "" };
}
