/** The state three ways: live, replayed from the first command, and from every snapshot. */

import { join } from "node:path";
import { Replay } from "../../src/app/replay.ts";
import { openFileJournal, openSnapshotFiles, type SnapshotFiles } from "../../src/journal/index.ts";
import type { Snapshot } from "../../src/protocol/index.ts";
import { FaultyFileSystem, type SimulatedDisk } from "../support/simulated-disk.ts";
import { Breach, hold } from "./breach.ts";
import { Refusals } from "./directed.ts";
import { checkTotals, type LedgerTotals } from "./ledger-check.ts";
import { readTime } from "./sandbox-clock.ts";
import type { SimulatedExchange } from "./simulated-exchange.ts";
import type { Story } from "./story.ts";

interface Invariants {
  readonly ok: boolean;
  readonly sequence: number;
  readonly stateHash: string;
  readonly violations: readonly string[];
  readonly totals: LedgerTotals;
}

/** Behind one of so many steps the engine beside the naive exchange goes on from a snapshot. */
const STARTED_AGAIN = 3;

/**
 * The cheap part, after every step: the journal's new commands, the naive exchange and whatever
 * clients were told agree. Nobody sends anything meanwhile.
 */
export async function checkStep(exchange: SimulatedExchange): Promise<Invariants> {
  const live = await exchange.operator<Invariants>("GET", "invariants");
  const detail = () => JSON.stringify(live);
  exchange.trace("state", [live.sequence, live.stateHash]);
  hold(live.ok && live.violations.length === 0, "the ledger's invariants", detail);
  const { linearity, story } = exchange;
  const isInTime = !story.hasResumedLate;
  hold(isInTime, "a start goes on before its timers", () => `after ${live.sequence}`);
  const refusals = new Refusals(exchange);
  refusals.look();
  const isAgain = exchange.followedLife !== exchange.restarts;
  await story.follow(exchange, live.sequence, isAgain, () => refusals.look());
  refusals.check();
  exchange.followedLife = exchange.restarts;
  const isOne = story.stateHash === live.stateHash;
  hold(isOne, "live and replayed state are one", () => `after command ${live.sequence}`);
  checkTotals(story, live.totals);
  if (live.sequence > 0 && live.sequence % STARTED_AGAIN === 0) story.startAgain();
  linearity.check();
  await checkTime(exchange);
  return live;
}

/** Whatever the wall clock does, exchange time is not before the last command. */
async function checkTime(exchange: SimulatedExchange): Promise<void> {
  const { story } = exchange;
  const serverTime = await readTime(exchange);
  const detail = () => `${serverTime}, and the last command ${story.timeMs}`;
  hold(serverTime >= story.timeMs, "exchange time never goes back", detail);
}

/** Of so many lives one is replayed from its first command; of the others the hash is compared. */
const REPLAYED_LIVES = 4;

/** Of an exchange to which nobody sends anything meanwhile. */
export async function checkState(exchange: SimulatedExchange): Promise<void> {
  const { replayed, restarts } = exchange;
  const live = await checkStep(exchange);
  const isAnotherLife = replayed.life !== restarts;
  const isFromStart = isAnotherLife && restarts % REPLAYED_LIVES === 0;
  // A start has just opened the journal; later nobody has.
  const isLater = !isAnotherLife;
  replayed.life = restarts;
  if (isFromStart) replayed.snapshots.clear();
  const isNew = exchange.files("snapshots/").some((name) => {
    return !replayed.snapshots.has(Number(/\d+/.exec(name)));
  });
  if (!(isFromStart || isLater || isNew)) return;
  // As a process finds it that takes over at this moment.
  await checkReplays(exchange, exchange.disk.afterKill(), live, isFromStart);
}

async function checkReplays(
  exchange: SimulatedExchange,
  disk: SimulatedDisk,
  live: Invariants,
  isFromStart: boolean,
): Promise<void> {
  const { hasRot, replayed, stateFolder, story } = exchange;
  const fileSystem = new FaultyFileSystem(disk);
  const opening = await openFileJournal({ folder: join(stateFolder, "journal"), fileSystem });
  if (!opening.ok) throw new Breach("the journal opens", opening.refusal.message);
  const { journal } = opening;
  const snapshots = openSnapshotFiles({
    folder: join(stateFolder, "snapshots"),
    fileSystem,
    now: () => 0,
  });
  const isThere = journal.lastSequence >= live.sequence;
  hold(isThere, "what was answered is in the journal", () => String(live.sequence));
  const isDue = (sequence: number) => !replayed.snapshots.has(sequence);
  const kept = (await snapshots.list()).map(({ sequence }) => sequence).filter(isDue);
  for (const sequence of kept) replayed.snapshots.add(sequence);
  // The story has followed what was written since; what was there before is read again.
  const starts = isFromStart ? [null, ...kept] : kept;
  for (const start of starts) {
    if (start !== null && start > live.sequence) continue;
    const snapshot = start === null ? null : await loaded(snapshots, start, hasRot);
    if (start !== null && snapshot === null) continue;
    if (snapshot !== null) checkDigest(story, snapshot);
    const replay = Replay.from(snapshot);
    for await (const batch of journal.read(replay.sequence + 1)) {
      if (batch.firstSequence > live.sequence) break;
      replay.apply(batch);
    }
    if (replay.sequence !== live.sequence) continue;
    const hash = replay.engine.stateHash();
    const from = start === null ? "the first command" : `the snapshot of ${start}`;
    hold(hash === live.stateHash, "live and replayed state are one", () => `from ${from}`);
  }
  await journal.close();
}

/** It says what all events before it were. */
export function checkDigest({ digests }: Story, { eventDigest, sequence }: Snapshot): void {
  const digest = Buffer.from(eventDigest).toString("hex");
  const due = digests.get(sequence) ?? digest;
  hold(digest === due, "a snapshot has the digest of its events", () => `${sequence}: ${digest}`);
}

async function loaded(snapshots: SnapshotFiles, sequence: number, hasRot: boolean) {
  try {
    return await snapshots.load(sequence);
  } catch (error) {
    if (hasRot) return null;
    throw new Breach("no snapshot is damaged", String(error));
  }
}
