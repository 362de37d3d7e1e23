/** Runs one test file until its first failure, with a mutant planted or without. */
import { spawn } from "node:child_process";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import type { Plant } from "./planted-text.ts";
import { processorSeconds, TIMED } from "./processor-time.ts";
import { ROOT } from "./root.ts";

interface TestProcess {
  readonly mutant: Plant | null;
  /** Factor of random operations. */
  readonly scale: number;
  /** What one that loops or waits for ever is ended by. */
  readonly bound: { readonly cpuSeconds: number; readonly wallMs: number };
  /** Variables besides those of this process. */
  readonly env?: Readonly<Record<string, string>>;
}

/** One that allocates for ever is ended by its memory. */
const HEAP_MB = 2_048;
const PLANT = pathToFileURL(join(import.meta.dirname, "plant.ts")).href;
const REPORTER = join(import.meta.dirname, "../mutation/first-failure.ts");
const BOUNDED = `ulimit -t "$0"; ${TIMED}`;

export interface TestEnd {
  readonly passed: boolean;
  /** Of the processor, with the processes that it started and waited for. */
  readonly seconds: number;
}

/** In a group of its own: tests start processes, which end with them. */
export function runTest(
  test: string,
  { mutant, scale, bound, env }: TestProcess,
): Promise<TestEnd> {
  const reporting = [`--test-reporter=${REPORTER}`, "--test-reporter-destination=stdout"];
  const command = [process.execPath, ...reporting, join(ROOT, test)];
  return new Promise((resolve, reject) => {
    const child = spawn("sh", ["-c", BOUNDED, String(bound.cpuSeconds), ...command], {
      cwd: ROOT,
      detached: true,
      stdio: ["ignore", "ignore", "ignore", "pipe"],
      env: {
        ...inheritedVariables(),
        ...env,
        RIALTO_TEST_SCALE: String(scale),
        RIALTO_MUTANT_SHOWN_BY: String(process.pid),
        NODE_OPTIONS: `--import=${PLANT} --max-old-space-size=${HEAP_MB}`,
        ...(mutant !== null && { RIALTO_MUTANT: JSON.stringify(mutant) }),
      },
    });
    let times = "";
    child.stdio[3]?.on("data", (chunk: Buffer) => {
      times += chunk.toString("utf8");
    });
    const timer = setTimeout(() => endGroup(child.pid), bound.wallMs);
    child.once("error", reject);
    child.once("exit", () => endGroup(child.pid));
    child.once("close", (code) => {
      clearTimeout(timer);
      resolve({ passed: code === 0, seconds: processorSeconds(times) });
    });
  });
}

/** What makes this run what it is says nothing about the tests that it starts. */
function inheritedVariables(): NodeJS.ProcessEnv {
  const own = /^(NODE_TEST_CONTEXT|NODE_OPTIONS|RIALTO_TEST_.*)$/;
  return Object.fromEntries(Object.entries(process.env).filter(([name]) => !own.test(name)));
}

function endGroup(pid: number | undefined): void {
  if (pid === undefined) return;
  try {
    process.kill(-pid, "SIGKILL");
  } catch {
    // All of them have ended.
  }
}
