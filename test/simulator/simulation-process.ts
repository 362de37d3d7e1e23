/**
 * A process that runs simulations for its parent, one after the other. A step that never ends kills
 * it, and the parent knows which one that was.
 */
import { simulateCluster } from "./cluster/cluster-simulation.ts";
import { simulate } from "./simulation.ts";
import type { SimulationRequest } from "./simulation-pool.ts";
import { Watchdog } from "./watchdog.ts";

const watchdog = new Watchdog();

process.on("disconnect", () => process.exit());
process.on("message", async (request: SimulationRequest) => {
  const begun = process.cpuUsage();
  const { isCluster, kept, silent, without, ...asked } = request;
  const steps = kept === null ? null : new Set(kept);
  const run = isCluster ? simulateCluster : simulate;
  const result = await run({
    ...asked,
    ...(steps === null ? {} : { keeps: (step: number) => steps.has(step) }),
    without: new Set(without),
    silent: new Set(silent),
    onStep: (step) => {
      watchdog.see(asked.seed, step);
      process.send?.({ step });
    },
  });
  const { system, user } = process.cpuUsage(begun);
  process.send?.({ result, processorMs: (system + user) / 1_000 });
});
