/**
 * The methods of the streaming class for several markets at once, and the end of every watching:
 * an unwatch is answered, the waiting call ends with the client's own error, and the server sends
 * nothing of that channel any more, while another client gets it.
 */
import assert from "node:assert/strict";
import ccxt from "ccxt";
import { waitUntil } from "../support/wait-until.ts";
import { Tap } from "./ccxt-stream-tap.ts";
import { type StreamingWeex, type Traders, trade, watchUntil } from "./ccxt-streams.ts";

interface Pair {
  readonly one: string;
  readonly other: string;
  /** At which the two are traded here. */
  readonly prices: readonly [number, number];
}

const PAIRS: Readonly<Record<Traders["kind"], Pair>> = {
  spot: { one: "BTC/USDT", other: "ETH/USDT", prices: [50_000, 2_500] },
  swap: { one: "BTC/USDT:USDT", other: "ETH/USDT:USDT", prices: [60_000, 3_000] },
};

/** By which the class knows its subscriptions. */
const HASHES = {
  spot: {
    market: ["ticker", "trade", "orderbook", "bidask"].map((topic) => `${topic}::ETH/USDT`),
    account: ["orders", "myTrades", "spot"],
  },
  swap: {
    market: ["ticker", "trade", "orderbook"].map((topic) => `${topic}::ETH/USDT:USDT`),
    account: ["contractOrders", "myContractTrades", "positions", "swap"],
  },
};

/**
 * Bob sells so much in both markets and Alice buys a part of it. Each time it is another amount:
 * a book that is soon again what it was is not told of.
 */
async function tradeBoth(traders: Traders, rests: number): Promise<void> {
  const { one, other, prices } = PAIRS[traders.kind];
  await trade(traders, one, prices[0], rests, 0.1);
  await trade(traders, other, prices[1], rests, 0.1);
}

/** Every watch method for several markets, until the client keeps what happened in both. */
export async function severalMarkets(traders: Traders): Promise<void> {
  const { alice, kind } = traders;
  const { one, other, prices } = PAIRS[kind];
  const both = [one, other];
  const candles: [string, string][] = [
    [one, "1m"],
    [other, "5m"],
  ];
  const { tickers, orderbooks, trades, ohlcvs, bidsasks } = alice;
  const shown = (watch: () => Promise<unknown>, isKept: (symbol: string) => boolean) =>
    watchUntil(
      watch,
      () => both,
      (symbols) => symbols.every(isKept),
    );
  const watching = [
    shown(
      () => alice.watchTickers(both),
      (symbol) => tickers[symbol]?.last === prices[both.indexOf(symbol)],
    ),
    shown(
      () => alice.watchOrderBookForSymbols(both),
      (symbol) => orderbooks[symbol]?.asks[0]?.[0] === prices[both.indexOf(symbol)],
    ),
    shown(
      () => alice.watchTradesForSymbols(both),
      (symbol) => trades[symbol]?.at(-1)?.price === prices[both.indexOf(symbol)],
    ),
    shown(
      () => alice.watchOHLCVForSymbols(candles),
      (symbol) => Object.keys(ohlcvs[symbol] ?? {}).includes(symbol === one ? "1m" : "5m"),
    ),
  ];
  if (kind === "spot") {
    const isKept = (symbol: string): boolean =>
      bidsasks[symbol]?.ask === prices[both.indexOf(symbol)];
    watching.push(shown(() => alice.watchBidsAsks(both), isKept));
  }
  await (await Tap.on(alice, "/public")).subscribed(HASHES[kind].market);
  await tradeBoth(traders, 0.2);
  await Promise.all(watching);
}

const PRIVATE_EVENTS = ["orders", "fill"];

function publicEvents(kind: Traders["kind"]): string[] {
  const events = ["ticker", "depth", "trade", ...(kind === "spot" ? ["bookTicker"] : [])];
  const named = events.flatMap((event) => [`${event} BTCUSDT`, `${event} ETHUSDT`]);
  return [...named, "kline BTCUSDT 1m", "kline ETHUSDT 5m"];
}

function privateEvents(kind: Traders["kind"]): string[] {
  return kind === "spot" ? PRIVATE_EVENTS : [...PRIVATE_EVENTS, "positions"];
}

type Watch = (client: StreamingWeex) => Promise<unknown>;

