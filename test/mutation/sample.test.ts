/**
 * Goal: the tests of the ledger and of the books notice small bugs. Method: eight mutants of them,
 * which the seed of this suite draws, each shown to the tests beside its file and to the model of
 * the engine until one fails. The other areas take longer.
 *
 * With the suite's own seed every one has to be noticed: each has a place in the draw by the text
 * of its line, so that only a change of a line brings another mutant in, and whoever changed it
 * adds the test or the reason why nobody can see it. Another seed may meet lines that nobody has
 * looked at yet; there most have to be noticed.
 *
 * The long run shows 200 of all areas, each to the tests that come to it. An area fails there where
 * it misses its aim by more than chance makes of its part of the sample.
 */
import assert from "node:assert/strict";
import { availableParallelism } from "node:os";
import { dirname } from "node:path";
import test from "node:test";
import { isLongRun, scaled, seededRandom } from "../support/random.ts";
import { runTest } from "../support/test-process.ts";
import { areaOf } from "./areas.ts";
import { candidates, drawn, isOfAreas } from "./candidates.ts";
import { CoveringTests } from "./covering-tests.ts";
import { Gate } from "./gate.ts";
import type { Mutant } from "./mutant-text.ts";
import { reportText, resultsOf, verdictText } from "./report.ts";

const COUNT = 8;
const LONG_COUNT = 200;
/** At the aim of 97 %, eight mutants have more survivors once in a thousand draws. */
const SURVIVORS_MAX = process.env.RIALTO_TEST_SEED === undefined ? 0 : 2;
const FOLDERS = /^src\/engine\/(ledger|matching)\//;
const MODEL = "test/models/engine-model.test.ts";
const SCALE = 0.4;
/**
 * What a mutant that loops or waits for ever takes. The tests take a tenth of it; one that takes
 * longer on a slow machine counts as noticed, so that slowness fails nothing.
 */
const BOUND = { cpuSeconds: 10, wallMs: 60_000 };

const { seed } = seededRandom("mutation/sample");

function testsOf(mutant: Mutant, covering: CoveringTests): string[] {
  const beside = covering.of(mutant.file).filter((path) => dirname(path) === dirname(mutant.file));
  return [...beside, MODEL];
}

/** The first test that fails with it; null when all pass. */
async function noticedBy(mutant: Mutant, tests: readonly string[]): Promise<string | null> {
  for (const path of tests) {
    if (!(await runTest(path, { mutant, scale: SCALE, bound: BOUND })).passed) return path;
  }
  return null;
}

test("without a mutant the model passes", async () => {
  const bound = { cpuSeconds: 600, wallMs: 3_600_000 };
  const { passed } = await runTest(MODEL, { mutant: null, scale: SCALE, bound });
  assert.ok(passed);
});

test(`${COUNT} small bugs in the ledger and the books are noticed`, async () => {
  const all = candidates((file) => FOLDERS.test(file));
  const covering = new CoveringTests();
  const survivors: string[] = [];
  for (const mutant of drawn(all, seed, COUNT)) {
    const startedMs = performance.now();
    const tests = testsOf(mutant, covering);
    const by = await noticedBy(mutant, tests);
    const seconds = (performance.now() - startedMs) / 1_000;
    const kind = by === null ? "survived" : "killed";
    const text = verdictText({ mutant, kind, by, tests: tests.length, seconds });
    console.log(`# ${text}`);
    if (by === null) survivors.push(text);
  }
  console.log(`# ${COUNT} of ${all.length} mutants, ${survivors.length} survived`);
  assert.ok(survivors.length <= SURVIVORS_MAX, survivors.join("\n"));
});

if (isLongRun()) {
  const count = scaled(COUNT, LONG_COUNT);
  test(`${count} small bugs anywhere in the gate`, async () => {
    const all = candidates(isOfAreas([]));
    const ofAreas = Map.groupBy(all, ({ mutant }) => areaOf(mutant.file)?.name ?? "");
    const sizes = new Map([...ofAreas].map(([name, ofArea]) => [name, ofArea.length]));
    const gate = new Gate({
      testsMax: 12,
      secondsMax: 60,
      scale: 1,
      jobs: availableParallelism(),
      isFresh: false,
      onVerdict: (verdict) => console.log(verdictText(verdict)),
    });
    const verdicts = await gate.show(drawn(all, seed, count));
    const report = reportText(verdicts, sizes);
    console.log(report.replace(/^/gm, "# "));
    const missed = resultsOf(verdicts, sizes).filter(({ outcome }) => outcome === "missed");
    assert.deepEqual(missed, [], report);
  });
}
