/**
 * Proves that the first pass finds what is wrong with a recording, with file, line and field, in
 * each format; that nothing is applied then; and what rows of each format become.
 */
import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import test, { after } from "node:test";
import { gzipSync } from "node:zlib";
import { NODE_PLATFORM } from "../platform/index.ts";
import {
  findTapeFiles,
  openTape,
  Replayer,
  type ReplayTarget,
  TapeError,
  type TapeFormat,
} from "./index.ts";

const MARKET = { symbol: "BTCUSDT", tickSize: "0.5", stepSize: "0.01" };
const folder = mkdtempSync(join(tmpdir(), "rialto-tapes-"));
after(() => rmSync(folder, { recursive: true, force: true }));

function write(name: string, content: string | Buffer): string {
  const path = join(folder, name);
  writeFileSync(path, content);
  return path;
}

/** A target that must not be reached. */
const NOTHING: ReplayTarget = {
  begin: () => assert.fail("something was applied"),
  apply: () => assert.fail("something was applied"),
  end: () => assert.fail("something was applied"),
  clock: () => assert.fail("something was applied"),
  setClock: () => assert.fail("something was applied"),
};

async function replay(paths: readonly string[], expect: string | null = null): Promise<void> {
  const replayer = new Replayer({
    target: NOTHING,
    files: await findTapeFiles(paths, null),
    market: MARKET,
    queue: "pessimistic",
    pace: { kind: "fast" },
    tapeTime: false,
    expect,
    platform: NODE_PLATFORM,
    onProgress: () => undefined,
    isInterrupted: () => false,
  });
  await replayer.run();
}

async function problemOf(paths: readonly string[], expect: string | null = null): Promise<string> {
  try {
    await replay(paths, expect);
  } catch (error) {
    if (error instanceof TapeError) return error.message.replaceAll(`${folder}/`, "");
    throw error;
  }
  return "nothing";
}

const LOBSTER = [
  "34200.1,1,11,100,1000000,1",
  "34200.2,1,12,200,1010000,-1",
  "34200.3,2,12,50,1010000,-1",
  "34200.4,4,11,40,1000000,1",
  "34200.5,5,0,10,1005000,-1",
  "34200.6,3,11,60,1000000,1",
  "34200.7,7,0,0,-1,-1",
];
const TRADES = ["timestamp,price,quantity", "1700000000000,100,1", "1700000000500,100.5,0.25"];
const AGGREGATES = [
  "26129,100.0,1.0,27781,27781,1700000000000,true,true",
  "26130,100.5,0.5,27782,27784,1700000000100,false,true",
];
const CANDLES = [
  "timestamp,open,high,low,close,volume",
  "1700000000000,100,102,99,101,8",
  "1700000060000,101,103,100,100,0.03",
  "1700000120000,100,100,100,100,0",
];

/** A file with one line changed. */
function changed(lines: readonly string[], line: number, text: string): string {
  return `${lines.map((one, i) => (i + 1 === line ? text : one)).join("\n")}\n`;
}

