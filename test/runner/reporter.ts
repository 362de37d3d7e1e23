/**
 * A node:test reporter for the programme runner: one line of JSON per finished test, finished file,
 * line of output and diagnostic, and a sign of life as soon as any test ends. The runner counts and
 * prints; nothing is decided here.
 */

import type { TestEvent } from "node:test/reporters";
import { inspect } from "node:util";

export type RunnerEvent =
  | {
      readonly type: "test";
      readonly file: string;
      /** Where the test stands, which may be a file that the test file imports. */
      readonly definedIn: string;
      readonly line: number;
      readonly name: string;
      readonly outcome: "passed" | "failed" | "skipped";
      /**
       * Why it failed or was not run; empty if it passed, and where only a subtest failed, which
       * has its own event.
       */
      readonly details: string;
    }
  | { readonly type: "output"; readonly file: string; readonly text: string }
  | { readonly type: "file"; readonly file: string; readonly durationMs: number }
  /** Something ended: node tells results in the order of the files, which may be much later. */
  | { readonly type: "progress" };

const LINE_MARK = "rialto-test-event ";

/** Reads a line that this reporter wrote; null for any other line. */
export function parseRunnerEvent(line: string): RunnerEvent | null {
  if (!line.startsWith(LINE_MARK)) return null;
  return JSON.parse(line.slice(LINE_MARK.length)) as RunnerEvent;
}

export default async function* reporter(source: AsyncIterable<TestEvent>): AsyncGenerator<string> {
  for await (const event of source) {
    const told = tell(event);
    if (told !== null) yield `${LINE_MARK}${JSON.stringify(told)}\n`;
  }
}

function tell(event: TestEvent): RunnerEvent | null {
  switch (event.type) {
    case "test:pass":
    case "test:fail":
      return isPlainSuite(event) ? null : reportTest(event);
    case "test:stdout":
    case "test:stderr":
      return {
        type: "output",
        file: event.data.file,
        text: event.data.message,
      };
    case "test:diagnostic":
      if (event.data.file === undefined) return null;
      return { type: "output", file: event.data.file, text: `# ${event.data.message}` };
    case "test:complete":
      return { type: "progress" };
    case "test:summary":
      if (event.data.file === undefined) return null;
      return { type: "file", file: event.data.file, durationMs: event.data.duration_ms };
    default:
      return null;
  }
}

type TestEnd = Extract<TestEvent, { type: "test:pass" | "test:fail" }>;

/** A `describe` counts only where it failed by itself, e.g. in a hook. */
function isPlainSuite(event: TestEnd): boolean {
  if (event.data.details.type !== "suite") return false;
  return event.type === "test:pass" || isSubtestFailure(event.data.details.error);
}

function isSubtestFailure(error: Error): boolean {
  return "failureType" in error && error.failureType === "subtestsFailed";
}

function reportTest(event: TestEnd): RunnerEvent {
  const { data } = event;
  const skipped = data.skip !== undefined || data.todo !== undefined;
  const reason = data.skip ?? data.todo;
  return {
    type: "test",
    file: data.entryFile ?? data.file ?? data.name,
    definedIn: data.file ?? data.name,
    line: data.line ?? 1,
    name: data.name,
    outcome: skipped ? "skipped" : event.type === "test:pass" ? "passed" : "failed",
    details: skipped ? describeSkip(reason) : describeEnd(event),
  };
}

function describeSkip(reason: string | boolean | undefined): string {
  return typeof reason === "string" ? reason : "";
}

function describeEnd(event: TestEnd): string {
  if (event.type === "test:pass") return "";
  const { error } = event.data.details;
  if (isSubtestFailure(error)) return "";
  return inspect(error.cause ?? error, { depth: 6, maxStringLength: 4_000 });
}
