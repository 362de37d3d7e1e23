/**
 * Which snapshots a backup keeps after the exchange has removed them: the last one of each day, for
 * some days, so that a restore to one of those days replays a day and not all of the journal.
 */
import type { BackupSnapshot } from "../../journal/index.ts";

const DAY_MS = 24 * 3_600_000;

/** `days` back from now, today included; those without a time are of an older version. */
export function dailySnapshots(
  snapshots: readonly BackupSnapshot[],
  days: number,
  nowMs: number,
): readonly BackupSnapshot[] {
  const today = Math.floor(nowMs / DAY_MS);
  const lastOfDay = new Map<number, BackupSnapshot>();
  for (const snapshot of snapshots) {
    if (snapshot.copiedMs === undefined) continue;
    const day = Math.floor(snapshot.copiedMs / DAY_MS);
    if (day <= today - days) continue;
    const known = lastOfDay.get(day);
    if (known === undefined || known.sequence < snapshot.sequence) lastOfDay.set(day, snapshot);
  }
  return [...lastOfDay.values()];
}
