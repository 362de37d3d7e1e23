/**
 * Proves that a snapshot is read back exactly or not at all: every flipped bit and every cut of a
 * small one is refused with the file's name, a crash at any call of `save` leaves the old or the
 * new set, and damaged ones are passed over for older ones without ever pushing a good one out.
 */
import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import test from "node:test";
import { untilStopped } from "../../../test/support/journal-session.ts";
import { Random, scaled, seededRandom } from "../../../test/support/random.ts";
import {
  type FaultPlan,
  FaultyFileSystem,
  type PowerCut,
  SimulatedDisk,
} from "../../../test/support/simulated-disk.ts";
import type { Snapshot } from "../../protocol/index.ts";
import { DamagedSnapshot, openSnapshotFiles } from "./snapshot-files.ts";

const random = seededRandom("snapshots");
const FOLDER = "/snapshots";
const MEBIBYTE = 1024 * 1024;

function bytesOf(length: number): Uint8Array {
  return Uint8Array.from({ length }, () => random.integer(0, 255));
}

function snapshotAt(sequence: number, sectionBytes = 50): Snapshot {
  return {
    sequence,
    timestampMs: 1_700_000_000_000 + sequence,
    // Of every other one the last command moved exchange time.
    clockMs: 1_700_000_000_000 + sequence + (sequence % 2) * 60_000,
    rulesVersion: 3,
    stateHash: Buffer.from(bytesOf(32)).toString("hex"),
    eventDigest: bytesOf(32),
    chainHash: bytesOf(32),
    sections: ["ledger", "books", "empty"].map((name) => {
      return { name, bytes: bytesOf(name === "empty" ? 0 : random.integer(1, sectionBytes)) };
    }),
  };
}

function assertSameSnapshot(loaded: Snapshot | null, saved: Snapshot): void {
  const plain = (snapshot: Snapshot) => ({
    ...snapshot,
    eventDigest: [...snapshot.eventDigest],
    chainHash: [...snapshot.chainHash],
    sections: snapshot.sections.map(({ name, bytes }) => {
      return { name, bytes: Buffer.from(bytes).toString("base64") };
    }),
  });
  assert.ok(loaded !== null);
  assert.deepEqual(plain(loaded), plain(saved));
}

function filesOn(disk: SimulatedDisk, log?: (level: "warn", message: string) => void) {
  const options = { folder: FOLDER, fileSystem: new FaultyFileSystem(disk), now: () => 77 };
  return openSnapshotFiles(log ? { ...options, log } : options);
}

function pathOf(sequence: number): string {
  return `${FOLDER}/${String(sequence).padStart(16, "0")}.snapshot`;
}

async function savedOn(disk: SimulatedDisk, sequences: readonly number[]): Promise<Snapshot[]> {
  const snapshots = sequences.map((sequence) => snapshotAt(sequence));
  for (const snapshot of snapshots) await filesOn(disk).save(snapshot);
  return snapshots;
}

test("a folder that is not there yet has no snapshots", async () => {
  const files = openSnapshotFiles({ folder: join(tmpdir(), "rialto-no-such-folder") });
  assert.deepEqual(await files.list(), []);
  assert.equal(await files.load(1), null);
  const usable = await files.loadNewestUsable(() => Promise.resolve(true));
  assert.deepEqual(usable, { snapshot: null, passedOver: [] });
});

test("what was saved is loaded, sections of any size, on the machine's own files", async () => {
  const folder = mkdtempSync(join(tmpdir(), "rialto-snapshots-"));
  try {
    const files = openSnapshotFiles({ folder: join(folder, "snapshots") });
    const small = snapshotAt(10);
    const exact = new Uint8Array(2 * MEBIBYTE).fill(7);
    const large = new Uint8Array(3 * MEBIBYTE + 17).fill(9);
    const big: Snapshot = {
      ...snapshotAt(20),
      sections: [
        { name: "exact", bytes: exact },
        { name: "large", bytes: large },
      ],
    };
    await files.save(small);
    await files.save(big);
    assertSameSnapshot(await files.load(10), small);
    assertSameSnapshot(await files.load(20), big);
    assert.deepEqual(
      (await files.list()).map(({ sequence }) => sequence),
      [20, 10],
    );
  } finally {
    rmSync(folder, { recursive: true });
  }
});

