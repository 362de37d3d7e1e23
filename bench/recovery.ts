/** Recovery: reads, verifies and replays a journal of orders, trades and cancels, as at a start. */

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createLog } from "../src/app/log.ts";
import { recover } from "../src/app/recovery.ts";
import { Replay } from "../src/app/replay.ts";
import { Sequencer } from "../src/app/sequencer.ts";
import { openFileJournal, openSnapshotFiles } from "../src/journal/index.ts";
import { NODE_PLATFORM } from "../src/platform/index.ts";
import { type Submission, submitAll } from "../src/protocol/index.ts";
import type { BenchRow } from "./report.ts";
import { scaled } from "./scale.ts";
import { OrderFlow, setUpCommands } from "./spot-engine.ts";

const COMMANDS = scaled(1_000_000);
const RESTING = scaled(10_000);
const BATCH = 500;

export async function runRecoveryBench(): Promise<BenchRow[]> {
  const folder = mkdtempSync(join(tmpdir(), "rialto-bench-"));
  try {
    await fill(folder);
    const journal = await open(folder);
    const snapshots = openSnapshotFiles({ folder: join(folder, "snapshots") });
    const log = createLog("silent");
    const onEvents = (): Promise<void> => Promise.resolve();
    const startedMs = performance.now();
    const usedBefore = process.cpuUsage();
    const replay = await recover({ journal, snapshots, log, showProgress: false, onEvents });
    const replayMs = performance.now() - startedMs;
    const { user, system } = process.cpuUsage(usedBefore);
    await snapshots.save(replay.snapshot());
    const loadedMs = performance.now();
    await recover({ journal, snapshots, log, showProgress: false, onEvents });
    const snapshotMs = performance.now() - loadedMs;
    await journal.close();
    const rate = (replay.sequence / replayMs) * 1000;
    const rateOfProcessor = (replay.sequence / (user + system)) * 1_000_000;
    return [
      { name: "recovery from the journal", value: Math.round(rate), unit: "commands/s" },
      {
        name: "recovery from the journal, processor time of all threads",
        value: Math.round(rateOfProcessor),
        unit: "commands/s",
      },
      {
        name: "recovery from a snapshot",
        value: Math.round(snapshotMs),
        unit: "ms",
        note: `${replay.sequence} commands behind it`,
      },
    ];
  } finally {
    rmSync(folder, { recursive: true });
  }
}

async function open(folder: string) {
  const opening = await openFileJournal({ folder: join(folder, "journal") });
  if (!opening.ok) throw new Error(opening.refusal.message);
  return opening.journal;
}

/** Writes the journal through the sequencer, as in live trading. */
async function fill(folder: string): Promise<void> {
  const journal = await open(folder);
  const replay = Replay.from(null);
  let nowMs = 1_700_000_000_000;
  const sequencer = new Sequencer({
    platform: NODE_PLATFORM,
    engine: replay.engine,
    journal,
    eventDigest: replay.eventDigest,
    wall: { nowMs: () => nowMs++, behindMs: 0 },
    publish: () => {},
    isPublishFull: () => false,
    onFatal: (error) => {
      throw error;
    },
    metrics: { batchReleased: () => {} },
  });
  const flow = new OrderFlow(7);
  for (const command of setUpCommands()) {
    await submitAll(sequencer, [{ kind: "command", command }]);
  }
  for (let done = 0; done < COMMANDS; done += BATCH) {
    const batch: Submission[] = [];
    for (let i = 0; i < BATCH; i++) {
      const command = done + i < RESTING ? flow.resting() : flow.next();
      batch.push({ kind: "command", command });
    }
    await submitAll(sequencer, batch);
  }
  await sequencer.stop();
  await journal.close();
}
