/**
 * Runs one suite for as long as it gets on, printing its progress, and counts what passed, failed
 * and was not run.
 */
import { join } from "node:path";
import { FileReport, indent, type Skip, seconds } from "./file-report.ts";
import { runGroup } from "./process-group.ts";
import type { ProgressBound } from "./progress-bound.ts";
import { parseRunnerEvent, type RunnerEvent } from "./reporter.ts";
import { type Check, ROOT, type Suite } from "./suites.ts";

export interface SuiteResult {
  readonly name: string;
  readonly passed: number;
  readonly failed: number;
  readonly skips: readonly Skip[];
  readonly durationMs: number;
}

/** Test files that run at the same time; also what a two-core machine can do. */
const FILES_AT_ONCE = 2;
const HEARTBEAT_MS = 30_000;
/** Files that a line of progress names: those under way stand first. */
const OPEN_SHOWN = 4;
const CHECK_LINES_MAX = 400;
const STRAY_LINES_MAX = 200;

export async function runSuite(suite: Suite, bound: ProgressBound): Promise<SuiteResult> {
  const size = suite.kind === "checks" ? suite.checks.length : suite.files.length;
  console.log(`\n${suite.name}: ${size} ${suite.kind === "checks" ? "checks" : "files"}`);
  const startedMs = performance.now();
  const counts =
    suite.kind === "checks"
      ? await runChecks(suite.checks, bound)
      : await new TestRun(suite.files, suite.env ?? {}).run(bound);
  return { name: suite.name, ...counts, durationMs: performance.now() - startedMs };
}

type Counts = Pick<SuiteResult, "passed" | "failed" | "skips">;

async function runChecks(checks: readonly Check[], bound: ProgressBound): Promise<Counts> {
  let failed = 0;
  for (const check of checks) {
    if (!(await runCheck(check, bound))) failed++;
  }
  return { passed: checks.length - failed, failed, skips: [] };
}

async function runCheck(check: Check, bound: ProgressBound): Promise<boolean> {
  const startedMs = performance.now();
  const output: string[] = [];
  const end = await runGroup(join(ROOT, "node_modules/.bin", check.binary), check.args, {
    cwd: ROOT,
    bound,
    onLine: (line) => {
      if (output.length < CHECK_LINES_MAX) output.push(line);
    },
  });
  const passed = end.exitCode === 0;
  const mark = passed ? "ok    " : "FAILED";
  console.log(`  ${mark}  ${check.name}  ${seconds(performance.now() - startedMs)}`);
  if (!passed) {
    if (end.overrun !== null) output.push(`ended: ${end.overrun}`);
    output.push(`repeat with: node_modules/.bin/${check.binary} ${check.args.join(" ")}`);
    console.log(indent(output.join("\n")));
  }
  return passed;
}

/** One run of `node --test` over some files. */
class TestRun {
  readonly #files: readonly string[];
  readonly #env: Readonly<Record<string, string>>;
  readonly #open: Map<string, FileReport>;
  readonly #counts = { passed: 0, failed: 0, skips: [] as Skip[] };
  /** What node itself said outside every test file. */
  readonly #stray: string[] = [];

  constructor(files: readonly string[], env: Readonly<Record<string, string>>) {
    this.#files = files;
    this.#env = env;
    this.#open = new Map(files.map((file) => [file, new FileReport(file)]));
  }

  async run(bound: ProgressBound): Promise<Counts> {
    const startedMs = performance.now();
    const heartbeat = setInterval(() => {
      console.log(
        `  ${seconds(performance.now() - startedMs)}, not finished: ${this.#openPaths(OPEN_SHOWN)}`,
      );
    }, HEARTBEAT_MS);
    const reporter = join(import.meta.dirname, "reporter.ts");
    const args = ["--test", `--test-concurrency=${FILES_AT_ONCE}`, `--test-reporter=${reporter}`];
    const end = await runGroup(process.execPath, [...args, ...this.#files], {
      cwd: ROOT,
      env: this.#env,
      bound,
      onLine: (line) => this.#take(line),
    });
    clearInterval(heartbeat);
    if (end.overrun !== null) this.#reportOverrun(end.overrun);
    else if (this.#open.size > 0 || (end.exitCode !== 0 && this.#counts.failed === 0)) {
      this.#reportCrash(end.exitCode);
    }
    return this.#counts;
  }

  #take(line: string): void {
    const event = parseRunnerEvent(line);
    if (event !== null) this.#takeEvent(event);
    else if (this.#stray.length < STRAY_LINES_MAX) this.#stray.push(line);
  }

  #takeEvent(event: RunnerEvent): void {
    if (event.type === "progress") return;
    const report = this.#open.get(event.file);
    if (report === undefined) return;
    if (event.type !== "file") {
      report.add(event);
      return;
    }
    this.#open.delete(event.file);
    this.#close(report, event.durationMs);
  }

  #close(report: FileReport, durationMs: number): void {
    this.#counts.passed += report.passed;
    this.#counts.failed += report.failed;
    this.#counts.skips.push(...report.skips);
    console.log(report.summary(durationMs));
    if (report.skips.length > 0) console.log(indent(report.skipText()));
    if (report.failed > 0) console.log(report.failureText());
  }

  #reportOverrun(overrun: string): void {
    console.log(`  FAILED  ended: ${overrun}`);
    for (const report of this.#open.values()) {
      this.#counts.passed += report.passed;
      this.#counts.failed += report.failed + 1;
      this.#counts.skips.push(...report.skips);
      console.log(`  FAILED  ${report.path}  not finished`);
      console.log(report.failureText());
    }
  }

  #reportCrash(exitCode: number | null): void {
    this.#counts.failed++;
    console.log(`  FAILED  node --test ended with ${exitCode}; not finished: ${this.#openPaths()}`);
    console.log(indent(this.#stray.join("\n")));
  }

  #openPaths(most = Number.POSITIVE_INFINITY): string {
    const paths = [...this.#open.values()].map((report) => report.path);
    const more = paths.length > most ? [`and ${paths.length - most} more`] : [];
    return [...paths.slice(0, most), ...more].join(", ") || "none";
  }
}
