/** Opens the journal of an exchange on its platform. */
import { type FolderJournal, openFileJournal, openThreadedJournal } from "../journal/index.ts";
import { NODE_PLATFORM, type Platform } from "../platform/index.ts";
import { type Sizes, StartRefused } from "./config.ts";
import type { Log } from "./log.ts";

/** Zeros ahead of a journal without a thread: a small exchange needs few, and each piece a sync. */
const SMALL_PREALLOCATED_BYTES = 256 * 1024;

/**
 * On the machine's own disk the journal has a thread, where there are threads; another file system
 * stays in this one.
 */
export async function openJournal(
  folder: string,
  { files, scheduler, threads }: Platform,
  log: Log,
  onFailure: (error: Error) => void,
  sizes?: Sizes,
): Promise<FolderJournal> {
  const options = {
    folder,
    ...(sizes === undefined ? {} : { segmentBytes: sizes.segmentBytes }),
    log: (level: "info" | "warn" | "error", message: string) => log[level](message),
  };
  const hasThread = files === NODE_PLATFORM.files && threads === NODE_PLATFORM.threads;
  const preallocatedBytes = SMALL_PREALLOCATED_BYTES;
  const opening = hasThread
    ? await openThreadedJournal({ ...options, threads, onFailure })
    : await openFileJournal({ ...options, preallocatedBytes, fileSystem: files, scheduler });
  if (opening.ok) return opening.journal;
  throw new StartRefused(opening.refusal.message, 78);
}
