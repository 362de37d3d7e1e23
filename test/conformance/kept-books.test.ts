/**
 * Proves over at least 40,000 updates of real sockets that a book kept from a depth stream is the
 * engine's book at every published `u`, on spot and on contracts, with 15 and with 200 levels,
 * without a gap or a repeat: over random orders, cancels and trades, new subscriptions, dropped
 * connections and restarts of the streams. The oracle is the engine's view directly behind each
 * command; that REST answers with that view over restarts of the process, `streams.test.ts` proves.
 */
import assert from "node:assert/strict";
import test, { type TestContext } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import type { Product } from "../../src/domain/index.ts";
import type { SpotDepthView } from "../../src/protocol/index.ts";
import { randomBookCommand } from "../support/book-traffic.ts";
import { type DepthMessage, LocalBook } from "../support/local-book.ts";
import { Random, scaled, seededRandom } from "../support/random.ts";
import { StreamClient } from "../support/stream-client.ts";
import { SYMBOL } from "../support/stream-fixture.ts";
import { StreamServer } from "../support/stream-server.ts";

const random = seededRandom("conformance/kept-books");
const UPDATES = scaled(20_000);
const PRODUCTS = ["spot", "contract"] as const;
/** At the same time, so that one works while the others wait for their timers. */
const EXCHANGES = 3;
/** Books that are remembered; clients are never so far behind. */
const BOOKS_KEPT = 600;

/** The engine's books of one market, by version. */
class EngineBooks {
  readonly #views = new Map<number, SpotDepthView>();
  latest: SpotDepthView = { symbol: SYMBOL, version: 0, bids: [], asks: [] };

  constructor() {
    this.#views.set(0, this.latest);
  }

  add(view: SpotDepthView): void {
    this.latest = view;
    this.#views.set(view.version, view);
    const [oldest] = this.#views.keys();
    if (this.#views.size > BOOKS_KEPT && oldest !== undefined) this.#views.delete(oldest);
  }

  at(version: number): SpotDepthView {
    const view = this.#views.get(version);
    assert.ok(view !== undefined, `no book has had version ${version}`);
    return view;
  }
}

/** A client that keeps a book and compares it at every message. */
class Keeper {
  readonly book = new LocalBook();
  /** The first message that was wrong. */
  failure: unknown = null;
  readonly #product: Product;
  readonly #levels: 15 | 200;
  readonly #books: EngineBooks;
  #client: StreamClient | null = null;

  constructor(product: Product, levels: 15 | 200, books: EngineBooks) {
    this.#product = product;
    this.#levels = levels;
    this.#books = books;
  }

  get name(): string {
    return `${this.#product} depth${this.#levels}`;
  }

  get #channel(): string {
    return `${SYMBOL}@depth${this.#levels}`;
  }

  /** A connection of its own; one that there was is dropped without a word. */
  async connect(port: number): Promise<void> {
    await this.#client?.close();
    const prefix = this.#product === "spot" ? "" : "/contract";
    const client = await StreamClient.open(port, `${prefix}/v3/ws/public`);
    this.#client = client;
    client.onMessage = (message) => {
      // What is compared need not be kept.
      client.forget();
      try {
        this.#take(message as unknown as DepthMessage);
      } catch (error) {
        this.failure ??= error;
      }
    };
    await client.subscribe(this.#channel);
  }

  /** The same channel anew, with or without an end in between. */
  async resubscribe(unsubscribes: boolean): Promise<void> {
    if (unsubscribes) await this.#client?.ask("UNSUBSCRIBE", [this.#channel]);
    await this.#client?.subscribe(this.#channel);
  }

  /** Until nothing is missing. */
  async caughtUp(): Promise<void> {
    const { latest } = this.#books;
    await this.#client?.until(
      () => this.book.differenceFrom(latest, this.#levels) === null,
      `the last book of ${this.name}`,
    );
  }

  close(): Promise<unknown> | undefined {
    return this.#client?.close();
  }

  #take(message: DepthMessage): void {
    this.book.apply(message);
    const view = this.#books.at(message.u);
    const difference = this.book.differenceFrom(view, this.#levels);
    assert.equal(difference, null, `${this.name} at ${message.u}`);
  }
}

interface Proof {
  readonly rng: Random;
  readonly server: StreamServer;
  readonly books: Readonly<Record<Product, EngineBooks>>;
  readonly keepers: readonly Keeper[];
}

/** Throws what a keeper found wrong. */
function updatesOf({ keepers }: Proof): number {
  for (const { failure } of keepers) if (failure !== null) throw failure;
  return keepers.reduce((sum, { book }) => sum + book.updates, 0);
}

/** Some orders in both markets, with the book behind each of them. */
async function trade({ server, books, rng }: Proof, uids: readonly number[], from: number) {
  const { fixture } = server;
  // Mostly one, so that its book is told of by itself.
  const commands = rng.chance(0.85) ? 1 : rng.integer(2, 6);
  for (let number = from; number < from + commands; number++) {
    for (const product of PRODUCTS) {
      const command = randomBookCommand(rng, product, uids, number);
      books[product].add(await fixture.bookAfter(command, product));
    }
  }
  return from + commands;
}

/** Now and then something happens to a connection. */
async function disturb({ server, keepers, rng }: Proof): Promise<void> {
  if (rng.chance(0.003)) await rng.pick(keepers).connect(server.port);
  if (rng.chance(0.003)) await rng.pick(keepers).resubscribe(rng.chance(0.5));
  if (rng.chance(0.0005)) {
    // When nobody is connected, nothing is looked at until somebody comes.
    for (const keeper of keepers) await keeper.close();
    for (const keeper of keepers) await keeper.connect(server.port);
  }
  if (rng.chance(0.0003)) {
    await server.restart();
    for (const keeper of keepers) await keeper.connect(server.port);
  }
}

async function prove(t: TestContext, rng: Random, updates: number): Promise<Proof> {
  const server = await StreamServer.open();
  t.after(() => server.close());
  const books = { spot: new EngineBooks(), contract: new EngineBooks() };
  const keepers = PRODUCTS.flatMap((product) =>
    ([15, 200] as const).map((levels) => new Keeper(product, levels, books[product])),
  );
  const proof = { server, books, keepers, rng };
  const uids = [
    await server.fixture.user(),
    await server.fixture.user(),
    await server.fixture.user(),
  ];
  for (const keeper of keepers) await keeper.connect(server.port);
  let commands = 1;
  while (updatesOf(proof) < updates) {
    commands = await trade(proof, uids, commands);
    server.fixture.exchange.forget();
    // The streams tell of it meanwhile.
    await sleep(1);
    await disturb(proof);
  }
  for (const keeper of keepers) {
    await keeper.caughtUp();
    await keeper.close();
  }
  return proof;
}

test(`a kept book is the engine's at every u, over ${UPDATES} updates`, async (t) => {
  const share = Math.ceil(UPDATES / EXCHANGES);
  const proofs = Array.from({ length: EXCHANGES }, () =>
    prove(t, new Random(random.integer(0, 2 ** 31)), share),
  );
  const done = await Promise.all(proofs);
  let snapshots = 0;
  for (const { name, book } of done.flatMap(({ keepers }) => keepers)) {
    t.diagnostic(`${name}: ${book.updates} updates, ${book.snapshots} snapshots`);
    assert.ok(book.updates > share / 20);
    snapshots += book.snapshots;
  }
  assert.ok(snapshots > done.flatMap(({ keepers }) => keepers).length, "some connected again");
  assert.ok(done.reduce((sum, proof) => sum + updatesOf(proof), 0) >= UPDATES);
});
