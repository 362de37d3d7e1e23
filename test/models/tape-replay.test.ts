/**
 * Proves that a replayed recording is the recorded market: the book after each row is the one that
 * a plain list of orders gives, also with a user's order in it, each execution fills the order that
 * the recording names, a user's order in the queue fills when what is ahead of it is gone, and the
 * same recording gives the same state. Recordings are made from a seed.
 */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import test from "node:test";
import { gzipSync } from "node:zlib";
import { scaled, seededRandom } from "../support/random.ts";
import { LEVELS, makeTape, NaiveTapeBook, rowText, type TapeRow } from "../support/tape-maker.ts";
import { SYMBOL, TapeFixture, TestersFills } from "../support/tape-replay.ts";

const random = seededRandom("models/tape-replay");
const ROWS = scaled(1_500);
const QUEUES = scaled(12);
const QUEUE_ROWS = 250;

async function opened(t: { after(end: () => Promise<void>): void }): Promise<TapeFixture> {
  const fixture = await TapeFixture.open();
  t.after(() => fixture.close());
  return fixture;
}

function bookLines(rows: readonly TapeRow[], before: readonly TapeRow[] = []): string[] {
  const book = new NaiveTapeBook();
  for (const row of before) book.apply(row);
  return rows.map((row) => {
    book.apply(row);
    return book.rowText();
  });
}

/** The recorded order and size of each trade, in order. */
function executions({ operator }: TapeFixture): (readonly [id: string, size: number])[] {
  const names = new Map<number, string>();
  const found: (readonly [string, number])[] = [];
  for (const event of operator.exchange.events) {
    if (event.type === "spot-order-opened") names.set(event.orderId, event.clientOrderId);
    if (event.type !== "spot-trade") continue;
    const name = names.get(event.makerOrderId) ?? "";
    found.push([name.startsWith("#") ? "hidden" : (name.split(".")[0] ?? ""), event.quantityLots]);
  }
  return found;
}

/** Trades between two orders that say that they are of the same side. */
function oneSided({ operator }: TapeFixture): number[] {
  const { events } = operator.exchange;
  const sides = new Map<number, string>();
  for (const event of events) {
    const isOrder = event.type === "spot-order-opened" || event.type === "spot-order-ended";
    if (isOrder) sides.set(event.orderId, event.side);
  }
  return events.flatMap((event) => {
    if (event.type !== "spot-trade") return [];
    const { makerOrderId, takerOrderId, tradeId } = event;
    return sides.get(makerOrderId) === sides.get(takerOrderId) ? [tradeId] : [];
  });
}

test("the book after each row, and each execution against the order it names", async (t) => {
  const rows = makeTape(random, ROWS);
  const fixture = await opened(t);
  const tape = fixture.write("tape.csv", rows.map(rowText));
  const lines = bookLines(rows);
  const expect = fixture.write("book.csv", lines);
  const summary = await fixture.replay([tape], { expect });
  assert.partialDeepStrictEqual(summary, {
    messages: ROWS,
    compared: ROWS,
    firstDifference: null,
    testerFills: 0,
    impossible: 0,
    unknownOrders: 0,
    stoppedAt: null,
  });
  assert.deepEqual(
    executions(fixture),
    rows.flatMap(({ type, id, size }) =>
      type === 4 ? [[id, size]] : type === 5 ? [["hidden", size]] : [],
    ),
  );
  assert.deepEqual(oneSided(fixture), []);
  const { ok } = await fixture.operator.call<{ ok: boolean }>("GET", "/operator/v1/invariants");
  assert.ok(ok);
});

test("a difference names its row and level, and what follows is still replayed", async (t) => {
  const rows = makeTape(random, 300);
  const fixture = await opened(t);
  const tape = fixture.write("tape.csv", rows.map(rowText));
  const wrong = random.integer(150, 299);
  const lines = bookLines(rows).map((line, i) => {
    if (i + 1 < wrong) return line;
    const cells = line.split(",");
    cells[3] = String(Number(cells[3]) + 1);
    return cells.join(",");
  });
  const expect = fixture.write("book.csv", lines);
  const { compared, firstDifference, messages } = await fixture.replay([tape], { expect });
  assert.deepEqual([compared, messages], [wrong - 1, 300]);
  assert.partialDeepStrictEqual(firstDifference, { file: expect, row: wrong, level: "bid1" });
});

test("the same recording on the same state gives the same state, also with gzip", async (t) => {
  const rows = makeTape(random, 400);
  const bytes = Buffer.from(`${rows.map(rowText).join("\n")}\n`);
  const hashes = await Promise.all(
    [bytes, bytes, gzipSync(bytes)].map(async (file) => {
      const fixture = await opened(t);
      await fixture.replay([fixture.write("tape.csv", file)]);
      return fixture.operator.stateHash();
    }),
  );
  assert.equal(new Set(hashes).size, 1);
});

test("a recording that begins in the middle: from its order book, or counted", async (t) => {
  const all = makeTape(random, 900);
  const [before, rows] = [all.slice(0, 500), all.slice(500)];
  const lines = bookLines(rows, before);
  const fixture = await opened(t);
  const tape = fixture.write("late_message.csv", rows.map(rowText));
  const book = fixture.write("late_orderbook.csv", lines);
  const whole = await fixture.replay([tape, book], { expect: book });
  assert.deepEqual([whole.compared, whole.firstDifference], [rows.length, null]);

  const alone = await opened(t);
  const known = new Set<string>();
  let unknown = 0;
  for (const { type, id } of rows) {
    if (type === 1) known.add(id);
    else if (type < 5 && !known.has(id)) unknown++;
  }
  const summary = await alone.replay([alone.write("tape.csv", rows.map(rowText))]);
  assert.deepEqual([summary.unknownOrders, summary.messages], [unknown, rows.length]);
  assert.ok(unknown > 0);
});

