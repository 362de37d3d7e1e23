/**
 * Proves that a local book is correct: over random changes it equals a naive one after every
 * message, text for text. Whatever message is lost, repeated, reordered or changed, the book is not
 * live from then on; it asks for a new snapshot, and is equal again after it. Its comparison with
 * REST finds a book that differs.
 */
import assert from "node:assert/strict";
import test from "node:test";
import { type Random, scaled, seededRandom } from "../../../test/support/random.ts";
import { SYSTEM_RUNTIME } from "../runtime.ts";
import type { Depth } from "../spot.ts";
import { compareDecimals, LocalOrderBook } from "./local-order-book.ts";
import type { ChannelSink } from "./stream-connection.ts";

const random = seededRandom("client/local-order-book");
const LEVELS = 15;

type Level = [price: string, quantity: string];
interface Message {
  readonly [name: string]: unknown;
  readonly e: "depth" | "depthSnapshot";
  readonly U: number;
  readonly u: number;
  readonly b: readonly Level[];
  readonly a: readonly Level[];
}

/** A market that changes at random, and the messages of its stream. */
class Market {
  version = 1;
  readonly #random: Random;
  /** Prices in cents, so that comparing them is comparing numbers. */
  readonly #bids = new Map<number, string>();
  readonly #asks = new Map<number, string>();
  #told: { readonly bids: Level[]; readonly asks: Level[]; readonly version: number };

  constructor(source: Random) {
    this.#random = source;
    for (let i = 0; i < 30; i++) this.#change();
    this.#told = this.#best();
  }

