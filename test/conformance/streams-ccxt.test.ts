/**
 * Proves that the unmodified streaming class of the public client (npm `ccxt`, class `pro.weex`)
 * works on the real process, spot and swap: every watch method shows what was really done over
 * REST, every unwatch method is answered, a wrong key and a wrong channel raise the client's own
 * errors, and watching goes on after the exchange was restarted.
 */
import assert from "node:assert/strict";
import test, { type TestContext } from "node:test";
import ccxt from "ccxt";
import { listStandardContracts, openContractAccount, setIndex } from "../support/contract-venue.ts";
import { ExchangeProcess } from "../support/exchange-process.ts";
import { type Account, listStandardMarkets, openAccount } from "../support/venue.ts";
import { pointAt, type StreamingWeex, streamingClient, watchUntil } from "./ccxt-streams.ts";

const SPOT = "BTC/USDT";
const SWAP = "BTC/USDT:USDT";

interface Traders {
  readonly alice: StreamingWeex;
  readonly bob: StreamingWeex;
}

test("ccxt.pro weex over sockets", async (t) => {
  const exchange = await ExchangeProcess.start();
  t.after(() => exchange.stop());
  await listStandardMarkets(exchange);
  await listStandardContracts(exchange);
  const funds = { USDT: "1000000", BTC: "10" };
  const spotAccounts = [await openAccount(exchange, funds), await openAccount(exchange, funds)];
  const swapAccounts = [
    await openContractAccount(exchange, "1000000"),
    await openContractAccount(exchange, "1000000"),
  ];
  const spot = await tradersOf(t, exchange, "spot", spotAccounts);
  const swap = await tradersOf(t, exchange, "swap", swapAccounts);
  await t.test("spot market data", () => spotMarketData(spot));
  await t.test("spot account", () => spotAccount(spot));
  await t.test("swap market data", () => swapMarketData(exchange, swap));
  await t.test("swap account", () => swapAccount(swap));
  await t.test("bad channel", () => badChannel(spot));
  await t.test("bad key", () => badKey(exchange, spotAccounts[0] as Account));
  await t.test("unwatch", () => unwatch(spot, swap));
  await t.test("restart", () => restart(exchange, spot));
});

async function tradersOf(
  t: TestContext,
  exchange: ExchangeProcess,
  kind: "spot" | "swap",
  accounts: readonly Account[],
): Promise<Traders> {
  const [alice, bob] = await Promise.all(
    accounts.map(({ credentials }) => streamingClient(exchange, kind, credentials)),
  );
  assert.ok(alice !== undefined && bob !== undefined);
  t.after(async () => {
    await alice.close();
    await bob.close();
  });
  return { alice, bob };
}

/** Bob's order rests, Alice takes a part of it. */
async function trade(
  { alice, bob }: Traders,
  symbol: string,
  price: number,
  rests: number,
  taken: number,
): Promise<void> {
  await bob.createOrder(symbol, "limit", "sell", rests, price);
  await alice.createOrder(symbol, "limit", "buy", taken, price);
}

async function spotMarketData(traders: Traders): Promise<void> {
  const { alice } = traders;
  // The first message of each is the present state; trades and candles begin with the first one.
  const book = await alice.watchOrderBook(SPOT);
  assert.equal(book.bids.length, 0);
  await alice.watchTicker(SPOT);
  await alice.watchBidsAsks([SPOT]);
  const trades = alice.watchTrades(SPOT);
  const candles = alice.watchOHLCV(SPOT, "1m");
  const books = watchUntil(
    () => alice.watchOrderBook(SPOT),
    (next) => next.asks[0]?.[1] === 1.5,
  );
  const tickers = watchUntil(
    () => alice.watchTicker(SPOT),
    (next) => next.last === 50_000,
  );
  const bests = watchUntil(
    () => alice.watchBidsAsks([SPOT]),
    (next) => next[SPOT]?.askVolume === 1.5,
  );
  await trade(traders, SPOT, 50_000, 2, 0.5);
  const [first] = await trades;
  const [public1] = await alice.fetchTrades(SPOT);
  assert.deepEqual(
    [first?.id, first?.price, first?.amount, first?.side, first?.cost, first?.timestamp],
    [public1?.id, 50_000, 0.5, "buy", 25_000, public1?.timestamp],
  );
  const candle = (await candles).at(-1);
  assert.deepEqual(candle, (await alice.fetchOHLCV(SPOT, "1m")).at(-1));
  const asks = await books;
  const rest = await alice.fetchOrderBook(SPOT);
  assert.deepEqual([asks.asks[0]?.[0], asks.nonce], [50_000, rest.nonce]);
  const ticker = await tickers;
  assert.deepEqual([ticker.baseVolume, ticker.quoteVolume, ticker.vwap], [0.5, 25_000, 50_000]);
  assert.equal((await bests)[SPOT]?.ask, 50_000);
}

