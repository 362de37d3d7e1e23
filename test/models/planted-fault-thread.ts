/** Runs the checks on code with one fault in it, and reports which of them noticed. */
import assert from "node:assert/strict";
import { parentPort, workerData } from "node:worker_threads";
import { Random } from "../support/random.ts";
import { plant } from "./plant-fault.ts";
import type { FaultReport, PlantedFault, RunsReport } from "./planted-fault.ts";

const COMMANDS_PER_RUN = 2_500;
const DURABLE_COMMANDS = 400;

interface Search {
  readonly fault: PlantedFault | null;
  readonly seed: number;
  readonly runs: number;
}

const { fault, seed, runs }: Search = workerData;
if (fault !== null) plant(fault);
// Loaded after the fault was planted, and with it.
const { Divergence } = await import("./divergence.ts");
const { ModelRun } = await import("./model-run.ts");
const { BusyExchange } = await import("./busy-exchange.ts");
const { Replay } = await import("../../src/app/replay.ts");
// What breaks inside of the sequencer is thrown where nobody waits for it.
process.once("uncaughtException", (error) => {
  const report: RunsReport = { finder: "sequencer", detail: String(error), run: 1 };
  parentPort?.postMessage(report);
});
parentPort?.postMessage(await findFault());

async function findFault(): Promise<RunsReport> {
  const random = new Random(seed);
  for (let run = 1; run <= runs; run++) {
    const divergence = modelDivergence(random) ?? (run === 1 ? await replayFault(random) : null);
    if (divergence !== null) return { ...divergence, run };
  }
  return { finder: null, detail: "", run: runs };
}

function modelDivergence(random: Random): FaultReport | null {
  try {
    new ModelRun(random).run(COMMANDS_PER_RUN);
    return null;
  } catch (error) {
    if (error instanceof Divergence) return { finder: error.finder, detail: error.message };
    return { finder: "run", detail: String(error) };
  }
}

async function replayFault(random: Random): Promise<FaultReport | null> {
  try {
    const live = new BusyExchange(random);
    await live.runTo(DURABLE_COMMANDS);
    const replay = Replay.from(null);
    for await (const batch of live.journal.read(1)) replay.apply(batch);
    assert.equal(replay.engine.stateHash(), live.engine.stateHash());
    assert.deepEqual(replay.eventDigest, live.sequencer.eventDigest);
    return null;
  } catch (error) {
    return { finder: "sequencer and replay", detail: String(error) };
  }
}
