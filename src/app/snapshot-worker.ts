/** The entry of the snapshot follower's thread. */
import { runInWorker } from "../platform/index.ts";
import { followJournal } from "./snapshot-thread.ts";

await runInWorker(followJournal);