const DAMAGED: readonly (readonly [
  lines: readonly string[],
  line: number,
  to: string,
  says: string,
])[] = [
  [
    LOBSTER,
    3,
    "34200.3,2,12,50,1010000",
    "x.csv:3: columns: 6 expected (LOBSTER messages), 5 found",
  ],
  [LOBSTER, 3, "34200.15,2,12,50,1010000,-1", "x.csv:3: time: 34200.15 is out of order"],
  [LOBSTER, 3, "later,2,12,50,1010000,-1", 'x.csv:3: time: "later" is not a time'],
  [LOBSTER, 3, "34200.3,8,12,50,1010000,-1", 'x.csv:3: type: "8" is not 1 to 7'],
  [LOBSTER, 3, "34200.3,2,a,50,1010000,-1", 'x.csv:3: orderId: "a" is not an order id'],
  [LOBSTER, 3, "34200.3,2,12,0,1010000,-1", 'x.csv:3: size: "0" is not a quantity above 0'],
  [LOBSTER, 3, "34200.3,2,12,1.5,1010000,-1", 'x.csv:3: size: "1.5" is not a whole number'],
  [LOBSTER, 2, "34200.2,1,12,200,1010100,-1", "x.csv:2: price: 101.0100 is not a multiple of 0.5"],
  [LOBSTER, 3, "34200.3,2,12,50,1010000,0", 'x.csv:3: direction: "0" is neither 1 nor -1'],
  [LOBSTER, 3, "34200.3,1,12,50,1010000,-1", "x.csv:3: orderId: order 12 is open already"],
  [LOBSTER, 3, "34200.3,2,12,50,1020000,-1", "x.csv:3: price: order 12 was added at 101"],
  [LOBSTER, 3, "34200.3,2,12,50,1010000,1", "x.csv:3: direction: order 12 is on the other side"],
  [LOBSTER, 4, "34200.4,4,11,400,1000000,1", "x.csv:4: size: order 11 has 100 left: rows are miss"],
  [LOBSTER, 4, "34200.4,3,12,50,1010000,-1", "x.csv:4: size: order 12 has 150 left: rows are miss"],
  [TRADES, 3, "1699999999999,100.5,0.25", "x.csv:3: timestamp: 1699999999999 is out of order"],
  [TRADES, 3, "soon,100.5,0.25", 'x.csv:3: timestamp: "soon" is not a Unix time'],
  [
    TRADES,
    3,
    "1700000000500,100.2,0.25",
    "x.csv:3: price: 100.2 is not a multiple of 0.5, the tick",
  ],
  [TRADES, 3, "1700000000500,-1,0.25", 'x.csv:3: price: "-1" is not a price above 0'],
  [TRADES, 3, "1700000000500,100.5,0.255", "x.csv:3: quantity: 0.255 is not a multiple of 0.01"],
  [TRADES, 3, "1700000000500,100.5", "x.csv:3: columns: 3 expected, 2 found"],
  [TRADES, 1, "timestamp,price,worth", "x.csv:1: quantity: the heading has no such column"],
  [AGGREGATES, 2, AGGREGATES[1]?.replace("26130", "26132") ?? "", "x.csv:2: id: a gap: 26130 exp"],
  [
    AGGREGATES,
    2,
    AGGREGATES[1]?.replace("26130", "26129") ?? "",
    "x.csv:2: id: out of order: 26130",
  ],
  [AGGREGATES, 2, AGGREGATES[1]?.replace("false", "no") ?? "", 'x.csv:2: isBuyerMaker: "no" is'],
  [CANDLES, 4, "1700000180000,100,100,100,100,0", "x.csv:4: timestamp: a gap: 1700000120000 exp"],
  [CANDLES, 3, "1700000060000,101,100.5,100,100,3", "x.csv:3: high: 100.5 is below open or close"],
  [CANDLES, 3, "1700000060000,101,103,102,100,3", "x.csv:3: low: 102 is above open or close"],
  [CANDLES, 3, "1700000060000,101,103,100,100,-3", 'x.csv:3: volume: "-3" is not a volume'],
];

test("all damage is refused with file, line and field, and nothing is applied", async () => {
  for (const [lines, line, to, says] of DAMAGED) {
    const found = await problemOf([write("x.csv", changed(lines, line, to))]);
    assert.ok(found.startsWith(says), `${to}: ${found}`);
  }
});

test("a file that is cut off is refused wherever it ends", async () => {
  for (const lines of [LOBSTER, TRADES, AGGREGATES, CANDLES]) {
    const whole = `${lines.join("\n")}\n`;
    for (
      let bytes = whole.length - (lines.at(-1) as string).length;
      bytes < whole.length;
      bytes++
    ) {
      const found = await problemOf([write("x.csv", whole.slice(0, bytes))]);
      assert.match(found, /^x\.csv:\d+: (file|columns|time|price|size|direction): /, `${bytes}`);
    }
  }
  const zipped = gzipSync(Buffer.from(`${LOBSTER.join("\n")}\n`));
  const cut = await problemOf([write("x.csv.gz", zipped.subarray(0, zipped.length - 5))]);
  assert.match(cut, /^x\.csv\.gz:\d+: file: the gzip data is damaged or cut off/);
  const json = await problemOf([write("x.json", "[[1700000000000,100,102,99,101,8],[17000000")]);
  assert.match(json, /^x\.json:2: file: the last row has no end/);
});

