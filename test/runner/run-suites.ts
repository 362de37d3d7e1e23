/**
 * Runs suites for as long as they get on, printing the progress, and counts what passed, failed and
 * was not run. All their files and checks wait in one line, the suites mixed: files that compute
 * run beside files that wait, few that need much memory run at once, and no core is idle while a
 * suite ends.
 */
import { availableParallelism } from "node:os";
import { relative } from "node:path";
import { seconds } from "./file-report.ts";
import { ProgressBound } from "./progress-bound.ts";
import type { JobResult, SuiteResult } from "./results.ts";
import { runCheck } from "./run-check.ts";
import { runTestFiles } from "./run-test-files.ts";
import { byProcess, type Files } from "./shared-processes.ts";
import { ROOT, type Suite } from "./suites.ts";

interface Bounds {
  /** How long nothing may be heard of a file or a check. */
  readonly silenceMs: number;
  /** When all has to be over, on the clock of `performance`. */
  readonly endMs: number;
}

interface Job {
  readonly suite: Suite;
  readonly name: string;
  /** How many files it has, or 1. */
  readonly files: number;
  /** Starts before all others: they use what it makes. */
  readonly isFirst: boolean;
  /** Its place in the line, from 0 to 1. */
  readonly place: number;
  run(bound: ProgressBound): Promise<readonly JobResult[]>;
}

/**
 * Two a core: a file waits for disks, timers and other processes for a good part of its time. With
 * three, walks of pages waited for minutes.
 * No more than memory has room for: an exchange takes up to 300 MB.
 */
const JOBS_AT_ONCE = Math.min(2 * availableParallelism(), 8);
const HEARTBEAT_MS = 30_000;

/** `onProgress` gets what there is so far, after every file and check. */
export async function runSuites(
  suites: readonly Suite[],
  bounds: Bounds,
  onProgress: (results: readonly SuiteResult[]) => void,
): Promise<SuiteResult[]> {
  const ended = new Map<Suite, JobResult[]>(suites.map((suite) => [suite, []]));
  const results = (): SuiteResult[] => [...ended].map(([{ name }, done]) => ({ name, jobs: done }));
  const jobs = suites.flatMap(jobsOf).sort((one, other) => one.place - other.place);
  for (const { name, kind } of suites) {
    console.log(
      `${name}: ${filesOf(jobs.filter(({ suite }) => suite.name === name))} ${noun(kind)}`,
    );
  }
  console.log("");
  const startedMs = performance.now();
  const underWay = new Map<Job, ProgressBound>();
  let left = filesOf(jobs);
  const heartbeat = setInterval(() => {
    const names = [...underWay].map(([{ name }, { waitsUntil }]) => {
      return waitsUntil === null ? name : `${name} (waits until ${waitsUntil})`;
    });
    const time = seconds(performance.now() - startedMs);
    console.log(`  ${time}, ${left} left, under way: ${names.join(", ")}`);
  }, HEARTBEAT_MS);
  const runOne = async (job: Job): Promise<void> => {
    const bound = new ProgressBound(bounds.silenceMs, bounds.endMs, performance.now());
    underWay.set(job, bound);
    ended.get(job.suite)?.push(...(await job.run(bound)));
    onProgress(results());
    underWay.delete(job);
    left -= job.files;
  };
  for (const job of jobs.filter(({ isFirst }) => isFirst)) await runOne(job);
  const waiting = jobs.filter(({ isFirst }) => !isFirst).values();
  const work = async (): Promise<void> => {
    for (const job of waiting) await runOne(job);
  };
  await Promise.all(Array.from({ length: JOBS_AT_ONCE }, work));
  clearInterval(heartbeat);
  return results();
}

function filesOf(jobs: readonly Job[]): number {
  return jobs.reduce((sum, { files }) => sum + files, 0);
}

function noun(kind: Suite["kind"]): string {
  return kind === "checks" ? "checks" : "files";
}

function jobsOf(suite: Suite): Job[] {
  if (suite.kind === "checks") {
    return suite.checks.map((check) => ({
      suite,
      name: check.name,
      files: 1,
      isFirst: check.isFirst,
      place: 0,
      run: async (bound) => [await runCheck(check, bound)],
    }));
  }
  const processes = byProcess(suite.files);
  return processes.map((files, i) => ({
    suite,
    name: nameOf(files),
    files: files.length,
    isFirst: false,
    place: i / processes.length,
    run: (bound) => runTestFiles(files, suite.env ?? {}, bound),
  }));
}

function nameOf([first, ...others]: Files): string {
  const more = others.length === 0 ? "" : ` and ${others.length} more`;
  return `${relative(ROOT, first)}${more}`;
}
