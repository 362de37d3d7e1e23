/** What every book was at each of its versions. */
import type { Engine } from "../../src/engine/index.ts";
import type { BookOrdersView } from "../../src/protocol/index.ts";
import type { NaiveContractExchange } from "../models/contract/naive-contract-exchange.ts";
import { text } from "../support/exact.ts";
import { hold } from "./breach.ts";

/** More than any book has here. */
const LEVELS = 1_000;

type Levels = readonly (readonly [price: string, quantity: string])[];

export interface BookVersion {
  readonly sequence: number;
  readonly version: number;
  /** The version before the command. */
  readonly previous: number;
  readonly bids: Levels;
  readonly asks: Levels;
  /** `[[id, price, rest], …]` of bids and of asks, in the order of priority. */
  readonly orders: string;
}

const ORDERS_MAX = 10_000;

export class BookVersions {
  readonly #naive: NaiveContractExchange;
  /** By `<product> <symbol>`, in order. */
  readonly #versions = new Map<string, BookVersion[]>();

  readonly #changed = new Set<string>();

  constructor(naive: NaiveContractExchange) {
    this.#naive = naive;
  }

  /** Looks at a book after the command of this sequence. */
  take(name: string, sequence: number, engine: Engine): void {
    const [product, symbol = ""] = name.split(" ");
    const type = product === "spot" ? "spot-depth" : "contract-depth";
    const answer = engine.query({ type, symbol, levels: LEVELS }, engine.timestampMs);
    if (!answer.ok) return;
    const known = this.#versions.get(name) ?? [];
    this.#versions.set(name, known);
    const { asks, bids, version } = answer.value as Omit<BookVersion, "sequence">;
    const previous = known.at(-1)?.version ?? 0;
    if (known.length > 0 && previous === version) return;
    const orders = this.#ordersOf(product === "spot" ? "spot" : "contract", symbol, engine);
    this.#changed.add(name);
    known.push({ sequence, version, previous, bids, asks, orders });
  }

  #ordersOf(product: "spot" | "contract", symbol: string, engine: Engine): string {
    const query = { type: `${product}-book`, symbol, ordersMax: ORDERS_MAX } as const;
    const answer = engine.query(query, engine.timestampMs);
    const markets = product === "spot" ? this.#naive.markets : this.#naive.contracts;
    const rules = markets.get(symbol)?.rules;
    const orders = answer.ok ? (answer.value as BookOrdersView).orders : null;
    if (rules === undefined || orders === null) return "";
    const plain = (count: number, unit: bigint) => text(BigInt(count) * unit);
    return JSON.stringify(
      [orders.bids, orders.asks].map((rows) =>
        rows.map(([id, ticks, lots]) => {
          return [String(id), plain(ticks, rules.tick), plain(lots, rules.step)];
        }),
      ),
    );
  }

  /** Each book whose last version nobody has compared is the naive one, order by order. */
  compare(): void {
    for (const name of this.#changed) {
      const { orders } = this.#versions.get(name)?.at(-1) ?? {};
      const due = this.#naiveOrders(name);
      const both = () => `${name}: ${orders} instead of ${due}`;
      hold(orders === due, "a book has its orders in their priority", both);
    }
    this.#changed.clear();
  }

  #naiveOrders(name: string): string {
    const sides = (["BUY", "SELL"] as const).map((side) =>
      this.restingIn(name, side).map(({ filled, orderId, price, quantity }) => {
        return [String(orderId), text(price), text(quantity - filled)];
      }),
    );
    return JSON.stringify(sides);
  }

  /** Orders of the naive exchange, in their priority. */
  restingIn(name: string, side: "BUY" | "SELL") {
    const naive = this.#naive;
    const [product, symbol = ""] = name.split(" ");
    if (product === "spot") {
      const market = naive.markets.get(symbol);
      return market === undefined ? [] : naive.sideOf(market, side);
    }
    const market = naive.contracts.get(symbol);
    return market === undefined ? [] : naive.contractSide(market, side);
  }

  /** Commands after which the book was another. */
  changes(name: string): readonly number[] {
    return (this.#versions.get(name) ?? []).map(({ sequence }) => sequence);
  }

  /** The book after a command; undefined before its first. */
  at(name: string, sequence: number): BookVersion | undefined {
    return this.#versions.get(name)?.findLast((version) => version.sequence <= sequence);
  }

  /** Undefined for one that the book never had after a command. */
  version(name: string, version: number): BookVersion | undefined {
    return this.#versions.get(name)?.findLast((known) => known.version === version);
  }
}
