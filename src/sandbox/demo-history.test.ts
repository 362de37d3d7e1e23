/**
 * Proves how the demo's history is traded, on the real engine with a test clock: in every market
 * and every minute up to the end, never back in time, only when the history store has drained, with
 * invitees among the takers, and identically each time.
 */
import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import test, { type TestContext } from "node:test";
import { DirectExchange } from "../../test/support/direct-exchange.ts";
import { accept } from "../domain/index.ts";
import { RULES_VERSION } from "../engine/index.ts";
import { NODE_PLATFORM } from "../platform/index.ts";
import { type Event, readEvents } from "../protocol/index.ts";
import { tradeHistory } from "./demo-history.ts";
import { DEMO_MARKETS } from "./demo-profile.ts";
import { type DemoKeys, seedDemo } from "./seed-demo.ts";

const MINUTE_MS = 60_000;
const LENGTH_MS = 90 * MINUTE_MS;

const NO_KEYS: DemoKeys = {
  create: async (uid) => accept({ apiKey: `rialto_${String(uid).padStart(32, "0")}`, secret: "s" }),
  activate: () => Promise.resolve(),
};

interface Happened {
  readonly timeMs: number;
  readonly event: Event;
}

/** A demo with its history traded: some sketched time, and `LENGTH_MS` behind it. */
async function madePast(t: TestContext, sketchedMs = 0) {
  const folder = mkdtempSync(join(tmpdir(), "rialto-past-"));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  const exchange = new DirectExchange();
  const beganMs = exchange.wallMs;
  const endMs = beganMs + sketchedMs + LENGTH_MS;
  const happened: Happened[] = [];
  let roomUsed = true;
  let stepsWithoutRoom = 0;
  exchange.onEvents = (chunk) => {
    for (const event of readEvents(chunk)) happened.push({ timeMs: exchange.wallMs, event });
  };
  const { client } = exchange;
  await client.execute({ type: "adopt-rules", version: RULES_VERSION });
  for (const [asset, coinId] of [
    ["BTC", 1],
    ["USDT", 2],
  ] as const) {
    const listing = { actor: "test", asset, coinId, name: asset, scale: 8 };
    await client.execute({ type: "set-asset", ...listing });
  }
  const clock = {
    nowMs: () => exchange.wallMs,
    advanceTo: (timeMs: number) => {
      assert.ok(timeMs >= exchange.wallMs, "time went back");
      exchange.wallMs = Math.min(timeMs, endMs);
      // The first step is for the index of the contracts.
      if (timeMs > beganMs + MINUTE_MS && roomUsed) stepsWithoutRoom++;
      roomUsed = true;
      return timeMs < endMs;
    },
  };
  const drained = async () => {
    roomUsed = false;
  };
  const past = () =>
    tradeHistory({
      engine: client,
      clock,
      realClock: NODE_PLATFORM.clock,
      detailedFromMs: beganMs + sketchedMs,
      run: 77,
      drained,
      onStep: () => undefined,
    });
  await seedDemo(client, NO_KEYS, folder, past);
  return { exchange, happened, beganMs, stepsWithoutRoom };
}

test("every minute of every market has trades, and each step waited for drained", async (t) => {
  const { exchange, happened, beganMs, stepsWithoutRoom } = await madePast(t);
  assert.equal(exchange.wallMs, beganMs + LENGTH_MS);
  assert.equal(stepsWithoutRoom, 0);
  for (const { symbol } of DEMO_MARKETS) {
    const minutes = new Set(
      happened
        .filter(({ event }) => event.type === "spot-trade" && event.symbol === symbol)
        .map(({ timeMs }) => Math.floor((timeMs - beganMs) / MINUTE_MS)),
    );
    // A step that is large and late can skip a minute.
    assert.ok(minutes.size > (LENGTH_MS / MINUTE_MS) * 0.95, `${symbol}: ${minutes.size}`);
  }
});

test("keys come last, and commissions all along", async (t) => {
  const { happened, beganMs } = await madePast(t);
  const timesOf = (type: Event["type"]) =>
    happened.filter(({ event }) => event.type === type).map(({ timeMs }) => timeMs);
  assert.deepEqual(new Set(timesOf("api-key-set")), new Set([beganMs + LENGTH_MS]));
  const accrued = timesOf("commission-accrued");
  for (let quarter = 0; quarter < 4; quarter++) {
    const fromMs = beganMs + (quarter * LENGTH_MS) / 4;
    assert.ok(accrued.some((timeMs) => timeMs >= fromMs && timeMs < fromMs + LENGTH_MS / 4));
  }
});

test("two demos have the same past", async (t) => {
  const [one, other] = [await madePast(t), await madePast(t)];
  assert.ok(one.happened.length > 1_000);
  assert.deepEqual(one.happened, other.happened);
});

/**
 * A step trades at the former price before it trades at its own, unless the last one took all that
 * was quoted there: nearly all candles have no gaps between.
 */
function assertContinuous(symbol: string, traded: readonly Happened[]): void {
  let lastPrice = 0;
  let lastMs = 0;
  const jumps: number[] = [];
  for (const { timeMs, event } of traded) {
    if (event.type !== "spot-trade") continue;
    const { priceTicks } = event;
    if (lastPrice > 0 && timeMs > lastMs) jumps.push(Math.abs(priceTicks / lastPrice - 1));
    [lastPrice, lastMs] = [priceTicks, timeMs];
  }
  const large = jumps.filter((jump) => jump > 0.002);
  assert.ok(large.length < jumps.length * 0.05, `${symbol}: ${large.length} of ${jumps.length}`);
}

test("before the last hours every hour has trades, and long ago every fourth", async (t) => {
  const [dayMs, hourMs] = [24 * 60 * MINUTE_MS, 60 * MINUTE_MS];
  const sketchedMs = 45 * dayMs;
  const { exchange, happened, beganMs } = await madePast(t, sketchedMs);
  assert.equal(exchange.wallMs, beganMs + sketchedMs + LENGTH_MS);
  for (const { symbol, referencePrice } of DEMO_MARKETS) {
    const traded = happened.filter(({ event }) => {
      return event.type === "spot-trade" && event.symbol === symbol;
    });
    const hours = new Set(traded.map(({ timeMs }) => Math.floor((timeMs - beganMs) / hourMs)));
    const hourly = [...hours].filter((hour) => hour >= 25 * 24 && hour < 45 * 24);
    assert.ok(hourly.length > 20 * 24 * 0.95, `${symbol}: ${hourly.length} hours`);
    assert.ok(hours.size - hourly.length >= 24 * 6, `${symbol}: ${hours.size} hours`);
    const minutes = new Set(traded.map(({ timeMs }) => Math.floor(timeMs / MINUTE_MS / 5)));
    assert.ok(minutes.size > 30 * 12, `${symbol}: ${minutes.size} spans of five minutes`);
    assertContinuous(symbol, traded);
    const ticker = await exchange.client.query({ type: "spot-book-tickers", symbol });
    const last = Number(ticker.ok ? ticker.value[0]?.lastPrice : 0);
    assert.ok(Math.abs(last / referencePrice - 1) < 0.3, `${symbol}: ${last}`);
  }
});
