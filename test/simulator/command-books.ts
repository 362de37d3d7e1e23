/**
 * A client of the channels that tell every change of a book, by price and, in a sandbox, order by
 * order: after each message its book is the one after some command, and no command is left out.
 */
import { text as decimalText, exact } from "../support/exact.ts";
import { type DepthMessage, LocalBook } from "../support/local-book.ts";
import { LocalOrders, type OrderRow, type OrdersMessage } from "../support/local-orders.ts";
import type { StreamMessage } from "../support/stream-client.ts";
import type { BookVersion } from "./book-versions.ts";
import { Breach, hold } from "./breach.ts";
import type { Product } from "./orders.ts";
import { passTime } from "./pass-time.ts";
import type { SimulatedExchange } from "./simulated-exchange.ts";
import { SimulatedSocket } from "./socket.ts";
import { subscribe, unsubscribe } from "./stream-versions.ts";
import { SETTLE_MS } from "./watches.ts";

const PATHS: Readonly<Record<Product, string>> = {
  spot: "/v3/ws/public",
  contract: "/contract/v3/ws/public",
};

export class CommandBookWatch {
  readonly #exchange: SimulatedExchange;
  readonly product: Product;
  readonly #symbol: string;
  #socket: SimulatedSocket | null = null;
  #book = new LocalBook();
  #orders = new LocalOrders();
  /** Channels that it is not subscribed to for a while. */
  readonly #left = new Set<string>();
  #failure: unknown = null;

  constructor(exchange: SimulatedExchange, product: Product, symbol: string) {
    this.#exchange = exchange;
    this.product = product;
    this.#symbol = symbol;
  }

  get #name(): string {
    return `${this.product} ${this.#symbol}`;
  }

  get isConnected(): boolean {
    return this.#socket?.isOpen === true;
  }

  async connect(opened?: () => Promise<void>): Promise<void> {
    this.disconnect();
    const exchange = this.#exchange;
    const book = new LocalBook();
    const orders = new LocalOrders();
    this.#book = book;
    this.#orders = orders;
    this.#failure = null;
    this.#left.clear();
    const path = PATHS[this.product];
    const socket = await SimulatedSocket.open(exchange, path, {}, (message) => {
      exchange.trace(`${this.#name} every change`, message);
      this.#take(message, book, orders);
    });
    exchange.checkRunning();
    if (socket === null) throw new Breach("streams", `${path} refuses a reader`);
    this.#socket = socket;
    await opened?.();
    await subscribe(socket, "v3", this.product, this.channels);
  }

  get channels(): readonly string[] {
    const { sandbox } = this.#exchange;
    return [`${this.#symbol}@depth`, ...(sandbox ? [`${this.#symbol}@orders`] : [])];
  }

  /** On the same connection, for as long as `away` takes: of these channels nothing is told. */
  async leave(names: readonly string[], away: () => Promise<void>): Promise<void> {
    const socket = this.#socket;
    if (socket === null) return;
    await unsubscribe(socket, "v3", this.product, names, (name) => this.#left.add(name));
    await away();
    await subscribe(socket, "v3", this.product, names, (name) => {
      this.#left.delete(name);
      if (name.endsWith("@depth")) this.#book.beginAnew();
      else this.#orders.beginAnew();
    });
  }

  /** On the same connection, to what it has: the state is told once more. */
  async subscribeAgain(): Promise<void> {
    if (this.#socket !== null) await subscribe(this.#socket, "v3", this.product, this.channels);
  }

  disconnect(): void {
    this.#socket?.close();
    this.#socket = null;
  }

  #take(message: StreamMessage, book: LocalBook, orders: LocalOrders): void {
    try {
      const { e } = message;
      const channel = String(e).startsWith("depth") ? "depth" : "orders";
      const isLeft = this.#left.has(`${message.s}@${channel}`);
      if (isLeft) throw new Error(`left, and told of version ${message.u}`);
      const { U, u } = message as unknown as DepthMessage;
      if (e === "depth" || e === "depthSnapshot") {
        book.apply(message as unknown as DepthMessage);
        const said = book.text;
        const isSame = ({ asks, bids }: BookVersion) => JSON.stringify([bids, asks]) === said;
        this.#observe(`by price ${said}`, e === "depth" ? U : null, u, isSame);
      } else if (e === "bookOrders" || e === "bookOrdersSnapshot") {
        orders.apply(message as unknown as OrdersMessage);
        const said = plainRows(orders.text);
        const isSame = (version: BookVersion) => version.orders === said;
        this.#observe(`by order ${said}`, e === "bookOrders" ? U : null, u, isSame);
      }
    } catch (error) {
      this.#failure ??= error;
    }
  }

  #observe(
    what: string,
    previous: number | null,
    version: number,
    isSame: (version: BookVersion) => boolean,
  ): void {
    const { linearity, story } = this.#exchange;
    const turn = linearity.turn();
    linearity.observe({
      kind: "message",
      what: `${this.#name} ${previous} → ${version} ${what}`,
      asked: turn,
      answered: turn,
      changes: () => story.books.changes(this.#name),
      fits: (sequence) => {
        const book = story.books.at(this.#name, sequence);
        const isNext = previous === null || book?.previous === previous;
        return book?.version === version && isNext && isSame(book);
      },
    });
  }

  /** Both books must come to the version that the exchange has answered. */
  async check(version: number): Promise<void> {
    const { sandbox } = this.#exchange;
    const reached = () => [this.#book.version, ...(sandbox ? [this.#orders.version] : [])];
    const isThere = () => reached().every((one) => one >= version);
    for (let waited = 0; waited < SETTLE_MS; waited += 200) {
      if (!this.isConnected || isThere()) break;
      await passTime(this.#exchange, 200);
    }
    if (!this.isConnected) return;
    const failure = () => `${this.#name}: ${this.#failure}`;
    hold(this.#failure === null, "every change of a book is told once", failure);
    const detail = () => `${this.#name}: ${reached()} of ${version}`;
    hold(isThere(), "every change of a book is told once", detail);
  }
}

/** The same text however decimals are written. */
export function plainRows(text: string): string {
  const sides = JSON.parse(text) as OrderRow[][];
  const plain = (value: string) => decimalText(exact(value));
  return JSON.stringify(
    sides.map((rows) => rows.map(([id, price, rest]) => [id, plain(price), plain(rest)])),
  );
}
