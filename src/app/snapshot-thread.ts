/** The snapshot follower's thread: recovers as a start does, then writes one snapshot. */
import {
  compressClosedSegments,
  DamagedJournal,
  openJournalReader,
  openSnapshotFiles,
} from "../journal/index.ts";
import { isDiskFull, isFileError, type ThreadContext } from "../platform/index.ts";
import { createLog } from "./log.ts";
import { recover } from "./recovery.ts";
import type { DiskTrouble, FollowerReply, FollowerTask } from "./snapshot-follower.ts";

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
    return { ok: false, message, trouble: troubleOf(error) };
  }
}

function troubleOf(error: unknown): DiskTrouble | null {
  if (error instanceof DamagedJournal) return "damaged";
  if (isDiskFull(error)) return "full";
  return isFileError(error) ? "failed" : null;
}
