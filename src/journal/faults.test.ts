/**
 * Proves that a failing disk is never trusted again: an error is made at every call that the
 * journal makes, and nothing is acknowledged after it, not even by a sync that succeeds later. The
 * folder opens again afterwards, with every acknowledged batch. A full disk shows in time, while
 * cancels still have room.
 */
import assert from "node:assert/strict";
import test from "node:test";
import { setTimeout } from "node:timers/promises";
import { checkReopening, openJournal, runSession } from "../../test/support/journal-session.ts";
import {
  appendBatches,
  assertNoAnswerAfterFailure,
  assertPromiseKept,
  lastSequenceOf,
  randomBatch,
  readAll,
  type Sent,
} from "../../test/support/journal-workload.ts";
import { scaled, seededRandom } from "../../test/support/random.ts";
import {
  type FaultPlan,
  FaultyFileSystem,
  type Operation,
  SimulatedDisk,
} from "../../test/support/simulated-disk.ts";
import { NODE_PLATFORM, type Scheduler } from "../platform/index.ts";
import { openFileJournal } from "./file-journal.ts";

const random = seededRandom("journal faults");

const CASES = [
  { code: "EIO", operations: null },
  { code: "ENOSPC", operations: ["write", "write-now", "sync", "open", "rename", "truncate"] },
  { code: "EMFILE", operations: ["open", "list"] },
] as const;

function failAt(
  index: number,
  code: "EIO" | "ENOSPC" | "EMFILE",
  operations: readonly Operation[] | null,
): FaultPlan {
  return (operation, call) => {
    const applies = call === index && (operations === null || operations.includes(operation));
    return applies ? { kind: "error", code } : null;
  };
}

for (const { code, operations } of CASES) {
  test(`${code} at any call: nothing is acknowledged after it, or lost`, async () => {
    for (let round = 0; round < scaled(2); round++) {
      const seed = random.integer(0, 1e9);
      const { calls } = await runSession(seed);
      for (let index = 0; index < calls; index++) {
        // The session itself checks that nothing is acknowledged after a failure.
        const { disk, sent } = await runSession(seed, failAt(index, code, operations));
        await checkReopening(disk.afterKill(), sent, false);
        // What a failed sync dropped is gone after a restart of the machine.
        await checkReopening(disk.afterPowerCut("drops-all", random), sent, true);
      }
    }
  });
}

test("after a failed sync the journal is dead, though the next sync would succeed", async () => {
  let failing = false;
  const plan: FaultPlan = (operation) => {
    if (!failing || operation !== "sync") return null;
    failing = false;
    return { kind: "error", code: "EIO" };
  };
  const disk = new SimulatedDisk();
  const opening = await openJournal(new FaultyFileSystem(disk, plan));
  assert.ok(opening.ok);
  const { journal } = opening;
  const sent: Sent[] = [];
  await appendBatches(journal, random, 4, 1, sent);
  failing = true;
  await appendBatches(journal, random, 1, 1, sent);
  assert.equal(sent.at(-1)?.result, "unknown");
  const durable = journal.lastSequence;
  assert.equal(durable, lastSequenceOf((sent[3] as Sent).batch));
  for (let attempt = 0; attempt < 3; attempt++) {
    const batch = randomBatch(random, durable);
    assert.equal(await journal.append(durable, journal.epoch, batch), "unknown");
  }
  assertPromiseKept(await readAll(journal), sent.slice(0, 4));
});

test("a failed sync of the room ahead ends the journal, which does not try again", async () => {
  let failing = false;
  let before: Operation = "list";
  let laterSyncs = 0;
  const plan: FaultPlan = (operation) => {
    // Room is written beside the event loop, commits are not.
    const isOfRoom = before === "write" && operation === "sync";
    before = operation;
    if (failing && operation === "sync") laterSyncs++;
    if (failing || !isOfRoom || !opened) return null;
    failing = true;
    return { kind: "error", code: "EIO" };
  };
  let opened = false;
  const disk = new SimulatedDisk();
  const opening = await openJournal(new FaultyFileSystem(disk, plan));
  assert.ok(opening.ok);
  opened = true;
  const sent: Sent[] = [];
  while ((sent.at(-1)?.result ?? "durable") === "durable") {
    await appendBatches(opening.journal, random, 1, 1, sent);
  }
  assert.ok(failing);
  assertNoAnswerAfterFailure(sent);
  await appendBatches(opening.journal, random, 3, 1, sent);
  // At most the commit that was under way had its two files synced.
  assert.ok(laterSyncs <= 2, `${laterSyncs} syncs after the failure`);
  await checkReopening(disk.afterPowerCut("drops-all", random), sent, true);
});

