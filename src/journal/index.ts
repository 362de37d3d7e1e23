/** The journal: commands on disk, in order, for good; and snapshots of the state they lead to. */

export { BackupFolder, chunksOf } from "./backup/backup-folder.ts";
export {
  type BackupFile,
  type BackupManifest,
  type BackupSnapshot,
  bytesOf,
  DamagedBackup,
  filesOf,
} from "./backup/backup-manifest.ts";
export { type RestoreLimit, restoreLog } from "./backup/log-restoring.ts";
export { DivergedBackup, endOf, shipLog } from "./backup/log-shipping.ts";
export { continueLog, copyLog, linkOrCopy, shareLog } from "./branches/log-branch.ts";
export { DamagedJournal } from "./damage.ts";
export { type DataFolderLock, lockDataFolder } from "./data-lock.ts";
export { diskSpace } from "./disk/disk-watch.ts";
export { readWholeFile, replaceWholeFile } from "./disk/whole-file.ts";
export { type FileJournal, type FolderJournal, openFileJournal } from "./file-journal.ts";
export type { DurableJournal, JournalOpening } from "./journal-opening.ts";
export { MemoryJournalStore, openMemoryJournal } from "./memory-journal.ts";
export { ChangeLock } from "./quorum/change-lock.ts";
export type { Confirmation, Confirming } from "./quorum/confirmation.ts";
export { sealKeysAnew } from "./quorum/key-sealing.ts";
export { LeaseRow } from "./quorum/lease-row.ts";
export { createQuorumLog } from "./quorum/log-creation.ts";
export type { SealedKeys } from "./quorum/log-table.ts";
export { type TrimmedLog, trimLog } from "./quorum/log-trimming.ts";
export { type Member, MemberRows, type Membership, type SeenMember } from "./quorum/member-rows.ts";
export {
  type JoinPlan,
  planJoin,
  removeMember,
  renameMembers,
} from "./quorum/membership/changes.ts";
export { type Failover, failOver } from "./quorum/membership/failover.ts";
export {
  memberName,
  quorumOf,
  standbyConninfo,
} from "./quorum/membership/member-names.ts";
export { MembershipRefused } from "./quorum/membership/membership.ts";
export { PostgresMember } from "./quorum/membership/postgres-member.ts";
export { type PostgresView, PostgresWatch } from "./quorum/postgres-view.ts";
export { type AppendObserver, openQuorumJournal } from "./quorum/quorum-journal.ts";
export { QuorumLog } from "./quorum/quorum-log.ts";
export { WebhookRows } from "./quorum/webhook-rows.ts";
export { WRITER_ROLE } from "./quorum/writer-role.ts";
export { describeDrop, describeInspection, describeVerdict } from "./repair/describe.ts";
export {
  inspectJournal,
  type JournalInspection,
  verifyJournal,
  verifyJournalEnd,
} from "./repair/inspect.ts";
export { dropAfter, planDrop } from "./repair/repair.ts";
export { compressClosedSegments } from "./segments/compression.ts";
export { type JournalReader, openJournalReader } from "./segments/journal-reader.ts";
export { openSnapshotFiles, type SnapshotFiles } from "./snapshots/snapshot-files.ts";
export { openThreadedJournal } from "./threaded-journal.ts";
