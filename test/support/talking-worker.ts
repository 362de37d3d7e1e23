/** The entry of the thread for tests of threads. */
import { runInWorker } from "../../src/platform/index.ts";
import { talk } from "./talking-thread.ts";

await runInWorker(talk);
