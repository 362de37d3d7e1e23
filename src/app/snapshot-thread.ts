/** The snapshot follower's thread: recovers as a start does, then writes one snapshot. */
import { compressClosedSegments, openJournalReader, openSnapshotFiles } from "../journal/index.ts";
import { isDiskFull, isFileError, type ThreadContext } from "../platform/index.ts";
import { createLog } from "./log.ts";
import { recover } from "./recovery.ts";
import type { FollowerReply, FollowerTask } from "./snapshot-follower.ts";

/** The body of the thread; `data` is the task. */
export async function followJournal(context: ThreadContext): Promise<void> {
  context.port.post(await follow(context));
}

async function follow({ data, platform, terminated }: ThreadContext): Promise<FollowerReply> {
  const { journalFolder, snapshotFolder, throughSequence } = data as FollowerTask;
  const { clock, files } = platform;
  try {
    const reader = openJournalReader(journalFolder, files);
    const snapshots = openSnapshotFiles({
      folder: snapshotFolder,
      fileSystem: files,
      now: () => clock.wallMs(),
    });
    const replay = await recover({
      journal: {
        lastSequence: throughSequence,
        read: (fromSequence) => reader.read(fromSequence, throughSequence),
      },
      snapshots,
      log: createLog("warn"),
      platform,
      showProgress: false,
      onEvents: async () => terminated.throwIfAborted(),
    });
    terminated.throwIfAborted();
    await snapshots.save(replay.snapshot());
    await compressClosedSegments(journalFolder, files);
    return { ok: true, sequence: replay.sequence };
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    const disk = isDiskFull(error) ? "full" : isFileError(error) ? "failed" : null;
    return { ok: false, message, disk };
  }
}
