/**
 * Proves that the two channels that show every change of a book are the book: what a client keeps
 * from them equals the engine's levels, and the engine's orders in their priority, after every
 * single command, with no version of the engine left out, over random orders, amendments, fills,
 * cancels and liquidations of both products, with new subscriptions in between, also while the
 * streams are behind; and that a book has no orders of the other product. The oracle is the
 * engine's own view directly after each command.
 */
import assert from "node:assert/strict";
import test, { type TestContext } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { type DepthMessage, LocalBook } from "../../../test/support/local-book.ts";
import { LocalOrders, type OrdersMessage } from "../../../test/support/local-orders.ts";
import { scaled, seededRandom } from "../../../test/support/random.ts";
import { Listener, StreamFixture, SYMBOL, settle } from "../../../test/support/stream-fixture.ts";
import type { Product } from "../../domain/index.ts";
import { NODE_PLATFORM } from "../../platform/index.ts";
import {
  type BookOrderRow,
  type BookOrdersView,
  type Command,
  type EngineQuery,
  type Event,
  type Seen,
  type SpotDepthView,
  submitAll,
} from "../../protocol/index.ts";
import { PublicChannels } from "../channel-openers.ts";
import { Throttle } from "../channels/throttle.ts";
import type { Topic } from "../channels/topic.ts";
import { V3_DIALECT } from "../v3/v3-dialect.ts";
import { BookFollower } from "./book-follower.ts";
import type { BookEvent } from "./book-mirror.ts";
import type { FollowedBook } from "./command-publishers.ts";

const random = seededRandom("streams/book-follower");
const COMMANDS = scaled(1_200);
const MID_TICKS = 10_000;

/** A client of one channel that remembers what it had at every version. */
class Keeper {
  readonly channel: "depth" | "orders";
  readonly levels = new LocalBook();
  readonly orders = new LocalOrders();
  readonly seen = new Map<number, string>();
  readonly #fixture: StreamFixture;
  readonly #product: Product;
  readonly #listener = new Listener();
  #topic: Topic | null = null;

