/**
 * Proves that a market which is recorded by levels is replayed as recorded: the book after each
 * message is the one that anybody keeps who reads the rows, and a user's order fills as its queue
 * says, under both rules of what leaves a queue. Recordings are made from a seed; book and queue
 * are computed from the written rows alone.
 */
import assert from "node:assert/strict";
import test from "node:test";
import { gzipSync } from "node:zlib";
import { QUEUE_RULES, type QueueRule } from "../../src/tapes/index.ts";
import {
  type LevelTape,
  makeLevelTape,
  NaiveLevelBook,
  NaiveQueue,
  type Tester,
} from "../support/level-tape-maker.ts";
import { scaled, seededRandom } from "../support/random.ts";
import { SYMBOL, TapeFixture, TestersFills } from "../support/tape-replay.ts";

const random = seededRandom("models/level-replay");
const ROWS = scaled(800);
const QUEUES = scaled(10);
const QUEUE_ROWS = 500;
const LEVELS = 5_000;

async function opened(t: { after(end: () => Promise<void>): void }): Promise<TapeFixture> {
  const fixture = await TapeFixture.open();
  t.after(() => fixture.close());
  return fixture;
}

function written(fixture: TapeFixture, { bookLines, tradeLines }: LevelTape): string[] {
  const zipped = gzipSync(`${tradeLines.join("\n")}\n`);
  return [fixture.write("book.csv", bookLines), fixture.write("trades.csv.gz", zipped)];
}

for (const queue of QUEUE_RULES) {
  test(`the book after each message is the recorded one (${queue})`, async (t) => {
    const fixture = await opened(t);
    const tape = makeLevelTape(random, ROWS, false);
    const book = new NaiveLevelBook();
    let compared = 0;
    const at = new Map<number, () => Promise<void>>();
    for (const [i, event] of tape.events.entries()) {
      if (event.kind === "trade") continue;
      at.set(i + 1, async () => {
        book.apply(event);
        const { client } = fixture.operator.exchange;
        const depth = await client.query({ type: "spot-depth", symbol: SYMBOL, levels: LEVELS });
        assert.ok(depth.ok);
        assert.deepEqual([depth.value.bids, depth.value.asks], [book.side(1), book.side(-1)]);
        compared++;
      });
    }
    const summary = await fixture.replay(written(fixture, tape), { at, queue });
    assert.partialDeepStrictEqual(summary, {
      messages: tape.events.length,
      testerFills: 0,
      impossible: 0,
      unknownOrders: 0,
      crossedLevels: 0,
    });
    assert.ok(compared > ROWS / 8, `${compared} books were compared`);
    const { ok } = await fixture.operator.call<{ ok: boolean }>("GET", "/operator/v1/invariants");
    assert.ok(ok);
  });

  test(`a user's order fills as its queue says (${queue})`, async (t) => {
    let filled = 0;
    for (let n = 0; n < QUEUES; n++) {
      const fixture = await opened(t);
      const tape = makeLevelTape(random, QUEUE_ROWS, true);
      const from = random.integer(40, 100);
      const tester = testerIn(tape, from);
      const seen = await replayWithTester(fixture, tape, from, tester, queue);
      const model = new NaiveQueue(queue, tester);
      const fills = new Map<number, number>();
      for (const [i, event] of tape.events.entries()) {
        if (i === from) model.place();
        const lots = model.apply(event);
        if (lots > 0) fills.set(i, lots);
      }
      assert.deepEqual(seen, fills, `tape ${n}, ${queue}, from ${from}`);
      filled += seen.size;
    }
    assert.ok(filled > QUEUES / 2, `${filled} messages filled orders`);
    t.diagnostic(`${QUEUES} tapes, ${filled} messages filled orders`);
  });
}

/** Among the recorded orders of one of the best levels. */
function testerIn({ events }: LevelTape, from: number): Tester {
  const book = new NaiveLevelBook();
  for (const event of events.slice(0, from)) if (event.kind === "book") book.apply(event);
  const direction = random.pick([1, -1] as const);
  const [price = ""] = random.pick(book.side(direction).slice(0, 3));
  return { direction, cents: Math.round(Number(price) * 100), size: random.integer(5, 60) };
}

/** What the tester's order filled by each message. */
async function replayWithTester(
  fixture: TapeFixture,
  tape: LevelTape,
  from: number,
  { direction, cents, size }: Tester,
  queue: QueueRule,
): Promise<Map<number, number>> {
  const tester = await TestersFills.begin(fixture);
  const seen = new Map<number, number>();
  const count = (i: number) => {
    const lots = tester.takeLots();
    if (lots > 0) seen.set(i, lots);
  };
  const place = async () => {
    const side = direction === 1 ? "BUY" : "SELL";
    await tester.place(side, (cents / 100).toFixed(2), String(size));
    assert.equal(tester.takeLots(), 0, "it rests");
  };
  const at = new Map<number, () => Promise<void>>([[from, place]]);
  for (let i = from; i < tape.events.length - 1; i++) at.set(i + 1, async () => count(i));
  const summary = await fixture.replay(written(fixture, tape), { at, queue });
  count(tape.events.length - 1);
  const all = [...seen.values()].reduce((sum, one) => sum + one, 0);
  assert.equal(summary.testerQuantity, String(all));
  return seen;
}

test("the same recording by levels gives the same state", async (t) => {
  const tape = makeLevelTape(random, 300, true);
  const hashes = [];
  for (let n = 0; n < 2; n++) {
    const fixture = await opened(t);
    await fixture.replay(written(fixture, tape), { queue: "proportional" });
    hashes.push(await fixture.operator.stateHash());
  }
  assert.equal(hashes[0], hashes[1]);
});
