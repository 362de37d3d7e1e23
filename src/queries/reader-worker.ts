/** The entry of a thread that reads history. */
import { runInWorker } from "../platform/index.ts";
import { readHistory } from "./reader-thread.ts";

await runInWorker(readHistory);