  constructor(fixture: StreamFixture, product: Product, channel: "depth" | "orders") {
    this.#fixture = fixture;
    this.#product = product;
    this.channel = channel;
    const book = channel === "depth" ? this.levels : this.orders;
    this.#listener.onMessage = (message) => {
      book.apply(message as unknown as DepthMessage & OrdersMessage);
      this.seen.set(book.version, book.text);
    };
  }

  get version(): number {
    return this.channel === "depth" ? this.levels.version : this.orders.version;
  }

  /** Anew if it was subscribed. */
  subscribe(): void {
    const feed = this.#fixture.router.markets[this.#product];
    if (this.#topic !== null) feed.unsubscribe(this.#topic, this.#listener);
    const channel = V3_DIALECT.publicChannel(this.#product, `${SYMBOL}@${this.channel}`);
    assert.ok(channel !== null);
    this.#topic = feed.subscribe(channel, this.#listener);
  }
}

const priceText = (ticks: number): string => (ticks / 10).toFixed(1);
const lotsText = (lots: number): string => String(lots / 1000);

/** Few prices, so that queues are long. */
function randomPrice(side: "BUY" | "SELL"): string {
  return priceText(MID_TICKS + random.integer(-6, 25) * (side === "BUY" ? -1 : 1));
}

function randomCommand(product: Product, uids: readonly number[], number: number): Command {
  const kind = random.next();
  const earlier = random.integer(Math.max(1, number - 25), number);
  const clientOrderId = `order-${earlier}`;
  const uid = uids[earlier % uids.length] as number;
  if (kind < 0.2) {
    const target = { uid, orderId: null, clientOrderId };
    return product === "spot"
      ? { type: "cancel-spot-order", symbol: SYMBOL, ...target }
      : { type: "cancel-contract-order", ...target };
  }
  if (kind < 0.4) {
    const price = random.chance(0.3) ? randomPrice(random.pick(["BUY", "SELL"])) : null;
    const quantity = random.chance(0.7) ? lotsText(random.integer(1, 40)) : null;
    const target = { uid, orderId: null, clientOrderId, price, quantity };
    return product === "spot"
      ? { type: "amend-spot-order", symbol: SYMBOL, ...target }
      : { type: "amend-contract-order", ...target };
  }
  if (kind < 0.402) {
    const all = { uid, symbol: SYMBOL };
    return product === "spot"
      ? { type: "cancel-all-spot-orders", ...all }
      : { type: "cancel-all-contract-orders", ...all };
  }
  if (kind < 0.41 && product === "contract") {
    const price = priceText(MID_TICKS + random.integer(-4_500, 4_500));
    return { type: "pin-mark-price", actor: "operator", symbol: SYMBOL, price };
  }
  return randomOrder(product, uids[number % uids.length] as number, number);
}

function randomOrder(product: Product, uid: number, number: number): Command {
  const side = random.pick(["BUY", "SELL"] as const);
  const terms = {
    uid,
    symbol: SYMBOL,
    clientOrderId: `order-${number}`,
    side,
    orderType: "LIMIT",
    timeInForce: random.pick(["GTC", "GTC", "GTC", "GTC", "IOC", "FOK", "POST_ONLY"] as const),
    price: randomPrice(side),
    quantity: lotsText(random.integer(1, 40)),
  } as const;
  if (product === "spot") return { type: "place-spot-order", ...terms, quantityUnit: "base" };
  const opens = random.chance(0.6);
  return {
    type: "place-contract-order",
    ...terms,
    positionSide: (side === "BUY") === opens ? "LONG" : "SHORT",
    tpTriggerPrice: null,
    slTriggerPrice: null,
    tpWorkingType: "CONTRACT_PRICE",
    slWorkingType: "CONTRACT_PRICE",
  };
}

/** The engine's books by version, as text. */
class EngineBooks {
  readonly depth = new Map<number, string>([[0, "[[],[]]"]]);
  readonly orders = new Map<number, string>([[0, "[[],[]]"]]);
  last = 0;
  readonly #fixture: StreamFixture;
  readonly #product: Product;

  constructor(fixture: StreamFixture, product: Product) {
    this.#fixture = fixture;
    this.#product = product;
  }

  /** Executes, and looks at the book directly behind it. */
  async execute(command: Command): Promise<void> {
    const product = this.#product;
    const book = { type: `${product}-book`, symbol: SYMBOL, ordersMax: 100_000 } as const;
    const depth = { type: `${product}-depth`, symbol: SYMBOL, levels: 1_000 } as const;
    const answers = await submitAll(this.#fixture.exchange, [
      { kind: "command", command },
      { kind: "query", query: depth },
      { kind: "query", query: book },
    ]);
    const [, levels, orders] = answers.map((answer) => {
      assert.ok("result" in answer);
      return answer.result.ok ? answer.result.value : null;
    });
    const { bids, asks, version } = levels as SpotDepthView;
    this.depth.set(version, JSON.stringify([bids, asks]));
    const view = orders as BookOrdersView;
    assert.ok(view.orders !== null && view.version === version);
    const sides = [view.orders.bids, view.orders.asks].map((rows) => rows.map(rowText));
    this.orders.set(version, JSON.stringify(sides));
    this.last = version;
  }
}

function rowText([orderId, priceTicks, openLots]: BookOrderRow): string[] {
  return [String(orderId), String(priceTicks / 10), lotsText(openLots)];
}

/** The first one has so little on contracts that a move of the price liquidates it. */
async function openAccounts(fixture: StreamFixture): Promise<readonly number[]> {
  const uids = [await fixture.user(), await fixture.user(), await fixture.user()];
  const poor = { actor: "operator", requestId: "poor", uid: uids[0] as number };
  const funds = { wallet: "contract", asset: "USDT", amount: "99999994" } as const;
  await fixture.must({ type: "withdraw-funds", ...poor, ...funds });
  return uids;
}

/** The first account buys, the mark falls, and its position is sold into the book. */
async function liquidate(
  { exchange }: StreamFixture,
  books: EngineBooks,
  [poor = 0, rich = 0]: readonly number[],
): Promise<void> {
  const order = (uid: number, side: "BUY" | "SELL", price: string): Command => ({
    type: "place-contract-order",
    uid,
    symbol: SYMBOL,
    clientOrderId: `first-${side}-${price}`,
    side,
    orderType: "LIMIT",
    timeInForce: "GTC",
    price,
    quantity: "0.1",
    positionSide: uid === poor || side === "BUY" ? "LONG" : "SHORT",
    tpTriggerPrice: null,
    slTriggerPrice: null,
    tpWorkingType: "CONTRACT_PRICE",
    slWorkingType: "CONTRACT_PRICE",
  });
  await books.execute(order(rich, "SELL", "1000"));
  await books.execute(order(poor, "BUY", "1000"));
  await books.execute(order(rich, "BUY", "990"));
  const mark = { type: "pin-mark-price", actor: "operator", symbol: SYMBOL } as const;
  await books.execute({ ...mark, price: "900" });
  await books.execute({ ...mark, price: "1000" });
  const isLiquidation = (event: Event): boolean =>
    event.type === "contract-trade" && event.kind === "liquidation";
  assert.ok(exchange.events.some(isLiquidation));
}

