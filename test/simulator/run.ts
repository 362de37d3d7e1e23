/**
 * `npm run simulate`: runs seeds one after the other until a check fails. Then it prints the seed,
 * the step and one command that repeats it, shrinks the schedule and prints the shrunk one. The
 * exit code is 1 after a breach, and 2 for options that cannot be read. With planted bugs it does
 * so for each of them, and the exit code is 1 when one was not found.
 */
import {
  commandText,
  optionsText,
  readOptions,
  type SimulateOptions,
  USAGE,
} from "./command-line.ts";
import { type PlantRepeat, PlantRepeats } from "./plant-repeats.ts";
import type { NamedPlant } from "./plants.ts";
import { stepsOf } from "./schedule.ts";
import { SeedTotals } from "./seed-totals.ts";
import { lastStepOf, shrink } from "./shrink.ts";
import type { SimulationOptions, SimulationResult } from "./simulation.ts";
import { SimulationPool } from "./simulation-pool.ts";

/** What a run ends with. */
interface Reported {
  readonly check: string;
  /** With the seed, the step and how long it took. */
  readonly line: string;
  /** Of the smallest schedule; null where nothing was shrunk. */
  readonly shrunk: string | null;
}

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
  const repeats = chosen.repeats === null ? null : new PlantRepeats(chosen.repeats);
  for (const plant of plants) {
    console.log(`\n${plant.name}: ${plant.what}`);
    const repeated = repeats?.of(plant.id);
    if (repeated !== undefined && (await isFoundAgain(repeated, plant))) {
      lines.push(`${plant.name}: again: ${repeated.check}`);
      continue;
    }
    const found = await runSeeds(chosen, plant);
    if (found === null) missed++;
    lines.push(`${plant.name}: ${found?.line ?? "not found"}`);
    if (found !== null && found.shrunk !== null) {
      lines.push(`  ${found.shrunk}`);
      repeats?.keep(plant.id, { options: found.shrunk, check: found.check });
    }
  }
  console.log(`\n${plants.length - missed} of ${plants.length} found\n${lines.join("\n")}`);
  return missed === 0;
}

/** As it was found before, on code that may have changed since. */
async function isFoundAgain({ check, options }: PlantRepeat, plant: NamedPlant): Promise<boolean> {
  const { isCluster, kept, seeds, silent, steps, without } = readOptions(options.split(" "));
  const [seed] = seeds;
  if (seed === undefined || steps === null) throw new Error(`${plant.id}: no seed or no last step`);
  const pool = new SimulationPool(plant.plant);
  try {
    const keeps = (step: number) => kept === null || kept.has(step);
    const { breach } = await pool.run({ seed, steps, keeps, silent, without, isCluster });
    return breach?.check === check;
  } finally {
    pool.close();
  }
}

/** Null without a breach, otherwise where it was. */
async function runSeeds(
  { jobs, kept, plants: _, repeats: __, seeds, shrinkRuns, steps, ...chosen }: SimulateOptions,
  plant: NamedPlant | null,
): Promise<Reported | null> {
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
): Promise<Reported | null> {
  const { breach, seed } = found;
  const { isCluster = false } = from;
  if (breach === null) return null;
  const { check } = breach;
  const seconds = (pool.processorMs / 1_000).toFixed(1);
  const where = `seed ${seed}, step ${breach.step}`;
  console.log(`\n${where}: ${breach.text}`);
  const until = lastStepOf(found, from);
  console.log(`\nRepeat it with:\n  ${commandText(seed, until, { isCluster, plant })}`);
  const line = `${where}, ${seconds} s: ${check}`;
  if (shrinkRuns === 0) return { line, check, shrunk: null };
  const run = (options: SimulationOptions) => pool.run({ ...options, isCluster });
  const { result, runs, silent, steps, without } = await shrink(found, from, shrinkRuns, run);
  const last = lastStepOf(result, from);
  const smallest = { isCluster, kept: steps, without, silent };
  console.log(`\nShrunk from ${found.steps + 1} to ${steps.length} steps in ${runs} runs:`);
  console.log(`  ${commandText(seed, last, { ...smallest, plant })}`);
  for (const step of result.log) console.log(`  ${step}`);
  console.log(`  ${result.breach?.text}`);
  return { line, check, shrunk: optionsText(seed, last, smallest) };
}
