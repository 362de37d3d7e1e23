/**
 * The test programme behind `npm test`. Without arguments it runs every suite; with them only what
 * they name: `npm test -- unit`, `npm test -- src/engine`, `npm test -- test/tidy.test.ts`.
 * `npm run test:long` runs the same from new seeds, with ten times the random operations and what
 * takes a night, and writes a page of what it did. `RIALTO_TEST_LONG=0.1` makes it a tenth of that.
 *
 * All files wait in one line, whatever their suite. A file is ended when nothing was heard of it
 * for a while (no test ended, no output), never for being slow; `RIALTO_TEST_SILENCE_SECONDS` sets
 * for how long. The last line is always `N passed, N failed`, with `, N skipped` where tests were
 * not run because the machine has no tool for them. They only fail the run where
 * `RIALTO_TEST_MAY_LACK` is set: to the tools, by commas, that this machine is known not to have.
 * The exit code is 1 if anything failed.
 */
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { type Skip, seconds, timesText } from "./runner/file-report.ts";
import { killGroups } from "./runner/process-group.ts";
import { type JobResult, type SuiteResult, sumOf } from "./runner/results.ts";
import { runSuites } from "./runner/run-suites.ts";
import { ROOT, type Suite, selectSuites, TESTED_PROGRAM } from "./runner/suites.ts";
import { summaryPage } from "./runner/summary-page.ts";
import { missingToolsOf } from "./support/tools.ts";

/** More than the longest test takes on a machine at a tenth of the usual speed. */
const SILENCE_SECONDS = 15 * 60;
const TOTAL_SECONDS = 4 * 60 * 60;
/** Of `npm run test:long`: so many times the usual number of random operations. */
const LONG_SCALE = 10;
/** Not in the repository. */
const SUMMARY = join(ROOT, "test/results/long.md");

stopWithStarter();
const names = process.argv.slice(2);
const isLong = names[0] === "--long";
if (isLong) {
  names.shift();
  process.env.RIALTO_TEST_SCALE ??= String(LONG_SCALE);
  process.env.RIALTO_TEST_LONG ??= "1";
  process.env.RIALTO_TEST_SEED ??= "random";
}
// Tests of everything start what is published, which the first check builds.
if (names.length === 0) process.env.RIALTO_TEST_PROGRAM = TESTED_PROGRAM;
const selected = selectSuites(names, isLong);
if (typeof selected === "string") {
  console.log(selected);
  finish(0, 1, []);
} else {
  const startedAt = new Date();
  const results = await runAll(selected, (soFar) => {
    if (isLong) writeSummary(soFar, { startedAt, command: longCommand(), isOver: false });
  });
  printTable(results);
  if (isLong) {
    writeSummary(results, { startedAt, command: longCommand(), isOver: true });
    console.log(`\nsummary: ${SUMMARY}`);
  }
  const sum = (count: (job: JobResult) => number) =>
    results.reduce((total, result) => total + sumOf(result, count), 0);
  finish(
    sum(({ passed }) => passed),
    sum(({ failed }) => failed),
    results.flatMap(({ jobs }) => jobs.flatMap(({ skips }) => skips)),
  );
}

function runAll(
  suites: readonly Suite[],
  onProgress: (results: readonly SuiteResult[]) => void,
): Promise<SuiteResult[]> {
  const scale = Math.max(1, Number(process.env.RIALTO_TEST_SCALE ?? "1"));
  const silenceSeconds = process.env.RIALTO_TEST_SILENCE_SECONDS ?? SILENCE_SECONDS * scale;
  const bounds = {
    silenceMs: Number(silenceSeconds) * 1000,
    endMs: performance.now() + TOTAL_SECONDS * scale * 1000,
  };
  return runSuites(suites, bounds, onProgress);
}

function writeSummary(...[results, run]: Parameters<typeof summaryPage>): void {
  mkdirSync(dirname(SUMMARY), { recursive: true });
  writeFileSync(SUMMARY, summaryPage(results, run));
}

function longCommand(): string {
  const variables = ["RIALTO_TEST_LONG", "RIALTO_TEST_SCALE", "RIALTO_TEST_SEED"];
  const settings = variables.map((name) => `${name}=${process.env[name]}`);
  return [...settings, "npm run test:long", ...(names.length > 0 ? ["--", ...names] : [])].join(
    " ",
  );
}

function printTable(results: readonly SuiteResult[]): void {
  const width = Math.max(...results.map((result) => result.name.length));
  console.log("");
  for (const result of results) {
    const passed = sumOf(result, (job) => job.passed);
    const failed = sumOf(result, (job) => job.failed);
    const skipped = sumOf(result, (job) => job.skips.length);
    const counts = `${count(passed)} passed ${count(failed)} failed ${count(skipped)} skipped`;
    const time = seconds(sumOf(result, (job) => job.durationMs));
    const cost = seconds(1000 * sumOf(result, processorOf));
    console.log(`${result.name.padEnd(width)} ${counts} ${time.padStart(9)} ${cost.padStart(9)}`);
  }
  const cost = results.reduce((sum, result) => sum + sumOf(result, processorOf), 0);
  console.log(`\n${timesText(performance.now(), cost)} in all`);
}

function processorOf({ processorSeconds }: JobResult): number {
  return processorSeconds;
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
