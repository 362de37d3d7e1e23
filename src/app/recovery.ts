/**
 * Every start is a recovery: load the newest snapshot that belongs to the journal, then replay
 * every later command. There is no other way to start, after a clean stop or a crash.
 */
import { NODE_PLATFORM, type Platform } from "../platform/index.ts";
import type { Journal, Snapshot, SnapshotStore } from "../protocol/index.ts";
import type { Log } from "./log.ts";
import { Progress } from "./progress.ts";
import { Replay } from "./replay.ts";
import type { EventChunk } from "./sequencer.ts";

export interface RecoveryOptions {
  readonly journal: Pick<Journal, "lastSequence" | "read">;
  readonly snapshots: SnapshotStore;
  readonly log: Log;
  readonly platform?: Pick<Platform, "clock" | "randomness">;
  /** Whether to show progress to a waiting person. */
  readonly showProgress: boolean;
  /** Receives the events of the replayed commands; awaited, to slow the replay down to its pace. */
  readonly onEvents: (chunk: EventChunk) => Promise<void>;
}

/** A snapshot proves that commands were durable that are no longer in the journal. */
export class MissingCommands extends Error {
  override readonly name = "MissingCommands";

  constructor(snapshotSequence: number, journalSequence: number) {
    super(
      `A snapshot holds the state up to sequence ${snapshotSequence}, but the journal ends with ` +
        `${journalSequence}: acknowledged commands are missing. Restore the journal from a copy; ` +
        `without one, \`rialto journal repair --drop-after ${journalSequence}\` shows what is lost`,
    );
  }
}

/**
 * Throws `ReplayDivergence` when the journal's commands no longer produce its events, and
 * `MissingCommands` when its end is missing.
 */
export async function recover(options: RecoveryOptions): Promise<Replay> {
  const { journal, log, snapshots, platform = NODE_PLATFORM } = options;
  const [newest] = await snapshots.list();
  if (newest !== undefined && newest.sequence > journal.lastSequence) {
    throw new MissingCommands(newest.sequence, journal.lastSequence);
  }
  const replay = await beginReplay(options, journal.lastSequence);
  const from = replay.sequence;
  const progress = new Progress(
    "Replaying the journal",
    journal.lastSequence - from,
    platform.clock,
  );
  for await (const batch of journal.read(from + 1)) {
    await options.onEvents(replay.apply(batch));
    if (options.showProgress) progress.report(replay.sequence - from);
  }
  progress.end();
  log.info(
    { snapshotSequence: from, sequence: replay.sequence, replayed: replay.sequence - from },
    "recovered",
  );
  return replay;
}

/**
 * Begins a replay at the newest usable snapshot up to a sequence, or before the first command. A
 * snapshot is only a shortcut: one that is damaged, belongs to another journal or does not restore
 * to the state it was made from is reported and skipped.
 */
export async function beginReplay(
  options: Pick<RecoveryOptions, "journal" | "snapshots" | "log" | "platform">,
  throughSequence: number,
): Promise<Replay> {
  const { journal, snapshots, log } = options;
  const { randomness } = options.platform ?? NODE_PLATFORM;
  for (const { sequence } of await snapshots.list()) {
    if (sequence > throughSequence) continue;
    try {
      const snapshot = await snapshots.load(sequence);
      if (snapshot !== null && (await isOfJournal(snapshot, journal))) {
        return Replay.from(snapshot, randomness);
      }
      log.warn({ sequence }, "skipped a snapshot that does not belong to the journal");
    } catch (error) {
      log.warn({ sequence, error: String(error) }, "skipped an unusable snapshot");
    }
  }
  return Replay.from(null, randomness);
}

/** A different time means that the state saw more or less than the batch the snapshot names. */
async function isOfJournal(snapshot: Snapshot, journal: Pick<Journal, "read">): Promise<boolean> {
  for await (const batch of journal.read(snapshot.sequence)) {
    const isOfTime = batch.timestampMs === snapshot.timestampMs;
    return isOfTime && Buffer.compare(batch.chainHash, snapshot.chainHash) === 0;
  }
  return false;
}
