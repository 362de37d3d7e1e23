/**
 * Starts the write side of history: finds the file and catches it up with the journal.
 *
 * At a start the file may be missing or behind the engine's snapshot. The app offers live events
 * from the first command on; `catchUp` replays the gap between the file and those, from the journal
 * through its own engine, while trading continues. Queries wait for their sequence and are refused
 * as `history-behind` until then.
 */
import type { Threads } from "../platform/index.ts";
import type { Journal } from "../protocol/index.ts";
import {
  type HistoryFile,
  type HistoryLog,
  historyPath,
  prepareHistoryFile,
  removeHistoryFile,
} from "../store/index.ts";
import type { EventChunk } from "./event-chunk.ts";
import { ProjectionWriter } from "./projection-writer.ts";

export interface ProjectionsOptions {
  /** The data folder; its lock is held by this process. */
  readonly folder: string;
  readonly journal: Pick<Journal, "lastSequence" | "read">;
  readonly log: HistoryLog;
  readonly threads: Threads;
  /** History can no longer be written or read: the process has to end. */
  readonly onFailure: (error: Error) => void;
}

export interface Projections {
  readonly path: string;
  readonly writer: ProjectionWriter;
}

/** Opens the folder's history file for writing; one of another journal is rebuilt. */
export async function openProjections(options: ProjectionsOptions): Promise<Projections> {
  const { folder, journal, log, threads, onFailure } = options;
  let file = await prepareHistoryFile(folder, log);
  if (!(await isOfJournal(file, journal))) {
    log(`${file.path} is not the history of this journal; it is rebuilt from the journal`);
    removeHistoryFile(file.path);
    file = await prepareHistoryFile(folder, log);
  }
  const { path, appliedSequence } = file;
  const journalSequence = journal.lastSequence;
  const writer = new ProjectionWriter({
    threads,
    path,
    appliedSequence,
    journalSequence,
    onFailure,
  });
  return { path, writer };
}

/** Removes the folder's closed history, so that the next `openProjections` rebuilds it. */
export function discardHistory(folder: string): void {
  removeHistoryFile(historyPath(folder));
}

/**
 * Fills the gap between the file and the events offered so far. `replay` yields the events of the
 * journal's commands in order from `fromSequence` on, new ones too until it is stopped
 * (`Journal.tail`); its first chunk may begin earlier. Ends when the gap or the writer is closed.
 */
export async function catchUp(
  writer: ProjectionWriter,
  replay: (fromSequence: number) => AsyncIterable<EventChunk>,
): Promise<void> {
  if (writer.isCaughtUp) return;
  for await (const { chunk, lastSequence } of replay(writer.nextSequence)) {
    writer.offer(chunk, lastSequence);
    if (writer.isCaughtUp || writer.isClosing) return;
    await writer.drained();
  }
}

/**
 * A file that is ahead of the journal, or whose last command has another time there, was written
 * beside another journal: one of the two was replaced or restored from a copy.
 */
async function isOfJournal(
  { path, appliedSequence, appliedTimestampMs }: HistoryFile,
  journal: Pick<Journal, "lastSequence" | "read">,
): Promise<boolean> {
  if (appliedSequence === 0) return true;
  if (appliedSequence > journal.lastSequence) return false;
  for await (const batch of journal.read(appliedSequence)) {
    if (batch.firstSequence > appliedSequence) {
      throw new Error(
        `${path} ends at sequence ${appliedSequence}, but the journal begins at ` +
          `${batch.firstSequence}: restore a copy of the history that reaches it`,
      );
    }
    return batch.timestampMs === appliedTimestampMs;
  }
  return false;
}
