/** The options of `npm run simulate`, and the command that repeats what it found. */
import { availableParallelism } from "node:os";
import { parseArgs } from "node:util";
import { CLIENT_FAULTS, REFUSAL } from "./client/client-faults.ts";
import { CLUSTER_FAULTS } from "./cluster/cluster-faults.ts";
import { type NamedPlant, readPlants } from "./plants.ts";
import { FAULTS } from "./schedule.ts";

export interface SimulateOptions {
  /** Of a cluster, in place of one machine. */
  readonly isCluster: boolean;
  readonly seeds: readonly number[];
  /** Of each seed; null for as many as it draws. */
  readonly steps: number | null;
  /** Null for all of them. */
  readonly kept: ReadonlySet<number> | null;
  readonly without: ReadonlySet<string>;
  readonly silent: ReadonlySet<string>;
  /** Simulations to shrink a breach; none for 0. */
  readonly shrinkRuns: number;
  /** Seeds at the same time. */
  readonly jobs: number;
  /** Bugs to be shown to the simulator one after the other, which are not in the sources. */
  readonly plants: readonly NamedPlant[];
  /** The file that says how each of them is found again; null for none. */
  readonly repeats: string | null;
}

const OF_ONE: readonly string[] = [...FAULTS, ...CLIENT_FAULTS, REFUSAL];
export const USAGE = `npm run simulate -- [options]
  --cluster            nodes over three of PostgreSQL, in place of one machine
  --seeds <count>      how many seeds to run (100)
  --from <seed>        the first of them, or "random" (1)
  --seed <seed>        this one alone
  --steps <count>      steps of each (6 to 36, as the seed draws)
  --until <step>       the same as --steps, to repeat a breach
  --keep <steps>       of these alone: "3,8-12"
  --without <faults>   faults that do not happen: ${OF_ONE.join(", ")};
                       of a cluster: ${CLUSTER_FAULTS.join(", ")}
  --silent <actors>    who does nothing: "t2,operator,scenes"
  --jobs <count>       seeds at the same time (one for each core, at most 8)
  --shrink <runs>      simulations to shrink a breach (300)
  --no-shrink          report a breach as it was found
  --plant <file>       plant each bug of a JSON file, or of "<file>#<id>,<id>", until it is found
  --repeats <file>     first as this file says; what has to be searched is kept in it`;

const SEED_MAX = 2 ** 31 - 1;
const STEPS_MAX = 1_000_000;
const JOBS_MAX = 8;
const SHRINK_RUNS = "300";

/** Throws an error that names the option. */
export function readOptions(args: readonly string[]): SimulateOptions {
  const { values } = parseArgs({
    args: [...args],
    options: {
      cluster: { type: "boolean", default: false },
      seeds: { type: "string", default: "100" },
      from: { type: "string", default: "1" },
      seed: { type: "string" },
      steps: { type: "string" },
      until: { type: "string" },
      keep: { type: "string" },
      without: { type: "string", default: "" },
      silent: { type: "string", default: "" },
      jobs: { type: "string", default: String(Math.min(JOBS_MAX, availableParallelism())) },
      shrink: { type: "string", default: SHRINK_RUNS },
      "no-shrink": { type: "boolean", default: false },
      plant: { type: "string" },
      repeats: { type: "string" },
    },
  });
  const { keep, plant, seed } = values;
  const steps = values.until ?? values.steps;
  const stepsOption = values.until === undefined ? "--steps" : "--until";
  const randomSeed = Math.floor(Math.random() * SEED_MAX);
  const from = values.from === "random" ? randomSeed : count("--from", values.from, SEED_MAX);
  const first = seed === undefined ? from : count("--seed", seed, SEED_MAX);
  const seeds = seed === undefined ? count("--seeds", values.seeds, SEED_MAX) : 1;
  const without = listed(values.without).map((name) => {
    const isKnown = (values.cluster ? CLUSTER_FAULTS : OF_ONE).some((known) => known === name);
    if (!isKnown) throw new Error(`--without: there is no fault "${name}"`);
    return name;
  });
  return {
    isCluster: values.cluster,
    seeds: Array.from({ length: seeds }, (_, index) => first + index),
    steps: steps === undefined ? null : count(stepsOption, steps, STEPS_MAX),
    kept: keep === undefined ? null : new Set(listed(keep).flatMap(stepsOf)),
    without: new Set(without),
    silent: new Set(listed(values.silent)),
    shrinkRuns: values["no-shrink"] ? 0 : count("--shrink", values.shrink, STEPS_MAX),
    jobs: Math.max(1, count("--jobs", values.jobs, JOBS_MAX)),
    plants: plant === undefined ? [] : readPlants(plant),
    repeats: values.repeats ?? null,
  };
}

function listed(text: string): string[] {
  return text.split(",").filter((part) => part !== "");
}

function count(option: string, text: string, max: number): number {
  const value = Number(text);
  if (Number.isInteger(value) && value >= 0 && value <= max) return value;
  throw new Error(`${option}: "${text}" is not a whole number from 0 to ${max}`);
}

function stepsOf(part: string): number[] {
  const [first = "", last = first] = part.split("-");
  const from = count("--keep", first, STEPS_MAX);
  const to = count("--keep", last, STEPS_MAX);
  return Array.from({ length: Math.max(0, to - from + 1) }, (_, index) => from + index);
}

/** "3,8-12"; "0", which is no step, for none of them. */
function stepsText(steps: readonly number[]): string {
  if (steps.length === 0) return "0";
  const ranges: [first: number, last: number][] = [];
  for (const step of steps) {
    const range = ranges.at(-1);
    if (range !== undefined && range[1] === step - 1) range[1] = step;
    else ranges.push([step, step]);
  }
  return ranges.map(([first, last]) => (first === last ? first : `${first}-${last}`)).join(",");
}

interface Repeated {
  readonly kept?: readonly number[];
  readonly without?: ReadonlySet<string>;
  readonly silent?: ReadonlySet<string>;
  readonly isCluster?: boolean;
  readonly plant?: string | undefined;
}

export function commandText(seed: number, until: number, options: Repeated = {}): string {
  return `npm run simulate -- ${optionsText(seed, until, options)}`;
}

/** Without the words before them. */
export function optionsText(seed: number, until: number, options: Repeated): string {
  const { isCluster = false, kept, plant, silent = new Set(), without = new Set() } = options;
  const parts = [`${isCluster ? "--cluster " : ""}--seed ${seed} --until ${until}`];
  if (kept !== undefined) parts.push(`--keep ${stepsText(kept)}`);
  if (without.size > 0) parts.push(`--without ${[...without].join(",")}`);
  if (silent.size > 0) parts.push(`--silent ${[...silent].join(",")}`);
  if (plant !== undefined) parts.push(`--plant ${plant}`);
  return parts.join(" ");
}
