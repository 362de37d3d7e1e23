/**
 * Proves recordings by levels, row by row: what rows of both formats become, how trades and the
 * book are merged in time, who leaves a queue under each rule, what is left out of a recording that
 * contradicts itself, and that damage is refused with file, line and field.
 */
import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import test, { after } from "node:test";
import { gzipSync } from "node:zlib";
import { findTapeFiles, openTape, type QueueRule, TapeError, type TapeFormat } from "./index.ts";
import { LevelBook } from "./level-book.ts";
import { MarketGrid } from "./market-grid.ts";

const MARKET = { symbol: "BTCUSDT", tickSize: "0.5", stepSize: "0.01" };
const folder = mkdtempSync(join(tmpdir(), "rialto-tapes-"));
after(() => rmSync(folder, { recursive: true, force: true }));

function write(name: string, lines: readonly string[]): string {
  const path = join(folder, name);
  const text = `${lines.join("\n")}\n`;
  writeFileSync(path, name.endsWith(".gz") ? gzipSync(text) : text);
  return path;
}

interface Read {
  readonly format: TapeFormat;
  readonly crossedLevels: number;
  /** File and line, time, and the messages. */
  readonly steps: readonly (readonly [place: string, timeMs: number, ...messages: string[]])[];
}

async function read(paths: readonly string[], rule: QueueRule = "pessimistic"): Promise<Read> {
  const files = await findTapeFiles(paths, null);
  const tape = openTape(files, MARKET, rule);
  const read: [string, number, ...string[]][] = [];
  for await (const { path, steps } of tape.read()) {
    for (const { timeMs, messages, line } of steps) {
      const texts = messages.map((message) => Object.values(message).join(" "));
      read.push([`${path.slice(folder.length + 1)}:${line}`, timeMs - START_MS, ...texts]);
    }
  }
  return { format: files.format, crossedLevels: tape.crossedLevels, steps: read };
}

async function problemOf(...paths: readonly string[]): Promise<string> {
  try {
    await read(paths);
  } catch (error) {
    if (error instanceof TapeError) return error.message.replaceAll(`${folder}/`, "");
    throw error;
  }
  return "nothing";
}

const START_MS = 1_700_000_000_000;
const LEVEL_2 = "exchange,symbol,timestamp,local_timestamp,is_snapshot,side,price,amount";
const TRADES = "exchange,symbol,timestamp,local_timestamp,id,side,price,amount";
const AGGREGATES =
  "agg_trade_id,price,quantity,first_trade_id,last_trade_id,transact_time,is_buyer_maker";
const DEPTH = "timestamp,percentage,depth,notional";

/** Both clocks in microseconds, the second one a little later. */
const at = (ms: number) => `x,BTCUSDT,${START_MS + ms}000,${START_MS + ms}900`;
const level = (ms: number, side: string, price: string, amount: string, isSnapshot = false) =>
  `${at(ms)},${isSnapshot},${side},${price},${amount}`;

const BOOK = [
  LEVEL_2,
  level(0, "bid", "99", "1"),
  level(1, "bid", "100", "2", true),
  level(1, "ask", "101", "3.00", true),
  level(5, "bid", "100", "2.5"),
  level(5, "ask", "101.5", "1"),
  level(9, "bid", "100", "1.5"),
  level(20, "ask", "101", "0"),
];
const DEALS = [
  TRADES,
  `${at(5)},a-1,sell,100,0.5`,
  `${at(9)},a-2,buy,101,3.2`,
  `${at(30)},,unknown,101.5,0.1`,
];

test("level-2 rows are messages, and trades come before the book that has them", async () => {
  const tape = await read([write("t.csv.gz", DEALS), write("b.csv", BOOK)]);
  assert.deepEqual(tape, {
    format: "level-2",
    crossedLevels: 0,
    steps: [
      // Before the first snapshot nothing is known of the book.
      ["b.csv:2", 0],
      ["b.csv:4", 1, "add 1 BUY 100 2", "add 2 SELL 101 3"],
      ["t.csv.gz:2", 5, "execute 1 BUY 100 0.5"],
      ["b.csv:6", 5, "add 3 BUY 100 1", "add 4 SELL 101.5 1"],
      ["t.csv.gz:3", 9, "execute 2 SELL 101 3", "hidden BUY 101 0.2"],
      // No trade explains it: from the end of the queue.
      ["b.csv:7", 9, "remove 3"],
      ["b.csv:8", 20],
      ["t.csv.gz:4", 30, "execute 4 SELL 101.5 0.1"],
    ],
  });
  const spread = await read([write("t.csv", DEALS), write("b.csv", BOOK)], "proportional");
  assert.deepEqual(spread.steps[5], ["b.csv:7", 9, "reduce 1 0.6", "reduce 3 0.4"]);
  const alone = await read([write("b.csv", BOOK)]);
  assert.equal(alone.steps.length, 5);
});

