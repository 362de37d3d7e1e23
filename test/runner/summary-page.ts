/**
 * The page of a long run: each suite with what it did, the seeds that it drew, and what failed with
 * the command that repeats it.
 */
import { seconds } from "./file-report.ts";
import { type JobResult, type SuiteResult, sumOf } from "./results.ts";

interface Run {
  readonly startedAt: Date;
  /** With the variables that make it what it is. */
  readonly command: string;
  /** False while files are still waiting. */
  readonly isOver: boolean;
}

export function summaryPage(results: readonly SuiteResult[], run: Run): string {
  const failed = results.flatMap(({ jobs }) => jobs.filter(({ failure }) => failure !== null));
  return [
    "# A long run",
    "",
    `\`${run.command}\`, from ${run.startedAt.toISOString()}${run.isOver ? "" : ", not over"}`,
    "",
    "| Suite | Files | Passed | Failed | Skipped | Time of all files | of the processor |",
    "|---|---:|---:|---:|---:|---:|---:|",
    ...results.map(suiteRow),
    "",
    "## Failures",
    "",
    ...(failed.length === 0 ? ["None.", ""] : failed.flatMap(failureLines)),
    "## What was done",
    "",
    ...results
      .flatMap(({ jobs }) => jobs.filter(({ notes }) => notes.length > 0))
      .flatMap(noteLines),
  ].join("\n");
}

function suiteRow(result: SuiteResult): string {
  const { jobs, name } = result;
  const counts = [
    jobs.length,
    sumOf(result, ({ passed }) => passed),
    sumOf(result, ({ failed }) => failed),
    sumOf(result, ({ skips }) => skips.length),
  ];
  const time = seconds(sumOf(result, ({ durationMs }) => durationMs));
  const cost = seconds(1000 * sumOf(result, ({ processorSeconds }) => processorSeconds));
  return `| ${name} | ${counts.join(" | ")} | ${time} | ${cost} |`;
}

function failureLines({ name, failure }: JobResult): string[] {
  return [`### ${name}`, "", "```", failure ?? "", "```", ""];
}

function noteLines({ name, durationMs, notes }: JobResult): string[] {
  return [`- ${name}, ${seconds(durationMs)}`, ...notes.map((note) => `  - ${note}`)];
}
