/**
 * The live state equals the replay of its journal from genesis and from every snapshot, and so do
 * the bytes of every event. The journal is written by the real sequencer under concurrent traffic;
 * damage to it or to a snapshot is found, never replayed.
 */
import assert from "node:assert/strict";
import test, { before } from "node:test";
import { pino } from "pino";
import { INITIAL_EVENT_DIGEST } from "../../src/app/event-digest.ts";
import { MissingCommands, recover } from "../../src/app/recovery.ts";
import { Replay, ReplayDivergence } from "../../src/app/replay.ts";
import type { EventChunk } from "../../src/app/sequencer.ts";
import {
  encodeCommand,
  type JournaledBatch,
  RecordRun,
  type Snapshot,
  type SnapshotStore,
} from "../../src/protocol/index.ts";
import { scaled, seededRandom } from "../support/random.ts";
import { BusyExchange } from "./busy-exchange.ts";

const random = seededRandom("replay");
const COMMANDS = Math.max(10_200, scaled(12_000));
const SNAPSHOTS = 40;
/** A digest stands in the journal at every multiple of this. */
const DIGEST_INTERVAL = 10_000;

const live = new BusyExchange(random);
const batches: JournaledBatch[] = [];
const snapshots: Snapshot[] = [];

before(async () => {
  await live.runTo(COMMANDS);
  for await (const batch of live.journal.read(1)) batches.push(batch);
});

function bytesOf(chunk: EventChunk): string {
  return Buffer.from(chunk.chunk).toString("latin1");
}

function assertArrived(replay: Replay): void {
  assert.equal(replay.sequence, live.sequencer.durableSequence);
  assert.equal(replay.engine.stateHash(), live.engine.stateHash());
  assert.deepEqual(replay.eventDigest, live.sequencer.eventDigest);
}

test("from genesis: the same events and the same state", () => {
  const replay = Replay.from(null);
  assert.deepEqual(replay.eventDigest, INITIAL_EVENT_DIGEST);
  const marks = new Set(random.shuffle([...batches.keys()]).slice(0, SNAPSHOTS));
  for (const [i, batch] of batches.entries()) {
    const chunk = replay.apply(batch);
    const published = live.chunks[i];
    assert.ok(published !== undefined);
    assert.equal(bytesOf(chunk), bytesOf(published));
    assert.equal(chunk.lastSequence, published.lastSequence);
    if (marks.has(i)) snapshots.push(replay.snapshot());
  }
  assert.equal(live.chunks.length, batches.length);
  assertArrived(replay);
});

test("from every snapshot: the same events and the same state", () => {
  assert.equal(snapshots.length, SNAPSHOTS);
  for (const snapshot of snapshots) {
    const replay = Replay.from(snapshot);
    assert.deepEqual(replay.snapshot(), snapshot, "what was read is what was written");
    const first = batches.findIndex((batch) => batch.firstSequence === snapshot.sequence + 1);
    if (first < 0) continue;
    for (let i = first; i < batches.length; i++) {
      const published = live.chunks[i] as EventChunk;
      assert.equal(bytesOf(replay.apply(batches[i] as JournaledBatch)), bytesOf(published));
    }
    assertArrived(replay);
  }
});

test("recovery takes the newest snapshot of the journal and replays the rest", async () => {
  const [older, newer] = snapshots.slice(-2) as [Snapshot, Snapshot];
  const foreign = { ...newer, chainHash: new Uint8Array(32) };
  const otherState = { ...newer, stateHash: "0".repeat(64) };
  const ahead = { ...newer, timestampMs: newer.timestampMs + 1 };
  const unreadable = { ...older, sections: [] };
  const cases: readonly (readonly [Snapshot[], number])[] = [
    [[], 0],
    [[older, newer], newer.sequence],
    [[older, foreign], older.sequence],
    [[older, otherState], older.sequence],
    [[older, ahead], older.sequence],
    [[unreadable, otherState], 0],
  ];
  for (const [stored, start] of cases) {
    const seen: EventChunk[] = [];
    const replay = await recover({
      journal: live.journal,
      snapshots: storeOf(stored),
      log: pino({ level: "silent" }),
      showProgress: false,
      onEvents: async ({ chunk, lastSequence, timestampMs }) => {
        seen.push({ chunk, lastSequence, timestampMs });
      },
    });
    assertArrived(replay);
    const expected = live.chunks.filter(({ lastSequence }) => lastSequence > start);
    assert.deepEqual(seen.map(bytesOf), expected.map(bytesOf));
  }
});