test("a snapshot is the whole book, and keeps the queues of levels that are in it", async () => {
  const book = [
    ...BOOK,
    level(40, "bid", "100", "2", true),
    level(40, "bid", "98", "1", true),
    level(41, "ask", "102", "1", true),
    level(50, "bid", "98", "0"),
  ];
  const { steps } = await read([write("b.csv", book)]);
  assert.deepEqual(steps.slice(-2), [
    ["b.csv:11", 41, "remove 4", "add 5 BUY 100 0.5", "add 6 BUY 98 1", "add 7 SELL 102 1"],
    ["b.csv:12", 50, "remove 6"],
  ]);
});

test("of two levels that cross the later one is there, and the other is counted", async () => {
  const book = [...BOOK, level(40, "bid", "102", "1"), level(41, "ask", "100", "1")];
  const { crossedLevels, steps } = await read([write("b.csv", book)]);
  assert.deepEqual(steps.slice(-2), [
    ["b.csv:9", 40, "remove 4", "add 5 BUY 102 1"],
    ["b.csv:10", 41, "remove 5", "remove 1", "add 6 SELL 100 1"],
  ]);
  assert.equal(crossedLevels, 3);
});

test("bands of depth are levels at their average price, within the last trade", async () => {
  const time = (ms: number) => new Date(START_MS + ms).toISOString().replace("T", " ").slice(0, 19);
  const depth = [
    DEPTH,
    // 2 at 99 and 4 more for 393.2; 1 at 101.2 and nothing, then 2 more at 103.
    `${time(1_000)},-1,2.00000000,198.00000000`,
    `${time(1_000)},-2,6.00000000,591.20000000`,
    `${time(1_000)},1.00,1,101.2`,
    `${time(1_000)},2.00,1,101.2`,
    `${time(1_000)},3.00,3,307.2`,
    `${time(31_000)},-1,2,197`,
    `${time(31_000)},1,1,101.2`,
  ];
  const trades = [
    AGGREGATES,
    `7,100,0.5,1,1,${START_MS + 500},true`,
    `8,98.5,0.5,2,2,${START_MS + 30_500},true`,
  ];
  const tape = await read([write("d.csv", depth), write("a.csv", trades)]);
  assert.deepEqual(tape, {
    format: "book-depth",
    crossedLevels: 0,
    steps: [
      ["a.csv:2", 500, "hidden SELL 100 0.5"],
      [
        "d.csv:6",
        1_000,
        ...["add 1 BUY 99 2", "add 2 BUY 98 4", "add 3 SELL 101.5 1"],
        "add 4 SELL 103 2",
      ],
      ["a.csv:3", 30_500, "hidden SELL 98.5 0.5"],
      ["d.csv:8", 31_000, "remove 2", "remove 1", "remove 4", "add 5 BUY 98.5 2"],
    ],
  });
  const beyond = [...trades, `9,98,0.5,3,3,${START_MS + 30_900},true`];
  const left = await read([write("d.csv", depth), write("a.csv", beyond)]);
  assert.equal(left.crossedLevels, 1);
});

test("who is ahead loses by the rule, exactly, and queues are bounded", () => {
  const grid = new MarketGrid(MARKET);
  const book = new LevelBook(grid, "proportional");
  const set = (lots: number) => book.apply([{ side: "BUY", ticks: 200, lots }]);
  set(7);
  set(10);
  set(31);
  // 20 of 31: floor(20 * 7 / 31) = 4 and floor(20 * 10 / 31) = 6 in all.
  assert.deepEqual(set(11), [
    { kind: "reduce", id: "1", quantity: "0.04" },
    { kind: "reduce", id: "2", quantity: "0.02" },
    { kind: "reduce", id: "3", quantity: "0.14" },
  ]);
  const long = new LevelBook(grid, "pessimistic");
  const messages = Array.from({ length: 300 }, (_, i) => {
    return long.apply([{ side: "SELL", ticks: 9, lots: i + 1 }]).map(({ kind }) => kind);
  });
  assert.deepEqual(messages[255], ["add"]);
  assert.deepEqual(messages[256], ["remove", "add"]);
  assert.deepEqual(
    long.apply([{ side: "SELL", ticks: 9, lots: 0 }]).map(({ kind }) => kind),
    Array(256).fill("remove"),
  );
});