interface Tester {
  readonly direction: 1 | -1;
  readonly cents: number;
  readonly size: number;
}

/** Row by row what the tester's order fills, from who is ahead of it alone. */
function fillsOf(rows: readonly TapeRow[], from: number, tester: Tester): Map<number, number> {
  const book = new NaiveTapeBook();
  for (const row of rows.slice(0, from)) book.apply(row);
  const { direction, cents } = tester;
  const ahead = new Set(book.orders.filter((one) => one.cents === cents).map(({ id }) => id));
  const fills = new Map<number, number>();
  let left = tester.size;
  for (const [i, row] of rows.slice(from).entries()) {
    const worse = (cents - row.cents) * direction;
    const isTaken = row.type === 4 || row.type === 5;
    const isReached =
      row.direction === direction
        ? isTaken && (worse > 0 || (worse === 0 && !ahead.has(row.id)))
        : row.type === 1 && worse >= 0;
    const filled = isReached ? Math.min(left, row.size) : 0;
    if (filled > 0) fills.set(from + i, filled);
    left -= filled;
  }
  return fills;
}

test("a user's order fills exactly when what is ahead of it is gone", async (t) => {
  let filled = 0;
  for (let n = 0; n < QUEUES; n++) {
    const fixture = await opened(t);
    const rows = makeTape(random, QUEUE_ROWS);
    const from = random.integer(60, 150);
    const book = new NaiveTapeBook();
    for (const row of rows.slice(0, from)) book.apply(row);
    const direction = random.pick([1, -1] as const);
    const [cents = 0] = random.pick(book.side(direction).slice(0, 3));
    const tester = { direction, cents, size: random.integer(5, 60) };
    const seen = await replayWithTester(fixture, rows, from, tester);
    assert.deepEqual(seen, fillsOf(rows, from, tester), `tape ${n}, from ${from}`);
    filled += seen.size;
  }
  assert.ok(filled > QUEUES / 2, "orders were filled");
});

async function replayWithTester(
  fixture: TapeFixture,
  rows: readonly TapeRow[],
  from: number,
  { direction, cents, size }: Tester,
): Promise<Map<number, number>> {
  const tester = await TestersFills.begin(fixture);
  const seen = new Map<number, number>();
  const count = (row: number) => {
    const lots = tester.takeLots();
    if (lots > 0) seen.set(row, (seen.get(row) ?? 0) + lots);
  };
  const place = async () => {
    const side = direction === 1 ? "BUY" : "SELL";
    await tester.place(side, (cents / 100).toFixed(2), String(size));
    count(from);
  };
  const at = new Map<number, () => Promise<void>>([[from, place]]);
  for (let row = from + 1; row <= rows.length; row++) at.set(row, async () => count(row - 1));
  const expect = fixture.write("book.csv", bookLines(rows));
  const tape = fixture.write("tape.csv", rows.map(rowText));
  const summary = await fixture.replay([tape], { at, expect });
  count(rows.length - 1);
  // The user's order is no difference, and no fill in a recorded order's place is one.
  const first = [...seen.keys()].find((row) => rows[row]?.type === 1);
  assert.ok(summary.compared >= (first ?? rows.length), `${summary.compared} rows were compared`);
  assert.equal(
    summary.testerQuantity,
    String([...seen.values()].reduce((sum, one) => sum + one, 0)),
  );
  const { ok } = await fixture.operator.call<{ ok: boolean }>("GET", "/operator/v1/invariants");
  assert.ok(ok);
  return seen;
}

test("what a user took is missing later, and is said", async (t) => {
  const fixture = await opened(t);
  const rows = [
    ["34200.1", 1, "1", 10, 1_000_000, -1],
    ["34200.2", 1, "2", 20, 1_010_000, -1],
    ["34200.3", 4, "1", 10, 1_000_000, -1],
    ["34200.4", 2, "2", 5, 1_010_000, -1],
    ["34200.5", 3, "2", 15, 1_010_000, -1],
  ];
  const tape = fixture.write(
    "tape.csv",
    rows.map((row) => row.join(",")),
  );
  const { client } = fixture.operator.exchange;
  const at = new Map([
    [
      2,
      async () => {
        await fixture.operator.call("POST", "/operator/v1/users", { uid: 7 });
        const body = { id: "d", account: "spot", asset: "USDT", amount: "100000" };
        await fixture.operator.call("POST", "/operator/v1/users/7/deposits", body);
        const side = { side: "BUY", orderType: "LIMIT", timeInForce: "IOC" } as const;
        const terms = { price: "101", quantity: "27", quantityUnit: "base" } as const;
        const order = { uid: 7, symbol: SYMBOL, ...side, ...terms, clientOrderId: "take" };
        assert.ok((await client.execute({ type: "place-spot-order", ...order })).ok);
      },
    ],
  ]);
  const summary = await fixture.replay([tape], { at });
  // All of 1 and 17 of 2 are gone: 3 are left, of which the recording cancels 5, then the rest.
  assert.deepEqual(
    summary.impossibleAt.map((place) => place.replace(`${tape}:`, "")),
    ["3: order-not-found", "4: order-not-found", "5: order-not-found"],
  );
  assert.partialDeepStrictEqual(summary, { testerFills: 2, testerQuantity: "27", impossible: 3 });
  const depth = await client.query({ type: "spot-depth", symbol: SYMBOL, levels: LEVELS });
  assert.ok(depth.ok && depth.value.asks.length === 0);
  assert.ok(readFileSync(tape).length > 0);
});
