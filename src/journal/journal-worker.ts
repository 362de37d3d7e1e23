/** The entry of the journal's thread. */
import { runInWorker } from "../platform/worker.ts";
import { runJournal } from "./journal-thread.ts";

await runInWorker(runJournal);