test("the newest three are kept", async () => {
  const disk = new SimulatedDisk();
  await savedOn(disk, [1, 2, 3, 4, 5]);
  assert.deepEqual(await filesOn(disk).list(), [
    { sequence: 5, createdMs: 77 },
    { sequence: 4, createdMs: 77 },
    { sequence: 3, createdMs: 77 },
  ]);
  assert.equal(disk.names.size, 3);
});

test("every flipped bit and every cut is refused, and the file is named", async () => {
  const disk = new SimulatedDisk();
  await savedOn(disk, [7]);
  const bytes = disk.file(pathOf(7)) as Uint8Array;
  assert.ok(bytes.length <= 16 * 1024);
  const check = async (damaged: Uint8Array, what: string) => {
    const copy = new SimulatedDisk();
    copy.place(pathOf(7), damaged);
    const refused = (error: unknown) =>
      error instanceof DamagedSnapshot && error.file === pathOf(7);
    await assert.rejects(filesOn(copy).load(7), refused, what);
  };
  for (let bit = 0; bit < bytes.length * 8; bit++) {
    const flipped = bytes.slice();
    flipped[bit >> 3] = (flipped[bit >> 3] as number) ^ (1 << (bit & 7));
    await check(flipped, `bit ${bit}`);
  }
  for (let length = 0; length < bytes.length; length++) {
    await check(bytes.slice(0, length), `cut at ${length}`);
  }
  await check(Buffer.concat([bytes, new Uint8Array(1)]), "a byte more");
});

test("a damaged header is reported and not listed", async () => {
  const disk = new SimulatedDisk();
  await savedOn(disk, [1, 2]);
  const bytes = (disk.file(pathOf(2)) as Uint8Array).slice();
  bytes[30] = (bytes[30] as number) ^ 1;
  disk.place(pathOf(2), bytes);
  const warnings: string[] = [];
  const files = filesOn(disk, (_level, message) => warnings.push(message));
  assert.deepEqual(await files.list(), [{ sequence: 1, createdMs: 77 }]);
  assert.equal(warnings.length, 1);
  assert.match(warnings[0] as string, /0002\.snapshot: the header does not match its checksum/);
});

test("the newest usable one is whole and of this journal; the others are named", async () => {
  const disk = new SimulatedDisk();
  const [oldest, , foreign] = await savedOn(disk, [1, 2, 3]);
  const damaged = (disk.file(pathOf(2)) as Uint8Array).slice();
  damaged[damaged.length - 40] = (damaged[damaged.length - 40] as number) ^ 4;
  disk.place(pathOf(2), damaged);
  const isOfJournal = (_sequence: number, chainHash: Uint8Array) =>
    Promise.resolve(Buffer.compare(chainHash, (foreign as Snapshot).chainHash) !== 0);
  const { snapshot, passedOver } = await filesOn(disk).loadNewestUsable(isOfJournal);
  assertSameSnapshot(snapshot, oldest as Snapshot);
  assert.deepEqual(
    passedOver.map(({ file }) => file),
    [pathOf(3), pathOf(2)],
  );
  assert.match(passedOver[0]?.problem as string, /does not belong to this journal/);
});

test("damaged snapshots never push good ones out", async () => {
  const disk = new SimulatedDisk();
  await savedOn(disk, [1, 2, 3]);
  for (const sequence of [2, 3]) disk.place(pathOf(sequence), new Uint8Array(10));
  await savedOn(disk, [4]);
  const listed = await filesOn(disk).list();
  assert.deepEqual(
    listed.map(({ sequence }) => sequence),
    [4, 1],
  );
  await savedOn(disk, [5, 6]);
  assert.deepEqual([...disk.names.keys()].sort(), [4, 5, 6].map(pathOf));
});

