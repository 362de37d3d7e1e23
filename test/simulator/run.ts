/**
 * `npm run simulate`: runs seeds one after the other until a check fails. Then it prints the seed,
 * the step and one command that repeats it, shrinks the schedule and prints the shrunk one. The
 * exit code is 1 after a breach, and 2 for options that cannot be read. With planted bugs it does
 * so for each of them, and the exit code is 1 when one was not found.
 */
import { commandText, readOptions, type SimulateOptions, USAGE } from "./command-line.ts";
import type { NamedPlant } from "./plants.ts";
import { stepsOf } from "./schedule.ts";
import { SeedTotals } from "./seed-totals.ts";
import { shrink } from "./shrink.ts";
import type { SimulationOptions, SimulationResult } from "./simulation.ts";
import { SimulationPool } from "./simulation-pool.ts";

interface Found {
  readonly result: SimulationResult;
  readonly from: SimulationOptions;
}

process.on("disconnect", () => process.exit(143));
process.channel?.unref();
const options = optionsOrNull(process.argv.slice(2));
if (options === null) process.exitCode = 2;
else process.exitCode = (await runAll(options)) ? 0 : 1;

function optionsOrNull(args: readonly string[]): SimulateOptions | null {
  try {
    return readOptions(args);
  } catch (error) {
    console.error(`${(error as Error).message}\n\n${USAGE}`);
    return null;
  }
}

/** Whether everything went as it should: no breach, or one with each plant. */
async function runAll(chosen: SimulateOptions): Promise<boolean> {
  const { plants } = chosen;
  if (plants.length === 0) return (await runSeeds(chosen, null)) === null;
  const lines: string[] = [];
  let missed = 0;
  for (const plant of plants) {
    console.log(`\n${plant.name}: ${plant.what}`);
    const found = await runSeeds(chosen, plant);
    if (found === null) missed++;
    lines.push(`${plant.name}: ${found ?? "not found"}`);
  }
  console.log(`\n${plants.length - missed} of ${plants.length} found\n${lines.join("\n")}`);
  return missed === 0;
}

/** Null without a breach, otherwise where it was. */
async function runSeeds(
  { jobs, kept, plants: _, seeds, shrinkRuns, steps, ...chosen }: SimulateOptions,
  plant: NamedPlant | null,
): Promise<string | null> {
  const pool = new SimulationPool(plant?.plant);
  const total = new SeedTotals(seeds.length);
  const waiting = [...seeds];
  const keeps = kept === null ? {} : { keeps: (step: number) => kept.has(step) };
  let found: Found | null = null;
  const work = async (): Promise<void> => {
    for (let seed = waiting.shift(); seed !== undefined; seed = waiting.shift()) {
      const from = { seed, steps: steps ?? stepsOf(seed), ...chosen, ...keeps };
      const result = await pool.run(from);
      if (result.breach === null) total.add(result);
      else {
        waiting.length = 0;
        found ??= { result, from };
      }
    }
  };
  try {
    await Promise.all(Array.from({ length: jobs }, work));
    if (found === null) total.tell();
    const where = found === null ? null : await report(found, pool, shrinkRuns, plant?.name);
    console.log(`${(pool.processorMs / 1_000).toFixed(1)} s of the processor`);
    return where;
  } finally {
    pool.close();
  }
}

async function report(
  { from, result: found }: Found,
  pool: SimulationPool,
  shrinkRuns: number,
  plant: string | undefined,
): Promise<string> {
  const { breach, seed } = found;
  const { isCluster = false } = from;
  if (breach === null) return "";
  const seconds = (pool.processorMs / 1_000).toFixed(1);
  const where = `seed ${seed}, step ${breach.step}`;
  console.log(`\n${where}: ${breach.text}`);
  console.log(`\nRepeat it with:\n  ${commandText(seed, breach.step, { isCluster, plant })}`);
  const line = `${where}, ${seconds} s: ${breach.check}`;
  if (shrinkRuns === 0) return line;
  const run = (options: SimulationOptions) => pool.run({ ...options, isCluster });
  const { result, runs, silent, steps, without } = await shrink(found, from, shrinkRuns, run);
  const last = result.breach?.step ?? breach.step;
  const command = commandText(seed, last, { isCluster, kept: steps, without, silent, plant });
  console.log(`\nShrunk from ${found.steps + 1} to ${steps.length} steps in ${runs} runs:`);
  console.log(`  ${command}`);
  for (const step of result.log) console.log(`  ${step}`);
  console.log(`  ${result.breach?.text}`);
  return `${line}\n  ${command}`;
}
