/**
 * Publishers of a book: its best levels as a snapshot with gap-free updates, and its best prices.
 * Both are made from the engine's view of the book at a durable point. The version is that of the
 * view, which counts every change of the book and continues after a restart.
 */

import type { DepthLevels } from "../../api/channel-names.ts";
import type { SpotDepthView } from "../../protocol/index.ts";
import { Publisher } from "../channels/publisher.ts";
import type { BestPricesUpdate, BookSides, DepthUpdate, Level } from "../channels/updates.ts";

/** The book as subscribers have it. */
interface Published extends BookSides {
  readonly version: number;
  readonly timestampMs: number;
}

/** The interface of all publishers that show a book. */
export interface BookPublisher extends Publisher {
  readonly levels: number;
  /** Views arrive in the order of their versions, with at least as many levels as are shown. */
  show(view: SpotDepthView, timestampMs: number): void;
}

/** The levels that are new or changed, and with "0" those that are no longer among the best. */
function changesBetween(before: readonly Level[], after: readonly Level[]): Level[] {
  const gone = new Map(before);
  const changes: Level[] = [];
  for (const [price, quantity] of after) {
    if (gone.get(price) !== quantity) changes.push([price, quantity]);
    gone.delete(price);
  }
  for (const price of gone.keys()) changes.push([price, "0"]);
  return changes;
}

export class DepthPublisher extends Publisher implements BookPublisher {
  readonly levels: DepthLevels;
  readonly #symbol: string;
  /** Null before the first view; subscribers wait until then. */
  #published: Published | null = null;
  #snapshot: DepthUpdate | null = null;

  constructor(symbol: string, levels: DepthLevels) {
    super("depth");
    this.#symbol = symbol;
    this.levels = levels;
  }

  get conflates(): boolean {
    return true;
  }

  /** A snapshot at the last published version, from which the next update continues. */
  get present(): DepthUpdate | null {
    if (this.#published === null) return null;
    this.#snapshot ??= this.#snapshotOf(this.#published);
    return this.#snapshot;
  }

  show(view: SpotDepthView, timestampMs: number): void {
    const { version } = view;
    const bids = view.bids.slice(0, this.levels);
    const asks = view.asks.slice(0, this.levels);
    const before = this.#published;
    if (before === null) {
      this.#published = { version, timestampMs, bids, asks };
      this.#snapshot = this.#snapshotOf(this.#published);
      this.publish(this.#snapshot);
      return;
    }
    if (version <= before.version) return;
    const changes: BookSides = {
      bids: changesBetween(before.bids, bids),
      asks: changesBetween(before.asks, asks),
    };
    // Published even without a changed level: a client that waits for the version it got over REST
    // must not wait for ever.
    this.#published = { version, timestampMs, bids, asks };
    this.#snapshot = null;
    this.publish({
      kind: "depth",
      symbol: this.#symbol,
      levels: this.levels,
      isSnapshot: false,
      previous: before.version,
      version,
      timestampMs,
      ...changes,
    });
  }

  #snapshotOf(published: Published): DepthUpdate {
    return {
      kind: "depth",
      symbol: this.#symbol,
      levels: this.levels,
      isSnapshot: true,
      previous: published.version,
      ...published,
    };
  }
}

const NO_LEVEL: Level = ["0", "0"];

export class BestPricesPublisher extends Publisher implements BookPublisher {
  readonly levels = 1;
  readonly #symbol: string;
  #present: BestPricesUpdate | null = null;
  #best = "";

  constructor(symbol: string) {
    super("bookTicker");
    this.#symbol = symbol;
  }

  get conflates(): boolean {
    return true;
  }

  get present(): BestPricesUpdate | null {
    return this.#present;
  }

  show({ version, bids, asks }: SpotDepthView, timestampMs: number): void {
    const bid = bids[0] ?? NO_LEVEL;
    const ask = asks[0] ?? NO_LEVEL;
    const best = `${bid.join(" ")} ${ask.join(" ")}`;
    if (best === this.#best) return;
    this.#best = best;
    const symbol = this.#symbol;
    this.#present = { kind: "bookTicker", symbol, version, bid, ask, timestampMs };
    this.publish(this.#present);
  }
}
