/**
 * `npm run mutate`: plants small bugs, one at a time, and shows each to the tests that can notice
 * it, the nearest first. What survives is a line that no test depends on, or a change that changes
 * nothing.
 *
 *     npm run mutate -- --count 200 --seed 7 src/engine src/journal/file-journal.ts
 *
 * Without paths it draws from all areas of the gate; without a seed from a new one, which it
 * prints. The exit code is 1 when an area with enough mutants misses its aim.
 */
import { globSync, readFileSync } from "node:fs";
import { availableParallelism } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { Random } from "../support/random.ts";
import { CoveringTests, ROOT } from "./covering-tests.ts";
import { EQUIVALENT } from "./equivalent.ts";
import { MutantRuns, type Verdict } from "./mutant-run.ts";
import type { Mutant } from "./mutant-text.ts";
import { mutantsOf } from "./mutants.ts";
import { isGated, reportText, resultsOf, verdictText } from "./report.ts";

const COUNT_DEFAULT = "200";
const TESTS_DEFAULT = "12";
const SCALE_DEFAULT = "1";
const SEED_MAX = 1_000_000_000;

const { values, positionals: paths } = parseArgs({
  allowPositionals: true,
  options: {
    count: { type: "string", default: COUNT_DEFAULT },
    seed: { type: "string", default: String(Math.floor(Math.random() * SEED_MAX)) },
    tests: { type: "string", default: TESTS_DEFAULT },
    scale: { type: "string", default: SCALE_DEFAULT },
    jobs: { type: "string", default: String(availableParallelism()) },
  },
});

const mutants = drawn(candidates(paths), Number(values.seed), Number(values.count));
console.log(`${mutants.length} mutants, seed ${values.seed}`);
const runs = new MutantRuns({
  covering: new CoveringTests(),
  testsMax: Number(values.tests),
  scale: Number(values.scale),
});
const verdicts = await showAll(mutants, Number(values.jobs));
console.log(reportText(verdicts));
process.exitCode = resultsOf(verdicts).some(({ missed }) => missed) ? 1 : 0;

/** Every mutant of the gate, or below these paths. */
function candidates(below: readonly string[]): Mutant[] {
  const files = globSync("src/**/*.{ts,tsx}", { cwd: ROOT }).filter((file) => {
    if (/\.test\.tsx?$/.test(file)) return false;
    return below.length === 0 ? isGated(file) : below.some((path) => file.startsWith(path));
  });
  const all = files.sort().flatMap((file) => {
    return mutantsOf(file, readFileSync(join(ROOT, file), "utf8"));
  });
  return all.filter((mutant) => !EQUIVALENT.some((known) => known.is(mutant)));
}

function drawn(from: readonly Mutant[], seed: number, count: number): Mutant[] {
  const random = new Random(seed);
  const left = [...from];
  const taken: Mutant[] = [];
  while (taken.length < count && left.length > 0) {
    const index = random.integer(0, left.length - 1);
    taken.push(...left.splice(index, 1));
  }
  return taken;
}

async function showAll(from: readonly Mutant[], jobs: number): Promise<Verdict[]> {
  const shown: Verdict[] = [];
  const waiting = from.values();
  const work = async (): Promise<void> => {
    for (const mutant of waiting) {
      const verdict = await runs.show(mutant);
      shown.push(verdict);
      console.log(`${shown.length}/${from.length}  ${verdictText(verdict)}`);
    }
  };
  await Promise.all(Array.from({ length: jobs }, work));
  return shown;
}
