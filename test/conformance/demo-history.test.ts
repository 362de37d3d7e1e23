/**
 * Proves the history of a fresh demo: hours of candles without a gap in every market, funding and
 * commissions settled on time, a clock that ends at the present, and a journal of ordinary commands
 * in order of time whose replay gives the same state. A restart adds nothing to it, a start that
 * was killed in the middle is continued, and an empty venue or one without traders gets no history.
 */
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { existsSync, readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import test, { type TestContext } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { promisify } from "node:util";
import { ExchangeProcess, temporaryFolder } from "../support/exchange-process.ts";
import { PROGRAM } from "../support/program.ts";
import { SignedClient } from "../support/signed-client.ts";

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const PAST_MS = 6 * HOUR_MS;
const FUNDING_MS = 8 * HOUR_MS;
const SPOT_SYMBOLS = ["BTCUSDT", "ETHUSDT", "SOLUSDT", "DOGEUSDT"];
const CONTRACT_SYMBOLS = ["BTCUSDT", "ETHUSDT"];
const OUTPUT_BYTES_MAX = 64 * 1024 * 1024;
const JOURNAL_BYTES_MAX = 8 * 1024 * 1024;
/** Of the journal, in the middle of the past. */
const KILL_AT_BYTES = 1_500_000;
/** A step of the past, with the seconds that a start on a busy machine takes. */
const NEWEST_TRADE_MS = 3 * MINUTE_MS;

type Candle = readonly [openMs: number, open: string, high: string, low: string, close: string];

/** A history that is behind what was traded answers 503, on a busy machine for a while. */
async function read<Answer>({ baseUrl }: ExchangeProcess, path: string): Promise<Answer> {
  let answer = await fetch(`${baseUrl}${path}`);
  while (answer.status === 503) {
    await sleep(100);
    answer = await fetch(`${baseUrl}${path}`);
  }
  assert.equal(answer.status, 200, path);
  return (await answer.json()) as Answer;
}

/** Oldest first. */
async function candlesOf(
  exchange: ExchangeProcess,
  product: "api" | "capi",
  symbol: string,
  interval: string,
): Promise<readonly Candle[]> {
  const query = `symbol=${symbol}&interval=${interval}&limit=1000`;
  const rows = await read<Candle[]>(exchange, `/${product}/v3/market/klines?${query}`);
  return rows.sort(([one], [other]) => one - other);
}

/** Of the first candle, and of the minutes behind it that have none. */
function holesOf(candles: readonly Candle[]): { readonly beganMs: number; readonly holes: number } {
  const [first] = candles;
  const last = candles.at(-1);
  assert.ok(first !== undefined && last !== undefined, "there is no candle");
  const minutes = (last[0] - first[0]) / MINUTE_MS + 1;
  return { beganMs: first[0], holes: minutes - candles.length };
}

function journalBytes(dataFolder: string): number {
  const folder = join(dataFolder, "journal");
  if (!existsSync(folder)) return 0;
  return readdirSync(folder).reduce((sum, name) => sum + statSync(join(folder, name)).size, 0);
}

async function replay(dataFolder: string, ...flags: readonly string[]): Promise<string> {
  const args = [PROGRAM, "journal", "replay", "--data-dir", dataFolder, ...flags];
  const options = { maxBuffer: OUTPUT_BYTES_MAX };
  return (await promisify(execFile)(process.execPath, args, options)).stdout;
}

/** Whole, and of one state on every way that leads to it. */
async function assertSound(exchange: ExchangeProcess): Promise<void> {
  const { ok, violations, sequence, stateHash } = await exchange.operator.invariants();
  assert.equal(ok, true, violations.join("; "));
  const replayed = await replay(exchange.dataFolder, "--to", String(sequence), "--json");
  assert.equal(JSON.parse(replayed).stateHash, stateHash);
}

async function candlesTest(t: TestContext, exchange: ExchangeProcess): Promise<void> {
  await t.test("every minute of hours has a candle, and they end where trading is", async () => {
    const products = [
      ["api", SPOT_SYMBOLS],
      ["capi", CONTRACT_SYMBOLS],
    ] as const;
    for (const [product, symbols] of products) {
      for (const symbol of symbols) {
        const candles = await candlesOf(exchange, product, symbol, "1m");
        const { beganMs, holes } = holesOf(candles);
        assert.ok(Date.now() - beganMs > PAST_MS - MINUTE_MS, `${product} ${symbol}`);
        assert.ok(holes <= 3, `${product} ${symbol}: ${holes} minutes without a candle`);
        const [newestMs, , , , close] = candles.at(-1) as Candle;
        assert.ok(Date.now() - newestMs < NEWEST_TRADE_MS, `${product} ${symbol}`);
        const hours = await candlesOf(exchange, product, symbol, "1h");
        assert.ok(hours.length >= 6, `${product} ${symbol}: ${hours.length} hours`);
        const before = candles.at(-3) as Candle;
        const jump = Math.abs(Number(close) / Number(before[4]) - 1);
        assert.ok(jump < 0.01, `${product} ${symbol} jumped by ${jump}`);
      }
    }
  });

  await t.test("the clock is nowhere but at now", async () => {
    const { serverTime } = await read<{ serverTime: number }>(exchange, "/api/v3/time");
    assert.ok(Math.abs(serverTime - Date.now()) < MINUTE_MS);
    const status = await exchange.operator.call<{ clockOffsetMs: number }>(
      "GET",
      "/operator/v1/status",
    );
    assert.equal(status.clockOffsetMs, 0);
  });
}

interface Commission {
  readonly settledTime?: number | string;
  readonly status: string;
}

async function settledTest(t: TestContext, exchange: ExchangeProcess): Promise<void> {
  await t.test("funding and commissions were settled when they were due", async () => {
    const nowMs = Date.now();
    const slotMs = nowMs - (nowMs % FUNDING_MS);
    for (const symbol of CONTRACT_SYMBOLS) {
      const path = `/capi/v3/market/fundingRate?symbol=${symbol}`;
      const rates = await read<{ fundingTime: number }[]>(exchange, path);
      const isInside = nowMs - slotMs < PAST_MS - 5 * MINUTE_MS;
      if (isInside) assert.deepEqual([symbol, rates[0]?.fundingTime], [symbol, slotMs]);
    }
    const client = new SignedClient(exchange.port, exchange.demo[2] as never);
    const query = { startTime: nowMs - PAST_MS, endTime: nowMs - HOUR_MS, pageSize: 100 };
    const { channelCommissionInfoItems: rows } = await client.v3<{
      channelCommissionInfoItems: readonly Commission[];
    }>("/api/v3/rebate/affiliate/getAffiliateCommission", query);
    client.close();
    assert.ok(rows.length > 50, `${rows.length} commissions`);
    assert.deepEqual(new Set(rows.map(({ status }) => status)), new Set(["settled"]));
  });

  await t.test("the two people's positions have what stands beside them", async () => {
    for (const [index, side] of (["LONG", "SHORT"] as const).entries()) {
      const client = new SignedClient(exchange.port, exchange.demo[index] as never);
      const held = await client.v3<{ side: string }[]>("/capi/v3/account/position/allPosition");
      assert.deepEqual(
        held.map((position) => position.side),
        [side],
      );
      const open = await client.v3<unknown[]>("/capi/v3/openOrders");
      assert.equal(open.length, 1);
      const conditional = await client.v3<unknown[]>("/capi/v3/openAlgoOrders");
      assert.equal(conditional.length, index === 0 ? 2 : 0);
      client.close();
    }
  });
}

async function journalTest(t: TestContext, exchange: ExchangeProcess): Promise<void> {
  await t.test(
    "the journal is small, in order of time, and replays to the same state",
    async () => {
      assert.ok(journalBytes(exchange.dataFolder) < JOURNAL_BYTES_MAX);
      await assertSound(exchange);
      let lastMs = 0;
      let steps = 0;
      for (const line of (await replay(exchange.dataFolder, "--events")).split("\n")) {
        assert.ok(!line.includes('"clock-advanced"'), "nobody moved the clock");
        if (!line.includes('"command-applied"')) continue;
        const { timestampMs } = JSON.parse(line) as { timestampMs: number };
        assert.ok(timestampMs >= lastMs, `${timestampMs} after ${lastMs}`);
        if (timestampMs > lastMs) steps++;
        lastMs = timestampMs;
      }
      assert.ok(steps > PAST_MS / MINUTE_MS, `${steps} times`);
    },
  );
}

test("a fresh demo has hours behind it", async (t) => {
  const exchange = await ExchangeProcess.start({ profile: "demo" });
  t.after(() => exchange.stop());
  await candlesTest(t, exchange);
  await settledTest(t, exchange);
  await journalTest(t, exchange);

  await t.test("a restart adds nothing to it", async () => {
    const untilMs = Date.now() - 5 * MINUTE_MS;
    const past = async () =>
      (await candlesOf(exchange, "api", "BTCUSDT", "1m")).filter(([openMs]) => openMs < untilMs);
    const before = await past();
    await exchange.kill("SIGKILL");
    const bytes = journalBytes(exchange.dataFolder);
    await exchange.restart({ profile: "demo", flags: ["--market-makers", "off"] });
    assert.deepEqual(await past(), before);
    assert.ok(journalBytes(exchange.dataFolder) - bytes < 50_000, "nothing but the start itself");
    await assertSound(exchange);
  });
});

test("a start that was killed in the middle is gone on with", async (t) => {
  const folder = temporaryFolder();
  const isInTheMiddle = () => journalBytes(folder) > KILL_AT_BYTES;
  await ExchangeProcess.startAndKillWhen(isInTheMiddle, { profile: "demo" }, folder);
  const reached = JSON.parse(await replay(folder, "--json")) as { timestampMs: number };
  assert.ok(Date.now() - reached.timestampMs > HOUR_MS, "it was killed too late to prove anything");

  const exchange = await ExchangeProcess.start({ profile: "demo" }, folder);
  t.after(() => exchange.stop());
  await candlesTest(t, exchange);
  await settledTest(t, exchange);
  await assertSound(exchange);
});

test("without traders, and in an empty venue, nothing has happened", async (t) => {
  for (const options of [
    { profile: "demo", flags: ["--market-makers", "off"] },
    { profile: "empty" },
  ] as const) {
    const exchange = await ExchangeProcess.start(options);
    t.after(() => exchange.stop());
    const { sequence } = await exchange.operator.invariants();
    assert.ok(sequence < 200, `${sequence} commands`);
    await exchange.stop();
  }
});