/** The trades of the product's book so far: each filled one resting order. */
function bookTrades({ exchange }: StreamFixture, product: Product): string[] {
  return exchange.events.flatMap((event) => {
    const isTrade = event.type === "spot-trade" || event.type === "contract-trade";
    if (!isTrade || event.type !== `${product}-trade`) return [];
    const isOffBook = "kind" in event && (event.kind === "adl" || event.kind === "netting");
    return isOffBook ? [] : [String(event.tradeId)];
  });
}

interface Proof {
  readonly product: Product;
  readonly uids: readonly number[];
  readonly books: EngineBooks;
  readonly keepers: readonly Keeper[];
}

/** `disturb` may change subscriptions after each command. */
async function trade(
  { product, uids, books, keepers }: Proof,
  from: number,
  to: number,
  disturb: () => void,
): Promise<void> {
  for (let number = from; number < to; number++) {
    await books.execute(randomCommand(product, uids, number));
    disturb();
    if (random.chance(0.1)) await sleep(1);
  }
  await settle();
  for (const { version } of keepers) assert.equal(version, books.last);
}

async function prove(t: TestContext, product: Product): Promise<void> {
  const fixture = await StreamFixture.open();
  const uids = await openAccounts(fixture);
  const books = new EngineBooks(fixture, product);
  const steady = [new Keeper(fixture, product, "depth"), new Keeper(fixture, product, "orders")];
  const others = [new Keeper(fixture, product, "depth"), new Keeper(fixture, product, "orders")];
  const keepers = [...steady, ...others];
  const proof = { product, uids, books, keepers };
  for (const keeper of keepers) keeper.subscribe();
  await settle();
  const half = COMMANDS / 2;
  if (product === "contract") await liquidate(fixture, books, uids);
  await trade(proof, 1, half, () => {
    if (random.chance(0.03)) random.pick(others).subscribe();
  });
  for (const { seen } of steady) assert.deepEqual([...seen.keys()], [...books.depth.keys()]);
  const trades = steady.flatMap(({ orders }) => orders.trades.map(({ tradeId }) => tradeId));
  assert.deepEqual(trades, bookTrades(fixture, product));
  // The book is asked for anew, in the middle of what the streams have not read.
  await trade(proof, half, COMMANDS, () => {
    if (random.chance(0.02)) for (const keeper of keepers) keeper.subscribe();
  });
  let compared = 0;
  for (const { channel, seen } of keepers) {
    for (const [version, text] of seen) {
      assert.equal(text, books[channel].get(version), `${product} ${channel} at ${version}`);
      compared++;
    }
  }
  for (const { orders } of steady.slice(1)) {
    const { changes } = orders;
    t.diagnostic(`${product}: ${compared} books compared, ${JSON.stringify(changes)}`);
    for (const count of Object.values(changes)) assert.ok(count > 0);
  }
  fixture.router.sleep();
}

test("events before the book are held up to a bound; then it is asked for again", async () => {
  const fixture = await StreamFixture.open();
  const asked: ((view: Seen<BookOrdersView>) => void)[] = [];
  const { scheduler } = NODE_PLATFORM;
  const follower = new BookFollower({
    product: "spot",
    symbol: SYMBOL,
    instruments: fixture.router.instruments,
    engine: { query: () => new Promise<never>((resolve) => asked.push(resolve as never)) },
    throttle: (task) =>
      new Throttle({
        periodMs: () => 0,
        clock: { monotonicMs: () => performance.now() },
        scheduler,
        task,
        onFatal: (error) => assert.fail(error),
      }),
  });
  const place = (sequence: number): void => {
    const order = {
      orderId: sequence,
      side: "BUY",
      priceTicks: 10,
      quantityLots: 2,
      filledLots: 0,
    };
    const event = { type: "spot-order-opened", symbol: SYMBOL, ...order } as unknown as BookEvent;
    follower.on(event, sequence, 1_000 + sequence);
    follower.endCommand();
  };
  const answer = async (sequence: number): Promise<void> => {
    await settle();
    const bids = Array.from({ length: sequence }, (_, i): BookOrderRow => [i + 1, 10, 2]);
    const value = { version: sequence, orderCount: sequence, orders: { bids, asks: [] } };
    asked.shift()?.({ ok: true, value, sequence, timestampMs: 0 });
    await settle();
  };
  for (let sequence = 1; sequence <= 10_003; sequence++) place(sequence);
  // It includes two; too many follow to be held.
  await answer(2);
  const known = (): FollowedBook | null => follower.book;
  assert.equal(known(), null);
  for (let sequence = 10_004; sequence <= 10_010; sequence++) place(sequence);
  await answer(10_007);
  assert.equal(known()?.mirror.version, 10_010);
  assert.equal(known()?.mirror.levelLots("BUY", 10), 20_020n);
  assert.equal(asked.length, 0);
  follower.stop();
  fixture.router.sleep();
});

