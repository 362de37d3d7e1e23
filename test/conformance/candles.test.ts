/**
 * Proves the candles of every interval against an independent computation over the public trades:
 * UTC boundaries, weeks from Monday, calendar months, no gaps after the first trade, exact volumes
 * and the taker's share, over weeks of exchange time that the sandbox clock jumps through.
 */
import assert from "node:assert/strict";
import test from "node:test";
import { exact, greatest, least, sum, text } from "../support/exact.ts";
import { ExchangeProcess } from "../support/exchange-process.ts";
import { type Account, listStandardMarkets, openAccount } from "../support/exchange-setup.ts";
import { scaled, seededRandom } from "../support/random.ts";

const MINUTE_MS = 60_000;
const DAY_MS = 24 * 60 * MINUTE_MS;
const STEPS = 80;
const CANDLES_ASKED = 1000;
const random = seededRandom("conformance/candles");

const FIXED_MINUTES: Readonly<Record<string, number>> = {
  "1m": 1,
  "5m": 5,
  "15m": 15,
  "30m": 30,
  "1h": 60,
  "2h": 120,
  "4h": 240,
  "6h": 360,
  "8h": 480,
  "12h": 720,
  "1d": 1440,
};
const INTERVALS = [...Object.keys(FIXED_MINUTES), "1w", "1M"];

interface PublicTrade {
  readonly id: string;
  readonly price: string;
  readonly qty: string;
  readonly quoteQty: string;
  readonly time: number;
  readonly isBuyerMaker: boolean;
}

type Row = readonly (string | number)[];

/** The first millisecond of the interval that the moment is in. */
function opening(interval: string, timeMs: number): number {
  const minutes = FIXED_MINUTES[interval];
  if (minutes !== undefined) return timeMs - (timeMs % (minutes * MINUTE_MS));
  const midnight = timeMs - (timeMs % DAY_MS);
  const date = new Date(midnight);
  if (interval === "1M") return Date.UTC(date.getUTCFullYear(), date.getUTCMonth(), 1);
  return midnight - ((date.getUTCDay() + 6) % 7) * DAY_MS;
}

/** The first millisecond of the interval after the one that opens here. */
function following(interval: string, openMs: number): number {
  const minutes = FIXED_MINUTES[interval];
  if (minutes !== undefined) return openMs + minutes * MINUTE_MS;
  if (interval === "1w") return openMs + 7 * DAY_MS;
  const date = new Date(openMs);
  return Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1, 1);
}

function candle(
  interval: string,
  openMs: number,
  trades: readonly PublicTrade[],
  close: string,
): Row {
  const prices = trades.map(({ price }) => exact(price));
  const first = prices[0] ?? exact(close);
  const total = (field: "qty" | "quoteQty", rows: readonly PublicTrade[]): string =>
    text(sum(rows.map((trade) => exact(trade[field]))));
  const bought = trades.filter(({ isBuyerMaker }) => !isBuyerMaker);
  return [
    openMs,
    text(first),
    text(prices.reduce(greatest, first)),
    text(prices.reduce(least, first)),
    text(prices.at(-1) ?? first),
    total("qty", trades),
    following(interval, openMs) - 1,
    total("quoteQty", trades),
    trades.length,
    total("qty", bought),
    total("quoteQty", bought),
  ];
}

/** All candles from the first trade to `nowMs`, oldest first; trades are oldest first too. */
function candles(interval: string, trades: readonly PublicTrade[], nowMs: number): Row[] {
  const rows: Row[] = [];
  let rest = trades;
  let close = trades[0]?.price ?? "0";
  let openMs = opening(interval, trades[0]?.time ?? nowMs);
  while (openMs <= nowMs) {
    const end = following(interval, openMs);
    const inside = rest.filter(({ time }) => time < end);
    rows.push(candle(interval, openMs, inside, close));
    close = inside.at(-1)?.price ?? close;
    rest = rest.slice(inside.length);
    openMs = end;
  }
  return rows;
}

let orders = 0;

async function trade(buyer: Account, seller: Account): Promise<void> {
  const makers = random.shuffle([
    [buyer, "buy"],
    [seller, "sell"],
  ] as [Account, string][]);
  const price = `${random.integer(90, 110)}.${random.integer(10, 99)}`;
  const quantity = `0.${random.integer(1000, 9999)}`;
  for (const [account, side] of makers) {
    orders++;
    const order = { symbol: "BTCUSDT", side, orderType: "limit", force: "normal", price, quantity };
    await account.client.placed({ ...order, clientOrderId: `candle-${orders}` });
  }
}

async function compare(exchange: ExchangeProcess, reader: Account): Promise<number> {
  const query = { symbol: "BTCUSDT", limit: 1000 };
  const trades = await reader.client.v3<PublicTrade[]>("/api/v3/market/trades", query);
  trades.sort((a, b) => a.time - b.time || Number(a.id) - Number(b.id));
  let compared = 0;
  for (const interval of INTERVALS) {
    const rows = await reader.client.v3<Row[]>("/api/v3/market/klines", {
      symbol: "BTCUSDT",
      interval,
      limit: CANDLES_ASKED,
    });
    const { time } = await exchange.operator.call<{ time: number }>("GET", "/operator/v1/status");
    const expected = candles(interval, trades, time);
    // A minute may have begun between the two answers.
    const last = Number(rows.at(-1)?.[0]);
    const until = expected.filter(([openMs]) => Number(openMs) <= last);
    assert.ok(expected.length - until.length <= 1, `${interval} ends early`);
    assert.deepEqual(rows, until.slice(-CANDLES_ASKED), interval);
    compared += rows.length;
  }
  return compared;
}

test("candles", async (t) => {
  const exchange = await ExchangeProcess.start({ process: "shared", threads: "many" });
  t.after(() => exchange.stop());
  await listStandardMarkets(exchange);
  const buyer = await openAccount(exchange, { USDT: "10000000" });
  const seller = await openAccount(exchange, { BTC: "10000" });

  await t.test("none before the first trade", async () => {
    const query = { symbol: "BTCUSDT", interval: "1h" };
    assert.deepEqual(await buyer.client.v3("/api/v3/market/klines", query), []);
  });
  await t.test("every interval over a random course of months", async (t) => {
    let compared = 0;
    for (let step = 0; step < scaled(STEPS); step++) {
      const days = random.chance(0.15) ? random.integer(1, 12) : 0;
      const jump = days * DAY_MS + random.integer(1, 3 * 60 * MINUTE_MS);
      await exchange.operator.advanceClock(random.chance(0.3) ? 1 : jump);
      for (let i = random.integer(0, 3); i > 0; i--) await trade(buyer, seller);
      if (orders > 0 && step % 10 === 9) compared += await compare(exchange, buyer);
    }
    t.diagnostic(`${compared} candles compared`);
    assert.ok(compared > 1000);
  });
  await t.test("a range of time, both ends included", async () => {
    const all = await buyer.client.v3<Row[]>("/api/v3/market/klines", {
      symbol: "BTCUSDT",
      interval: "1d",
      limit: CANDLES_ASKED,
    });
    const [from, to] = [all[2], all.at(-3)].map((row) => Number(row?.[0]));
    const part = await buyer.client.v3<Row[]>("/api/v3/market/klines", {
      symbol: "BTCUSDT",
      interval: "1d",
      startTime: from ?? 0,
      endTime: to ?? 0,
    });
    assert.deepEqual(part, all.slice(2, -2).slice(-300));
  });
});
