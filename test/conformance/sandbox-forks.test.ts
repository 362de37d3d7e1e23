/**
 * Goal: a state goes elsewhere: a second exchange begins with a checkpoint, with the folder of a
 * running sandbox or with a state file, while the first goes on; keys, books, history and clock are
 * there. Method: real processes through the test kit and the command line. A damaged, cut or
 * strange file is named and leaves the folder empty, whichever byte it is.
 */
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import test from "node:test";
import { promisify } from "node:util";
import { checkState } from "../../src/app/states/state-file.ts";
import { RialtoClient } from "../../src/client/index.ts";
import { startExchange, type TestExchange, type TestUser } from "../../src/testing/index.ts";
import { temporaryFolder } from "../support/exchange-process.ts";
import { PROGRAM } from "../support/program.ts";
import { scaled, seededRandom } from "../support/random.ts";

const run = promisify(execFile);
const random = seededRandom("sandbox forks");

function clientOf(exchange: TestExchange, credentials: TestUser): RialtoClient {
  return new RialtoClient({ baseUrl: exchange.url, credentials });
}

async function rest(exchange: TestExchange, user: TestUser, price: string): Promise<void> {
  const terms = { symbol: "BTCUSDT", side: "BUY", type: "LIMIT", timeInForce: "GTC" } as const;
  await clientOf(exchange, user).spot.placeOrder({ ...terms, quantity: "0.01", price });
}

async function viewOf(exchange: TestExchange, user: TestUser) {
  const { spot } = clientOf(exchange, user);
  const symbol = "BTCUSDT";
  const [open, orders, depth] = await Promise.all([
    spot.openOrders({ symbol }),
    spot.allOrders({ symbol }),
    spot.depth({ symbol }),
  ]);
  return { open, orders, bids: depth.bids };
}

async function timeOf({ operator }: TestExchange): Promise<number> {
  return (await operator.call<{ time: number }>("GET", "sandbox/clock")).time;
}

function cli(exchange: TestExchange, ...args: string[]) {
  const flags = ["--operator-url", exchange.operatorUrl, "--token", exchange.operatorToken];
  return run(process.execPath, [PROGRAM, "sandbox", ...args, ...flags]);
}

test("forks of a checkpoint, of a running folder and of a file; the first goes on", async () => {
  await using first = await startExchange({ spot: ["BTCUSDT"] });
  const user = await first.createUser({ spot: { USDT: "100000" } });
  await rest(first, user, "50000");
  await first.advanceClock(90 * 24 * 3_600_000);
  const kept = await viewOf(first, user);
  const checkpoint = await first.checkpoint();
  const file = join(temporaryFolder(), "state.rialto");
  await cli(first, "save", file);
  assert.equal(statSync(file).mode & 0o777, 0o600);
  await assert.rejects(cli(first, "save", file), /exists: name a new file/);
  await rest(first, user, "49999");
  const later = await viewOf(first, user);

  for (const [from, view] of [
    [checkpoint, kept],
    [file, kept],
    [first.dataFolder, later],
  ] as const) {
    await using fork = await startExchange({ from });
    assert.deepEqual(await viewOf(fork, user), view);
    const aheadMs = (await timeOf(fork)) - Date.now();
    assert.ok(aheadMs > 89 * 24 * 3_600_000, "the clock goes on where it was");
    await rest(fork, user, "48000");
    await fork.restart();
    assert.equal((await viewOf(fork, user)).open.length, view.open.length + 1);
    const { ok } = await fork.operator.call<{ ok: boolean }>("GET", "invariants");
    assert.ok(ok);
    const verify = ["journal", "verify", "--replay", "--data-dir", fork.dataFolder];
    await run(process.execPath, [PROGRAM, ...verify]);
  }
  assert.deepEqual(await viewOf(first, user), later, "the first one goes on");
  const left = readdirSync(join(first.dataFolder, "checkpoints")).filter((name) =>
    name.startsWith(".save"),
  );
  assert.deepEqual(left, [], "a saved state leaves nothing behind");
});

test("a damaged file is named, and the folder stays empty", async () => {
  const file = join(temporaryFolder(), "state.rialto");
  {
    await using exchange = await startExchange({ spot: ["BTCUSDT"] });
    const user = await exchange.createUser({ spot: { USDT: "100000" } });
    await rest(exchange, user, "50000");
    await cli(exchange, "save", file);
  }
  await checkState(file, {});
  const interrupted = new AbortController();
  const check = checkState(file, { signal: interrupted.signal });
  interrupted.abort();
  await assert.rejects(check, /abort/i);
  const whole = readFileSync(file);
  const damaged: Buffer[] = [
    Buffer.alloc(0),
    Buffer.from("not a state"),
    whole.subarray(0, whole.length - 1),
    whole.subarray(0, whole.length >> 1),
    Buffer.concat([whole, Buffer.from("x")]),
  ];
  for (let i = 0; i < scaled(3); i++) {
    const flipped = Buffer.from(whole);
    const at = random.integer(0, whole.length - 1);
    flipped[at] = (flipped[at] as number) ^ (1 << random.integer(0, 7));
    damaged.push(flipped);
  }
  const bad = join(temporaryFolder(), "bad.rialto");
  for (const bytes of damaged) {
    writeFileSync(bad, bytes);
    const dataFolder = temporaryFolder();
    const start = startExchange({ from: bad, dataFolder });
    await assert.rejects(start, (error: Error) => error.message.includes(bad));
    const left = readdirSync(dataFolder).filter((name) => !name.startsWith("lock.db"));
    assert.deepEqual(left, []);
  }
  const used = temporaryFolder();
  writeFileSync(join(used, "something"), "");
  await assert.rejects(startExchange({ from: file, dataFolder: used }), /is not empty/);
  await assert.rejects(startExchange({ from: file, sandbox: false }), /add --sandbox/);
  await assert.rejects(startExchange({ from: join(used, "nothing") }), /there is no/);
});

test("the command line keeps, lists, restores and resets", async () => {
  await using exchange = await startExchange();
  const begun = await exchange.operator.call<{ stateHash: string }>("GET", "invariants");
  const { stdout } = await cli(exchange, "checkpoint", "a", "--json");
  const made = JSON.parse(stdout);
  await exchange.createUser();
  const listed = await cli(exchange, "checkpoints", "--json");
  assert.deepEqual(JSON.parse(listed.stdout), { items: [made] });
  const restored = await cli(exchange, "restore", "a", "--json");
  assert.deepEqual(JSON.parse(restored.stdout), made);
  await exchange.createUser();
  const reset = await cli(exchange, "reset", "--json");
  assert.equal(JSON.parse(reset.stdout).stateHash, begun.stateHash);
  await assert.rejects(cli(exchange, "restore", "b"), /Unknown checkpoint/);
});
