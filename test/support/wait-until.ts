/**
 * Waits for what another process does. What never comes is ended by the bound of the test run, and
 * by a failure beside the wait: a rejection that nobody handled yet is of the work that was waited
 * for, and without it the wait would go on after its test has failed.
 */
import { WAIT_MARK } from "./wait-mark.ts";

const PAUSE_MIN_MS = 20;
const PAUSE_MAX_MS = 250;
/** Of what was waited so far: a look costs the processor that all wait for. */
const PAUSE_SHARE = 0.1;
/** Between two lines that say what is waited for. */
const REMIND_MS = 5000;

let failure: { readonly cause: unknown } | null = null;
process.on("unhandledRejection", (cause) => {
  // Where no tests run, nobody else listens: it ends the process, as it does without this line.
  if (process.listenerCount("unhandledRejection") === 1) throw cause;
  failure ??= { cause };
});

/** Rejects when `holds` does, and when something else of this process failed. */
export async function waitUntil(what: string, holds: () => Promise<boolean>): Promise<void> {
  const startedMs = performance.now();
  let remindedMs = startedMs;
  while (!(await holds())) {
    if (failure !== null) {
      throw new Error(`Something failed while it was waited until ${what}`, failure);
    }
    if (performance.now() - remindedMs > REMIND_MS) {
      remindedMs = performance.now();
      console.log(`${WAIT_MARK}${what}`);
    }
    const pauseMs = PAUSE_SHARE * (performance.now() - startedMs);
    const boundMs = Math.min(Math.max(pauseMs, PAUSE_MIN_MS), PAUSE_MAX_MS);
    await new Promise((resolve) => setTimeout(resolve, boundMs));
  }
}
