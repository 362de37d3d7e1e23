/**
 * Goal: what the simulated disk has after a fault is what was written and nothing else, so that a
 * breach is the exchange's. Method: a writer that uses its memory again, as the journal does, and
 * damage that is put right while the write that made it was never synced.
 */
import assert from "node:assert/strict";
import test from "node:test";
import { Random } from "../support/random.ts";
import { SimulatedDisk } from "../support/simulated-disk.ts";
import { SimulatedTime } from "../support/simulated-machine.ts";
import { ArmedFileSystem } from "./faulty-disk.ts";

const PATH = "/data/journal/0000000000000001.segment";
const POSITION = 2_048;
const LENGTH = 100;

function textAt(disk: SimulatedDisk, at: number): string {
  const bytes = disk.file(PATH)?.subarray(at, at + LENGTH) ?? new Uint8Array(0);
  return Buffer.from(bytes).toString("latin1");
}

async function diskWithFile(path = PATH) {
  const disk = new SimulatedDisk();
  disk.place(path, new Uint8Array(4_096).fill("o".charCodeAt(0)));
  const files = new ArmedFileSystem(disk, new SimulatedTime(), new Random(1), () => undefined);
  return { disk, files, file: await files.open(path, "write") };
}

test("a write is what it was when its writer uses the memory again", async () => {
  const { disk, file } = await diskWithFile();
  const memory = Buffer.alloc(LENGTH, "first");
  const kept = memory.toString("latin1");
  file.writeNow(memory, POSITION);
  memory.fill("second");
  await file.sync();
  assert.equal(textAt(disk.afterPowerCut("drops-all", new Random(1)), POSITION), kept);
});

test("a misdirected write that is put right stays so after a sync and a power cut", async () => {
  const { disk, files, file } = await diskWithFile();
  const memory = Buffer.alloc(LENGTH, "first");
  const kept = memory.toString("latin1");
  files.misdirectsInWrites = 0;
  file.writeNow(memory, POSITION);
  memory.fill("second");
  const { misdirected } = files;
  assert.ok(misdirected !== null && misdirected.landedAt < POSITION);
  assert.equal(textAt(disk, misdirected.landedAt), kept);

  const after = disk.afterKill();
  after.patch(PATH, misdirected.landedAt, misdirected.before);
  after.patch(PATH, misdirected.position, misdirected.bytes);
  const next = new ArmedFileSystem(after, new SimulatedTime(), new Random(2), () => undefined);
  await (await next.open(PATH, "write")).sync();
  const survived = after.afterPowerCut("drops-all", new Random(1));
  assert.equal(textAt(survived, misdirected.landedAt), "o".repeat(LENGTH));
  assert.equal(textAt(survived, misdirected.position), kept);
});

test("the part of a ring's entry that a failed write leaves can be put right", async () => {
  const ring = "/data/journal/header.ring";
  const { disk, files, file } = await diskWithFile(ring);
  const before = disk.file(ring)?.slice();
  files.arm({ inCalls: 0, fault: { kind: "error", code: "EIO" }, of: null });
  assert.throws(() => file.writeNow(Buffer.alloc(LENGTH, "first"), POSITION), { code: "EIO" });
  const { brokenEntry } = files;
  assert.ok(brokenEntry !== null && brokenEntry.is.length > 0 && brokenEntry.is.length < LENGTH);
  assert.notDeepEqual(disk.file(ring), before);

  const survived = disk.afterPowerCut("keeps-all", new Random(1));
  survived.patch(ring, brokenEntry.at, brokenEntry.was);
  assert.deepEqual(survived.file(ring), before);
});
