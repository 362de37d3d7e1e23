/** The snapshot follower's thread: recovers as a start does, then writes one snapshot. */
import { parentPort, workerData } from "node:worker_threads";
import {
  compressClosedSegments,
  isDiskFull,
  openJournalReader,
  openSnapshotFiles,
} from "../journal/index.ts";
import { createLog } from "./log.ts";
import { recover } from "./recovery.ts";
import type { FollowerReply, FollowerTask } from "./snapshot-follower.ts";

const { journalFolder, snapshotFolder, throughSequence } = workerData as FollowerTask;

async function follow(): Promise<FollowerReply> {
  try {
    const reader = openJournalReader(journalFolder);
    const snapshots = openSnapshotFiles({ folder: snapshotFolder });
    const replay = await recover({
      journal: {
        lastSequence: throughSequence,
        read: (fromSequence) => reader.read(fromSequence, throughSequence),
      },
      snapshots,
      log: createLog("warn"),
      showProgress: false,
      onEvents: () => Promise.resolve(),
    });
    await snapshots.save(replay.snapshot());
    await compressClosedSegments(journalFolder);
    return { ok: true, sequence: replay.sequence };
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    return { ok: false, message, isDiskFull: isDiskFull(error) };
  }
}

parentPort?.postMessage(await follow());
