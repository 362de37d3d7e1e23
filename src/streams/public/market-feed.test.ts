/**
 * Proves that a book kept from a depth stream equals the engine's book at every published `u`,
 * without a gap or a repeat, for both depths and both products, over random orders, cancels and
 * trades, with new subscriptions in between. The oracle is the engine's own view directly after
 * each command. The other topics are compared with the commands that caused them.
 */
import assert from "node:assert/strict";
import test from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { bookText, type DepthMessage, LocalBook } from "../../../test/support/local-book.ts";
import { type Random, scaled, seededRandom } from "../../../test/support/random.ts";
import { Listener, StreamFixture, SYMBOL, settle } from "../../../test/support/stream-fixture.ts";
import type { Product } from "../../domain/index.ts";
import type { Command } from "../../protocol/index.ts";
import type { Candle, HistoryQuestion } from "../../queries/index.ts";
import type { Topic } from "../channels/topic.ts";
import { V3_DIALECT } from "../v3/v3-dialect.ts";

const random = seededRandom("streams/market-feed");
const COMMANDS = scaled(3_000);
const MID = 10_000;

/** A client's book, which resubscribes from time to time. */
class Keeper {
  readonly levels: 15 | 200;
  readonly seen: { readonly version: number; readonly text: string }[] = [];
  readonly book = new LocalBook();
  readonly #venue: StreamFixture;
  readonly #product: Product;
  readonly #listener = new Listener();
  #topic: Topic | null = null;

