/**
 * Proves that a book which is kept from the streams' second version is the REST book at every
 * version, for both products, both depths and several spellings, over random orders, new
 * connections and subscriptions, and a restart.
 */
import assert from "node:assert/strict";
import test from "node:test";
import { publicRead } from "../support/contract-setup.ts";
import type { ExchangeProcess } from "../support/exchange-process.ts";
import type { Account } from "../support/exchange-setup.ts";
import { bookText, type DepthMessage, LocalBook } from "../support/local-book.ts";
import { scaled, seededRandom } from "../support/random.ts";
import { SignedClient } from "../support/signed-client.ts";
import type { StreamMessage } from "../support/stream-client.ts";
import { StreamClientV2 } from "../support/stream-client-v2.ts";
import {
  openTrader,
  PREFIXES,
  PRICES,
  PRODUCTS,
  type Product,
  place,
  SYMBOLS,
  startExchange,
} from "./streams-v2-fixture.ts";

const random = seededRandom("conformance/streams-v2-books");

type Row = Readonly<Record<string, unknown>>;

/** A depth message in the words of the book that keeps it. */
function toDepthMessage(message: StreamMessage, levels: 15 | 200, symbol: string): DepthMessage {
  const { event, channel, data, ...rest } = message;
  assert.deepEqual([event, channel, rest], ["payload", `depth.${symbol}.${levels}`, {}]);
  const [entry, ...others] = data as Row[];
  assert.ok(entry !== undefined && others.length === 0);
  const pairs = (rows: unknown): [string, string][] =>
    (rows as { price: string; size: string }[]).map(({ price, size }) => [price, size]);
  assert.deepEqual([entry.symbol, entry.level], [symbol, levels]);
  return {
    e: entry.depthType === "SNAPSHOT" ? "depthSnapshot" : "depth",
    E: 0,
    s: symbol,
    U: Number(entry.startVersion),
    u: Number(entry.endVersion),
    l: levels,
    d: String(entry.depthType),
    b: pairs(entry.bids),
    a: pairs(entry.asks),
  };
}

/** Keeps a book from a stream and remembers it at every version. */
class Keeper {
  readonly levels: 15 | 200;
  readonly seen: { readonly version: number; readonly text: string }[] = [];
  readonly book = new LocalBook();
  readonly #product: Product;
  readonly #symbol: string;
  #client: StreamClientV2 | null = null;

  constructor(product: Product, symbol: string, levels: 15 | 200) {
    this.#product = product;
    this.#symbol = symbol;
    this.levels = levels;
  }

  get #channel(): string {
    return `depth.${this.#symbol}.${this.levels}`;
  }

  async connect({ port }: ExchangeProcess): Promise<void> {
    await this.close();
    const client = await StreamClientV2.open(port, `${PREFIXES[this.#product]}/v2/ws/public`);
    this.#client = client;
    client.onPush = (message) => {
      this.book.apply(toDepthMessage(message, this.levels, this.#symbol));
      this.seen.push({ version: this.book.version, text: this.book.text });
    };
    await client.subscribe(this.#channel);
  }

  async resubscribe(): Promise<void> {
    await this.#client?.ask({ event: "unsubscribe", channel: this.#channel });
    await this.#client?.subscribe(this.#channel);
  }

  async close(): Promise<void> {
    await this.#client?.close();
  }
}

const DEPTH_PATHS = { spot: "/api/v3/market/depth", contract: "/capi/v3/market/depth" } as const;

async function randomOrder(accounts: readonly Account[], product: Product): Promise<void> {
  const account = random.pick(accounts);
  if (random.chance(0.03)) {
    const path = product === "spot" ? "/api/v3/openOrders" : "/capi/v3/allOpenOrders";
    await account.client.delete(path, { symbol: "BTCUSDT" });
    return;
  }
  const side = random.pick(["buy", "sell"] as const);
  const away = random.integer(-3, 120) * (side === "buy" ? -1 : 1);
  const price = (PRICES[product] + away / 10).toFixed(1);
  await place(account, product, side, price, String(random.integer(1, 50) / 1000));
}

for (const product of PRODUCTS) {
  test(`${product}: a kept book is the REST book at every version`, async (t) => {
    const exchange = await startExchange(t);
    let accounts = [await openTrader(exchange, product), await openTrader(exchange, product)];
    const keepers = [
      new Keeper(product, SYMBOLS[product], 15),
      new Keeper(product, SYMBOLS[product], 200),
      new Keeper(product, "btcusdt", 15),
    ];
    for (const keeper of keepers) await keeper.connect(exchange);
    const books = new Map<number, { readonly [levels: number]: string }>();
    books.set(0, { 15: bookText([], [], 15), 200: bookText([], [], 200) });
    const orders = scaled(400);
    const isYoung = ({ book }: Keeper): boolean => book.updates < 6;
    for (let number = 0; number < orders || keepers.some(isYoung); number++) {
      assert.ok(number < 50 * orders, "the book moves");
      await randomOrder(accounts, product);
      const query = { symbol: "BTCUSDT", limit: 200 };
      const { lastUpdateId, bids, asks } = await publicRead<{
        lastUpdateId: number;
        bids: [string, string][];
        asks: [string, string][];
      }>(accounts[0] as Account, DEPTH_PATHS[product], query);
      books.set(lastUpdateId, { 15: bookText(bids, asks, 15), 200: bookText(bids, asks, 200) });
      if (random.chance(0.01)) await random.pick(keepers).connect(exchange);
      if (random.chance(0.01)) await random.pick(keepers).resubscribe();
      if (number !== Math.floor(orders / 2)) continue;
      await exchange.restart();
      for (const { client } of accounts) client.close();
      accounts = accounts.map(({ uid, credentials }) => {
        return { uid, credentials, client: new SignedClient(exchange.port, credentials) };
      });
      for (const keeper of keepers) await keeper.connect(exchange);
    }
    let compared = 0;
    for (const { seen, levels, book } of keepers) {
      for (const { version, text } of seen) {
        assert.equal(text, books.get(version)?.[levels], `depth ${levels} at ${version}`);
        compared++;
      }
      assert.ok(book.snapshots >= 2);
    }
    t.diagnostic(`${compared} books compared`);
    for (const keeper of keepers) await keeper.close();
  });
}
