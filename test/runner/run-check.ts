/** Runs one static check and prints what it found. */
import { join } from "node:path";
import { indent, timesText } from "./file-report.ts";
import { runGroup } from "./process-group.ts";
import type { ProgressBound } from "./progress-bound.ts";
import type { JobResult } from "./results.ts";
import { type Check, ROOT } from "./suites.ts";

const LINES_MAX = 400;

export async function runCheck(check: Check, bound: ProgressBound): Promise<JobResult> {
  const startedMs = performance.now();
  const output: string[] = [];
  const end = await runGroup(join(ROOT, "node_modules/.bin", check.binary), check.args, {
    cwd: ROOT,
    bound,
    onLine: (line) => {
      if (output.length < LINES_MAX) output.push(line);
    },
  });
  const passed = end.exitCode === 0;
  const mark = passed ? "ok    " : "FAILED";
  const durationMs = performance.now() - startedMs;
  console.log(`  ${mark}  ${check.name}  ${timesText(durationMs, end.processorSeconds)}`);
  const { processorSeconds } = end;
  const result = { name: check.name, skips: [], durationMs, processorSeconds, notes: [] };
  if (passed) return { ...result, passed: 1, failed: 0, failure: null };
  if (end.overrun !== null) output.push(`ended: ${end.overrun}`);
  output.push(`repeat with: node_modules/.bin/${check.binary} ${check.args.join(" ")}`);
  const failure = indent(output.join("\n"));
  console.log(failure);
  return { ...result, passed: 0, failed: 1, failure };
}
