/**
 * What the channels of a market show, as a program keeps it that reads their events: each state of
 * it is the one after some command, and the last one is what the exchange has.
 */
import type {
  StreamBookOrders,
  StreamBookTicker,
  StreamDepth,
  StreamLevel,
} from "../../../src/client/index.ts";
import { bookText, type DepthMessage, LocalBook } from "../../support/local-book.ts";
import { LocalOrders, type OrderEntry, type OrdersMessage } from "../../support/local-orders.ts";
import type { BookVersion } from "../book-versions.ts";
import { hold } from "../breach.ts";
import { plainRows } from "../command-books.ts";
import type { Story } from "../story.ts";

export interface View<Event> {
  take(event: Event): void;
  /** By a story that has followed everything that was told. */
  check(story: Story): void;
  /** Null once it is what the exchange has. */
  difference(story: Story): string | null;
}

/** By the version that it shows. */
interface Shown {
  readonly version: number;
  readonly text: string;
  /** Of a channel that leaves out no command: the version before it. */
  readonly previous: number | null;
}

abstract class VersionedView<Event> implements View<Event> {
  readonly #name: string;
  readonly #what: string;
  #shown: Shown[] = [];
  #failure: string | null = null;
  #last: Shown | null = null;

  /** `name`: of the book. */
  constructor(name: string, what: string) {
    this.#name = name;
    this.#what = `${name} ${what}`;
  }

  take(event: Event): void {
    try {
      const shown = this.read(event);
      this.#last = shown;
      if (shown !== null) this.#shown.push(shown);
    } catch (error) {
      this.#failure ??= `${this.#what}: ${error}`;
      this.#last = null;
    }
  }

  /** Null before it has a whole state. */
  protected abstract read(event: Event): Shown | null;

  protected abstract textOf(version: BookVersion): string;

