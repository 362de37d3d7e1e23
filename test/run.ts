/**
 * The test programme behind `npm test`. Without arguments it runs every suite; with them only what
 * they name: `npm test -- unit`, `npm test -- src/engine`, `npm test -- test/tidy.test.ts`.
 * `npm run test:long` runs the same with ten times the random operations, and `test/long`.
 *
 * A suite is ended when nothing was heard of it for a while (no test ended, no output), never for
 * being slow; `RIALTO_TEST_SILENCE_SECONDS` sets for how long. The last line is always `N passed,
 * N failed`, with `, N skipped` where tests were not run because the machine has no tool for them.
 * They only fail the run where `RIALTO_TEST_MAY_LACK` is set: to the tools, by commas, that this
 * machine is known not to have. The exit code is 1 if anything failed.
 */
import { type Skip, seconds } from "./runner/file-report.ts";
import { killGroups } from "./runner/process-group.ts";
import { ProgressBound } from "./runner/progress-bound.ts";
import { runSuite, type SuiteResult } from "./runner/run-suite.ts";
import { type Suite, selectSuites, TESTED_PROGRAM } from "./runner/suites.ts";
import { missingToolsOf } from "./support/tools.ts";

/** More than the longest test takes on a machine at a tenth of the usual speed. */
const SILENCE_SECONDS = 15 * 60;
const TOTAL_SECONDS = 4 * 60 * 60;
/** Of `npm run test:long`: so many times the usual number of random operations. */
const LONG_SCALE = 10;

stopWithStarter();
const names = process.argv.slice(2);
const isLong = names[0] === "--long";
if (isLong) {
  names.shift();
  process.env.RIALTO_TEST_SCALE ??= String(LONG_SCALE);
}
// Tests of everything start what is published, which the checks before them build.
if (names.length === 0) process.env.RIALTO_TEST_PROGRAM = TESTED_PROGRAM;
const selected = selectSuites(names, isLong);
if (typeof selected === "string") {
  console.log(selected);
  finish(0, 1, []);
} else {
  const results = await runAll(selected);
  printTable(results);
  const sum = (count: (result: SuiteResult) => number) =>
    results.reduce((total, result) => total + count(result), 0);
  finish(
    sum((result) => result.passed),
    sum((result) => result.failed),
    results.flatMap(({ skips }) => skips),
  );
}

async function runAll(suites: readonly Suite[]): Promise<SuiteResult[]> {
  const scale = Math.max(1, Number(process.env.RIALTO_TEST_SCALE ?? "1"));
  const silenceSeconds = process.env.RIALTO_TEST_SILENCE_SECONDS ?? SILENCE_SECONDS * scale;
  const silenceMs = Number(silenceSeconds) * 1000;
  const endMs = performance.now() + TOTAL_SECONDS * scale * 1000;
  const results: SuiteResult[] = [];
  for (const suite of suites) {
    const bound = new ProgressBound(silenceMs, endMs, performance.now());
    results.push(await runSuite(suite, bound));
  }
  return results;
}

function printTable(results: readonly SuiteResult[]): void {
  const width = Math.max(...results.map((result) => result.name.length));
  console.log("");
  for (const { name, passed, failed, skips, durationMs } of results) {
    const counts = `${count(passed)} passed ${count(failed)} failed ${count(skips.length)} skipped`;
    console.log(`${name.padEnd(width)} ${counts} ${seconds(durationMs).padStart(9)}`);
  }
}

function count(value: number): string {
  return String(value).padStart(6);
}

function finish(passed: number, failed: number, skips: readonly Skip[]): void {
  const unexcused = skips.filter((skip) => !isExcused(skip));
  if (unexcused.length > 0) {
    console.log("These have to be run here; install what they lack, or name it as lacking:");
    for (const { name, reason } of unexcused) console.log(`  ${name}: ${reason}`);
  }
  const skipped = skips.length === 0 ? "" : `, ${skips.length} skipped`;
  console.log(`${passed} passed, ${failed} failed${skipped}`);
  process.exitCode = failed === 0 && passed > 0 && unexcused.length === 0 ? 0 : 1;
}

/** Without the switch every skip is; with it those for the sake of the tools that it names. */
function isExcused({ reason }: Skip): boolean {
  const mayLack = process.env.RIALTO_TEST_MAY_LACK;
  if (mayLack === undefined) return true;
  const missing = missingToolsOf(reason);
  return missing.length > 0 && missing.every((tool) => mayLack.split(",").includes(tool));
}

/** The suites run in groups of their own, which no terminal or starter reaches: end them here. */
function stopWithStarter(): void {
  const stop = (exitCode: number) => {
    killGroups();
    process.exit(exitCode);
  };
  process.on("SIGINT", () => stop(130));
  process.on("SIGTERM", () => stop(143));
  process.on("SIGHUP", () => stop(129));
  process.on("disconnect", () => stop(143));
  process.channel?.unref();
}
