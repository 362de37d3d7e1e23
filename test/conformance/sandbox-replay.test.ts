/**
 * Proves `rialto replay` and the test kit's `replay` against an exchange in a process of its own:
 * an order in the queue of a recorded market fills, a recording that is wrong is refused whole, a
 * difference and an interruption end it in good order, exchange time follows the recording. With
 * RIALTO_WRITE_EXAMPLES=1 the examples of docs/reference/sandbox-replay.md are written anew.
 */
import assert from "node:assert/strict";
import { type ChildProcess, spawn } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, beforeEach, test } from "node:test";
import { gzipSync } from "node:zlib";
import { type ReplayFailed, startExchange, type TestExchange } from "../../src/testing/index.ts";
import { PROGRAM } from "../support/program.ts";
import { seededRandom } from "../support/random.ts";
import { checkExamples } from "../support/recorded-page.ts";
import { ROOT } from "../support/root.ts";
import { SignedClient } from "../support/signed-client.ts";
import { makeTape, NaiveTapeBook, rowText } from "../support/tape-maker.ts";

const SYMBOL = "BTCUSDT";
const folder = mkdtempSync(join(tmpdir(), "rialto-replay-"));
const rows = makeTape(seededRandom("conformance/sandbox-replay"), 400);
const tape = write("tape.csv", rows.map(rowText));
const PAGE = "docs/reference/sandbox-replay.md";
let exchange: TestExchange;
/** What the page shows. */
let shown = "";

before(async () => {
  exchange = await startExchange({ spot: [SYMBOL] });
});
beforeEach(() => exchange.reset());
after(async () => {
  await exchange.stop();
  rmSync(folder, { recursive: true, force: true });
});

function write(name: string, lines: readonly string[]): string {
  const path = join(folder, name);
  writeFileSync(path, `${lines.join("\n")}\n`);
  return path;
}

interface Depth {
  readonly bids: readonly (readonly [string, string])[];
  readonly asks: readonly (readonly [string, string])[];
}

async function depth(): Promise<Depth> {
  const url = `${exchange.url}/api/v3/market/depth?symbol=${SYMBOL}&limit=15`;
  return (await (await fetch(url)).json()) as Depth;
}

async function statusOf(): Promise<{ users: number; openOrders: number; time: number }> {
  return await exchange.operator.call("GET", "status");
}

interface Run {
  readonly child: ChildProcess;
  readonly ended: Promise<{ readonly code: number | null; out: string; err: string }>;
}

function rialto(...args: readonly string[]): Run {
  const node = join(ROOT, "node_modules/.bin/node");
  const child = spawn(node, [PROGRAM, "replay", ...args, "--symbol", SYMBOL], {
    cwd: folder,
    env: {
      ...process.env,
      RIALTO_OPERATOR_URL: exchange.operatorUrl,
      RIALTO_OPERATOR_TOKEN: exchange.operatorToken,
    },
    stdio: ["ignore", "pipe", "pipe"],
  });
  let out = "";
  let err = "";
  child.stdout?.on("data", (chunk: Buffer) => {
    out += chunk;
  });
  child.stderr?.on("data", (chunk: Buffer) => {
    err += chunk;
  });
  const ended = new Promise<{ code: number | null; out: string; err: string }>((resolve) => {
    child.once("close", (code) => resolve({ code, out, err }));
  });
  return { child, ended };
}

