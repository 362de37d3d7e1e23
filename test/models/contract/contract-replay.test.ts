/**
 * The live state equals the replay of the journal from genesis and from every snapshot, and so do
 * the bytes of every event, with contracts: random traffic through the real sequencer, whose timers
 * and restarts are journaled, and cascades of thousands of triggers that are cut into slices, one
 * begun by a client's order and one by a timer. A state that is in the middle of a cascade goes on
 * from its snapshot as well.
 */
import assert from "node:assert/strict";
import test from "node:test";
import { sha256Hex } from "../../../src/app/event-digest.ts";
import { Replay } from "../../../src/app/replay.ts";
import type { EventChunk } from "../../../src/app/sequencer.ts";
import { Engine } from "../../../src/engine/index.ts";
import {
  ByteWriter,
  type Command,
  decodeCommand,
  type Event,
  type JournaledBatch,
  readEvents,
  type Snapshot,
} from "../../../src/protocol/index.ts";
import { HASH_KEY, OTHER_HASH_KEY } from "../../support/hash-key.ts";
import { scaled, seededRandom } from "../../support/random.ts";
import { ContractSession, typesOf } from "./contract-session.ts";
import { ContractTraffic } from "./contract-traffic.ts";
import { NaiveContractExchange } from "./naive-contract-exchange.ts";
import { BASE_TICKS, chain, chainSetup, opening, stop, TRADERS } from "./stop-chain.ts";

const random = seededRandom("contract replay");
const COMMANDS = scaled(4_000);
const SUBMISSIONS_MAX = 4;
const RESTART_CHANCE = 0.004;
const SNAPSHOTS = 25;
const START_MS = Date.UTC(2026, 6, 1, 7, 58, 30, 700);
/** Of one command. */
const STEPS = 1_000;
const CHAIN = 2_500;

function bytesOf({ chunk }: EventChunk): string {
  return Buffer.from(chunk).toString("latin1");
}

/** Replays from genesis, with snapshots on the way, and then from each of them. */
async function checkReplay(session: ContractSession, snapshotCount: number): Promise<void> {
  const batches = await session.batches();
  assert.equal(session.chunks.length, batches.length);
  const published = session.chunks.map(bytesOf);
  const marks = new Set(random.shuffle([...batches.keys()]).slice(0, snapshotCount));
  const snapshots: (readonly [next: number, snapshot: Snapshot])[] = [];
  const finish = (replay: Replay, first: number): void => {
    for (let i = first; i < batches.length; i++) {
      assert.equal(bytesOf(replay.apply(batches[i] as JournaledBatch)), published[i]);
      if (first === 0 && marks.has(i)) snapshots.push([i + 1, replay.snapshot()]);
    }
    assert.equal(replay.sequence, session.sequencer.durableSequence);
    assert.deepEqual(replay.eventDigest, session.sequencer.eventDigest);
    assert.equal(replay.engine.stateHash(), session.engine.stateHash());
  };
  finish(Replay.from(null), 0);
  assert.equal(snapshots.length, Math.min(snapshotCount, batches.length));
  for (const [next, snapshot] of snapshots) {
    const replay = Replay.from(snapshot);
    assert.deepEqual(replay.snapshot(), snapshot, "what was read is what was written");
    finish(replay, next);
  }
}

/**
 * Applies the journal command by command, and behind every one for which `isWanted` goes on with an
 * engine that was read from a snapshot, also between two slices of a cascade.
 */
async function checkSlices(
  session: ContractSession,
  isWanted: (command: Command, engine: Engine) => boolean,
): Promise<number> {
  let engine = Engine.create(sha256Hex, HASH_KEY);
  let sequence = 0;
  let restored = 0;
  for (const [i, { records, timestampMs }] of (await session.batches()).entries()) {
    const events = new ByteWriter();
    for (const record of records) {
      const command = decodeCommand(record);
      engine.apply(command, ++sequence, timestampMs, events);
      if (!isWanted(command, engine)) continue;
      restored++;
      const sections = engine.snapshotSections();
      engine = Engine.restore(sections, timestampMs, sha256Hex, OTHER_HASH_KEY);
    }
    const chunk = Buffer.from(events.toBytes()).toString("latin1");
    assert.equal(chunk, bytesOf(session.chunks[i] as EventChunk));
  }
  assert.equal(engine.stateHash(), session.engine.stateHash());
  return restored;
}

function fired(session: ContractSession): number {
  const events: Event[] = session.chunks.flatMap(({ chunk }) => [...readEvents(chunk)]);
  return events.filter(({ type }) => type === "contract-trade").length;
}