const DEPTHS = [DEPTH, "2023-11-14 22:13:20,-1,2,198", "2023-11-14 22:13:20,1,1,101"];

const DAMAGED: readonly (readonly [
  lines: readonly string[],
  line: number,
  to: string,
  says: string,
])[] = [
  [BOOK, 5, level(5, "bid", "100", "2.5").replace("false", "no"), 'isSnapshot: "no" is neither'],
  [BOOK, 5, level(5, "buy", "100", "2.5"), 'side: "buy" is neither bid nor ask'],
  [BOOK, 5, level(5, "bid", "100.2", "2.5"), "price: 100.2 is not a multiple of 0.5, the tick"],
  [BOOK, 5, level(5, "bid", "0", "2.5"), 'price: "0" is not a price above 0'],
  [BOOK, 5, level(5, "bid", "100", "2.555"), "amount: 2.555 is not a multiple of 0.01, the step"],
  [BOOK, 5, level(5, "bid", "100", "-1"), 'amount: "-1" is not a quantity above 0'],
  [BOOK, 5, level(0, "bid", "100", "1"), "localTimestamp: 1700000000000900 is out of order"],
  [BOOK, 5, `x,y,soon,${START_MS}900,false,bid,100,1`, 'timestamp: "soon" is not a Unix time'],
  [BOOK, 5, `x,y,${START_MS}000,later,false,bid,100,1`, 'localTimestamp: "later" is not a Unix'],
  [BOOK, 5, "x,y", "columns: 8 expected, 2 found"],
  [BOOK, 1, LEVEL_2.replace("amount", "size"), "amount: the heading has no such column"],
  [DEPTHS, 3, "2023-11-14 22:13:19,1,1,101", "timestamp: 2023-11-14 22:13:19 is out of order"],
  [DEPTHS, 3, "2023-11-14 22:13:20,0,1,101", 'percentage: "0" is not a distance from the mid'],
  [DEPTHS, 3, "2023-11-14 22:13:20,-1,2,198", "percentage: -1 is there twice"],
  [DEPTHS, 3, "2023-11-14 22:13:20,-2,1,198", "depth: of -2 and -1 the wider band has less"],
  [DEPTHS, 3, "2023-11-14 22:13:20,-2,3,97", "notional: of -2 and -1 the wider band has less"],
  [DEPTHS, 3, "2023-11-14 22:13:20,1,1.001,101", "depth: 1.001 is not a multiple of 0.01"],
  [DEPTHS, 3, "2023-11-14 22:13:20,1,0,101", 'notional: "101" is not the value of a depth of 0'],
  [DEPTHS, 3, "2023-11-14 22:13:20,1,1,x", 'notional: "x" is not the value of a depth of 1'],
];

test("damage is refused with file, line and field", async () => {
  for (const [lines, line, to, says] of DAMAGED) {
    const changed = lines.map((one, i) => (i + 1 === line ? to : one));
    const found = await problemOf(write("x.csv", changed));
    assert.ok(found.startsWith(`x.csv:${line}: ${says}`), `${to}: ${found}`);
  }
  const deals = write("t.csv", [...DEALS, `${at(29)},1,buy,101,1`]);
  const late = await problemOf(write("b.csv", BOOK), deals);
  assert.match(late, /^t\.csv:5: localTimestamp: \d+ is out of order/);
  const none = BOOK.filter((row) => !row.includes("true"));
  assert.match(await problemOf(write("b.csv", none)), /^b\.csv: isSnapshot: no row is of a snap/);
  const mixed = await problemOf(write("b.csv", BOOK), write("d.csv", DEPTHS));
  assert.match(mixed, /^d\.csv:1: columns: neither of format level-2 nor trades/);
});

test("days follow each other, each with its heading", async () => {
  const days = [0, 86_400_000].map((ms) => [
    LEVEL_2,
    level(ms, "bid", "100", "2", true),
    level(ms + 5, "bid", "100", "1"),
  ]);
  const paths = days.map((lines, i) => write(`day-${i}.csv`, lines));
  const { steps } = await read(paths);
  assert.deepEqual(
    steps.map(([place, , ...messages]) => [place, ...messages]),
    [
      ["day-0.csv:2", "add 1 BUY 100 2"],
      ["day-0.csv:3", "reduce 1 1"],
      ["day-1.csv:2", "add 2 BUY 100 1"],
      ["day-1.csv:3", "remove 2"],
    ],
  );
});