test("events of a batch are there until the next one, and not mistaken for its", () => {
  const replay = Replay.from(null);
  const events = replay.apply(batches[0] as JournaledBatch);
  assert.equal(bytesOf(events), bytesOf(live.chunks[0] as EventChunk));
  assert.equal(bytesOf(events), bytesOf(live.chunks[0] as EventChunk));
  replay.apply(batches[1] as JournaledBatch);
  assert.throws(() => events.chunk, /read before the next batch/);
});

test("a snapshot ahead of the journal shows that acknowledged commands are gone", async () => {
  const newest = snapshots.at(-1) as Snapshot;
  const ahead = { ...newest, sequence: live.journal.lastSequence + 1 };
  const recovery = recover({
    journal: live.journal,
    snapshots: storeOf([newest, ahead]),
    log: pino({ level: "silent" }),
    showProgress: false,
    onEvents: () => Promise.resolve(),
  });
  await assert.rejects(recovery, MissingCommands);
});

function storeOf(stored: readonly Snapshot[]): SnapshotStore {
  const newestFirst = stored.toSorted((one, other) => other.sequence - one.sequence);
  return {
    list: async () => newestFirst.map(({ sequence }) => ({ sequence, createdMs: 0 })),
    load: async (sequence) => newestFirst.find((one) => one.sequence === sequence) ?? null,
    save: async () => {},
  };
}

/** Replays with one batch replaced; the message of the divergence. */
function divergence(index: number, change: (batch: JournaledBatch) => JournaledBatch): string {
  const replay = Replay.from(null);
  try {
    for (const [i, batch] of batches.entries()) replay.apply(i === index ? change(batch) : batch);
  } catch (error) {
    if (error instanceof ReplayDivergence) return error.message;
    throw error;
  }
  return "none";
}

test("a journal that does not lead to its events is refused, with the sequence", () => {
  const digestAt = batches.findIndex(({ eventDigest }) => eventDigest !== null);
  const last = (batch: JournaledBatch) => batch.firstSequence + batch.records.length - 1;
  const digested = batches[digestAt];
  assert.ok(digested !== undefined && last(digested) >= DIGEST_INTERVAL);
  assert.ok(digested.firstSequence <= DIGEST_INTERVAL);
  const place = new RegExp(`up to sequence ${last(digested)} `);
  const otherDigest = new Uint8Array(32).fill(7);
  assert.match(
    divergence(digestAt, (batch) => ({ ...batch, eventDigest: otherDigest })),
    place,
  );
  // Another time shows in every event of the batch.
  const later = batches.findIndex(
    ({ timestampMs }, i) => timestampMs < (batches[i + 1]?.timestampMs ?? timestampMs),
  );
  const late = (batch: JournaledBatch) => ({ ...batch, timestampMs: batch.timestampMs + 1 });
  assert.match(divergence(later, late), place);
  const alone = (record: Uint8Array) => new RecordRun(record, Uint32Array.of(0, record.length));
  const nothing = encodeCommand({ type: "adopt-rules", version: 0 });
  const changedNothing = divergence(9, (batch) => ({ ...batch, records: alone(nothing) }));
  assert.match(changedNothing, /^command \d+ \(adopt-rules\) .* changed nothing now$/);
  const refused = encodeCommand({ type: "cancel-all-spot-orders", uid: 5, symbol: "X" });
  const message = divergence(9, (batch) => ({ ...batch, records: alone(refused) }));
  assert.match(message, /was refused \(unknown-user\) now$/);
  const gap = (batch: JournaledBatch) => ({ ...batch, firstSequence: batch.firstSequence + 1 });
  assert.match(divergence(4, gap), /^the journal goes on at \d+ after sequence \d+$/);
});

test("a snapshot whose parts were changed is refused, or is the same state after all", () => {
  const snapshot = snapshots.at(-1) as Snapshot;
  let refusals = 0;
  for (const [i, { name, bytes }] of snapshot.sections.entries()) {
    if (bytes.length === 0) continue;
    const changed = bytes.slice();
    const at = random.integer(0, bytes.length - 1);
    changed[at] = (changed[at] as number) ^ (1 << random.integer(0, 7));
    const sections = snapshot.sections.with(i, { name, bytes: changed });
    try {
      assert.deepEqual(Replay.from({ ...snapshot, sections }).snapshot(), snapshot);
    } catch (error) {
      assert.ok(!(error instanceof assert.AssertionError), `${name} at ${at}`);
      refusals++;
    }
    const without = snapshot.sections.filter((section) => section.name !== name);
    assert.throws(() => Replay.from({ ...snapshot, sections: without }), name);
  }
  assert.ok(refusals > 0);
});