test("a test puts an order in the queue of a recorded market, and it fills", async () => {
  const path = write("queue.csv", [
    "34200.1,1,11,5,1000000,1",
    "34200.2,1,12,9,1000000,1",
    "34200.3,4,11,5,1000000,1",
    "34200.4,4,12,2,1000000,1",
    "34200.5,4,12,7,1000000,1",
  ]);
  const alice = await exchange.createUser({ spot: { USDT: "1000" } });
  const client = new SignedClient(Number(new URL(exchange.url).port), alice);
  const filled = async () => {
    const { body } = await client.get("/api/v3/account/");
    const rows = (body as { balances: { asset: string; free: string }[] }).balances;
    return rows.find(({ asset }) => asset === "BTC")?.free ?? "0";
  };
  const order = { symbol: SYMBOL, side: "BUY", type: "LIMIT", price: "100", quantity: "3" };
  const seen: string[] = [];
  const summary = await exchange.replay(path, {
    symbol: SYMBOL,
    at: {
      1: () => client.post("/api/v3/order", { ...order, timeInForce: "GTC" }),
      3: async () => seen.push(await filled()),
      4: async () => seen.push(await filled()),
    },
  });
  client.close();
  // Behind order 11, before order 12: two of the first execution behind it, one of the next.
  assert.equal(seen[0], "0");
  const [, second = ""] = seen;
  assert.ok(Number(second) > 1.9 && Number(second) <= 2, second);
  assert.partialDeepStrictEqual(summary, {
    messages: 5,
    testerFills: 2,
    testerQuantity: "3",
    impossible: 0,
  });
  assert.deepEqual((await depth()).bids, []);
});

/** The recording of the page: two orders are ahead of each other in one queue. */
const MARKET = [
  "34200.017,1,11,500,1000000,1",
  "34200.102,1,12,900,1000000,1",
  "34200.250,1,13,200,1003000,-1",
  "34200.731,4,11,500,1000000,1",
  "34201.008,2,12,100,1000000,1",
  "34201.400,3,13,200,1003000,-1",
];
const BOOK = [
  "9999999999,0,1000000,500",
  "9999999999,0,1000000,1400",
  "1003000,200,1000000,1400",
  "1003000,200,1000000,900",
  "1003000,200,1000000,800",
  "9999999999,0,1000000,800",
];

/** Shows a run on the page, and returns its exit code. */
async function shows(title: string, ...args: readonly string[]): Promise<number | null> {
  const { code, out, err: errors } = await rialto(...args).ended;
  // A slow machine shows its progress.
  const err = errors.replaceAll(/^(Checking the recording|Replaying): .*\n/gm, "");
  const command = `$ rialto replay ${args.join(" ")} --symbol ${SYMBOL}`;
  const text = [command, out.trimEnd(), err.trimEnd()].filter((part) => part !== "").join("\n");
  shown += `\n### ${title}\n\n\`\`\`text\n${text}\n# exit code ${code}\n\`\`\`\n`;
  return code;
}

/** A level that gains, trades and loses. */
const LEVELS = [
  "exchange,symbol,timestamp,local_timestamp,is_snapshot,side,price,amount",
  "binance,BTCUSDT,1700000000000000,1700000000004000,true,bid,100.00,8",
  "binance,BTCUSDT,1700000000000000,1700000000004000,true,ask,100.30,2",
  "binance,BTCUSDT,1700000001000000,1700000001004000,false,bid,100.00,9.5",
  "binance,BTCUSDT,1700000003000000,1700000003004000,false,bid,100.00,5",
];
const DEALS = [
  "exchange,symbol,timestamp,local_timestamp,id,side,price,amount",
  "binance,BTCUSDT,1700000002000000,1700000002003000,7120,sell,100.00,1.5",
];

async function showsLevels(fast: string): Promise<void> {
  const text = [...LEVELS, "", ...DEALS].join("\n");
  shown += `\n### A recording by levels\n\n\`\`\`text\n${text}\n\`\`\`\n`;
  write("levels.csv", LEVELS);
  write("deals.csv", DEALS);
  const args = ["levels.csv", "deals.csv", "--queue", "proportional", fast];
  assert.equal(await shows("The levels replayed", ...args), 0);
  const { asks, bids } = await depth();
  assert.deepEqual([asks, bids], [[["100.3", "2"]], [["100", "5"]]]);
  await exchange.reset();
}