/** The reserve is nothing, so that only writes tell that the disk is full. */
function openWithoutReserve(disk: SimulatedDisk, scheduler: Scheduler = NODE_PLATFORM.scheduler) {
  const reserve = { fraction: 0, minimumBytes: 0, maximumBytes: 0 };
  const sizes = { segmentBytes: 64 * 1024, preallocatedBytes: 2048 };
  const fileSystem = new FaultyFileSystem(disk);
  return openFileJournal({ folder: "/journal", fileSystem, scheduler, reserve, ...sizes });
}

test("a full disk shows while there is room, and nothing is lost at its end", async () => {
  for (let round = 0; round < scaled(20); round++) {
    const disk = new SimulatedDisk();
    const opening = await openWithoutReserve(disk);
    assert.ok(opening.ok);
    const { journal } = opening;
    disk.capacityBytes = disk.usedBytes + random.integer(0, 6000);
    const sent: Sent[] = [];
    let afterWarning = 0;
    while ((sent.at(-1)?.result ?? "durable") === "durable") {
      if (journal.nearlyFull) afterWarning++;
      await appendBatches(journal, random, 1, 1, sent);
    }
    assert.ok(afterWarning > 2, "the journal says that it is nearly full before it is");
    assertNoAnswerAfterFailure(sent);
    disk.capacityBytes = Number.POSITIVE_INFINITY;
    await checkReopening(disk.afterPowerCut("drops-all", random), sent, true);
  }
});

test("when the disk has space again, the journal takes it", async () => {
  const disk = new SimulatedDisk();
  const opening = await openWithoutReserve(disk);
  assert.ok(opening.ok);
  const { journal } = opening;
  disk.capacityBytes = disk.usedBytes;
  const sent: Sent[] = [];
  while (!journal.nearlyFull) await appendBatches(journal, random, 1, 1, sent);
  disk.capacityBytes = Number.POSITIVE_INFINITY;
  await appendBatches(journal, random, 40, 1, sent);
  assert.equal(journal.nearlyFull, false);
  assert.ok(sent.every(({ result }) => result === "durable"));
  await journal.close();
  await checkReopening(disk, sent, false);
});

test("when the disk has space again, an idle journal notices it", async () => {
  const disk = new SimulatedDisk();
  const { scheduler } = NODE_PLATFORM;
  const opening = await openWithoutReserve(disk, {
    after: (...delayed) => scheduler.after(...delayed),
    every: (_periodMs, run) => scheduler.every(1, run),
    soon: (run) => scheduler.soon(run),
  });
  assert.ok(opening.ok);
  const { journal } = opening;
  disk.capacityBytes = disk.usedBytes;
  const sent: Sent[] = [];
  while (!journal.nearlyFull) await appendBatches(journal, random, 1, 1, sent);
  await setTimeout(20);
  assert.equal(journal.nearlyFull, true);
  disk.capacityBytes = Number.POSITIVE_INFINITY;
  for (let waits = 0; waits < 500 && journal.nearlyFull; waits++) await setTimeout(10);
  assert.equal(journal.nearlyFull, false);
  await journal.close();
  await checkReopening(disk, sent, false);
});

test("space below the reserve is told when the journal opens", async () => {
  const disk = new SimulatedDisk();
  disk.capacityBytes = 100_000;
  const opened = [];
  for (const minimumBytes of [50_000, 99_900]) {
    const reserve = { fraction: 0, minimumBytes, maximumBytes: 1e9 };
    const fileSystem = new FaultyFileSystem(disk);
    const opening = await openFileJournal({
      folder: "/j",
      fileSystem,
      preallocatedBytes: 512,
      reserve,
    });
    assert.ok(opening.ok);
    opened.push(opening.journal.nearlyFull);
    await opening.journal.close();
  }
  assert.deepEqual(opened, [false, true]);
});

test("a folder that cannot be used is refused with a reason", async () => {
  const plan: FaultPlan = (operation) =>
    operation === "list" ? { kind: "error", code: "EIO" } : null;
  const opening = await openJournal(new FaultyFileSystem(new SimulatedDisk(), plan));
  assert.ok(!opening.ok);
  assert.equal(opening.refusal.kind, "unusable");
  assert.match(opening.refusal.message, /EIO/);
});
