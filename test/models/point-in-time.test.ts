/**
 * Proves that a backup restores any moment: random traffic of contracts, spot and affiliates is
 * journaled in batches of any size, with snapshots, compression and backups in between; a restore
 * to any command has the state hash that the live engine had after it, from a snapshot and from the
 * first command. Then the restored exchange takes the commands that followed, to the same states.
 */
import assert from "node:assert/strict";
import { existsSync, readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { backUp } from "../../src/app/backup/back-up.ts";
import { restore } from "../../src/app/backup/restore.ts";
import { extendEventDigest, INITIAL_EVENT_DIGEST } from "../../src/app/event-digest.ts";
import { makeSnapshot, Replay } from "../../src/app/replay.ts";
import {
  compressClosedSegments,
  type FileJournal,
  openFileJournal,
  openJournalReader,
  openSnapshotFiles,
} from "../../src/journal/index.ts";
import { type FileSystem, NODE_FILE_SYSTEM, NODE_PLATFORM } from "../../src/platform/index.ts";
import { ByteWriter, decodeCommand } from "../../src/protocol/index.ts";
import { temporaryFolder } from "../support/exchange-process.ts";
import { type Random, scaled, seededRandom } from "../support/random.ts";
import { contractEntries } from "./contract/contract-golden.ts";
import type { Entry } from "./golden-journal.ts";
import { LiveEngine } from "./live-engine.ts";

const random = seededRandom("point in time");
const SESSIONS = scaled(2);
const RESTORES = 10;
const COMMANDS = 700;
const BATCH_MAX = 6;
const HASH_CHANCE = 0.15;
const DAY_MS = 24 * 3_600_000;
const START_MS = 20_000 * DAY_MS;

/** Nothing stops here, so nothing has to be on the disk. */
const FILES: FileSystem = {
  ...NODE_FILE_SYSTEM,
  open: async (path, access) => {
    const file = await NODE_FILE_SYSTEM.open(path, access);
    return Object.assign(file, { sync: async () => undefined });
  },
  syncFolder: async () => undefined,
};
const PLATFORM = { ...NODE_PLATFORM, files: FILES };

/** An exchange that is driven command by command, with its journal in a data folder. */
class LiveExchange {
  readonly folder: string;
  readonly target = join(temporaryFolder(), "backup");
  /** Of some states, by the sequence after which they were. */
  readonly hashes = new Map<number, string>();
  readonly times = new Map<number, number>();
  readonly #live = new LiveEngine();
  readonly #journal: FileJournal;
  readonly #random: Random;
  #eventDigest: Uint8Array = INITIAL_EVENT_DIGEST;
  backups = 0;
  snapshots = 0;

  private constructor(journal: FileJournal, draw: Random, folder: string) {
    this.#journal = journal;
    this.#random = draw;
    this.folder = folder;
  }

  static async open(draw: Random): Promise<LiveExchange> {
    const folder = join(temporaryFolder(), "data");
    const opening = await openFileJournal({
      folder: join(folder, "journal"),
      fileSystem: FILES,
      segmentBytes: 24 * 1024,
      preallocatedBytes: 4 * 1024,
    });
    assert.ok(opening.ok);
    return new LiveExchange(opening.journal, draw, folder);
  }

  async run(entries: readonly Entry[]): Promise<void> {
    for (let done = 0; done < entries.length; ) {
      const batch = this.#batchAt(entries, done);
      await this.#append(batch);
      done += batch.length;
      if (this.#random.chance(0.02)) await this.#snapshot();
      if (this.#random.chance(0.01)) await this.#journal.roll();
      if (this.#random.chance(0.01)) await this.#compress();
      if (this.#random.chance(0.01)) await this.backUp();
    }
    await this.backUp();
    await this.#journal.close();
  }

  async #compress(): Promise<void> {
    await compressClosedSegments(join(this.folder, "journal"), FILES);
  }

  /** A batch has one time. */
  #batchAt(entries: readonly Entry[], from: number): readonly Entry[] {
    const { nowMs } = entries[from] as Entry;
    const most = entries.slice(from, from + this.#random.integer(1, BATCH_MAX));
    const other = most.findIndex((entry) => entry.nowMs !== nowMs);
    return other < 0 ? most : most.slice(0, other);
  }

  async #append(entries: readonly Entry[]): Promise<void> {
    const events = new ByteWriter();
    const { nowMs } = entries[0] as Entry;
    this.#live.nowMs = nowMs;
    for (const { command } of entries) {
      events.raw(this.#live.chunkOf(decodeCommand(command)));
      const { engine, sequence } = this.#live;
      if (this.#random.chance(HASH_CHANCE)) this.hashes.set(sequence, engine.stateHash());
      this.times.set(sequence, nowMs);
    }
    this.#eventDigest = extendEventDigest(this.#eventDigest, events.view());
    const { lastSequence, epoch } = this.#journal;
    const result = await this.#journal.append(lastSequence, epoch, {
      firstSequence: lastSequence + 1,
      timestampMs: nowMs,
      records: entries.map(({ command }) => command),
      eventDigest: this.#random.chance(0.1) ? this.#eventDigest : null,
    });
    assert.equal(result, "durable");
    assert.equal(this.#journal.lastSequence, this.#live.sequence);
  }

  async #snapshot(): Promise<void> {
    const { engine, sequence } = this.#live;
    const chainHash = await this.#journal.chainHashAt(sequence);
    assert.ok(chainHash !== null);
    const files = openSnapshotFiles({
      folder: join(this.folder, "snapshots"),
      fileSystem: FILES,
    });
    await files.save(makeSnapshot(engine, sequence, this.#eventDigest, chainHash));
    this.snapshots++;
  }

  async backUp(): Promise<void> {
    const { folder: dataFolder, target } = this;
    // Each on another day.
    const wallMs = (): number => START_MS + this.backups * DAY_MS;
    const { sequence } = await backUp({
      dataFolder,
      target,
      check: "all",
      snapshotDays: 1_000,
      platform: { ...PLATFORM, clock: { ...PLATFORM.clock, wallMs } },
    });
    assert.equal(sequence, this.#journal.lastSequence);
    this.backups++;
  }
}

/** 1 if the restore began from a snapshot of an earlier day, which only the backup still had. */
function keptSnapshots(live: LiveExchange, folder: string, sequence: number): number {
  const namesOf = (one: string) =>
    existsSync(join(one, "snapshots")) ? readdirSync(join(one, "snapshots")).sort() : [];
  const copied = namesOf(folder);
  // Three at the most, and one that the restore makes of its end.
  assert.ok(copied.length <= 4 && copied.every((name) => Number.parseInt(name, 10) <= sequence));
  const [first] = copied;
  const isEnd = first !== undefined && Number.parseInt(first, 10) === sequence;
  return first === undefined || isEnd || namesOf(live.folder).includes(first) ? 0 : 1;
}

/** The commands after it lead where they led. */
async function continueRestored(live: LiveExchange, folder: string, from: number): Promise<void> {
  const files = openSnapshotFiles({ folder: join(folder, "snapshots") });
  const replay = Replay.from(await files.load(from));
  const through = Math.min(from + 40, live.times.size);
  const reader = openJournalReader(join(live.folder, "journal"));
  for await (const batch of reader.read(from + 1, through)) {
    if (batch.firstSequence !== replay.sequence + 1) continue;
    replay.apply({ ...batch, eventDigest: null });
    const hash = live.hashes.get(replay.sequence);
    if (hash !== undefined) assert.equal(replay.engine.stateHash(), hash);
  }
}

test("a restore to any command has the live state of it", async () => {
  const found = { restores: 0, snapshots: 0, backups: 0, times: 0, kept: 0 };
  for (let session = 0; session < SESSIONS; session++) {
    const live = await LiveExchange.open(random);
    await live.run(contractEntries(random.integer(0, 1e9), COMMANDS));
    found.snapshots += live.snapshots;
    found.backups += live.backups;
    for (let done = 0; done < RESTORES; done++) {
      const dataFolder = join(temporaryFolder(), "new");
      const sequence = random.pick([...live.hashes.keys()]);
      const timeMs = live.times.get(sequence) as number;
      const byTime = random.chance(0.2);
      const result = await restore({
        source: live.target,
        dataFolder,
        limit: byTime ? { timeMs } : { sequence },
        fromTheBeginning: random.chance(0.5),
        platform: PLATFORM,
      });
      if (byTime) {
        assert.ok(result.sequence >= sequence && live.times.get(result.sequence) === timeMs);
        assert.ok((live.times.get(result.sequence + 1) ?? timeMs + 1) > timeMs);
        found.times++;
      } else {
        assert.equal(result.sequence, sequence);
      }
      const hash = live.hashes.get(result.sequence) ?? (byTime ? result.stateHash : null);
      assert.equal(result.stateHash, hash, `at ${result.sequence}`);
      assert.ok(!existsSync(join(dataFolder, "restore.unfinished")));
      assert.ok(!readdirSync(dataFolder).some((name) => name.startsWith("lock.db")));
      found.kept += keptSnapshots(live, dataFolder, result.sequence);
      await continueRestored(live, dataFolder, result.sequence);
      rmSync(dataFolder, { recursive: true });
      found.restores++;
    }
  }
  console.log(
    `${found.restores} restores, ${found.times} of them by time, from ${found.backups} backups ` +
      `with ${found.snapshots} snapshots; ${found.kept} from one that the exchange had removed`,
  );
  assert.ok(found.kept > 0);
  assert.equal(found.restores, SESSIONS * RESTORES);
});
