/** The journal: commands on disk, in order, for good; and snapshots of the state they lead to. */
export { compressClosedSegments } from "./compression.ts";
export { DamagedJournal } from "./damage.ts";
export { type DataFolderLock, lockDataFolder } from "./data-lock.ts";
export { describeDrop, describeInspection, describeVerdict } from "./describe.ts";
export { diskSpace } from "./disk-watch.ts";
export { type FileJournal, type JournalOpening, openFileJournal } from "./file-journal.ts";
export {
  type DiskSpace,
  type FileAccess,
  type FileSystem,
  isDiskFull,
  NODE_FILE_SYSTEM,
  type OpenFile,
} from "./file-system.ts";
export {
  inspectJournal,
  type JournalInspection,
  verifyJournal,
  verifyJournalEnd,
} from "./inspect.ts";
export { type JournalReader, openJournalReader } from "./journal-reader.ts";
export { MemoryJournalStore, openMemoryJournal } from "./memory-journal.ts";
export { dropAfter, planDrop } from "./repair.ts";
export { openSnapshotFiles } from "./snapshot-files.ts";
