/** What one test file did: its counts, its output and, where it failed, the text that says so. */
import { relative } from "node:path";
import type { RunnerEvent } from "./reporter.ts";
import { ROOT } from "./suites.ts";

const OUTPUT_LINES_MAX = 200;
/** Lines in which a file says how much it did; the counts of node's own reporter are none. */
const NOTES_MAX = 40;

/** A test that was not run, and why. */
export interface Skip {
  readonly name: string;
  readonly reason: string;
}

export class FileReport {
  readonly path: string;
  readonly #env: Readonly<Record<string, string>>;
  passed = 0;
  failed = 0;
  /** With their names, one line each. */
  readonly skips: Skip[] = [];
  readonly #output: string[] = [];
  readonly #failures: string[] = [];
  readonly #notes: string[] = [];
  #seed: string | null = null;

  /** `env` has the variables that its suite sets, as the command that repeats a failure has to. */
  constructor(file: string, env: Readonly<Record<string, string>>) {
    this.path = displayPath(file);
    this.#env = env;
  }

  addTest(event: Extract<RunnerEvent, { type: "test" }>): void {
    if (event.outcome === "skipped") {
      this.skips.push({ name: event.name, reason: event.details });
      return;
    }
    this[event.outcome]++;
    if (event.outcome === "failed" && event.details !== "") {
      this.#failures.push(
        `${event.name} (${displayPath(event.definedIn)}:${event.line})\n${event.details}`,
      );
    }
  }

  /** The file itself failed, and not one of its tests. */
  addCrash(text: string): void {
    this.failed++;
    this.#failures.push(text);
  }

  /** What the file printed of its seed and of how much it did. */
  get notes(): readonly string[] {
    return this.#notes;
  }

  addOutput(text: string): void {
    this.#seed ??= /RIALTO_TEST_SEED=(\d+)/.exec(text)?.[1] ?? null;
    const lines = text.trimEnd().split("\n");
    const notes = lines.filter((line) => line.startsWith("# ")).map((line) => line.slice(2));
    this.#notes.push(...notes.slice(0, NOTES_MAX - this.#notes.length));
    this.#output.push(...lines);
    this.#output.splice(0, Math.max(0, this.#output.length - OUTPUT_LINES_MAX));
  }

  /** One line for the progress of a run. */
  summary(durationMs: number, processorSeconds: number): string {
    const mark = this.failed === 0 ? "ok    " : "FAILED";
    const skipped = this.skips.length === 0 ? "" : `, ${this.skips.length} skipped`;
    const counts = `${this.passed} passed, ${this.failed} failed${skipped}`;
    const times = timesText(durationMs, processorSeconds);
    return `  ${mark}  ${this.settings()}${this.path}  ${counts}  ${times}`;
  }

  /** What was not run, with its reason; empty when everything was. */
  skipText(): string {
    return this.skips.map(({ name, reason }) => `not run: ${name}: ${reason}`).join("\n");
  }

  /** Everything one needs to understand a failure, and the command that repeats it. */
  failureText(): string {
    const parts = this.#failures.map((failure) => indent(failure));
    if (this.#output.length > 0) {
      parts.push(indent(`output (last ${OUTPUT_LINES_MAX} lines):\n${this.#output.join("\n")}`));
    }
    const seed = this.#seed === null ? "" : `RIALTO_TEST_SEED=${this.#seed} `;
    parts.push(indent(`repeat with: ${this.settings()}${seed}npm test -- ${this.path}`));
    return parts.join("\n");
  }

  /** The variables of its suite, as a shell takes them. */
  settings(): string {
    return Object.entries(this.#env)
      .map(([name, value]) => `${name}=${value} `)
      .join("");
  }
}

function displayPath(file: string): string {
  const path = relative(ROOT, file);
  return path.startsWith("..") ? file : path;
}

export function seconds(durationMs: number): string {
  return `${(durationMs / 1000).toFixed(1)} s`;
}

/** The clock's, and the processor's: far less of the second is a file that waits. */
export function timesText(durationMs: number, processorSeconds: number): string {
  return `${seconds(durationMs)}, ${processorSeconds.toFixed(1)} s of the processor`;
}

export function indent(text: string): string {
  return text.replace(/^(?=.)/gm, "      ");
}
