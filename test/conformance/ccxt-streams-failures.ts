/**
 * Failures in the streaming class of the public client: wrong credentials and channels, and an
 * exchange that stops or is killed and comes back at the same address.
 */
import assert from "node:assert/strict";
import ccxt from "ccxt";
import type { ExchangeProcess } from "../support/exchange-process.ts";
import { type Account, issueKey } from "../support/exchange-setup.ts";
import type { Credentials } from "../support/signed-client.ts";
import { Tap } from "./ccxt-stream-tap.ts";
import {
  keptFills,
  keptOrders,
  streamingClient,
  type Traders,
  watchUntil,
} from "./ccxt-streams.ts";

/** The class says of any refused handshake that the network failed, with the status. */
export async function badCredentials(
  exchange: ExchangeProcess,
  { uid, credentials }: Account,
): Promise<void> {
  const attempt = async (given: Credentials | undefined, kind: "spot" | "swap" = "spot") => {
    const client = await streamingClient(exchange, kind, new Set(), given);
    const calls = [client.watchOrders(), client.watchMyTrades(), client.watchBalance()];
    const errors = await Promise.all(calls.map((call) => call.catch((error: Error) => error)));
    await client.close();
    return errors;
  };
  const wrong = [
    { ...credentials, secret: `${credentials.secret}x` },
    { ...credentials, passphrase: "wrong7horse" },
    { ...credentials, apiKey: "unknown" },
  ];
  for (const given of wrong) {
    const [orders, trades, balance] = await attempt(given);
    for (const error of [orders, trades]) {
      assert.ok(error instanceof ccxt.NetworkError, String(error));
      assert.match(error.message, /401/);
    }
    // This one asks REST first, whose refusal has a code, or fails with the connection.
    assert.ok(balance instanceof ccxt.BaseError, String(balance));
  }
  const [forbidden] = await attempt(await issueKey(exchange, uid, ["contract"]));
  assert.match(String(forbidden), /403/);
  const none = await attempt(undefined);
  for (const error of none) assert.ok(error instanceof ccxt.AuthenticationError, String(error));
}

/**
 * The class rejects all that waits on the connection, which stays; and it goes on taking the
 * channel for subscribed until it is unwatched.
 */
export async function badChannels({ kind, alice }: Traders): Promise<void> {
  const symbol = kind === "spot" ? "BTC/USDT" : "BTC/USDT:USDT";
  const bad = [
    () => alice.watchOHLCV(symbol, "7m"),
    () => alice.watchOHLCVForSymbols([[symbol, "9m"]]),
    () => alice.watchOrderBook(symbol, undefined, { depth: "20" }),
    () => alice.watchOrderBookForSymbols([symbol], undefined, { depth: "20" }),
    () => alice.watchTicker(symbol, { params: ["NONEUSDT@ticker"] }),
    () => alice.subscribePrivate("bad", "bad", "wallet", kind === "swap"),
    ...(kind === "swap"
      ? [() => alice.watchOHLCV(symbol, "1h", undefined, undefined, { price: "INDEX_PRICE" })]
      : [() => alice.subscribePrivate("worse", "worse", "positions", false)]),
  ];
  for (const watch of bad) {
    assert.equal(await alice.unWatchTicker(symbol), true);
    assert.equal(await alice.unWatchOrderBook(symbol), true);
    await assert.rejects(watch(), ccxt.BadRequest, String(watch));
  }
  await alice.unWatchTicker(symbol);
  assert.equal((await alice.watchTicker(symbol)).symbol, symbol);
  const unknown = kind === "spot" ? "NONE/USDT" : "NONE/USDT:USDT";
  await assert.rejects(alice.watchTicker(unknown), ccxt.BadSymbol);
}

/** Named `Ws`, these two are the base class's: one refuses, the other answers what is loaded. */
export async function wsCalls({ kind, alice }: Traders): Promise<void> {
  const symbol = kind === "spot" ? "BTC/USDT" : "BTC/USDT:USDT";
  await assert.rejects(alice.createMarketOrderWs(symbol, "buy", 1), ccxt.NotSupported);
  assert.ok("BTC" in ((await alice.fetchCurrenciesWs()) as object));
}

/** What one account watches, each call until its connection ends; resolves with how it ended. */
async function untilLost(watch: () => Promise<unknown>): Promise<Error> {
  for (let messages = 0; messages < 10_000; messages++) {
    const error = await watch().then(
      () => null,
      (reason: Error) => reason,
    );
    if (error !== null) return error;
  }
  assert.fail("the connection does not end");
}

