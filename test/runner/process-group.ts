/**
 * Runs a program in a process group of its own for as long as it gets on. Whatever the program
 * started is in that group too, so that a hanging test leaves no server behind.
 */
import { type ChildProcess, spawn } from "node:child_process";
import { delimiter, join } from "node:path";
import { createInterface } from "node:readline";
import type { Readable } from "node:stream";
import { processorSeconds, TIMED } from "../support/processor-time.ts";
import type { ProgressBound } from "./progress-bound.ts";
import { ROOT } from "./suites.ts";

export interface GroupEnd {
  /** Null when the bound ended it. */
  readonly exitCode: number | null;
  /** Why the bound ended it; null when it ended by itself. */
  readonly overrun: string | null;
  /** Of the processor; 0 when the bound ended it. */
  readonly processorSeconds: number;
}

/** Between two looks at the bound. */
const LOOK_EVERY_MS = 250;

const running = new Set<ChildProcess>();

/** Kills every group that still runs; called when the programme itself is stopped. */
export function killGroups(): void {
  for (const child of running) killGroup(child);
}

/** Runs `program` to its end and hands over its output (both streams) line by line. */
export function runGroup(
  program: string,
  args: readonly string[],
  options: {
    readonly cwd: string;
    /** Variables besides those of this process. */
    readonly env?: Readonly<Record<string, string>>;
    readonly bound: ProgressBound;
    readonly onLine: (line: string, stream: "stdout" | "stderr") => void;
  },
): Promise<GroupEnd> {
  const { promise, resolve } = Promise.withResolvers<GroupEnd>();
  const child = spawn("sh", ["-c", TIMED, "sh", program, ...args], {
    cwd: options.cwd,
    env: { ...childEnvironment(), ...options.env },
    detached: true,
    stdio: ["ignore", "pipe", "pipe", "pipe"],
  });
  running.add(child);
  for (const stream of ["stdout", "stderr"] as const) {
    createInterface({ input: child[stream] as Readable }).on("line", (line) => {
      options.bound.heard(line, performance.now());
      options.onLine(line, stream);
    });
  }
  let times = "";
  child.stdio[3]?.on("data", (chunk: Buffer) => {
    times += chunk.toString("utf8");
  });
  let overrun: string | null = null;
  options.bound.started(performance.now());
  const watch = setInterval(() => {
    overrun ??= options.bound.overrun(performance.now());
    if (overrun !== null) killGroup(child);
  }, LOOK_EVERY_MS);
  child.once("error", (error) => options.onLine(error.message, "stderr"));
  // Only its own members can hold the pipes open once the leader is gone.
  child.once("exit", () => killGroup(child));
  child.once("close", (code) => {
    clearInterval(watch);
    running.delete(child);
    const exitCode = overrun === null ? (code ?? 1) : null;
    resolve({ exitCode, overrun, processorSeconds: processorSeconds(times) });
  });
  return promise;
}

function killGroup(child: ChildProcess): void {
  if (child.pid === undefined) return;
  try {
    process.kill(-child.pid, "SIGKILL");
  } catch {
    // The group is empty: everything in it has ended.
  }
}

/**
 * Tools find the pinned Node first, whatever the shell's is. Without the test context of the
 * parent, a test run started by a test (the runner's own test) runs instead of being skipped.
 */
function childEnvironment(): NodeJS.ProcessEnv {
  const { NODE_TEST_CONTEXT: _, PATH = "", ...environment } = process.env;
  const binaries = join(ROOT, "node_modules/.bin");
  return {
    ...environment,
    PATH: `${binaries}${delimiter}${PATH}`,
    // Every test file is a process that loads much of the program; what is compiled stays compiled.
    NODE_COMPILE_CACHE: join(ROOT, "node_modules/.cache/compile"),
    // The compiler, in Go, keeps nearly all that it makes: it may look for garbage less often.
    GOGC: "400",
  };
}
