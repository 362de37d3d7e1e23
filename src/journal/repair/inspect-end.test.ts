/**
 * Proves the quick look at a journal's end: on a journal of several segments it finds the same end
 * as the full verification, raw or compressed and with an empty last segment; a flipped byte in one
 * of the segments that it reads is damage, and in one that it does not read is not looked at.
 */
import assert from "node:assert/strict";
import test from "node:test";
import { withFlippedBit } from "../../../test/support/journal-damage.ts";
import { openJournal } from "../../../test/support/journal-session.ts";
import { appendBatches, type Sent } from "../../../test/support/journal-workload.ts";
import { seededRandom } from "../../../test/support/random.ts";
import { FaultyFileSystem, SimulatedDisk } from "../../../test/support/simulated-disk.ts";
import { compressClosedSegments } from "../segments/compression.ts";
import { verifyJournal, verifyJournalEnd } from "./inspect.ts";

const FOLDER = "/journal";
const SEGMENTS = 4;
const random = seededRandom("journal end");

/** The last of its segments holds something, or nothing yet. */
async function journalOfSegments(lastIsEmpty: boolean): Promise<SimulatedDisk> {
  const disk = new SimulatedDisk();
  const opening = await openJournal(new FaultyFileSystem(disk));
  assert.ok(opening.ok);
  const { journal } = opening;
  const sent: Sent[] = [];
  for (let segment = 1; segment < SEGMENTS; segment++) {
    await appendBatches(journal, random, 4, 2, sent);
    await journal.roll();
  }
  if (!lastIsEmpty) await appendBatches(journal, random, 4, 2, sent);
  await journal.close();
  return disk;
}

function segmentsOn(disk: SimulatedDisk): string[] {
  return [...disk.names.keys()].filter((path) => path.includes(".segment")).sort();
}

for (const lastIsEmpty of [false, true]) {
  for (const form of ["raw", "compressed"]) {
    test(`${form}, the last segment ${lastIsEmpty ? "empty" : "begun"}: the same end`, async () => {
      const disk = await journalOfSegments(lastIsEmpty);
      const fileSystem = new FaultyFileSystem(disk);
      const options = { folder: FOLDER, fileSystem };
      if (form === "compressed") await compressClosedSegments(FOLDER, fileSystem);
      const [whole, end] = [await verifyJournal(options), await verifyJournalEnd(options)];
      assert.ok(whole.ok && end.ok, JSON.stringify(end.damage));
      assert.equal(end.lastSequence, whole.lastSequence);
      assert.equal(end.chainHash, whole.chainHash);
      assert.deepEqual(end.segments, whole.segments.slice(-2));
      assert.deepEqual(end.ring, whole.ring);
    });
  }
}

test("damage is seen in the segments that are read, and no others", async () => {
  const whole = await journalOfSegments(false);
  const paths = segmentsOn(whole);
  assert.equal(paths.length, SEGMENTS);
  for (const [index, path] of paths.entries()) {
    const disk = whole.fork();
    const bytes = disk.names.get(path)?.cached as Uint8Array;
    // Behind the header, where the first batch begins.
    disk.place(path, withFlippedBit(bytes, (512 + 60) * 8));
    const options = { folder: FOLDER, fileSystem: new FaultyFileSystem(disk) };
    assert.equal((await verifyJournal(options)).ok, false);
    assert.equal((await verifyJournalEnd(options)).ok, index < SEGMENTS - 2, path);
  }
});

test("a journal of one segment, and one without any, are looked at whole", async () => {
  const disk = new SimulatedDisk();
  const fileSystem = new FaultyFileSystem(disk);
  const opening = await openJournal(fileSystem);
  assert.ok(opening.ok);
  await opening.journal.close();
  const options = { folder: FOLDER, fileSystem };
  assert.deepEqual(await verifyJournalEnd(options), await verifyJournal(options));
});
