/** The history store of a running exchange: its writer, its readers, and catch-up when it lags. */
import { existsSync } from "node:fs";
import { join } from "node:path";
import { openFileJournal } from "../journal/index.ts";
import { NODE_PLATFORM, type Platform } from "../platform/index.ts";
import {
  catchUp,
  discardHistory,
  openProjections,
  type ProjectionWriter,
} from "../projections/index.ts";
import type { Journal, SnapshotStore } from "../protocol/index.ts";
import { HistoryReader } from "../queries/index.ts";
import { historyPath, prepareHistoryFile } from "../store/index.ts";
import { StartRefused } from "./config.ts";
import { createLog, type Log } from "./log.ts";
import { Progress } from "./progress.ts";
import { beginReplay } from "./recovery.ts";
import { Replay } from "./replay.ts";
import type { EventChunk } from "./sequencer.ts";
import { presentFolder } from "./states/branch-file.ts";

export interface HistoryOptions {
  readonly dataFolder: string;
  readonly journal: Journal;
  readonly snapshots: SnapshotStore;
  readonly log: Log;
  readonly platform: Platform;
  readonly onFailure: (error: Error) => void;
}

export class History {
  #path: string;
  readonly writer: ProjectionWriter;
  readonly reader: HistoryReader;
  readonly #options: HistoryOptions;
  readonly #stopCatchUp = new AbortController();
  #catchingUp: Promise<void> | null = null;

  private constructor(options: HistoryOptions, writer: ProjectionWriter, path: string) {
    this.#options = options;
    this.#path = path;
    this.writer = writer;
    const { platform, onFailure } = options;
    this.reader = new HistoryReader({ platform, path, progress: writer, onFailure });
  }

  static async open(options: HistoryOptions): Promise<History> {
    const { path, writer } = await openProjections({
      folder: options.dataFolder,
      journal: options.journal,
      threads: options.platform.threads,
      log: (message) => options.log.warn(message),
      onFailure: options.onFailure,
    });
    return new History(options, writer, path);
  }

  /** Of the file, for further readers. */
  get path(): string {
    return this.#path;
  }

  /** Resolves when the store misses nothing that was offered before; at once nearly always. */
  async caughtUp(): Promise<void> {
    await this.#catchingUp;
  }

  /**
   * Goes on with the file in another folder, of a journal that ends with `journalSequence`. While
   * nothing is offered. What the file lacks `startCatchUp` fills.
   */
  async switchTo(folder: string, journalSequence: number): Promise<void> {
    const { log } = this.#options;
    const path = historyPath(folder);
    // Made by another version of the program: the journal fills a new one.
    if (!existsSync(path)) await prepareHistoryFile(folder, (message) => log.warn(message));
    await this.writer.switchTo(path, journalSequence);
    await this.reader.switchTo(path);
    this.#path = path;
  }

  /** How many commands the store is behind the journal. */
  get lag(): number {
    return Math.max(0, this.#options.journal.lastSequence - this.writer.appliedSequence);
  }

  /**
   * Fills the gap between the store and the live events from the journal, while trading continues.
   * Needed after a change of the store's schema, or when the file was lost.
   */
  startCatchUp(): void {
    if (this.writer.isCaughtUp) return;
    const { log, onFailure } = this.#options;
    log.warn({ appliedSequence: this.writer.appliedSequence }, "the history store is catching up");
    this.#catchingUp = catchUp(this.writer, (from) => this.#replayFrom(from)).then(
      () => log.info({ appliedSequence: this.writer.appliedSequence }, "history caught up"),
      onFailure,
    );
  }

  async close(): Promise<void> {
    this.#stopCatchUp.abort();
    await this.#catchingUp;
    await this.reader.close();
    await this.writer.close();
  }

  async *#replayFrom(fromSequence: number): AsyncGenerator<EventChunk, void, undefined> {
    const { journal, platform } = this.#options;
    const replay = await beginReplay(this.#options, fromSequence - 1);
    for await (const batch of journal.tail(replay.sequence + 1, this.#stopCatchUp.signal)) {
      yield replay.apply(batch);
      // Trading shares this thread, so yield after every batch.
      await new Promise<void>((resolve) => {
        platform.scheduler.soon(resolve);
      });
    }
  }
}

/** Rebuilds a folder's history store while nothing else uses it. Returns the last sequence. */
export async function rebuildHistory(dataFolder: string): Promise<number> {
  const folder = await presentFolder(dataFolder);
  const log = createLog("warn");
  const opening = await openFileJournal({ folder: join(folder, "journal") });
  if (!opening.ok) throw new StartRefused(opening.refusal.message, 78);
  const { journal } = opening;
  discardHistory(folder);
  const failed = Promise.withResolvers<never>();
  const { writer } = await openProjections({
    folder,
    journal,
    threads: NODE_PLATFORM.threads,
    log: (message) => log.warn(message),
    onFailure: failed.reject,
  });
  const replay = Replay.from(null);
  const progress = new Progress("Filling the history store", journal.lastSequence);
  const filled = (async (): Promise<void> => {
    for await (const batch of journal.read(1)) {
      const { chunk, lastSequence } = replay.apply(batch);
      writer.offer(chunk, lastSequence);
      await writer.drained();
      progress.report(lastSequence);
    }
    await writer.close();
  })();
  await Promise.race([filled, failed.promise]);
  progress.end();
  await journal.close();
  return journal.lastSequence;
}