  constructor(fixture: StreamFixture, product: Product, levels: 15 | 200) {
    this.#venue = fixture;
    this.#product = product;
    this.levels = levels;
    this.#listener.onMessage = (message) => {
      this.book.apply(message as unknown as DepthMessage);
      this.seen.push({ version: this.book.version, text: this.book.text });
    };
  }

  subscribe(): void {
    const feed = this.#venue.router.markets[this.#product];
    if (this.#topic !== null) feed.unsubscribe(this.#topic, this.#listener);
    const channel = V3_DIALECT.publicChannel(this.#product, `${SYMBOL}@depth${this.levels}`);
    assert.ok(channel !== null);
    this.#topic = feed.subscribe(channel, this.#listener);
  }
}

const price = (ticks: number): string => (ticks / 10).toFixed(1);

function randomCommand(product: Product, uids: readonly number[], ids: number): Command {
  const uid = random.pick(uids);
  const clientOrderId = `order-${ids}`;
  const common = { uid, symbol: SYMBOL, clientOrderId } as const;
  if (random.chance(0.25)) {
    const target = { uid, orderId: null, clientOrderId: `order-${random.integer(1, ids)}` };
    return product === "spot"
      ? { type: "cancel-spot-order", symbol: SYMBOL, ...target }
      : { type: "cancel-contract-order", ...target };
  }
  if (random.chance(0.003)) {
    return product === "spot"
      ? { type: "cancel-all-spot-orders", uid, symbol: SYMBOL }
      : { type: "cancel-all-contract-orders", uid, symbol: SYMBOL };
  }
  const side = random.pick(["BUY", "SELL"] as const);
  const away = random.integer(-15, 400) * (side === "BUY" ? -1 : 1);
  const terms = {
    ...common,
    side,
    orderType: "LIMIT",
    timeInForce: random.chance(0.1) ? "IOC" : "GTC",
    price: price(MID + away),
    quantity: String(random.integer(1, 50) / 1000),
  } as const;
  if (product === "spot") return { type: "place-spot-order", ...terms, quantityUnit: "base" };
  return {
    type: "place-contract-order",
    ...terms,
    positionSide: side === "BUY" ? "LONG" : "SHORT",
    tpTriggerPrice: null,
    slTriggerPrice: null,
    tpWorkingType: "CONTRACT_PRICE",
    slWorkingType: "CONTRACT_PRICE",
  };
}

async function checkBooks(product: Product): Promise<number> {
  const fixture = await StreamFixture.open();
  const uids = [await fixture.user(), await fixture.user(), await fixture.user()];
  const keepers = [new Keeper(fixture, product, 15), new Keeper(fixture, product, 200)];
  keepers.push(new Keeper(fixture, product, 15));
  for (const keeper of keepers) keeper.subscribe();
  const books = new Map<number, { readonly [levels: number]: string }>();
  const remember = ({
    version,
    bids,
    asks,
  }: Awaited<ReturnType<typeof fixture.bookAfter>>): void => {
    books.set(version, { 15: bookText(bids, asks, 15), 200: bookText(bids, asks, 200) });
  };
  books.set(0, { 15: bookText([], [], 15), 200: bookText([], [], 200) });
  for (let commands = 1; commands <= COMMANDS; commands++) {
    remember(await fixture.bookAfter(randomCommand(product, uids, commands), product));
    if (random.chance(0.01)) random.pick(keepers).subscribe();
    // The streams sometimes fall behind, as under heavy traffic within a period.
    if (random.chance(0.2)) await sleep(1);
  }
  await settle();
  // Also where the last commands left the best levels unchanged.
  const last = Math.max(...books.keys());
  for (const { book } of keepers)
    assert.equal(book.version, last, "the version of REST is reached");
  let checked = 0;
  for (const { seen, levels } of keepers) {
    for (const { version, text } of seen) {
      assert.equal(text, books.get(version)?.[levels], `${product} ${levels} at ${version}`);
      checked++;
    }
  }
  assert.ok(keepers.every(({ book }) => book.updates > 10 && book.snapshots > 1));
  fixture.router.sleep();
  return checked;
}

for (const product of ["spot", "contract"] as const) {
  test(`${product}: a kept book is the engine's at every u`, async (t) => {
    t.diagnostic(`${await checkBooks(product)} books compared`);
  });
}

/** Places orders of two users at one price, which trade. */
async function tradeSpot(
  fixture: StreamFixture,
  rng: Random,
  uids: readonly number[],
): Promise<void> {
  const quantity = String(rng.integer(1, 9) / 1000);
  const terms = {
    symbol: SYMBOL,
    orderType: "LIMIT",
    timeInForce: "GTC",
    price: "1000",
    quantity,
    quantityUnit: "base",
  } as const;
  for (const [i, side] of (["SELL", "BUY"] as const).entries()) {
    const clientOrderId = `trade-${rng.integer(1, 2 ** 40)}`;
    const uid = uids[i] as number;
    await fixture.must({ type: "place-spot-order", uid, side, clientOrderId, ...terms });
  }
}

test("trades: each once, in order, and every subscriber gets the same bytes", async () => {
  const fixture = await StreamFixture.open();
  const uids = [await fixture.user(), await fixture.user()];
  const frames: [Buffer[], Buffer[]] = [[], []];
  const channel = V3_DIALECT.publicChannel("spot", `${SYMBOL}@trade`);
  assert.ok(channel !== null);
  for (const list of frames) {
    fixture.router.markets.spot.subscribe(channel, { deliver: (_, frame) => list.push(frame) });
  }
  for (let trades = 0; trades < 250; trades++) await tradeSpot(fixture, random, uids);
  await settle();
  const [one, other] = frames;
  assert.ok(one.length > 0 && one.every((frame, i) => frame === other[i]));
  const messages = one.map((frame) => JSON.parse(String(frame)) as { d: { t: string }[] });
  const ids = messages.flatMap(({ d }) => d.map(({ t }) => Number(t)));
  assert.deepEqual(
    ids,
    Array.from({ length: 250 }, (_, i) => i + 1),
  );
  fixture.router.sleep();
});

test("ticker and best prices: the present state at once, then what changed", async () => {
  const fixture = await StreamFixture.open();
  const uids = [await fixture.user(), await fixture.user()];
  const [ticker, best] = [new Listener(), new Listener()];
  for (const [name, listener] of [
    ["ticker", ticker],
    ["bookTicker", best],
  ] as const) {
    const channel = V3_DIALECT.publicChannel("spot", `${SYMBOL}@${name}`);
    assert.ok(channel !== null);
    fixture.router.markets.spot.subscribe(channel, listener);
  }
  await settle();
  assert.equal(ticker.messages.length, 1);
  assert.deepEqual([best.messages[0]?.b, best.messages[0]?.a], ["0", "0"]);
  await tradeSpot(fixture, random, uids);
  await settle();
  const last = ticker.entries.at(-1);
  assert.deepEqual([last?.c, last?.w, last?.n, "m" in (last ?? {})], ["1000", "1000", 1, false]);
  // The trade took the whole resting order, so the best prices are as before.
  assert.deepEqual([best.messages.at(-1)?.b, best.messages.at(-1)?.a], ["0", "0"]);
  fixture.router.sleep();
});

/** The candles of a store in which each trade is counted, and nothing else matters. */
function countedCandles(fixture: StreamFixture, tradesMs: readonly number[]) {
  return ({ time, limit }: HistoryQuestion<"spot-candles">): readonly Candle[] => {
    const nowMs = fixture.exchange.wallMs;
    const fromMs = time.fromMs ?? minuteOf(tradesMs[0] ?? nowMs);
    const toMs = time.toMs ?? nowMs;
    const candles: Candle[] = [];
    for (let ms = minuteOf(toMs); ms >= fromMs && candles.length < limit; ms -= MINUTE_MS) {
      const trades = tradesMs.filter((tradeMs) => minuteOf(tradeMs) === ms).length;
      const prices = { open: "1000", high: "1000", low: "1000", close: "1000" };
      const volumes = { baseVolume: "0", quoteVolume: "0" };
      const taker = { takerBaseVolume: "0", takerQuoteVolume: "0" };
      candles.push({
        openMs: ms,
        closeMs: ms + MINUTE_MS,
        trades,
        ...prices,
        ...volumes,
        ...taker,
      });
    }
    return candles.reverse();
  };
}

const MINUTE_MS = 60_000;
const minuteOf = (ms: number) => ms - (ms % MINUTE_MS);

test("candles: whoever is told of a later one was told how those before it ended", async () => {
  for (const skipped of [0, 1, 2, 97, 98, 99, 100, 5000]) {
    const fixture = await StreamFixture.open();
    const uids = [await fixture.user(), await fixture.user()];
    const tradesMs: number[] = [];
    fixture.exchange.historyScript = { "spot-candles": countedCandles(fixture, tradesMs) };
    const trade = async (afterMinutes: number) => {
      fixture.exchange.wallMs += afterMinutes * MINUTE_MS;
      tradesMs.push(fixture.exchange.wallMs);
      await tradeSpot(fixture, random, uids);
    };
    const told = new Map<number, number>();
    const [sizes, snapshot] = [[] as number[], new Listener()];
    const listener = new Listener();
    listener.onMessage = ({ d }) => {
      const candles = d as { t: number; n: number }[];
      sizes.push(candles.length);
      for (const { t, n } of candles) told.set(t, n);
    };
    const channel = V3_DIALECT.publicChannel("spot", `${SYMBOL}@kline_1m_LAST_PRICE`);
    assert.ok(channel !== null);
    fixture.router.markets.spot.subscribe(channel, listener);
    await trade(0);
    await settle();
    assert.deepEqual([...told.values()], [1]);
    // The feed cannot read while the minute that was told goes on and ends, and others follow.
    fixture.exchange.historyUnavailable = "overloaded";
    await trade(0);
    await trade(1);
    await settle();
    await trade(skipped);
    fixture.exchange.historyUnavailable = null;
    await settle();
    const [first, newest] = [tradesMs[0] as number, tradesMs.at(-1) as number].map(minuteOf);
    assert.equal(told.get(first as number), 2, `${skipped} minutes skipped`);
    assert.equal(told.get(newest as number), skipped === 0 ? 2 : 1);
    // All between, while that is no more than a message has.
    assert.equal(told.size, Math.min(skipped + 2, 101));
    assert.ok(Math.max(...sizes) <= 101);
    // Who comes now is told of two.
    fixture.router.markets.spot.subscribe(channel, snapshot);
    assert.equal(snapshot.entries.length, 2);
    fixture.router.sleep();
  }
});

test("a topic that nobody wants any more is forgotten, and begins anew", async () => {
  const fixture = await StreamFixture.open();
  const channel = V3_DIALECT.publicChannel("contract", `${SYMBOL}@depth15`);
  assert.ok(channel !== null);
  const feed = fixture.router.markets.contract;
  const listener = new Listener();
  const first = feed.subscribe(channel, listener);
  feed.unsubscribe(first, listener);
  const second = feed.subscribe(channel, listener);
  assert.notEqual(first, second);
  await settle();
  assert.deepEqual(
    listener.messages.map(({ e }) => e),
    ["depthSnapshot"],
  );
  feed.stop();
});