async function spotAccount(traders: Traders): Promise<void> {
  const { alice, bob } = traders;
  await bob.cancelAllOrders(SPOT);
  const orders = alice.watchOrders(SPOT);
  const fills = alice.watchMyTrades(SPOT);
  const balance = alice.watchBalance();
  await waitForSubscriptions(alice, 3);
  const placed = await alice.createOrder(SPOT, "limit", "buy", 1, 49_000);
  const [open] = await orders;
  assert.deepEqual([open?.id, open?.status, open?.filled], [placed.id, "open", 0]);
  assert.equal((await balance).USDT?.used, 49_000);
  const partlyFilled = watchUntil(
    () => alice.watchOrders(SPOT),
    (next) => next.at(-1)?.filled === 0.25,
  );
  await bob.createOrder(SPOT, "limit", "sell", 0.25, 49_000);
  const [fill] = await fills;
  const [mine] = await alice.fetchMyTrades(SPOT, undefined, 1);
  assert.deepEqual(
    [fill?.id, fill?.order, fill?.amount, fill?.cost, fill?.fee, fill?.takerOrMaker],
    [mine?.id, placed.id, 0.25, 12_250, mine?.fee, "maker"],
  );
  assert.equal((await partlyFilled).at(-1)?.status, "open");
  const cancelled = watchUntil(
    () => alice.watchOrders(SPOT),
    (next) => next.at(-1)?.status === "canceled",
  );
  const released = watchUntil(
    () => alice.watchBalance(),
    (next) => next.USDT?.used === 0,
  );
  await alice.cancelOrder(placed.id as string, SPOT);
  const ended = await cancelled;
  const read = await alice.fetchOrder(placed.id as string, SPOT);
  const last = ended.at(-1);
  assert.deepEqual([last?.id, last?.filled, last?.cost], [read.id, read.filled, read.cost]);
  const settled = await released;
  const whole = await alice.fetchBalance();
  assert.deepEqual([settled.USDT, settled.BTC], [whole.USDT, whole.BTC]);
}

/** Until the private connection has so many subscriptions, and a round trip after them. */
async function waitForSubscriptions(client: StreamingWeex, count: number): Promise<void> {
  const sockets = Object.values(client.clients) as { subscriptions: object; url: string }[];
  const subscribed = (): number => {
    const socket = sockets.find(({ url }) => url.endsWith("/private"));
    return Object.keys(socket?.subscriptions ?? {}).length;
  };
  for (let turns = 0; subscribed() < count && turns < 200; turns++) await client.fetchTime();
  // The server answers a socket's requests in order, so a few more round trips settle them.
  for (let turns = 0; turns < 20; turns++) await client.fetchTime();
}

async function swapMarketData(exchange: ExchangeProcess, traders: Traders): Promise<void> {
  const { alice } = traders;
  await alice.watchOrderBook(SWAP);
  const ticker = await alice.watchTicker(SWAP);
  assert.equal(ticker.indexPrice, 60_000);
  const trades = alice.watchTrades(SWAP);
  const candles = alice.watchOHLCV(SWAP, "5m");
  const books = watchUntil(
    () => alice.watchOrderBook(SWAP),
    (next) => next.asks[0]?.[1] === 0.6,
  );
  await trade(traders, SWAP, 60_000, 1, 0.4);
  const [first] = await trades;
  assert.deepEqual([first?.price, first?.amount, first?.side], [60_000, 0.4, "buy"]);
  assert.deepEqual((await candles).at(-1), (await alice.fetchOHLCV(SWAP, "5m")).at(-1));
  assert.equal((await books).asks[0]?.[0], 60_000);
  const moved = watchUntil(
    () => alice.watchTicker(SWAP),
    (next) => next.indexPrice === 60_010,
  );
  await setIndex(exchange, "BTCUSDT", "60010");
  assert.equal((await moved).last, 60_000);
  const marks = await alice.watchOHLCV(SWAP, "15m", undefined, undefined, { price: "MARK_PRICE" });
  assert.ok(Number(marks.at(-1)?.[4]) > 0);
}

