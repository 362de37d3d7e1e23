/**
 * A node:test reporter for the programme runner: one line of JSON per finished test and diagnostic,
 * and a sign of life as soon as any test ends. The runner counts and prints; nothing is decided
 * here.
 */

import type { TestEvent } from "node:test/reporters";
import { inspect } from "node:util";

export type RunnerEvent =
  | {
      readonly type: "test";
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
      /** The outermost test or group that it belongs to, or is. */
      readonly outermost: string;
    }
  | { readonly type: "diagnostic"; readonly text: string }
  /** Something ended: node reports tests in their order, which may be much later. */
  | { readonly type: "progress" };

/** What node counts itself, when everything is over. */
const COUNT_AT_END = /^(tests|suites|pass|fail|cancelled|skipped|todo|duration_ms) [\d.]+$/;
const LINE_MARK = "rialto-test-event ";

/** Reads a line that this reporter wrote; null for any other line. */
export function parseRunnerEvent(line: string): RunnerEvent | null {
  if (!line.startsWith(LINE_MARK)) return null;
  return JSON.parse(line.slice(LINE_MARK.length)) as RunnerEvent;
}

export default async function* reporter(source: AsyncIterable<TestEvent>): AsyncGenerator<string> {
  let outermost = "";
  for await (const event of source) {
    if (event.type === "test:start" && event.data.nesting === 0) outermost = event.data.name;
    const told = tell(event, outermost);
    if (told !== null) yield `${LINE_MARK}${JSON.stringify(told)}\n`;
  }
}

function tell(event: TestEvent, outermost: string): RunnerEvent | null {
  switch (event.type) {
    case "test:pass":
    case "test:fail":
      return isPlainSuite(event) ? null : reportTest(event, outermost);
    case "test:diagnostic":
      if (COUNT_AT_END.test(event.data.message)) return null;
      return { type: "diagnostic", text: `# ${event.data.message}` };
    case "test:complete":
      return { type: "progress" };
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

function reportTest(event: TestEnd, outermost: string): RunnerEvent {
  const { data } = event;
  const skipped = data.skip !== undefined || data.todo !== undefined;
  const reason = data.skip ?? data.todo;
  return {
    type: "test",
    definedIn: data.file ?? data.name,
    line: data.line ?? 1,
    name: data.name,
    outcome: skipped ? "skipped" : event.type === "test:pass" ? "passed" : "failed",
    details: skipped ? describeSkip(reason) : describeEnd(event),
    outermost,
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
