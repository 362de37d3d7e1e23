/** The entry of the snapshot follower's thread. */
import { runInWorker } from "../platform/worker.ts";
import { followJournal } from "./snapshot-thread.ts";

await runInWorker(followJournal);
