/**
 * Proves that the unmodified streaming class of the public client (npm `ccxt`, class `pro.weex`)
 * works on the real process, spot and swap: every watch method shows what was really done over
 * REST, every unwatch method is answered and the channel is silent then, wrong credentials and
 * wrong channels raise the client's own errors, and watching goes on after the exchange was stopped
 * or killed. The last part fails when a capability of the class was left untried.
 */
import assert from "node:assert/strict";
import test, { type TestContext } from "node:test";
import { listStandardContracts, openContractAccount, setIndex } from "../support/contract-setup.ts";
import { ExchangeProcess } from "../support/exchange-process.ts";
import { type Account, listStandardMarkets, openAccount } from "../support/exchange-setup.ts";
import { streamCoverageTests } from "./ccxt-stream-coverage.ts";
import { Tap } from "./ccxt-stream-tap.ts";
import {
  type Kind,
  keptBalance,
  keptOrders,
  keptPositions,
  streamingClient,
  type Traders,
  trade,
  watchUntil,
} from "./ccxt-streams.ts";
import { badChannels, badCredentials, restart, wsCalls } from "./ccxt-streams-failures.ts";
import { severalMarkets, unwatch } from "./ccxt-streams-unwatch.ts";

const SPOT = "BTC/USDT";
const SWAP = "BTC/USDT:USDT";
/** A watch that never resolves is a failure and not a pause of the whole suite. */
const PART_TIMEOUT_MS = 300_000;

test("ccxt.pro weex over sockets", async (t) => {
  const exchange = await ExchangeProcess.start();
  t.after(() => exchange.stop());
  await listStandardMarkets(exchange);
  await listStandardContracts(exchange);
  const funds = { USDT: "1000000", BTC: "10", ETH: "100" };
  const spotAccounts = [await openAccount(exchange, funds), await openAccount(exchange, funds)];
  const swapAccounts = [
    await openContractAccount(exchange, "1000000"),
    await openContractAccount(exchange, "1000000"),
  ];
  const spot = await tradersOf(t, exchange, "spot", spotAccounts);
  const swap = await tradersOf(t, exchange, "swap", swapAccounts);
  const bounded = (name: string, part: () => Promise<void>): Promise<void> =>
    t.test(name, { timeout: PART_TIMEOUT_MS }, part);
  await bounded("spot market data", () => spotMarketData(spot));
  await bounded("spot account", () => spotAccount(spot));
  await bounded("swap market data", () => swapMarketData(swap));
  await bounded("swap account", () => swapAccount(swap));
  await bounded("bad credentials", () => badCredentials(exchange, spotAccounts[0] as Account));
  for (const traders of [spot, swap]) {
    const { kind } = traders;
    await bounded(`${kind}: several markets at once`, () => severalMarkets(traders));
    await bounded(`${kind}: bad channels`, () => badChannels(traders));
    await bounded(`${kind}: calls named Ws`, () => wsCalls(traders));
    await bounded(`${kind}: unwatch`, () => unwatch(traders));
  }
  for (const signal of ["SIGTERM", "SIGKILL"] as const) {
    await bounded(`restart after ${signal}`, () => restart(signal, [spot, swap]));
  }
  await streamCoverageTests(t, { spot, swap });
});

async function tradersOf(
  t: TestContext,
  exchange: ExchangeProcess,
  kind: Kind,
  accounts: readonly Account[],
): Promise<Traders> {
  const called = new Set<string>();
  const [alice, bob] = await Promise.all(
    accounts.map(({ credentials }) => streamingClient(exchange, kind, called, credentials)),
  );
  assert.ok(alice !== undefined && bob !== undefined);
  t.after(async () => {
    await alice.close();
    await bob.close();
  });
  return { kind, exchange, alice, bob, called };
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
    () => alice.orderbooks[SPOT],
    (next) => next.asks[0]?.[1] === 1.5,
  );
  const tickers = watchUntil(
    () => alice.watchTicker(SPOT),
    () => alice.tickers[SPOT],
    (next) => next.last === 50_000,
  );
  const bests = watchUntil(
    () => alice.watchBidsAsks([SPOT]),
    () => alice.bidsasks[SPOT],
    (next) => next.askVolume === 1.5,
  );
  const hashes = [`trade::${SPOT}`, `ohlcv::${SPOT}::1m`];
  await (await Tap.on(alice, "/public")).subscribed(hashes);
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
  assert.equal((await bests).ask, 50_000);
}

async function spotAccount(traders: Traders): Promise<void> {
  const { alice, bob } = traders;
  await bob.cancelAllOrders(SPOT);
  const orders = alice.watchOrders(SPOT);
  const fills = alice.watchMyTrades(SPOT);
  const balance = alice.watchBalance();
  await (await Tap.on(alice, "/private")).subscribed(["orders", "myTrades", "spot"]);
  const placed = await alice.createOrder(SPOT, "limit", "buy", 1, 49_000);
  const [open] = await orders;
  assert.deepEqual([open?.id, open?.status, open?.filled], [placed.id, "open", 0]);
  assert.equal((await balance).USDT?.used, 49_000);
  const partlyFilled = watchUntil(
    () => alice.watchOrders(SPOT),
    () => keptOrders(alice),
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
    () => keptOrders(alice),
    (next) => next.at(-1)?.status === "canceled",
  );
  const released = watchUntil(
    () => alice.watchBalance(),
    () => keptBalance(alice),
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

async function swapMarketData(traders: Traders): Promise<void> {
  const { alice, exchange } = traders;
  await alice.watchOrderBook(SWAP);
  const ticker = await alice.watchTicker(SWAP);
  assert.equal(ticker.indexPrice, 60_000);
  const trades = alice.watchTrades(SWAP);
  const candles = alice.watchOHLCV(SWAP, "5m");
  const books = watchUntil(
    () => alice.watchOrderBook(SWAP),
    () => alice.orderbooks[SWAP],
    (next) => next.asks[0]?.[1] === 0.6,
  );
  const hashes = [`trade::${SWAP}`, `ohlcv::${SWAP}::5m`];
  await (await Tap.on(alice, "/public")).subscribed(hashes);
  await trade(traders, SWAP, 60_000, 1, 0.4);
  const [first] = await trades;
  assert.deepEqual([first?.price, first?.amount, first?.side], [60_000, 0.4, "buy"]);
  assert.deepEqual((await candles).at(-1), (await alice.fetchOHLCV(SWAP, "5m")).at(-1));
  assert.equal((await books).asks[0]?.[0], 60_000);
  const moved = watchUntil(
    () => alice.watchTicker(SWAP),
    () => alice.tickers[SWAP],
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
    () => keptBalance(alice),
    (next) => next.info?.e === "account",
  );
  const hashes = ["contractOrders", "myContractTrades", "positions", "swap"];
  await (await Tap.on(alice, "/private")).subscribed(hashes);
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
    () => keptPositions(alice),
    (next) => Number(next.at(-1)?.info.size) === 0,
  );
  await bob.createOrder(SWAP, "limit", "buy", before + 0.1, 60_000, buyBack);
  await alice.createOrder(SWAP, "limit", "sell", before + 0.1, 60_000, buyBack);
  const closed = await lastSeen;
  assert.equal(closed.at(-1)?.id, position?.id);
}
