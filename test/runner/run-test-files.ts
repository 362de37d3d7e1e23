/** Runs test files in a process of theirs, counts their tests and prints what failed. */
import { join } from "node:path";
import { parseFileMark } from "./file-mark.ts";
import { FileReport, indent } from "./file-report.ts";
import { type GroupEnd, runGroup } from "./process-group.ts";
import type { ProgressBound } from "./progress-bound.ts";
import { parseRunnerEvent } from "./reporter.ts";
import type { JobResult } from "./results.ts";
import { isUntracked } from "./shared-processes.ts";
import { ROOT } from "./suites.ts";

const REPORTER = join(import.meta.dirname, "reporter.ts");
const UNTRACKED_PROMISES = join(import.meta.dirname, "untracked-promises.ts");
const RUN_FILES = join(import.meta.dirname, "run-files.ts");

/** A file of the process, and what is known of its end. */
interface Part {
  readonly report: FileReport;
  /** Null while it has not ended. */
  end: { readonly durationMs: number; readonly processorSeconds: number } | null;
}

/** One after the other in one process, one alone as Node runs it. */
export async function runTestFiles(
  files: readonly [string, ...string[]],
  env: Readonly<Record<string, string>>,
  bound: ProgressBound,
): Promise<JobResult[]> {
  const parts = new Map<string, Part>();
  for (const file of files) parts.set(file, { report: new FileReport(file, env), end: null });
  const partOf = (file: string) => parts.get(file) ?? (parts.get(files[0]) as Part);
  let current = partOf(files[0]);
  const startedMs = performance.now();
  const args = [`--test-reporter=${REPORTER}`, "--test-reporter-destination=stdout"];
  if (files.some(isUntracked)) args.push(`--import=${UNTRACKED_PROMISES}`);
  const run = files.length === 1 ? files : [RUN_FILES, ...files];
  const end = await runGroup(process.execPath, [...args, ...run], {
    cwd: ROOT,
    env,
    bound,
    onLine: (line) => {
      const mark = parseFileMark(line);
      const event = parseRunnerEvent(line);
      if (mark !== null) {
        current = partOf(mark.file);
        current.end = mark.end;
      } else if (event === null) current.report.addOutput(line);
      else if (event.type === "test") partOf(event.outermost).report.addTest(event);
      else if (event.type === "diagnostic") current.report.addOutput(event.text);
    },
  });
  const { processorSeconds } = end;
  const durationMs = performance.now() - startedMs;
  if (files.length === 1 && end.overrun === null) current.end = { durationMs, processorSeconds };
  addCrashes([...parts.values()], current, end);
  // Node, shared modules and ended processes cost what no file says: each has its part of that.
  const said = [...parts.values()].map((part) => part.end?.processorSeconds ?? 0);
  const rest = processorSeconds - said.reduce((sum, ofPart) => sum + ofPart, 0);
  const times = { durationMs, restSeconds: Math.max(0, rest) / files.length };
  return [...parts.values()].map((part) => resultOf(part, times));
}

/** What no test says: the end of the process, and files that did not end or have no tests. */
function addCrashes(parts: readonly Part[], last: Part, { exitCode, overrun }: GroupEnd): void {
  const isQuiet = parts.every(({ report }) => report.failed === 0);
  if (overrun !== null) last.report.addCrash(`ended: ${overrun}`);
  else if (exitCode !== 0 && isQuiet) last.report.addCrash(`ended with exit code ${exitCode}`);
  const isLost = parts.some(({ end }) => end === null);
  const emptyText = isLost ? "its counts were lost with its process" : "has no tests";
  for (const { report, end } of parts) {
    if (report.failed > 0) continue;
    if (end === null) report.addCrash("was not run to its end: its process ended before");
    else if (report.passed + report.skips.length === 0) report.addCrash(emptyText);
  }
}

function resultOf(
  { report, end }: Part,
  times: { readonly durationMs: number; readonly restSeconds: number },
): JobResult {
  const durationMs = end?.durationMs ?? times.durationMs;
  const processorSeconds = (end?.processorSeconds ?? 0) + times.restSeconds;
  console.log(report.summary(durationMs, processorSeconds));
  if (report.skips.length > 0) console.log(indent(report.skipText()));
  if (report.failed > 0) console.log(report.failureText());
  const { failed, notes, passed, path, skips } = report;
  const name = `${report.settings()}${path}`;
  const failure = failed > 0 ? report.failureText() : null;
  return { name, passed, failed, skips, durationMs, processorSeconds, notes, failure };
}