test("the examples of the page: a replay, a wrong recording, a difference", async () => {
  const before = await statusOf();
  shown += `\n### A recording\n\n\`\`\`text\n${MARKET.join("\n")}\n\`\`\`\n`;
  write("market.csv", MARKET);
  write("book.csv", BOOK);
  const [, , ...rest] = MARKET;
  write("wrong.csv", [MARKET[0] ?? "", "34200.102,1,12,900,1000050,1", ...rest]);
  write("gap.csv", [...MARKET.slice(0, 4), ...MARKET.slice(5), "34201.5,3,12,800,1000000,1"]);
  write("other-book.csv", [...BOOK.slice(0, 3), BOOK[2] ?? "", ...BOOK.slice(4)]);
  const fast = "--as-fast-as-possible";
  assert.equal(await shows("A price off the market's tick", "wrong.csv", fast), 1);
  assert.equal(await shows("A row is missing", "gap.csv", fast, "--json"), 1);
  const { users, openOrders } = await statusOf();
  assert.deepEqual([users, openOrders], [before.users, before.openOrders], "nothing is applied");
  await showsLevels(fast);
  const page = readFileSync(join(ROOT, PAGE), "utf8");
  const [, block = ""] = /```sh\n([\s\S]*?)```/.exec(page) ?? [];
  const commands = [...block.matchAll(/^rialto replay (.*) --symbol BTCUSDT$/gm)];
  const [compared = [], paced = []] = commands.map(([, args = ""]) => args.split(" "));
  assert.equal(await shows("The book compared", ...compared), 0);
  assert.deepEqual((await depth()).bids, [["100", "800"]]);
  const trades = ["timestamp,price,quantity", "1700000000000,101,2", "1700000001000,101.5,1"];
  writeFileSync(join(folder, "trades.csv.gz"), gzipSync(`${trades.join("\n")}\n`));
  const played = await rialto(...paced).ended;
  assert.deepEqual([played.code, commands.length], [0, 2], played.err);
  assert.equal((JSON.parse(played.out) as { messages: number }).messages, 2);
  await exchange.reset();
  const json = [fast, "--expect", "other-book.csv", "--json"];
  assert.equal(await shows("A difference", "market.csv", ...json), 1);
  checkExamples(PAGE, shown, "test/conformance/sandbox-replay.test.ts");
});

test("the kit replays levels with a test's order in the queue, by the given rule", async () => {
  const paths = [write("levels.csv", LEVELS), write("deals.csv", DEALS)];
  const alice = await exchange.createUser({ spot: { USDT: "1000" } });
  const client = new SignedClient(Number(new URL(exchange.url).port), alice);
  const order = { symbol: SYMBOL, side: "BUY", type: "LIMIT", price: "100", quantity: "3" };
  const summary = await exchange.replay(paths, {
    symbol: SYMBOL,
    queue: "proportional",
    at: { 1: () => client.post("/api/v3/order", { ...order, timeInForce: "GTC" }) },
  });
  assert.partialDeepStrictEqual(summary, { messages: 4, testerFills: 0, crossedLevels: 0 });
  // 8 were ahead, 1.5 are traded, and of 3 off 8 lots 3 * 6.5 / 8 leave: 4.0625 are ahead now.
  const bob = await exchange.createUser({ spot: { BTC: "100" } });
  const taker = new SignedClient(Number(new URL(exchange.url).port), bob);
  await taker.post("/api/v3/order", { ...order, side: "SELL", quantity: "5", timeInForce: "IOC" });
  const { body } = await client.get("/api/v3/openOrders", { symbol: SYMBOL });
  const [{ executedQty = "" } = {}] = body as { executedQty: string }[];
  assert.equal(Number(executedQty), 0.9375);
  client.close();
  taker.close();
  await assert.rejects(
    exchange.replay(tape, { symbol: SYMBOL, queue: "pessimistic" }),
    (failed: ReplayFailed) => failed.code === "usage",
  );
});