test("order book files: as many rows as messages, of the same columns, on the grid", async () => {
  const tape = write("x_message.csv", `${LOBSTER.slice(0, 2).join("\n")}\n`);
  const none = "9999999999,0,-9999999999,0";
  const first = `1010000,200,1000000,100,${none}`;
  const book = (name: string, rows: readonly string[]) => write(name, `${rows.join("\n")}\n`);
  const few = book("few_orderbook.csv", [first]);
  assert.match(await problemOf([tape, few]), /^few_orderbook\.csv:2: file: it has 1 rows, and /);
  const many = book("many_orderbook.csv", [first, first, first]);
  assert.match(await problemOf([tape], many), /^many_orderbook\.csv:3: file: it has more rows/);
  const odd = book("odd_orderbook.csv", [first, "1,2,3"]);
  assert.match(await problemOf([tape], odd), /^odd_orderbook\.csv:2: columns: 8 expected, 3 found/);
  const off = book("off_orderbook.csv", [first, first.replace("1010000", "1010100")]);
  assert.match(await problemOf([tape], off), /^off_orderbook\.csv:2: ask1 price: 101\.0100 is not/);
});

test("what is no recording, and what is not there", async () => {
  assert.match(await problemOf([write("e.csv", "")]), /^e\.csv: file: it is empty/);
  assert.match(
    await problemOf([write("n.csv", "a,b\n1,2\n")]),
    /^n\.csv:1: columns: no known format/,
  );
  const long = await problemOf([write("l.csv", `${TRADES[0]}\n${"1".repeat(70_000)}`)]);
  assert.match(long, /^l\.csv:2: file: a row of more than 65536 characters/);
  await assert.rejects(problemOf([join(folder, "absent.csv")]), { code: "ENOENT" });
});

interface Row {
  readonly format: TapeFormat;
  readonly rows: readonly (readonly [timeMs: number, ...texts: string[]])[];
}

async function rowsOf(path: string): Promise<Row> {
  const files = await findTapeFiles([path], null);
  const rows: [number, ...string[]][] = [];
  for await (const { steps } of openTape(files, MARKET, "pessimistic").read()) {
    for (const { timeMs, messages } of steps) {
      rows.push([timeMs, ...messages.map((message) => Object.values(message).join(" "))]);
    }
  }
  return { format: files.format, rows };
}

test("rows of each format as messages", async () => {
  const text = (lines: readonly string[]) => `${lines.join("\n")}\n`;
  assert.deepEqual(await rowsOf(write("a.csv", text(LOBSTER))), {
    format: "lobster",
    rows: [
      [34_200_100, "add 11.1 BUY 100 100"],
      [34_200_200, "add 12.2 SELL 101 200"],
      [34_200_300, "reduce 12.2 50"],
      [34_200_400, "execute 11.1 BUY 100 40"],
      [34_200_500, "hidden BUY 100.5 10"],
      [34_200_600, "remove 11.1"],
      [34_200_700],
    ],
  });
  assert.deepEqual(await rowsOf(write("b.csv", text(TRADES))), {
    format: "trades",
    rows: [
      [1_700_000_000_000, "trade BUY 100 1"],
      [1_700_000_000_500, "trade BUY 100.5 0.25"],
    ],
  });
  // As a vendor of market data writes them: microseconds, the taker's side, more columns.
  const vendor = [
    "exchange,symbol,timestamp,id,side,price,amount",
    "x,y,1700000000000123,1,sell,99.5,2",
  ];
  assert.deepEqual((await rowsOf(write("v.csv", text(vendor)))).rows, [
    [1_700_000_000_000, "trade SELL 99.5 2"],
  ]);
  assert.deepEqual(await rowsOf(write("c.csv", text(AGGREGATES))), {
    format: "agg-trades",
    rows: [
      [1_700_000_000_000, "trade SELL 100 1"],
      [1_700_000_000_100, "trade BUY 100.5 0.5"],
    ],
  });
  const candles = {
    format: "candles",
    rows: [
      [1_700_000_000_000, "trade BUY 100 2"],
      [1_700_000_000_001, "trade SELL 99 2"],
      [1_700_000_000_002, "trade BUY 102 2"],
      [1_700_000_000_003, "trade SELL 101 2"],
      [1_700_000_060_000, "trade SELL 101 0.01"],
      [1_700_000_075_000, "trade BUY 103 0.01"],
      [1_700_000_090_000, "trade SELL 100 0.01"],
    ],
  };
  assert.deepEqual(await rowsOf(write("d.csv", text(CANDLES))), candles);
  const json = `[${CANDLES.slice(1)
    .map((row) => `[${row}]`)
    .join(",\n ")}]`;
  assert.deepEqual(await rowsOf(write("d.json", json)), candles);
});
