/**
 * `npm run simulate`: runs seeds one after the other until a check fails. Then it prints the seed,
 * the step and one command that repeats it, shrinks the schedule and prints the shrunk one. The
 * exit code is 1 after a breach, and 2 for options that cannot be read.
 */
import { commandText, readOptions, type SimulateOptions, USAGE } from "./command-line.ts";
import { shrink } from "./shrink.ts";
import { type SimulationOptions, type SimulationResult, simulate } from "./simulation.ts";
import { Watchdog } from "./watchdog.ts";

const SHRINK_RUNS_MAX = 300;
const PROGRESS_MS = 10_000;

process.on("disconnect", () => process.exit(143));
process.channel?.unref();
const watchdog = new Watchdog();
const options = optionsOrNull(process.argv.slice(2));
if (options === null) process.exitCode = 2;
else process.exitCode = (await runSeeds(options)) ? 0 : 1;

function optionsOrNull(args: readonly string[]): SimulateOptions | null {
  try {
    return readOptions(args);
  } catch (error) {
    console.error(`${(error as Error).message}\n\n${USAGE}`);
    return null;
  }
}

/** False after a breach. */
async function runSeeds({ seeds, shrinks, ...chosen }: SimulateOptions): Promise<boolean> {
  const { kept, silent, steps, without } = chosen;
  const total = { steps: 0, requests: 0, restarts: 0, faults: {} as Record<string, number> };
  const startedMs = performance.now();
  let toldMs = startedMs;
  for (const [index, seed] of seeds.entries()) {
    const keeps = kept === null ? {} : { keeps: (step: number) => kept.has(step) };
    const onStep = (step: number): void => watchdog.see(seed, step);
    const from: SimulationOptions = { seed, steps, without, silent, onStep, ...keeps };
    const result = await simulate(from);
    total.steps += result.steps;
    total.requests += result.requests;
    total.restarts += result.restarts;
    for (const [kind, count] of Object.entries(result.faults)) {
      total.faults[kind] = (total.faults[kind] ?? 0) + count;
    }
    if (result.breach !== null) {
      await report(result, from, shrinks);
      return false;
    }
    if (seeds.length === 1) console.log(`trace ${result.traceHash}`);
    if (performance.now() - toldMs < PROGRESS_MS) continue;
    toldMs = performance.now();
    console.log(`${index + 1} of ${seeds.length} seeds, ${total.requests} requests`);
  }
  const seconds = ((performance.now() - startedMs) / 1000).toFixed(1);
  const counts = `${total.steps} steps, ${total.requests} requests, ${total.restarts} restarts`;
  console.log(`${seeds.length} seeds without a breach in ${seconds} s: ${counts}`);
  for (const [kind, count] of Object.entries(total.faults).sort())
    console.log(`  ${count} ${kind}`);
  return true;
}

async function report(
  found: SimulationResult,
  from: SimulationOptions,
  shrinks: boolean,
): Promise<void> {
  const { breach, seed } = found;
  if (breach === null) return;
  console.log(`\nseed ${seed}, step ${breach.step}: ${breach.text}`);
  console.log(`\nRepeat it with:\n  ${commandText(seed, breach.step)}`);
  if (!shrinks) return;
  const { result, runs, silent, steps, without } = await shrink(found, from, SHRINK_RUNS_MAX);
  const last = result.breach?.step ?? breach.step;
  console.log(`\nShrunk from ${found.steps + 1} to ${steps.length} steps in ${runs} runs:`);
  console.log(`  ${commandText(seed, last, { kept: steps, without, silent })}`);
  for (const line of result.log) console.log(`  ${line}`);
  console.log(`  ${result.breach?.text}`);
}
