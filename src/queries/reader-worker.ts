/** The entry of a thread that reads history. */
import { runInWorker } from "../platform/worker.ts";
import { readHistory } from "./reader-thread.ts";

await runInWorker(readHistory);