function stopAt(index: number): FaultPlan {
  return (_operation, call) => (call === index ? { kind: "stop" } : null);
}

test("a crash at any call of save leaves what was there, the new one whole or not", async () => {
  const first = new SimulatedDisk();
  const before = await savedOn(first, [1, 2, 3]);
  const added = snapshotAt(4, 1500);
  let unfinished = 0;
  for (let index = 0, stopped = true; stopped; index++) {
    for (const cut of ["kill", "drops-all", "keeps-all", "tears", "tears"] as const) {
      const disk = first.fork();
      const machine = new FaultyFileSystem(disk, stopAt(index), new Random(index));
      const files = openSnapshotFiles({ folder: FOLDER, fileSystem: machine, now: () => 77 });
      await untilStopped(machine, files.save(added));
      stopped = machine.stopped;
      await checkAfterCrash(disk, cut, stopped, before, added);
      unfinished++;
    }
  }
  assert.ok(unfinished > 50);
});

async function checkAfterCrash(
  disk: SimulatedDisk,
  cut: PowerCut | "kill",
  stopped: boolean,
  before: readonly Snapshot[],
  added: Snapshot,
): Promise<void> {
  const left = cut === "kill" ? disk.afterKill() : disk.afterPowerCut(cut, random);
  const files = filesOn(left);
  const sequences = (await files.list()).map(({ sequence }) => sequence);
  const newest = sequences[0] as number;
  if (!stopped) assert.equal(newest, 4);
  for (const sequence of sequences) {
    const expected = sequence === 4 ? added : before[sequence - 1];
    assertSameSnapshot(await files.load(sequence), expected as Snapshot);
  }
  assert.ok(sequences.length >= 3);
  // The next one is saved as if nothing had happened, and leftovers go.
  const later = snapshotAt(5);
  await files.save(later);
  assertSameSnapshot(await files.load(5), later);
  assert.ok([...left.names.keys()].every((path) => path.endsWith(".snapshot")));
}

test("an error at any call of save rejects, and loses nothing", async () => {
  const first = new SimulatedDisk();
  const before = await savedOn(first, [1, 2, 3]);
  const added = snapshotAt(4, scaled(1500));
  for (const code of ["EIO", "ENOSPC", "EMFILE"] as const) {
    for (let index = 0, failed = true; failed; index++) {
      const disk = first.fork();
      const plan: FaultPlan = (_operation, call) =>
        call === index ? { kind: "error", code } : null;
      const machine = new FaultyFileSystem(disk, plan, new Random(index));
      const files = openSnapshotFiles({ folder: FOLDER, fileSystem: machine, now: () => 77 });
      await files.save(added).then(
        () => {},
        (error: Error) => assert.match(error.message, /simulated/),
      );
      failed = machine.calls > index;
      await checkAfterCrash(disk, "drops-all", true, before, added);
    }
  }
});

test("a full disk keeps no part of a snapshot, and takes the next once there is room", async () => {
  const disk = new SimulatedDisk();
  const [kept] = await savedOn(disk, [10]);
  const before = [...disk.names.keys()];
  disk.capacityBytes = disk.usedBytes + 100;
  await assert.rejects(filesOn(disk).save(snapshotAt(20, 500)), /ENOSPC/);
  assert.deepEqual([...disk.names.keys()], before);
  assertSameSnapshot(await filesOn(disk).load(10), kept as Snapshot);
  disk.capacityBytes = Number.POSITIVE_INFINITY;
  const next = snapshotAt(20, 500);
  await filesOn(disk).save(next);
  assertSameSnapshot(await filesOn(disk).load(20), next);
});
