/** What one test file did: its counts, its output and, where it failed, the text that says so. */
import { relative } from "node:path";
import type { RunnerEvent } from "./reporter.ts";
import { ROOT } from "./suites.ts";

const OUTPUT_LINES_MAX = 200;

/** A test that was not run, and why. */
export interface Skip {
  readonly name: string;
  readonly reason: string;
}

export class FileReport {
  readonly path: string;
  passed = 0;
  failed = 0;
  skipped = 0;
  /** With their names, one line each. */
  readonly skips: Skip[] = [];
  readonly #output: string[] = [];
  readonly #failures: string[] = [];
  #seed: string | null = null;

  constructor(file: string) {
    this.path = displayPath(file);
  }

  add(event: Extract<RunnerEvent, { type: "test" | "output" }>): void {
    if (event.type === "output") {
      this.#addOutput(event.text);
      return;
    }
    this[event.outcome]++;
    if (event.outcome === "skipped") this.skips.push({ name: event.name, reason: event.details });
    if (event.outcome === "failed" && event.details !== "") {
      this.#failures.push(
        `${event.name} (${displayPath(event.definedIn)}:${event.line})\n${event.details}`,
      );
    }
  }

  /** One line for the progress of a run. */
  summary(durationMs: number): string {
    const mark = this.failed === 0 ? "ok    " : "FAILED";
    const skipped = this.skipped === 0 ? "" : `, ${this.skipped} skipped`;
    const counts = `${this.passed} passed, ${this.failed} failed${skipped}`;
    return `  ${mark}  ${this.path}  ${counts}  ${seconds(durationMs)}`;
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
    parts.push(indent(`repeat with: ${seed}npm test -- ${this.path}`));
    return parts.join("\n");
  }

  #addOutput(text: string): void {
    this.#seed ??= /RIALTO_TEST_SEED=(\d+)/.exec(text)?.[1] ?? null;
    this.#output.push(...text.trimEnd().split("\n"));
    this.#output.splice(0, Math.max(0, this.#output.length - OUTPUT_LINES_MAX));
  }
}

function displayPath(file: string): string {
  const path = relative(ROOT, file);
  return path.startsWith("..") ? file : path;
}

export function seconds(durationMs: number): string {
  return `${(durationMs / 1000).toFixed(1)} s`;
}

export function indent(text: string): string {
  return text.replace(/^(?=.)/gm, "      ");
}
