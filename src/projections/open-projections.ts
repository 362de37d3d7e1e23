/**
 * Starting the write side of history: which file, how far it is, and how it catches up with the
 * journal.
 *
 * At a start the file may be behind the engine's snapshot, or missing. The app offers live events
 * from the first command on; `catchUp` replays what lies between the file and those, from the
 * journal through an engine of its own, while trading goes on. Questions wait for the sequence they
 * need and are refused as `history-behind` until then.
 */
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
  /** History can no longer be written or read: the process has to end. */
  readonly onFailure: (error: Error) => void;
}

export interface Projections {
  readonly path: string;
  readonly writer: ProjectionWriter;
}

/** Opens the folder's history file for writing; one that is not of this journal is begun anew. */
export async function openProjections(options: ProjectionsOptions): Promise<Projections> {
  const { folder, journal, log, onFailure } = options;
  let file = await prepareHistoryFile(folder, log);
  if (!(await isOfJournal(file, journal))) {
    log(`${file.path} is not the history of this journal; it is filled anew from the journal`);
    removeHistoryFile(file.path);
    file = await prepareHistoryFile(folder, log);
  }
  const { path, appliedSequence } = file;
  const journalSequence = journal.lastSequence;
  const writer = new ProjectionWriter({ path, appliedSequence, journalSequence, onFailure });
  return { path, writer };
}

/**
 * Removes the folder's history, so that the next `openProjections` begins anew. Only while it is
 * closed.
 */
export function discardHistory(folder: string): void {
  removeHistoryFile(historyPath(folder));
}

/**
 * Fills the gap between the file and the events offered so far. `replay` yields, in order and from
 * `fromSequence` on, the events of the journal's commands, and goes on with new ones until it is
 * stopped (`Journal.tail`); a first chunk that begins earlier is no harm. Ends when the gap is
 * closed, or the writer.
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
          `${batch.firstSequence}: put a copy of the history in its place that reaches so far`,
      );
    }
    return batch.timestampMs === appliedTimestampMs;
  }
  return false;
}
