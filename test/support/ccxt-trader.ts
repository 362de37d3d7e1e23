/**
 * A trader with an unmodified ccxt (class `weex`) at one node of a cluster: places orders that
 * rest, cancels some of them, and reads what it has after each step. No call may fail, whatever
 * happens to other nodes, and each read must show the steps before it.
 */
import assert from "node:assert/strict";
import ccxt, { type weex } from "ccxt";
import type { Random } from "./random.ts";
import type { Credentials, SignedClient } from "./signed-client.ts";

const SYMBOL = "BTC/USDT";

interface Row {
  readonly orderId: number;
  readonly clientOrderId: string;
  readonly status: string;
}

export class CcxtTrader {
  readonly #client: weex;
  readonly #random: Random;
  /** Ids of acknowledged orders, and whether they are cancelled. */
  readonly #orders = new Map<string, boolean>();
  readonly #latenciesMs: number[] = [];
  #isStopping = false;

  constructor(port: number, { apiKey, passphrase, secret }: Credentials, random: Random) {
    this.#random = random;
    // Its own 10 s are a bound on the machine, and not on the exchange.
    const patience = { enableRateLimit: false, timeout: 120_000 };
    const options = { apiKey, secret, password: passphrase, ...patience };
    this.#client = new ccxt.weex(options);
    const api = this.#client.urls.api as Record<string, string>;
    for (const name of Object.keys(api)) {
      if (typeof api[name] === "string") api[name] = `http://127.0.0.1:${port}`;
    }
  }

  get acknowledged(): number {
    return this.#orders.size;
  }

  /** The slowest call so far. */
  get slowestMs(): number {
    return Math.round(Math.max(0, ...this.#latenciesMs));
  }

  stop(): void {
    this.#isStopping = true;
  }

  /** Trades until it is stopped. */
  async run(): Promise<void> {
    await this.#client.loadMarkets();
    while (!this.#isStopping) {
      const open = this.#open;
      if (open.length > 0 && (open.length > 20 || this.#random.chance(0.4))) {
        const id = this.#random.pick(open);
        await this.#timed(() => this.#client.cancelOrder(id, SYMBOL));
        this.#orders.set(id, true);
      } else {
        const price = 30_000 - this.#random.integer(0, 1000);
        const place = () => this.#client.createLimitBuyOrder(SYMBOL, 0.001, price);
        const { id } = await this.#timed(place);
        assert.ok(!this.#orders.has(String(id)), `order ${id} was made twice`);
        this.#orders.set(String(id), false);
      }
      const seen = await this.#timed(() => this.#client.fetchOpenOrders(SYMBOL));
      const ids = seen.map(({ id }) => String(id)).sort();
      assert.deepEqual(ids, this.#open.sort(), "a read shows all steps before it");
    }
  }

  /** What another client of the same account finds, on any node: each order, once, as it is. */
  async check(client: SignedClient): Promise<void> {
    const rows: Row[] = [];
    for (let page = 1; ; page++) {
      const query = { symbol: "BTCUSDT", limit: 500, page };
      const part = await client.v3<Row[]>("/api/v3/allOrders", query);
      rows.push(...part);
      if (part.length < 500) break;
    }
    const expected = [...this.#orders].map(([id, isCancelled]) => {
      return `${id} ${isCancelled ? "CANCELED" : "NEW"}`;
    });
    const found = rows.map(({ orderId, status }) => `${orderId} ${status}`);
    assert.deepEqual(found.sort(), expected.sort());
    assert.equal(new Set(rows.map((row) => row.clientOrderId)).size, rows.length);
  }

  get #open(): string[] {
    return [...this.#orders].filter(([, isCancelled]) => !isCancelled).map(([id]) => id);
  }

  async #timed<Value>(call: () => Promise<Value>): Promise<Value> {
    const startedMs = performance.now();
    const value = await call();
    this.#latenciesMs.push(performance.now() - startedMs);
    return value;
  }
}