test("random traffic, with timers and restarts in the journal", async (context) => {
  const exchange = new NaiveContractExchange();
  const traffic = new ContractTraffic(random, exchange);
  const session = new ContractSession(traffic.nowMs);
  let sent = 0;
  while (sent < COMMANDS) {
    if (random.chance(RESTART_CHANCE)) {
      traffic.nowMs += random.pick([1_500, 61_000, 400_000, 1_300_000]);
      await session.restart(traffic.nowMs);
    }
    const count = random.integer(1, SUBMISSIONS_MAX);
    const commands = Array.from({ length: count }, () => traffic.next());
    session.nowMs = Math.max(session.nowMs, traffic.nowMs);
    const answers = await session.submit(...commands);
    // The reference only tells the traffic what there is to trade with.
    for (const [i, { timestampMs }] of answers.entries()) {
      exchange.advance(timestampMs, ++sent);
      exchange.carryOut(commands[i] as Command, timestampMs, sent);
    }
  }
  const counts = new Map<string, number>();
  for (const type of (await session.batches()).flatMap(typesOf)) {
    counts.set(type, (counts.get(type) ?? 0) + 1);
  }
  context.diagnostic([...counts].map(([type, count]) => `${type} ${count}`).join(", "));
  for (const type of ["advance-time", "resume", "place-contract-order", "set-index-price"]) {
    assert.ok((counts.get(type) ?? 0) > 0, `${type} was journaled`);
  }
  await checkReplay(session, SNAPSHOTS);
  const restored = await checkSlices(session, () => random.chance(0.02));
  assert.ok(restored > 0);
});

test("a client's order sets off a cascade that is cut into slices", async () => {
  const session = new ContractSession(START_MS);
  await session.must(...chainSetup());
  await session.must(...chain(CHAIN));
  const trades = fired(session);
  const [first, second] = TRADERS as [number, number];
  // Both are of one batch; the second waits for all that follows from the first.
  await session.must(
    opening(first, "LONG", BASE_TICKS + 1, "spark"),
    opening(second, "LONG", BASE_TICKS - 9, "behind"),
  );
  assert.equal(fired(session) - trades, CHAIN + 1);
  const batches = await session.batches();
  const slices = Array.from({ length: Math.ceil(CHAIN / STEPS) - 1 }, () => "continue-risk");
  const placed = "place-contract-order";
  assert.deepEqual(typesOf(batches.at(-1) as JournaledBatch), [placed, ...slices, placed]);
  await checkReplay(session, batches.length);
  let cut = 0;
  await checkSlices(session, (_, engine) => {
    if (!engine.hasUnfinishedRisk) return false;
    cut++;
    return true;
  });
  assert.equal(cut, slices.length, "a snapshot between any two slices");
});

test("a timer sets off a cascade, and goes on with the timers behind it", async () => {
  const session = new ContractSession(START_MS);
  await session.must(...chainSetup());
  await session.must(...chain(CHAIN));
  const trades = fired(session);
  const [first, second] = TRADERS as [number, number];
  // Once the book has a bid, seconds lift the mark from the index towards its middle.
  await session.must(indexAt(BASE_TICKS - 20));
  await session.must(stop(first, BASE_TICKS - 10, "MARK_PRICE"));
  await session.must(opening(second, "LONG", BASE_TICKS - 1, "bid"));
  assert.equal(fired(session), trades);
  session.nowMs += 90_000;
  await session.must({ type: "cancel-all-contract-orders", uid: second, symbol: null });
  assert.equal(fired(session) - trades, CHAIN + 1);
  const batches = await session.batches();
  const [timers, ...behind] = typesOf(batches.at(-1) as JournaledBatch);
  assert.equal(timers, "advance-time");
  assert.deepEqual(behind, ["continue-risk", "continue-risk", "cancel-all-contract-orders"]);
  const emitted = [...readEvents((session.chunks.at(-1) as EventChunk).chunk)];
  const times = emitted.flatMap((event) => (event.type === "timer-fired" ? event.timestampMs : []));
  const lastTrade = emitted.findLastIndex(({ type }) => type === "contract-trade");
  const isBehind = emitted
    .slice(lastTrade)
    .some((event) => event.type === "timer-fired" && event.timestampMs > (times[0] ?? 0));
  assert.ok(isBehind, "timers fired behind the cascade");
  await checkReplay(session, batches.length);
  let cut = 0;
  await checkSlices(session, (_, engine) => {
    if (!engine.hasUnfinishedRisk) return false;
    cut++;
    return true;
  });
  assert.equal(cut, 2, "a snapshot between any two slices");
});

function indexAt(ticks: number): Command {
  return {
    type: "set-index-price",
    actor: "operator",
    symbol: "ACOQUO",
    price: String(ticks),
    force: true,
  };
}
