/**
 * `npm run simulate`: runs seeds one after the other until a check fails. Then it prints the seed,
 * the step and one command that repeats it, shrinks the schedule and prints the shrunk one. The
 * exit code is 1 after a breach, and 2 for options that cannot be read.
 */
import { commandText, readOptions, type SimulateOptions, USAGE } from "./command-line.ts";
import { SeedTotals } from "./seed-totals.ts";
import { shrink } from "./shrink.ts";
import type { SimulationOptions, SimulationResult } from "./simulation.ts";
import { SimulationPool } from "./simulation-pool.ts";

const SHRINK_RUNS_MAX = 300;

process.on("disconnect", () => process.exit(143));
process.channel?.unref();
const pool = new SimulationPool();
const options = optionsOrNull(process.argv.slice(2));
if (options === null) process.exitCode = 2;
else process.exitCode = (await runSeeds(options)) ? 0 : 1;
pool.close();

function optionsOrNull(args: readonly string[]): SimulateOptions | null {
  try {
    return readOptions(args);
  } catch (error) {
    console.error(`${(error as Error).message}\n\n${USAGE}`);
    return null;
  }
}

/** False after a breach. */
async function runSeeds({ jobs, kept, seeds, shrinks, ...chosen }: SimulateOptions) {
  const total = new SeedTotals(seeds.length);
  const waiting = [...seeds];
  const keeps = kept === null ? {} : { keeps: (step: number) => kept.has(step) };
  let found: { readonly result: SimulationResult; readonly from: SimulationOptions } | null = null;
  const work = async (): Promise<void> => {
    for (let seed = waiting.shift(); seed !== undefined; seed = waiting.shift()) {
      const from: SimulationOptions = { seed, ...chosen, ...keeps };
      const result = await pool.run(from);
      if (result.breach === null) total.add(result);
      else {
        waiting.length = 0;
        found ??= { result, from };
      }
    }
  };
  await Promise.all(Array.from({ length: jobs }, work));
  if (found === null) total.tell();
  else await report(found, shrinks);
  return found === null;
}

async function report(
  { from, result: found }: { readonly result: SimulationResult; readonly from: SimulationOptions },
  shrinks: boolean,
): Promise<void> {
  const { breach, seed } = found;
  const { isCluster = false } = from;
  if (breach === null) return;
  console.log(`\nseed ${seed}, step ${breach.step}: ${breach.text}`);
  console.log(`\nRepeat it with:\n  ${commandText(seed, breach.step, { isCluster })}`);
  if (!shrinks) return;
  const run = (options: SimulationOptions) => pool.run({ ...options, isCluster });
  const { result, runs, silent, steps, without } = await shrink(found, from, SHRINK_RUNS_MAX, run);
  const last = result.breach?.step ?? breach.step;
  console.log(`\nShrunk from ${found.steps + 1} to ${steps.length} steps in ${runs} runs:`);
  console.log(`  ${commandText(seed, last, { isCluster, kept: steps, without, silent })}`);
  for (const line of result.log) console.log(`  ${line}`);
  console.log(`  ${result.breach?.text}`);
}