/** What one client watches, without what it began before. */
function watches(kind: Traders["kind"]): readonly Watch[] {
  const { one, other } = PAIRS[kind];
  const both = [one, other];
  return [
    (client) => client.watchTickers(both),
    (client) => client.watchOrderBookForSymbols(both),
    (client) => client.watchTradesForSymbols(both),
    (client) =>
      client.watchOHLCVForSymbols([
        [one, "1m"],
        [other, "5m"],
      ]),
    (client) => client.watchBalance(),
    (client) => client.watchOrders(),
    (client) => client.watchMyTrades(),
    ...(kind === "spot"
      ? [(client: StreamingWeex) => client.watchBidsAsks(both)]
      : // The first call answers with what REST says, and subscribes nothing.
        [
          async (client: StreamingWeex) => {
            await client.watchPositions();
            await client.watchPositions();
          },
        ]),
  ];
}

/** Each market by itself first where the class has a method for it, then all that are left. */
async function unwatchAll({ kind, alice }: Traders): Promise<void> {
  const { one, other } = PAIRS[kind];
  const both = [one, other];
  const answers = [
    await alice.unWatchTicker(one),
    await alice.unWatchTickers(both),
    await alice.unWatchOrderBook(one),
    await alice.unWatchOrderBookForSymbols(both),
    await alice.unWatchTrades(one),
    await alice.unWatchTradesForSymbols(both),
    await alice.unWatchOHLCV(one, "1m"),
    await alice.unWatchOHLCVForSymbols([
      [one, "1m"],
      [other, "5m"],
    ]),
    await alice.unWatchOrders(),
    await alice.unWatchMyTrades(),
  ];
  answers.push(
    kind === "spot" ? await alice.unWatchBidsAsks(both) : await alice.unWatchPositions(),
  );
  assert.deepEqual([...new Set(answers)], [true]);
}

interface Taps {
  readonly market: Tap;
  readonly account: Tap;
}

async function tapsOf(client: StreamingWeex): Promise<Taps> {
  return { market: await Tap.on(client, "/public"), account: await Tap.on(client, "/private") };
}

/** Until everything that is watched has been shown. */
async function shown({ market, account }: Taps, kind: Traders["kind"]): Promise<void> {
  const own = [...privateEvents(kind), "account"];
  await Promise.all([market.until(publicEvents(kind)), account.until(own)]);
}

/**
 * A new subscription is answered before its first book is read. A trade in between is part of that
 * book and no update of it, so the test trades when the books are there.
 */
async function booksArrived(client: StreamingWeex, kind: Traders["kind"]): Promise<void> {
  const { one, other } = PAIRS[kind];
  const hasBook = (symbol: string): boolean => client.orderbooks[symbol]?.nonce !== undefined;
  for (let turns = 0; !(hasBook(one) && hasBook(other)); turns++) {
    assert.ok(turns < 1000, "the books arrive");
    await client.fetchTime();
  }
}

/** Both watch everything; one of them stops. */
export async function unwatch(traders: Traders): Promise<void> {
  const { kind, alice, bob } = traders;
  const errors: unknown[] = [];
  const begin = (client: StreamingWeex): void => {
    for (const watch of watches(kind)) watch(client).catch((error) => errors.push(error));
  };
  for (const client of [alice, bob]) begin(client);
  const [mine, theirs] = [await tapsOf(alice), await tapsOf(bob)];
  for (const { market, account } of [mine, theirs]) {
    await market.subscribed(HASHES[kind].market);
    await account.subscribed(HASHES[kind].account);
  }
  await Promise.all([alice, bob].map((client) => booksArrived(client, kind)));
  await tradeBoth(traders, 0.3);
  await Promise.all([shown(mine, kind), shown(theirs, kind)]);

  // What waits when its channel is unwatched ends with an error.
  begin(alice);
  await mine.market.roundTrip();
  await unwatchAll(traders);
  assert.ok(errors.length > 0 && errors.every((error) => error instanceof ccxt.UnsubscribeError));
  for (const { events } of [mine.market, mine.account, theirs.market, theirs.account]) {
    events.clear();
  }
  await tradeBoth(traders, 0.5);
  await shown(theirs, kind);
  await Promise.all([mine.market.roundTrip(), mine.account.roundTrip()]);
  const left = [...mine.market.events, ...mine.account.events];
  const unwatched = [...publicEvents(kind), ...privateEvents(kind)];
  assert.deepEqual(
    left.filter((event) => unwatched.includes(event)),
    [],
  );
  assert.ok(left.includes("account"), "the class has no way to unwatch the balance");
  // A later watch begins again with the whole state, and goes on from there.
  const { one } = PAIRS[kind];
  await alice.watchOrderBook(one);
  const { nonce } = await alice.fetchOrderBook(one);
  await waitUntil("the book is the one that was fetched", async () => {
    return alice.orderbooks[one]?.nonce === nonce;
  });
}
