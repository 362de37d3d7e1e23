/** The entry of the thread that writes history. */
import { setPriority } from "node:os";
import { runInWorker } from "../platform/index.ts";
import { writeHistory } from "./projection-thread.ts";

/** Trading goes first on busy cores: history may lag, orders may not. */
const NICENESS = 10;

// On Linux this is the priority of the calling thread alone; elsewhere it would be the process's.
if (process.platform === "linux") setPriority(NICENESS);
await runInWorker(writeHistory);
