/**
 * `npm run mutate`: plants small bugs, one at a time, and shows each to the tests that can notice
 * it, the nearest first. What survives is a line that no test depends on, or a change that changes
 * nothing.
 *
 *     npm run mutate -- --area engine --count 200 --seed 7
 *     npm run mutate -- --area keys --all
 *     npm run mutate -- src/journal/file-journal.ts src/engine/spot/match-plan.ts:119
 *     npm run mutate -- --survivors
 *     npm run mutate -- --report
 *
 * Without areas and paths it draws from the whole gate; without a seed from a new one, which it
 * prints. Verdicts are kept in `test/results/mutation`: a run that was stopped goes on where it
 * was, `--survivors` shows those again whose tests have changed, and `--report` adds all up. The
 * exit code is 1 when an area misses its aim.
 */
import { availableParallelism } from "node:os";
import { parseArgs } from "node:util";
import { AREAS, areaOf } from "./areas.ts";
import { type Candidate, candidates, drawn, isOfAreas } from "./candidates.ts";
import { Gate } from "./gate.ts";
import type { Verdict } from "./mutant-run.ts";
import { reportText, resultsOf, verdictText } from "./report.ts";

const COUNT_DEFAULT = "200";
const TESTS_DEFAULT = "12";
const SECONDS_DEFAULT = "60";
const SCALE_DEFAULT = "1";
const SEED_MAX = 1_000_000_000;

const { values, positionals: paths } = parseArgs({
  allowPositionals: true,
  options: {
    area: { type: "string", multiple: true, default: [] },
    all: { type: "boolean", default: false },
    count: { type: "string", default: COUNT_DEFAULT },
    fresh: { type: "boolean", default: false },
    jobs: { type: "string", default: String(availableParallelism()) },
    report: { type: "boolean", default: false },
    survivors: { type: "boolean", default: false },
    scale: { type: "string", default: SCALE_DEFAULT },
    seconds: { type: "string", default: SECONDS_DEFAULT },
    seed: { type: "string", default: String(Math.floor(Math.random() * SEED_MAX)) },
    tests: { type: "string", default: TESTS_DEFAULT },
  },
});

const unknown = values.area.find((name) => AREAS.every((area) => area.name !== name));
if (unknown === undefined) await run();
else {
  console.log(`no area "${unknown}"; there are ${AREAS.map(({ name }) => name).join(", ")}`);
  process.exitCode = 2;
}

async function run(): Promise<void> {
  const isOfArea = isOfAreas(values.area);
  const from = paths.length === 0 ? candidates(isOfArea) : paths.flatMap(candidatesOf);
  const sizes = new Map<string, number>();
  for (const { mutant } of from) {
    const name = areaOf(mutant.file)?.name ?? "";
    sizes.set(name, (sizes.get(name) ?? 0) + 1);
  }
  const everything = from.map(({ mutant }) => mutant);
  const gate = new Gate({
    testsMax: Number(values.tests),
    secondsMax: Number(values.seconds),
    scale: Number(values.scale),
    jobs: Number(values.jobs),
    isFresh: values.fresh,
    onVerdict: (verdict, shown) => {
      console.log(`${shown}/${mutants.length}  ${verdictText(verdict)}`);
    },
  });
  const survivors = gate.known(everything).filter(({ kind }) => kind === "survived");
  const isSample = !values.all && !values.report && !values.survivors;
  const mutants = isSample
    ? drawn(from, Number(values.seed), Number(values.count))
    : values.survivors
      ? survivors.map(({ mutant }) => mutant)
      : everything;
  if (isSample) console.log(`${mutants.length} mutants of ${from.length}, seed ${values.seed}`);
  const shown: Verdict[] = values.report ? [] : await gate.show(mutants);
  // A sample is judged by itself: what was found before has been worked on.
  const verdicts = isSample || values.all ? shown : gate.known(everything);
  console.log(`\n${reportText(verdicts, sizes)}`);
  const missed = resultsOf(verdicts, sizes).some(({ outcome }) => outcome === "missed");
  process.exitCode = missed ? 1 : 0;
  if (isSample) console.log(`\nall runs so far:\n${reportText(gate.known(everything), sizes)}`);
}

/** Of a folder, of a file, or of `file:line`. */
function candidatesOf(path: string): Candidate[] {
  const [, file = path, line] = /^(.*):(\d+)$/.exec(path) ?? [];
  const found = candidates((name) => name.startsWith(file));
  return line === undefined ? found : found.filter(({ mutant }) => mutant.line === Number(line));
}
