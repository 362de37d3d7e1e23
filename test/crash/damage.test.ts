/**
 * Proves how the real process handles a damaged data folder: missing history is rebuilt with the
 * same answers, a damaged snapshot is skipped, and a journal that lost or changed anything
 * acknowledged is rejected, never silently shortened.
 */
import assert from "node:assert/strict";
import {
  appendFileSync,
  cpSync,
  globSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import test, { type TestContext } from "node:test";
import { ExchangeProcess, StartRefused, temporaryFolder } from "../support/exchange-process.ts";
import { type Account, listStandardMarkets, openAccount } from "../support/exchange-setup.ts";
import { scaled, seededRandom } from "../support/random.ts";
import { SignedClient } from "../support/signed-client.ts";

const ORDERS = 60;
const random = seededRandom("crash/damage");

interface Fixture {
  /** Data folder of a process that was ended in good order; copied for every damage. */
  readonly folder: string;
  readonly account: Account;
  readonly stateHash: string;
  readonly histories: string;
}

const HISTORIES = [
  "/api/v3/allOrders?symbol=BTCUSDT&limit=1000",
  "/api/v3/myTrades?symbol=BTCUSDT&limit=1000",
  "/api/v3/market/trades?symbol=BTCUSDT&limit=1000",
  "/api/v3/market/klines?symbol=BTCUSDT&interval=1m",
  "/api/v3/market/klines?symbol=BTCUSDT&interval=1h",
] as const;

async function histories(exchange: ExchangeProcess, account: Account): Promise<string> {
  const client = new SignedClient(exchange.port, account.credentials);
  const answers: string[] = [];
  for (const path of HISTORIES) {
    const answer = await client.send({ method: "GET", path });
    assert.equal(answer.status, 200, answer.text);
    answers.push(answer.text);
  }
  const bills = await client.post("/api/v3/account/bills", { limit: 100 });
  assert.equal(bills.status, 200, bills.text);
  answers.push(bills.text);
  const audit = await exchange.operator.send("GET", "/operator/v1/audit?limit=100");
  assert.equal(audit.status, 200, audit.text);
  client.close();
  return [...answers, audit.text].join("\n");
}

async function trade(account: Account): Promise<void> {
  for (let i = 0; i < ORDERS; i++) {
    await account.client.placed({
      symbol: "BTCUSDT",
      side: random.pick(["buy", "sell"]),
      orderType: "limit",
      force: random.pick(["normal", "ioc"]),
      price: `${random.integer(29_990, 30_010)}`,
      quantity: `0.0${random.integer(10, 99)}`,
      clientOrderId: `damage-${i}`,
    });
  }
}

async function prepare(): Promise<Fixture> {
  const exchange = await ExchangeProcess.start();
  await listStandardMarkets(exchange);
  const account = await openAccount(exchange, { USDT: "1000000", BTC: "50" });
  await trade(account);
  await exchange.operator.takeSnapshot();
  const stateHash = await exchange.operator.stateHash();
  const answers = await histories(exchange, account);
  account.client.close();
  await exchange.kill("SIGTERM");
  return { folder: exchange.dataFolder, account, stateHash, histories: answers };
}

/** A copy of the folder, changed by `damage`. */
function damaged(fixture: Fixture, damage: (folder: string) => void): string {
  const folder = temporaryFolder();
  cpSync(fixture.folder, folder, { recursive: true });
  damage(folder);
  return folder;
}

function filesOf(folder: string, pattern: string): string[] {
  const files = globSync(pattern, { cwd: folder }).sort();
  assert.ok(files.length > 0, `no ${pattern} in the data folder`);
  return files.map((file) => join(folder, file));
}

function flipByte(file: string, at: number): void {
  const bytes = readFileSync(file);
  bytes[at] = (bytes[at] as number) ^ (1 << random.integer(0, 7));
  writeFileSync(file, bytes);
}

/** Bytes up to the last one that is not zero: segments may be laid out in advance. */
function usedLength(file: string): number {
  const bytes = readFileSync(file);
  let end = bytes.length;
  while (end > 0 && bytes[end - 1] === 0) end--;
  return end;
}

async function assertSame(fixture: Fixture, folder: string): Promise<void> {
  const exchange = await ExchangeProcess.start({}, folder);
  try {
    assert.equal(await exchange.operator.stateHash(), fixture.stateHash);
    const { ok, violations } = await exchange.operator.invariants();
    assert.equal(ok, true, violations.join("; "));
    const now = await histories(exchange, fixture.account);
    assert.equal(withTradedCandles(now), withTradedCandles(fixture.histories));
  } finally {
    await exchange.stop();
  }
}

/** Candles after the last trade repeat its price, and their number grows while time passes. */
function withTradedCandles(text: string): string {
  return text
    .split("\n")
    .map((line) => (line.startsWith("[[") ? tradedCandles(line) : line))
    .join("\n");
}

function tradedCandles(line: string): string {
  const rows = JSON.parse(line) as readonly (readonly unknown[])[];
  return JSON.stringify(rows.filter((row) => Number(row[8]) > 0));
}

async function assertRefused(folder: string, what: string): Promise<void> {
  await assert.rejects(ExchangeProcess.start({}, folder), (error: Error) => {
    assert.ok(error instanceof StartRefused, `${what}: ${error.message}`);
    assert.notEqual(error.exit.code, 0, what);
    assert.notEqual(error.exit.code, null, `${what}: killed by ${error.exit.signal}`);
    assert.match(error.exit.output, /journal|segment|damage|corrupt/i, what);
    return true;
  });
}

async function healing(t: TestContext, fixture: Fixture): Promise<void> {
  await t.test("history that is gone is built anew, with the same answers", async () => {
    await assertSame(
      fixture,
      damaged(fixture, (folder) => {
        for (const file of filesOf(folder, "history*")) rmSync(file);
      }),
    );
  });
  await t.test("without any snapshot the journal is replayed from its beginning", async () => {
    await assertSame(
      fixture,
      damaged(fixture, (folder) => {
        for (const file of filesOf(folder, "snapshots/*")) rmSync(file);
      }),
    );
  });
  await t.test("damaged snapshots are passed over", async () => {
    await assertSame(
      fixture,
      damaged(fixture, (folder) => {
        for (const file of filesOf(folder, "snapshots/*.snapshot")) {
          flipByte(file, random.integer(0, statSync(file).size - 1));
        }
      }),
    );
  });
  await t.test("bytes after the last acknowledged record are a torn tail", async () => {
    await assertSame(
      fixture,
      damaged(fixture, (folder) => {
        const last = filesOf(folder, "journal/*.segment").at(-1) as string;
        const end = usedLength(last);
        const torn = readFileSync(last).subarray(end - 60, end - 7);
        if (statSync(last).size === end) appendFileSync(last, torn);
        else writeAt(last, end + 8, torn);
      }),
    );
  });
}

function writeAt(file: string, at: number, bytes: Buffer): void {
  const whole = readFileSync(file);
  bytes.copy(whole, at);
  writeFileSync(file, whole);
}

async function refusing(t: TestContext, fixture: Fixture): Promise<void> {
  await t.test(`${scaled(3)} changed bits in the journal are refused`, async () => {
    for (let i = 0; i < scaled(3); i++) {
      let what = "";
      const folder = damaged(fixture, (copy) => {
        const file = random.pick(filesOf(copy, "journal/*.segment"));
        const at = random.integer(0, usedLength(file) - 1);
        what = `byte ${at} of ${file}`;
        flipByte(file, at);
      });
      await assertRefused(folder, what);
    }
  });
  await t.test("an acknowledged end that is missing is refused", async () => {
    for (const cut of [1, 400]) {
      const folder = damaged(fixture, (copy) => {
        const last = filesOf(copy, "journal/*.segment").at(-1) as string;
        truncateSync(last, usedLength(last) - cut);
      });
      await assertRefused(folder, `${cut} bytes cut off`);
    }
  });
  await t.test("a missing segment is refused", async () => {
    const folder = damaged(fixture, (copy) => {
      rmSync(filesOf(copy, "journal/*.segment")[0] as string);
    });
    await assertRefused(folder, "first segment removed");
  });
}

test("a damaged data folder", async (t) => {
  const fixture = await prepare();
  await t.test("undamaged, it starts with the same state and histories", () =>
    assertSame(
      fixture,
      damaged(fixture, () => undefined),
    ),
  );
  await healing(t, fixture);
  await refusing(t, fixture);
});