function symbolAndPrice(kind: Traders["kind"]): readonly [symbol: string, price: number] {
  return kind === "spot" ? ["BTC/USDT", 40_000] : ["BTC/USDT:USDT", 59_000];
}

function watchEverything({ kind, alice }: Traders): Promise<Error>[] {
  const [symbol] = symbolAndPrice(kind);
  return [
    untilLost(() => alice.watchOrderBook(symbol)),
    untilLost(() => alice.watchTrades(symbol)),
    untilLost(() => alice.watchOrders()),
    untilLost(() => alice.watchMyTrades()),
    untilLost(() => alice.watchBalance()),
    ...(kind === "swap" ? [untilLost(() => alice.watchPositions())] : []),
  ];
}

/**
 * The exchange goes away in the midst of everything and comes back on the same port. Who waits is
 * told; who calls again goes on with what is there, and misses nothing from then on.
 */
export async function restart(
  signal: "SIGTERM" | "SIGKILL",
  all: readonly Traders[],
): Promise<void> {
  const exchange = all[0]?.exchange as ExchangeProcess;
  const { port } = exchange;
  const ends: Promise<Error>[] = [];
  const before: Resting[] = [];
  for (const traders of all) {
    ends.push(...watchEverything(traders));
    await hears(traders);
    const { kind, alice } = traders;
    const [symbol, price] = symbolAndPrice(kind);
    const { id } = await alice.createOrder(symbol, "limit", "buy", 0.1, price);
    before.push({ id: String(id), nonce: Number((await alice.fetchOrderBook(symbol)).nonce) });
  }
  await exchange.kill(signal);
  for (const error of await Promise.all(ends)) {
    assert.ok(error instanceof ccxt.NetworkError, String(error));
  }
  await exchange.restart({ flags: ["--port", String(port)] });
  for (const [i, traders] of all.entries()) await goesOn(traders, before[i] as Resting);
}

interface Resting {
  readonly id: string;
  /** Of the book with the order in it. */
  readonly nonce: number;
}

/** Until the account is told of its orders and fills. */
async function hears({ kind, alice }: Traders): Promise<void> {
  const account = await Tap.on(alice, "/private");
  const names = kind === "spot" ? ["orders", "myTrades"] : ["contractOrders", "myContractTrades"];
  await account.subscribed([...names, kind]);
}

async function goesOn(traders: Traders, resting: Resting): Promise<void> {
  const { kind, alice, bob } = traders;
  const [symbol, price] = symbolAndPrice(kind);
  const book = await alice.watchOrderBook(symbol);
  assert.equal(book.nonce, resting.nonce, "the book is what it was, with its version");
  const open = await alice.fetchOpenOrders(symbol);
  assert.ok(open.some(({ id }) => id === resting.id));
  const orders = watchUntil(
    () => alice.watchOrders(symbol),
    () => keptOrders(alice),
    (next) => next.some(({ id, status }) => id === resting.id && status === "closed"),
  );
  const fills = watchUntil(
    () => alice.watchMyTrades(symbol),
    () => keptFills(alice),
    (next) => next.some(({ order }) => order === resting.id),
  );
  const books = watchUntil(
    () => alice.watchOrderBook(symbol),
    () => alice.orderbooks[symbol],
    ({ nonce }) => Number(nonce) > resting.nonce,
  );
  const balance = alice.watchBalance();
  await hears(traders);
  await bob.createOrder(symbol, "limit", "sell", 0.1, price);
  const [seen, filled] = [await orders, await fills];
  const read = await alice.fetchOrder(resting.id, symbol);
  const last = seen.find(({ id }) => id === resting.id);
  assert.deepEqual([last?.status, last?.filled], [read.status, read.filled]);
  const [mine] = await alice.fetchMyTrades(symbol, undefined, 1);
  const fill = filled.find(({ order }) => order === resting.id);
  assert.deepEqual([fill?.id, fill?.order], [mine?.id, resting.id]);
  const [streamed, asked] = [await books, await alice.fetchOrderBook(symbol)];
  assert.deepEqual([streamed.nonce, streamed.bids[0]], [asked.nonce, asked.bids[0]]);
  assert.deepEqual((await balance).USDT?.total, (await alice.fetchBalance()).USDT?.total);
}
