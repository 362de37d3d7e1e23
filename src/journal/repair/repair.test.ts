/**
 * Proves that a repair drops exactly what it showed, and nothing before it: for every end of a
 * batch in a journal of raw and compressed segments, whole and damaged. And that inspection counts
 * what was written and names all damage.
 */
import assert from "node:assert/strict";
import test from "node:test";
import { openJournal, untilStopped } from "../../../test/support/journal-session.ts";
import {
  appendBatches,
  assertSameBatches,
  lastSequenceOf,
  readAll,
  type Sent,
} from "../../../test/support/journal-workload.ts";
import { Random, scaled, seededRandom } from "../../../test/support/random.ts";
import { FaultyFileSystem, SimulatedDisk } from "../../../test/support/simulated-disk.ts";
import { type Batch, type Command, encodeCommand } from "../../protocol/index.ts";
import { compressClosedSegments } from "../segments/compression.ts";
import { describeDrop, describeInspection, describeVerdict } from "./describe.ts";
import { inspectJournal, verifyJournal } from "./inspect.ts";
import { dropAfter, planDrop } from "./repair.ts";

const random = seededRandom("journal repair");
const FOLDER = "/journal";

/** A compressed, a raw and an open segment. */
async function writtenJournal(): Promise<{ disk: SimulatedDisk; batches: Batch[] }> {
  const disk = new SimulatedDisk();
  const fileSystem = new FaultyFileSystem(disk);
  const opening = await openJournal(fileSystem);
  assert.ok(opening.ok);
  const { journal } = opening;
  const sent: Sent[] = [];
  await appendBatches(journal, random, 5, 3, sent);
  await journal.roll();
  await compressClosedSegments(FOLDER, fileSystem);
  await appendBatches(journal, random, 5, 3, sent);
  await journal.roll();
  await appendBatches(journal, random, 5, 3, sent);
  await journal.close();
  return { disk, batches: sent.map(({ batch }) => batch) };
}

function optionsOn(disk: SimulatedDisk, afterSequence = 0) {
  return { folder: FOLDER, fileSystem: new FaultyFileSystem(disk), afterSequence };
}

async function assertHolds(disk: SimulatedDisk, batches: readonly Batch[]): Promise<void> {
  const opening = await openJournal(new FaultyFileSystem(disk));
  assert.ok(opening.ok, opening.ok ? "" : opening.refusal.message);
  const { journal } = opening;
  assertSameBatches(await readAll(journal), batches);
  const later: Sent[] = [];
  await appendBatches(journal, random, 6, 2, later);
  assertSameBatches(await readAll(journal), [...batches, ...later.map(({ batch }) => batch)]);
  await journal.close();
  const { ok } = await verifyJournal({ folder: FOLDER, fileSystem: new FaultyFileSystem(disk) });
  assert.ok(ok);
}

test("what was planned is dropped, at every end of a batch and durably", async () => {
  const { disk, batches } = await writtenJournal();
  for (let kept = 0; kept <= batches.length; kept++) {
    const copy = disk.fork();
    const last = kept === 0 ? 0 : lastSequenceOf(batches[kept - 1] as Batch);
    const planned = await planDrop(optionsOn(copy, last));
    assert.ok(planned.ok);
    assertSameBatches(
      planned.plan.batches.map((batch) => ({ ...batch, eventDigest: null })),
      batches.slice(kept).map((batch) => ({ ...batch, eventDigest: null })),
    );
    assert.equal(planned.plan.unreadableBytes, 0);
    await assertHolds(copy.fork(), batches);
    const dropped = await dropAfter(optionsOn(copy, last));
    assert.deepEqual(dropped, planned);
    await assertHolds(copy.afterPowerCut("drops-all", random), batches.slice(0, kept));
  }
});

test("a sequence that ends no batch is refused, and the nearest end named", async () => {
  const { disk, batches } = await writtenJournal();
  const ends = new Set(batches.map(lastSequenceOf));
  const last = lastSequenceOf(batches.at(-1) as Batch);
  for (let sequence = 1; sequence <= last + 1; sequence++) {
    const planned = await planDrop(optionsOn(disk.fork(), sequence));
    assert.equal(planned.ok, ends.has(sequence));
    if (planned.ok) continue;
    const nearest = Number(/--drop-after (\d+)/.exec(planned.refusal.advice)?.[1]);
    assert.ok(nearest < sequence && (nearest === 0 || ends.has(nearest)));
  }
});

test("behind damage, all readable batches that go are listed, as the refusal advised", async () => {
  const { disk, batches } = await writtenJournal();
  const open = [...disk.names.keys()]
    .filter((path) => path.endsWith(".segment"))
    .sort()[1] as string;
  for (let round = 0; round < scaled(60); round++) {
    const copy = disk.fork();
    const bytes = (copy.file(open) as Uint8Array).slice();
    const used = bytes.findLastIndex((byte) => byte !== 0) + 1;
    const at = random.integer(512, used - 1);
    bytes[at] = (bytes[at] as number) ^ (1 << random.integer(0, 7));
    copy.place(open, bytes);
    const refused = await openJournal(new FaultyFileSystem(copy));
    assert.ok(!refused.ok);
    const last = Number(/--drop-after (\d+)/.exec(refused.refusal.advice)?.[1]);
    assert.equal(last, (refused.refusal.sequence as number) - 1);
    const dropped = await dropAfter(optionsOn(copy, last));
    assert.ok(dropped.ok);
    const kept = batches.filter((batch) => lastSequenceOf(batch) <= last);
    // One batch was damaged; all behind it can be read and are named.
    assert.equal(dropped.plan.droppedBatches, batches.length - kept.length - 1);
    assert.ok(dropped.plan.unreadableBytes > 0);
    assert.match(describeDrop(dropped.plan), /bytes that cannot be read/);
    await assertHolds(copy, kept);
  }
});

