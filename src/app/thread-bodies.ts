/**
 * The bodies of all threads by name, for a composition that runs them inside one thread. A
 * composition with threads of their own needs only their entry files.
 */
import type { ThreadBody } from "../platform/index.ts";
import { HISTORY_WRITER, writeHistory } from "../projections/index.ts";
import { HISTORY_READER, readHistory } from "../queries/index.ts";
import { SNAPSHOT_FOLLOWER } from "./snapshot-follower.ts";
import { followJournal } from "./snapshot-thread.ts";

export const THREAD_BODIES: Readonly<Record<string, ThreadBody>> = {
  [HISTORY_WRITER]: writeHistory,
  [HISTORY_READER]: readHistory,
  [SNAPSHOT_FOLLOWER]: followJournal,
};
