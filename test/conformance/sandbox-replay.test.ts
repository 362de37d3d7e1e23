/**
 * Proves `rialto replay` and the test kit's `replay` against an exchange in a process of its own:
 * an order in the queue of a recorded market fills, a recording that is wrong is refused whole, a
 * difference and an interruption end it in good order, and exchange time follows the recording.
 */
import assert from "node:assert/strict";
import { type ChildProcess, spawn } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, beforeEach, test } from "node:test";
import { type ReplayFailed, startExchange, type TestExchange } from "../../src/testing/index.ts";
import { seededRandom } from "../support/random.ts";
import { SignedClient } from "../support/signed-client.ts";
import { ROOT } from "../support/source-code.ts";
import { makeTape, NaiveTapeBook, rowText } from "../support/tape-maker.ts";

const SYMBOL = "BTCUSDT";
const folder = mkdtempSync(join(tmpdir(), "rialto-replay-"));
const rows = makeTape(seededRandom("conformance/sandbox-replay"), 400);
const tape = write("tape.csv", rows.map(rowText));
let exchange: TestExchange;

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
  const child = spawn(
    node,
    [join(ROOT, "src/cli/main.ts"), "replay", ...args, "--symbol", SYMBOL],
    {
      env: {
        ...process.env,
        RIALTO_OPERATOR_URL: exchange.operatorUrl,
        RIALTO_OPERATOR_TOKEN: exchange.operatorToken,
      },
      stdio: ["ignore", "pipe", "pipe"],
    },
  );
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

test("a wrong recording is refused with exit code 1, and nothing is applied", async () => {
  const lines = rows.map(rowText);
  lines[300] = lines[300]?.replace(/,-?1$/, ",2") ?? "";
  const path = write("wrong.csv", lines);
  const before = await statusOf();
  const { code, out, err } = await rialto(path, "--as-fast-as-possible", "--json").ended;
  assert.deepEqual([code, out], [1, ""]);
  const { error } = JSON.parse(err) as { error: Record<string, string> };
  const message = `${path}:301: direction: "2" is neither 1 nor -1`;
  assert.deepEqual(error, { code: "bad-tape", message, field: "direction" });
  const { users, openOrders } = await statusOf();
  assert.deepEqual([users, openOrders], [before.users, before.openOrders]);
  const refused = exchange.replay(path, { symbol: SYMBOL });
  await assert.rejects(refused, (failed: ReplayFailed) => failed.code === "bad-tape");
  const unlisted = exchange.replay(tape, { symbol: "XYZUSDT" });
  await assert.rejects(unlisted, (failed: ReplayFailed) => failed.code === "unknown-symbol");
});

test("the book is compared row by row; a difference names its row", async () => {
  const book = new NaiveTapeBook();
  const lines = rows.map((row) => {
    book.apply(row);
    return book.rowText();
  });
  const expect = write("book.csv", lines);
  const whole = await exchange.replay(tape, { symbol: SYMBOL, expect });
  assert.deepEqual([whole.compared, whole.firstDifference], [400, null]);
  await exchange.reset();
  lines[200] = lines[199]?.replace(/,(\d+)$/, ",1$1") ?? "";
  const wrong = write("wrong-book.csv", lines);
  const { code, out, err } = await rialto(tape, "--expect", wrong, "--as-fast-as-possible").ended;
  assert.equal(code, 1);
  assert.match(out, /^200 rows of the book compared$/m);
  assert.match(err, /wrong-book\.csv:201: (ask|bid)\d: .+ expected, .+ in the book/);
});

test("exchange time follows the recording, and can become it", async () => {
  const { time } = await statusOf();
  await exchange.setClock({ freeze: true });
  const start = Math.ceil(time / 60_000) * 60_000 + 86_400_000;
  const trades = [0, 30_000, 61_000].map((ms) => `${start + ms},${100 + ms / 1000},0.5`);
  const path = write("trades.csv", ["timestamp,price,quantity", ...trades]);
  const summary = await exchange.replay(path, { symbol: SYMBOL, tapeTime: true });
  assert.equal(summary.messages, 3);
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
