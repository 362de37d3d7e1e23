/** What came of the files and checks of a run, by suites. */
import type { Skip } from "./file-report.ts";

/** What a test file or a check came to. */
export interface JobResult {
  readonly name: string;
  readonly passed: number;
  readonly failed: number;
  readonly skips: readonly Skip[];
  readonly durationMs: number;
  /** With the processes that it started and waited for. */
  readonly processorSeconds: number;
  /** What it printed of its seed and of how much it did. */
  readonly notes: readonly string[];
  /** With the command that repeats it; null when nothing failed. */
  readonly failure: string | null;
}

export interface SuiteResult {
  readonly name: string;
  /** In the order in which they ended. */
  readonly jobs: readonly JobResult[];
}

/** The sum over its files or checks; times too, which ran some at once. */
export function sumOf({ jobs }: SuiteResult, count: (job: JobResult) => number): number {
  return jobs.reduce((total, job) => total + count(job), 0);
}