test("a repair that is broken off can be given again, and drops nothing else", async () => {
  const { disk, batches } = await writtenJournal();
  for (const kept of [3, 7, 12]) {
    const last = lastSequenceOf(batches[kept - 1] as Batch);
    for (let index = 0, stopped = true; stopped; index++) {
      const copy = disk.fork();
      const machine = new FaultyFileSystem(
        copy,
        (_operation, call) => (call === index ? { kind: "stop" } : null),
        new Random(index),
      );
      const repair = dropAfter({ folder: FOLDER, fileSystem: machine, afterSequence: last });
      await untilStopped(
        machine,
        repair.then(() => {}),
      );
      stopped = machine.stopped;
      const left = random.chance(0.5) ? copy.afterPowerCut("tears", random) : copy.afterKill();
      const opening = await openJournal(new FaultyFileSystem(left.fork()));
      if (opening.ok) {
        const found = await readAll(opening.journal);
        assert.ok(found.length === batches.length || found.length === kept);
      }
      const again = await dropAfter(optionsOn(left, last));
      assert.ok(again.ok, again.ok ? "" : again.refusal.message);
      await assertHolds(left, batches.slice(0, kept));
    }
  }
});

test("inspection tells what is in every segment", async () => {
  const disk = new SimulatedDisk();
  const opening = await openJournal(new FaultyFileSystem(disk));
  assert.ok(opening.ok);
  const { journal } = opening;
  const commands: Command[] = [
    { type: "adopt-rules", version: 1 },
    { type: "cancel-all-spot-orders", uid: 7, symbol: "BTCUSDT" },
    { type: "cancel-all-spot-orders", uid: 8, symbol: "BTCUSDT" },
  ];
  const append = async (records: readonly Uint8Array[], eventDigest: Uint8Array | null) => {
    const firstSequence = journal.lastSequence + 1;
    const batch = { firstSequence, timestampMs: 1000 + firstSequence, records, eventDigest };
    assert.equal(await journal.append(firstSequence - 1, journal.epoch, batch), "durable");
  };
  await append(commands.slice(0, 2).map(encodeCommand), null);
  await journal.roll();
  await append(commands.slice(2).map(encodeCommand), new Uint8Array(32));
  await append([Uint8Array.of(1, 2, 3)], null);
  await journal.close();
  const reports: number[] = [];
  const inspection = await inspectJournal({
    folder: FOLDER,
    fileSystem: new FaultyFileSystem(disk),
    onProgress: ({ percent }) => reports.push(percent),
  });
  assert.ok(inspection.ok);
  assert.deepEqual(inspection.commands, {
    "adopt-rules": 1,
    "cancel-all-spot-orders": 2,
    "unknown to this program": 1,
  });
  const rows = inspection.segments.map((row) => {
    const { firstSequence, lastSequence, batches, records, digests } = row;
    return { firstSequence, lastSequence, batches, records, digests };
  });
  assert.deepEqual(rows, [
    { firstSequence: 1, lastSequence: 2, batches: 1, records: 2, digests: 0 },
    { firstSequence: 3, lastSequence: 4, batches: 2, records: 2, digests: 1 },
  ]);
  assert.equal(inspection.segments[1]?.firstTimestampMs, 1003);
  assert.equal(inspection.segments[1]?.lastTimestampMs, 1004);
  assert.equal(inspection.segments[0]?.lastEpoch, 1);
  assert.equal(inspection.ring.newestSequence, 4);
  assert.equal(
    inspection.chainHash,
    Buffer.from((await journal.chainHashAt(4)) ?? []).toString("hex"),
  );
  assert.equal(reports.at(-1), 100);
  const text = describeInspection(inspection);
  assert.match(text, /0000000000000003\.segment +\d+ +3 +4 +2 +2/);
  assert.match(text, /cancel-all-spot-orders +2/);
  assert.match(text, /whole: 4 commands in 3 batches, up to sequence 4/);
});

test("verification goes on behind damage and names all of it", async () => {
  const { disk } = await writtenJournal();
  const paths = [...disk.names.keys()].filter((path) => path.includes(".segment")).sort();
  for (const path of paths.slice(1)) {
    const bytes = (disk.file(path) as Uint8Array).slice();
    bytes[600] = (bytes[600] as number) ^ 1;
    disk.place(path, bytes);
  }
  disk.place("/journal/header.ring", new Uint8Array(5));
  const fileSystem = new FaultyFileSystem(disk);
  const inspection = await verifyJournal({ folder: FOLDER, fileSystem });
  assert.equal(inspection.ok, false);
  const damaged = new Set(inspection.damage.map(({ file }) => file));
  assert.deepEqual([...damaged].sort(), paths.slice(1));
  const text = describeVerdict(inspection);
  assert.match(text, /DAMAGE: .*offset 512/);
  assert.match(text, /note: header\.ring has \d+ damaged slots/);
});