test("a book that was asked for before the markets are forgotten is shown to nobody", async () => {
  const fixture = await StreamFixture.open();
  const { instruments } = fixture.router;
  let answer: (view: unknown) => void = () => undefined;
  const failures: Error[] = [];
  const follower = new BookFollower({
    ...{ product: "spot", symbol: SYMBOL, instruments },
    engine: { query: () => new Promise<never>((resolve) => (answer = resolve as never)) },
    throttle: (task) =>
      new Throttle({
        periodMs: () => 0,
        clock: { monotonicMs: () => performance.now() },
        scheduler: NODE_PLATFORM.scheduler,
        task,
        onFatal: (error) => failures.push(error),
      }),
  });
  await settle();
  const order = { orderId: 2, side: "BUY", priceTicks: 10, quantityLots: 2, filledLots: 0 };
  const event = { type: "spot-order-opened", symbol: SYMBOL, ...order } as unknown as BookEvent;
  follower.on(event, 2, 1_002);
  follower.endCommand();
  follower.stop();
  instruments.clear();
  const value = { version: 1, orderCount: 0, orders: { bids: [], asks: [] } };
  answer({ ok: true, value, sequence: 1, timestampMs: 0 });
  await settle();
  assert.deepEqual(failures, []);
  fixture.router.sleep();
});

test("orders of one product are in no book of the other, which has the same symbol", async () => {
  const fixture = await StreamFixture.open();
  const uids = await openAccounts(fixture);
  const sides = (["spot", "contract"] as const).map((product) => {
    const keepers = [new Keeper(fixture, product, "depth"), new Keeper(fixture, product, "orders")];
    for (const keeper of keepers) keeper.subscribe();
    return { product, keepers, books: new EngineBooks(fixture, product) };
  });
  await settle();
  for (let number = 1; number <= 40; number++) {
    for (const { books, product } of sides) {
      await books.execute(randomOrder(product, uids[1] as number, number));
    }
  }
  await settle();
  for (const { books, keepers } of sides) {
    for (const { channel, seen } of keepers) {
      assert.deepEqual([...seen].sort(), [...books[channel]].sort());
    }
  }
  fixture.router.sleep();
});

test("a book of too many orders is not followed, and orders only in a sandbox", async () => {
  const fixture = await StreamFixture.open();
  const { client } = fixture.exchange;
  let orderCount = 10_000;
  const engine = client.query.bind(client);
  client.query = ((query: EngineQuery) =>
    query.type === "spot-book"
      ? Promise.resolve({ ok: true, value: { version: 1, orderCount, orders: null } })
      : engine(query as never)) as typeof client.query;
  const open = (isSandbox: boolean) =>
    new PublicChannels(V3_DIALECT, "spot", fixture.router, isSandbox);
  const names = ["depth", "orders"].map((channel) => `${SYMBOL}@${channel}`);
  assert.equal(await open(true).prepare(names), null);
  assert.equal((await open(false).prepare(names))?.reason, "invalid-parameter");
  assert.equal(await open(false).prepare(names.slice(0, 1)), null);
  orderCount++;
  for (const name of names) {
    assert.deepEqual(await open(true).prepare([name]), {
      reason: "overloaded",
      message: `more than 10000 orders rest in the book of ${SYMBOL}`,
    });
  }
  fixture.router.sleep();
});

for (const product of ["spot", "contract"] as const) {
  test(`${product}: every change of a book, command by command`, (t) => prove(t, product));
}