  check(story: Story): void {
    const check = "a client's channel shows the book of its version";
    hold(this.#failure === null, check, () => `${this.#failure}`);
    const last = story.books.at(this.#name, story.sequence)?.version ?? 0;
    const followed = this.#shown.filter(({ version }) => version <= last);
    this.#shown = this.#shown.filter(({ version }) => version > last);
    for (const { previous, text, version } of followed) {
      const known = story.books.version(this.#name, version);
      const due = known === undefined ? emptyOr(version) : this.textOf(known);
      const detail = () => `${this.#what} ${version}: ${text} instead of ${due}`;
      hold(text === due || due === null, check, detail);
      const isNext = previous === null || known?.previous === previous;
      const both = () => `${this.#what} ${version}: ${previous} instead of ${known?.previous}`;
      hold(isNext, "every change of a book is told once", both);
    }
  }

  difference(story: Story): string | null {
    const last = story.books.at(this.#name, story.sequence);
    const version = last?.version ?? 0;
    if (this.#last === null) return `${this.#what} has nothing of version ${version}`;
    return this.isAt(this.#last, last)
      ? null
      : `${this.#what} is ${this.#last.version} of ${version}`;
  }

  protected isAt({ version }: Shown, last: BookVersion | undefined): boolean {
    return version === (last?.version ?? 0);
  }
}

/** Of a version that no command has left: a book before its first one has nothing. */
function emptyOr(version: number): string | null {
  return version === 0 ? null : "none";
}

/** Of the channels of prices: 15 or 200 levels, or every change. */
export class DepthView extends VersionedView<StreamDepth> {
  readonly #levels: number | null;
  /** Whether an update may be lost on the way. */
  readonly #mayLack: () => boolean;
  #hasBegun = false;
  #book: LocalBook | null = null;

  constructor(name: string, levels: 15 | 200 | null, mayLack: () => boolean) {
    super(name, `depth ${levels ?? "changes"}`);
    this.#levels = levels;
    this.#mayLack = mayLack;
  }

  protected read(event: StreamDepth): Shown | null {
    const { asks, bids, isSnapshot, lastUpdateId, previousUpdateId } = event;
    if (isSnapshot) this.#book = new LocalBook();
    this.#hasBegun ||= isSnapshot;
    if (!this.#hasBegun) throw new Error("begins with an update");
    if (this.#book === null) return null;
    const sides = { b: copied(bids), a: copied(asks) };
    const kind = isSnapshot
      ? ({ e: "depthSnapshot", d: "SNAPSHOT" } as const)
      : ({ e: "depth", d: "CHANGED" } as const);
    const message = { ...kind, ...sides, U: previousUpdateId, u: lastUpdateId, s: event.symbol };
    try {
      this.#book.apply({ ...message, E: event.time, l: this.#levels ?? 0 } as DepthMessage);
    } catch (error) {
      this.#book = null;
      if (this.#mayLack()) return null;
      throw error;
    }
    const isEvery = this.#levels === null && !isSnapshot;
    const previous = isEvery ? previousUpdateId : null;
    return { version: lastUpdateId, text: this.#book.text, previous };
  }

  protected textOf({ asks, bids }: BookVersion): string {
    return this.#levels === null
      ? JSON.stringify([bids, asks])
      : bookText(bids, asks, this.#levels);
  }
}

function copied(levels: readonly StreamLevel[]): [string, string][] {
  return levels.map(([price, quantity]) => [price, quantity]);
}

/** Order by order, in a sandbox. */
export class OrdersView extends VersionedView<StreamBookOrders> {
  #orders: LocalOrders | null = null;

  constructor(name: string) {
    super(name, "orders");
  }

  protected read(event: StreamBookOrders): Shown | null {
    if (event.isSnapshot) this.#orders = new LocalOrders();
    if (this.#orders === null) throw new Error("begins with an update");
    this.#orders.apply(asMessage(event));
    const previous = event.isSnapshot ? null : event.previousUpdateId;
    return { version: event.lastUpdateId, text: plainRows(this.#orders.text), previous };
  }

  protected textOf({ orders }: BookVersion): string {
    return orders;
  }
}

/** The words of the stream, whose rules say how a reader keeps its orders. */
function asMessage(event: StreamBookOrders): OrdersMessage {
  const { lastUpdateId: u, previousUpdateId: U, symbol: s } = event;
  if (!event.isSnapshot) {
    const d = event.changes.map((change): OrderEntry => {
      const { change: x, orderId, price: p, qty: q, side: S } = change;
      const fill = x === "FILLED" ? { l: change.filledQty, t: String(change.tradeId) } : {};
      return { x, i: String(orderId), S, p, q, ...fill };
    });
    return { e: "bookOrders", s, U, u, d };
  }
  const rows = (wanted: "BUY" | "SELL") =>
    event.orders
      .filter(({ side }) => side === wanted)
      .map(({ orderId, price, qty }) => [String(orderId), price, qty] as const);
  return { e: "bookOrdersSnapshot", s, U, u, b: rows("BUY"), a: rows("SELL") } as OrdersMessage;
}

/** The best bid and ask, which several versions may share. */
export class BestView extends VersionedView<StreamBookTicker> {
  constructor(name: string) {
    super(name, "best prices");
  }

  protected read({ askPrice, askQty, bidPrice, bidQty, updateId }: StreamBookTicker): Shown {
    const text = JSON.stringify([bidPrice, bidQty, askPrice, askQty]);
    return { version: updateId, text, previous: null };
  }

  protected textOf({ asks, bids }: BookVersion): string {
    const [bid, ask] = [bids[0] ?? NOTHING, asks[0] ?? NOTHING];
    return JSON.stringify([...bid, ...ask]);
  }

  protected override isAt({ text }: Shown, last: BookVersion | undefined): boolean {
    return last === undefined || text === this.textOf(last);
  }
}

const NOTHING = ["0", "0"] as const;
