/**
 * Several exchanges in one process, which the test kit starts and stops by messages: each with its
 * own data folder and ports, all in one thread. An error that ends one of them ends the process.
 */
import {
  endAtOnceOnErrors,
  type OpenedExchange,
  openExchange,
  whenAskedToStop,
} from "./run-exchange.ts";
import { configOf } from "./start.ts";

/** `start` has the flags of `rialto start`. */
type Task =
  | { readonly id: number; readonly start: readonly string[] }
  | { readonly id: number; readonly stop: true };

const running = new Map<number, OpenedExchange>();

endAtOnceOnErrors();
const stopRequested = whenAskedToStop();
process.on("message", (task: Task) => void carryOut(task));
await stopRequested;
await Promise.all([...running.values()].map((opened) => opened.stop()));
process.exit(0);

async function carryOut(task: Task): Promise<void> {
  const { id } = task;
  if ("start" in task) process.send?.({ id, ...(await started(id, task.start)) });
  else {
    const opened = running.get(id);
    running.delete(id);
    await opened?.stop();
    process.send?.({ id, stopped: true });
  }
}

async function started(id: number, flags: readonly string[]): Promise<object> {
  try {
    const opened = await openExchange(configOf(flags));
    running.set(id, opened);
    return { ready: opened.ready };
  } catch (error) {
    return { failure: error instanceof Error ? error.message : String(error) };
  }
}