async function swapAccount(traders: Traders): Promise<void> {
  const { alice, bob } = traders;
  await bob.cancelAllOrders(SWAP);
  await alice.watchPositions();
  const orders = alice.watchOrders(SWAP);
  const fills = alice.watchMyTrades(SWAP);
  const positions = alice.watchPositions();
  const balance = watchUntil(
    () => alice.watchBalance(),
    (next) => next.info?.e === "account",
  );
  await waitForSubscriptions(alice, 4);
  const before = (await alice.fetchPositions([SWAP]))[0]?.contracts ?? 0;
  await trade(traders, SWAP, 60_000, 1, 0.1);
  const ended = (await orders).at(-1);
  assert.deepEqual([ended?.symbol, ended?.status, ended?.filled], [SWAP, "closed", 0.1]);
  const fill = (await fills).at(-1);
  const [mine] = await alice.fetchMyTrades(SWAP, undefined, 1);
  assert.deepEqual(
    [fill?.id, fill?.order, fill?.amount, fill?.fee?.cost, fill?.symbol],
    [mine?.id, mine?.order, 0.1, mine?.fee?.cost, SWAP],
  );
  const position = (await positions).at(-1);
  assert.deepEqual([position?.side, position?.contracts], ["long", before + 0.1]);
  const free = (await balance).USDT?.free;
  assert.ok(Number(free) < 1_000_000);
  // Closing it shows it once more, with nothing left.
  await bob.cancelAllOrders(SWAP);
  const buyBack = { reduceOnly: true };
  const lastSeen = watchUntil(
    () => alice.watchPositions(),
    (next) => Number(next.at(-1)?.info.size) === 0,
  );
  await bob.createOrder(SWAP, "limit", "buy", before + 0.1, 60_000, buyBack);
  await alice.createOrder(SWAP, "limit", "sell", before + 0.1, 60_000, buyBack);
  const closed = await lastSeen;
  assert.equal(closed.at(-1)?.id, position?.id);
}

async function badChannel({ alice }: Traders): Promise<void> {
  await assert.rejects(alice.watchOHLCV(SPOT, "7m"), ccxt.BadRequest);
}

async function badKey(exchange: ExchangeProcess, { credentials }: Account): Promise<void> {
  const wrong = { ...credentials, secret: `${credentials.secret}x` };
  const client = await streamingClient(exchange, "spot", wrong);
  await assert.rejects(client.watchOrders(), /401|NetworkError|AuthenticationError/);
  await client.close();
}

async function unwatch(spot: Traders, swap: Traders): Promise<void> {
  const { alice } = spot;
  await alice.unWatchTicker(SPOT);
  await alice.unWatchOrderBook(SPOT);
  await alice.unWatchBidsAsks([SPOT]);
  await alice.unWatchTrades(SPOT);
  await alice.unWatchOHLCV(SPOT, "1m");
  await alice.unWatchOrders();
  await alice.unWatchMyTrades();
  await swap.alice.unWatchTicker(SWAP);
  await swap.alice.unWatchOrderBook(SWAP);
  await swap.alice.unWatchOHLCV(SWAP, "5m");
  await swap.alice.unWatchTrades(SWAP);
  await swap.alice.unWatchOrders();
  await swap.alice.unWatchMyTrades();
  await swap.alice.unWatchPositions();
  // A later watch begins again with the whole state.
  const book = await alice.watchOrderBook(SPOT);
  assert.equal(book.nonce, (await alice.fetchOrderBook(SPOT)).nonce);
}

async function restart(exchange: ExchangeProcess, { alice, bob }: Traders): Promise<void> {
  const { nonce: before } = await alice.fetchOrderBook(SPOT);
  const watching = alice.watchOrderBook(SPOT);
  await Promise.all([
    exchange.kill("SIGTERM"),
    assert.rejects(watching, ccxt.NetworkError, "the client is told that the connection is gone"),
  ]);
  await exchange.restart();
  pointAt(alice, exchange);
  pointAt(bob, exchange);
  const after = await alice.watchOrderBook(SPOT);
  assert.ok(Number(after.nonce) >= Number(before), "versions go on after a restart");
  const next = watchUntil(
    () => alice.watchOrderBook(SPOT),
    (book) => book.bids[0]?.[0] === 40_000,
  );
  await bob.createOrder(SPOT, "limit", "buy", 1, 40_000);
  assert.ok(Number((await next).nonce) > Number(before));
}