test("the kit compares books, and rejects what cannot be replayed", async () => {
  const book = new NaiveTapeBook();
  const lines = rows.map((row) => {
    book.apply(row);
    return book.rowText();
  });
  const expect = write("recorded-book.csv", lines);
  const whole = await exchange.replay(tape, { symbol: SYMBOL, expect });
  assert.deepEqual([whole.compared, whole.firstDifference], [rows.length, null]);
  const unlisted = exchange.replay(tape, { symbol: "XYZUSDT" });
  await assert.rejects(unlisted, (failed: ReplayFailed) => failed.code === "unknown-symbol");
});

test("exchange time follows the recording, and can become it", async () => {
  const { time } = await statusOf();
  await exchange.setClock({ freeze: true });
  const start = Math.ceil(time / 60_000) * 60_000 + 86_400_000;
  const trades = [0, 30_000, 61_000].map((ms) => `${start + ms},${100 + ms / 1000},0.5`);
  const path = write("trades.csv", ["timestamp,price,quantity", ...trades]);
  const summary = await exchange.replay(path, { symbol: SYMBOL, tapeTime: true });
  assert.equal(summary.messages, 3);
  const clock = await exchange.operator.call<object>("GET", "sandbox/clock");
  // It is the last message's, and the clock is as frozen as before.
  assert.partialDeepStrictEqual(clock, { time: start + 61_000, speed: 0, run: null });
  await exchange.quiet();
  const url = `${exchange.url}/api/v3/market/klines?symbol=${SYMBOL}&interval=1m&limit=2`;
  const klines = (await (await fetch(url)).json()) as (string | number)[][];
  assert.deepEqual(
    klines.map((kline) => kline.slice(0, 6).map(String)),
    [
      [String(start), "100", "130", "100", "130", "1"],
      [String(start + 60_000), "161", "161", "161", "161", "0.5"],
    ],
  );
  const again = exchange.replay(path, { symbol: SYMBOL, tapeTime: true });
  await assert.rejects(again, /exchange time is .* already, which never goes back/);
});

test("an operator sees a replay, and ends it", async () => {
  const { ended } = rialto(tape, "--speed", "0.1", "--json");
  const { operator } = exchange;
  interface Shown {
    readonly items: readonly { uid: number; name: string; messages: number }[];
  }
  let [shown] = (await operator.call<Shown>("GET", "sandbox/replays")).items;
  while (shown === undefined || shown.messages === 0) {
    await exchange.quiet();
    [shown] = (await operator.call<Shown>("GET", "sandbox/replays")).items;
  }
  assert.equal(shown.name, "tape.csv");
  await operator.call("DELETE", `sandbox/replays/${shown.uid}`);
  const { code, out, err } = await ended;
  const { stoppedAt, messages } = JSON.parse(out) as { messages: number; stoppedAt: string };
  assert.equal(code, 1);
  assert.ok(Number(stoppedAt.replace(`${tape}:`, "")) <= messages, stoppedAt);
  assert.ok(err.includes(`"code":"stopped"`) && err.includes(stoppedAt), err);
  assert.deepEqual((await operator.call<Shown>("GET", "sandbox/replays")).items, []);
});

test("SIGINT ends a replay between two messages, and says where", async () => {
  const before = await statusOf();
  const { child, ended } = rialto(tape, "--speed", "0.1", "--json");
  while ((await statusOf()).openOrders === before.openOrders) await exchange.quiet();
  child.kill("SIGINT");
  const { code, out, err } = await ended;
  const { messages, stoppedAt } = JSON.parse(out) as { messages: number; stoppedAt: string };
  assert.equal(code, 1);
  assert.equal(stoppedAt, `${tape}:${messages}`);
  assert.ok(err.includes(`"code":"interrupted"`) && err.includes(stoppedAt), err);
  const book = new NaiveTapeBook();
  for (const row of rows.slice(0, messages)) book.apply(row);
  assert.equal((await statusOf()).openOrders, before.openOrders + book.orders.length);
  const { speed } = await exchange.operator.call<{ speed: number }>("GET", "sandbox/clock");
  assert.equal(speed, 1);
});
