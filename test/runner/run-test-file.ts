/** Runs one test file in a process of its own, counts its tests and prints what failed. */
import { join } from "node:path";
import { FileReport, indent } from "./file-report.ts";
import { type GroupEnd, runGroup } from "./process-group.ts";
import type { ProgressBound } from "./progress-bound.ts";
import { parseRunnerEvent } from "./reporter.ts";
import type { JobResult } from "./results.ts";
import { ROOT } from "./suites.ts";

const REPORTER = join(import.meta.dirname, "reporter.ts");

export async function runTestFile(
  file: string,
  env: Readonly<Record<string, string>>,
  bound: ProgressBound,
): Promise<JobResult> {
  const report = new FileReport(file, env);
  const startedMs = performance.now();
  const args = [`--test-reporter=${REPORTER}`, "--test-reporter-destination=stdout", file];
  const end = await runGroup(process.execPath, args, {
    cwd: ROOT,
    env,
    bound,
    onLine: (line) => {
      const event = parseRunnerEvent(line);
      if (event === null) report.addOutput(line);
      else if (event.type === "test") report.addTest(event);
      else if (event.type === "diagnostic") report.addOutput(event.text);
    },
  });
  const crash = crashText(end, report);
  if (crash !== null) report.addCrash(crash);
  const durationMs = performance.now() - startedMs;
  const { processorSeconds } = end;
  console.log(report.summary(durationMs, processorSeconds));
  if (report.skips.length > 0) console.log(indent(report.skipText()));
  if (report.failed > 0) console.log(report.failureText());
  const { failed, notes, passed, path, skips } = report;
  const name = `${report.settings()}${path}`;
  const failure = failed > 0 ? report.failureText() : null;
  return { name, passed, failed, skips, durationMs, processorSeconds, notes, failure };
}

/** Why the file failed where none of its tests says so; null when they say all. */
function crashText({ exitCode, overrun }: GroupEnd, { failed, passed, skips }: FileReport) {
  if (overrun !== null) return `ended: ${overrun}`;
  if (exitCode !== 0 && failed === 0) return `ended with exit code ${exitCode}`;
  if (failed + passed + skips.length === 0) return "has no tests";
  return null;
}
