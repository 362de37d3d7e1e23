/** Runs the affiliate model on code with one fault in it, and reports whether it noticed. */
import { parentPort, workerData } from "node:worker_threads";
import { Random } from "../../support/random.ts";
import { plant } from "../plant-fault.ts";
import type { PlantedFault, RunsReport } from "../planted-fault.ts";

const FILLS_PER_RUN = 800;

export interface FaultRequest {
  readonly fault: PlantedFault | null;
  readonly seed: number;
  /** So many commissions may be held if the reference is right; null for what is documented. */
  readonly heldMax: number | null;
  readonly runs: number;
}

const { fault, seed, heldMax, runs }: FaultRequest = workerData;
if (fault !== null) plant(fault);
// Loaded after the fault was planted, and with it.
const { Discrepancy } = await import("../../support/affiliate/discrepancy.ts");
const { AffiliateModelRun } = await import("./affiliate-model-run.ts");
parentPort?.postMessage(findFault());

function findFault(): RunsReport {
  const random = new Random(seed);
  for (let run = 1; run <= runs; run++) {
    const model = new AffiliateModelRun(random, heldMax ?? undefined);
    try {
      model.run(FILLS_PER_RUN);
    } catch (error) {
      const finder = error instanceof Discrepancy ? error.finder : "run";
      return { finder, detail: String(error), run };
    }
  }
  return { finder: null, detail: "", run: runs };
}
