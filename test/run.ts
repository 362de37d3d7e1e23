/**
 * The test programme behind `npm test`. Without arguments it runs every suite; with them only what
 * they name: `npm test -- unit`, `npm test -- src/engine`, `npm test -- test/tidy.test.ts`.
 *
 * Every suite has a time bound, and so has the whole; both grow with `RIALTO_TEST_SCALE`, and
 * `RIALTO_TEST_SUITE_SECONDS` sets the first. The last line is always `N passed, N failed`; the
 * exit code is 1 if anything failed.
 */
import { seconds } from "./runner/file-report.ts";
import { killGroups } from "./runner/process-group.ts";
import { runSuite, type SuiteResult } from "./runner/run-suite.ts";
import { type Suite, selectSuites } from "./runner/suites.ts";

const SUITE_BOUND_SECONDS = 8 * 60;
const TOTAL_BOUND_SECONDS = 40 * 60;

stopWithStarter();
const selected = selectSuites(process.argv.slice(2));
if (typeof selected === "string") {
  console.log(selected);
  finish(0, 1);
} else {
  const results = await runAll(selected);
  printTable(results);
  const sum = (count: (result: SuiteResult) => number) =>
    results.reduce((total, result) => total + count(result), 0);
  finish(
    sum((result) => result.passed),
    sum((result) => result.failed),
  );
}

async function runAll(suites: readonly Suite[]): Promise<SuiteResult[]> {
  const scale = Math.max(1, Number(process.env.RIALTO_TEST_SCALE ?? "1"));
  const suiteSeconds = Number(process.env.RIALTO_TEST_SUITE_SECONDS ?? SUITE_BOUND_SECONDS * scale);
  const endMs = performance.now() + TOTAL_BOUND_SECONDS * scale * 1000;
  const results: SuiteResult[] = [];
  for (const suite of suites) {
    const remainingMs = Math.max(1, endMs - performance.now());
    results.push(await runSuite(suite, Math.min(suiteSeconds * 1000, remainingMs)));
  }
  return results;
}

function printTable(results: readonly SuiteResult[]): void {
  const width = Math.max(...results.map((result) => result.name.length));
  console.log("");
  for (const { name, passed, failed, skipped, durationMs } of results) {
    const counts = `${count(passed)} passed ${count(failed)} failed ${count(skipped)} skipped`;
    console.log(`${name.padEnd(width)} ${counts} ${seconds(durationMs).padStart(9)}`);
  }
}

function count(value: number): string {
  return String(value).padStart(6);
}

function finish(passed: number, failed: number): void {
  console.log(`${passed} passed, ${failed} failed`);
  process.exitCode = failed === 0 && passed > 0 ? 0 : 1;
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