  #change(): void {
    const side = this.#random.chance(0.5) ? this.#bids : this.#asks;
    const away = this.#random.integer(0, 40) * 33;
    const cents = side === this.#bids ? 9_999 - away : 10_001 + away;
    if (this.#random.chance(0.3)) side.delete(cents);
    else side.set(cents, text(this.#random.integer(1, 99_999)));
  }

  #best() {
    const levels = (side: Map<number, string>, direction: number): Level[] =>
      [...side]
        .sort(([one], [other]) => (one - other) * direction)
        .slice(0, LEVELS)
        .map(([cents, quantity]) => [text(cents), quantity]);
    return { bids: levels(this.#bids, -1), asks: levels(this.#asks, 1), version: this.version };
  }

  get depth(): Depth {
    const { bids, asks, version } = this.#told;
    return { lastUpdateId: version, bids, asks };
  }

  snapshot(): Message {
    const { bids, asks, version } = this.#told;
    return { e: "depthSnapshot", E: 0, s: "X", U: version, u: version, b: bids, a: asks };
  }

  /** Changes since the previous message; null for none. */
  update(): Message | null {
    for (let i = this.#random.integer(1, 4); i > 0; i--) this.#change();
    const before = this.#told;
    this.version += this.#random.integer(1, 5);
    const after = this.#best();
    const b = difference(before.bids, after.bids);
    const a = difference(before.asks, after.asks);
    if (b.length + a.length === 0) return null;
    this.#told = after;
    return { e: "depth", E: 0, s: "X", U: before.version, u: after.version, b, a };
  }
}

const text = (cents: number): string => String(cents / 100);

function difference(before: readonly Level[], after: readonly Level[]): Level[] {
  const gone = new Map(before);
  const changes = after.filter(([price, quantity]) => gone.get(price) !== quantity);
  for (const [price] of after) gone.delete(price);
  return [...changes, ...[...gone.keys()].map((price): Level => [price, "0"])];
}

/** A book and a stand-in for its channel. */
function open(market: Market) {
  let sink: ChannelSink | null = null;
  let asked = 0;
  let depthOf = () => market.depth;
  const book = new LocalOrderBook({
    connection: {
      add: (_name, given) => {
        sink = given;
        return () => given.ended(null);
      },
      resubscribe: async () => {
        asked++;
      },
    },
    runtime: SYSTEM_RUNTIME,
    symbol: "X",
    levels: LEVELS,
    fetchDepth: async () => depthOf(),
  });
  const answer = (depth: () => Depth): void => {
    depthOf = depth;
  };
  const tell = (message: Message): void => sink?.message(message);
  return { book, tell, answer, asked: () => asked, interrupt: () => sink?.interrupted() };
}

function assertEqual(book: LocalOrderBook, { lastUpdateId, bids, asks }: Depth): void {
  assert.equal(book.isLive, true);
  assert.deepEqual([book.version, book.bids, book.asks], [lastUpdateId, bids, asks]);
  assert.deepEqual(book.top(3), { bids: bids.slice(0, 3), asks: asks.slice(0, 3) });
}

test("the book equals a naive one after every message", async () => {
  const market = new Market(random);
  const { book, tell } = open(market);
  assert.deepEqual([book.symbol, book.levels, book.isLive], ["X", LEVELS, false]);
  tell(market.snapshot());
  await book.ready;
  for (let i = 0; i < scaled(5_000); i++) {
    const message = market.update();
    if (message !== null) tell(message);
    assertEqual(book, market.depth);
  }
  assert.equal(book.resyncs, 0);
});

/** Faults of a stream; each returns what is delivered instead of the message. */
const LIES: Readonly<Record<string, (message: Message) => readonly Message[]>> = {
  lost: () => [],
  late: (message) => [{ ...message, U: message.U + 1 }],
  "goes back": (message) => [{ ...message, u: message.U }],
  "takes away what is not there": (message) => [{ ...message, b: [["0.001", "0"]] }],
  crosses: (message) => [{ ...message, b: [["1000000", "1"]] }],
};

test("whatever lie it is told, the book is not live until a new snapshot", async () => {
  for (const [name, lie] of Object.entries(LIES)) {
    const market = new Market(random);
    const { book, tell, asked } = open(market);
    tell(market.snapshot());
    const next = (): Message => market.update() ?? next();
    for (const message of lie(next())) tell(message);
    tell(next());
    assert.equal(book.isLive, false, name);
    assert.equal(book.resyncs, 1, name);
    await new Promise((resolve) => setTimeout(resolve, 5));
    assert.equal(asked(), 1, `${name}: a snapshot is asked for`);
    tell(next());
    assert.equal(book.isLive, false, `${name}: updates do not heal it`);
    tell(market.snapshot());
    assertEqual(book, market.depth);
    book.close();
  }
});

test("an interruption ends the book's life; it is told", () => {
  const market = new Market(random);
  const { book, tell, interrupt } = open(market);
  const seen: boolean[] = [];
  const stop = book.listen((changed) => seen.push(changed.isLive));
  tell(market.snapshot());
  interrupt();
  interrupt();
  tell(market.snapshot());
  stop();
  interrupt();
  assert.deepEqual(seen, [true, false, true]);
});

test("the comparison with REST finds a book that differs", async () => {
  const market = new Market(random);
  const { book, tell } = open(market);
  assert.equal(await book.verify(), null);
  tell(market.snapshot());
  assert.equal(await book.verify(), true);
  const first = market.depth.bids[0]?.[0] ?? "";
  const { version } = book;
  tell({ e: "depthSnapshot", U: version, u: version, b: [[first, "7777"]], a: [] });
  assert.equal(await book.verify(), false);
  assert.equal(book.isLive, false);
});

test("a version that an update has passed over is no difference", async () => {
  const market = new Market(random);
  const { book, tell, answer } = open(market);
  tell(market.snapshot());
  const depth = market.depth;
  const lastUpdateId = depth.lastUpdateId + 1;
  let asked = 0;
  // REST tells of a level that was there for one version; the next update is behind it.
  answer(() => {
    if (asked++ === 0) {
      const [b, a] = [[], []];
      tell({ e: "depth", E: 0, s: "X", U: depth.lastUpdateId, u: lastUpdateId + 1, b, a });
    }
    return { ...depth, lastUpdateId, bids: [["0.01", "1"], ...depth.bids] };
  });
  assert.equal(await book.verify(), null);
  assert.deepEqual([book.isLive, book.resyncs], [true, 0], "the book is right");
  answer(() => ({ ...depth, lastUpdateId: book.version }));
  assert.equal(await book.verify(), true);
});

test("who iterates sees the newest state, and the end", async () => {
  const market = new Market(random);
  const { book, tell } = open(market);
  const versions: number[] = [];
  const reading = (async () => {
    for await (const { version } of book) versions.push(version);
  })();
  tell(market.snapshot());
  for (let i = 0; i < 50; i++) tell(market.update() ?? market.snapshot());
  await new Promise((resolve) => setTimeout(resolve, 5));
  assert.equal(versions.at(-1), market.depth.lastUpdateId);
  assert.ok(versions.length <= 2, `${versions.length} states for a reader that was slow`);
  book.close();
  await reading;
});

test("decimal text is compared as numbers, without being made into any", () => {
  for (let i = 0; i < scaled(2_000); i++) {
    const [one, other] = [random.integer(0, 1e9), random.integer(0, 1e9)];
    const expected = Math.sign(one - other);
    const scale = random.integer(0, 12);
    const write = (units: number): string => {
      const digits = String(units).padStart(scale + 1, "0");
      const point = digits.length - scale;
      return scale === 0 ? digits : `${digits.slice(0, point)}.${digits.slice(point)}`;
    };
    assert.equal(Math.sign(compareDecimals(write(one), write(other))), expected);
  }
  assert.equal(compareDecimals("1.50", "1.5"), 0);
  assert.ok(compareDecimals("10", "9.99") > 0);
  assert.ok(compareDecimals("0.1", "0.09") > 0);
});
