/**
 * Topics of a book: its best levels as a snapshot and gap-free updates, and its best prices. Both
 * are made from the engine's view of the book at a durable point; `u` is the version of that view,
 * which counts every change of the book and goes on after a restart.
 */
import type { SpotDepthView } from "../protocol/index.ts";
import type { DepthLevels } from "./channel-name.ts";
import { encode, LatestTopic, type Subscriber, Topic } from "./topic.ts";

type Level = readonly [price: string, quantity: string];

interface Side {
  readonly bids: readonly Level[];
  readonly asks: readonly Level[];
}

/** The book as the subscribers of a topic have it. */
interface Published extends Side {
  readonly version: number;
  readonly timestampMs: number;
}

/** What is asked of all topics that show a book. */
export interface BookTopic extends Topic {
  readonly levels: number;
  /** Views arrive in the order of their versions, with at least as many levels as the topic has. */
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

export class DepthTopic extends Topic implements BookTopic {
  readonly levels: DepthLevels;
  readonly #symbol: string;
  /** Null before the first view; who subscribes until then waits for it. */
  #published: Published | null = null;
  #snapshot: Buffer | null = null;

  constructor(name: string, symbol: string, levels: DepthLevels) {
    super(name, "depth");
    this.#symbol = symbol;
    this.levels = levels;
  }

  get conflates(): boolean {
    return true;
  }

  /** A snapshot at the last published `u`, where the next update goes on. */
  repeat(subscriber: Subscriber): void {
    if (this.#published === null) return;
    this.#snapshot ??= this.#encodeSnapshot(this.#published);
    subscriber.deliver(this, this.#snapshot);
  }

  show(view: SpotDepthView, timestampMs: number): void {
    const { version } = view;
    const bids = view.bids.slice(0, this.levels);
    const asks = view.asks.slice(0, this.levels);
    const before = this.#published;
    if (before === null) {
      const published = { version, timestampMs, bids, asks };
      this.#published = published;
      this.#snapshot = this.#encodeSnapshot(published);
      this.send(this.#snapshot);
      return;
    }
    if (version <= before.version) return;
    const changes: Side = {
      bids: changesBetween(before.bids, bids),
      asks: changesBetween(before.asks, asks),
    };
    // Changes below the best levels are part of the next update that has something to say.
    if (changes.bids.length === 0 && changes.asks.length === 0) return;
    this.#published = { version, timestampMs, bids, asks };
    this.#snapshot = null;
    this.send(this.#encode("depth", before.version, version, timestampMs, changes));
  }

  #encodeSnapshot(published: Published): Buffer {
    const { version, timestampMs } = published;
    return this.#encode("depthSnapshot", version, version, timestampMs, published);
  }

  #encode(
    event: "depth" | "depthSnapshot",
    previous: number,
    version: number,
    timestampMs: number,
    { bids, asks }: Side,
  ): Buffer {
    return encode({
      e: event,
      E: timestampMs,
      s: this.#symbol,
      U: previous,
      u: version,
      l: this.levels,
      d: event === "depth" ? "CHANGED" : "SNAPSHOT",
      b: bids,
      a: asks,
    });
  }
}

const NO_LEVEL: Level = ["0", "0"];

export class BookTickerTopic extends LatestTopic implements BookTopic {
  readonly levels = 1;
  readonly #symbol: string;
  #best = "";

  constructor(name: string, symbol: string) {
    super(name, "bookTicker");
    this.#symbol = symbol;
  }

  show({ version, bids, asks }: SpotDepthView, timestampMs: number): void {
    const [b, B] = bids[0] ?? NO_LEVEL;
    const [a, A] = asks[0] ?? NO_LEVEL;
    const best = `${b} ${B} ${a} ${A}`;
    if (best === this.#best) return;
    this.#best = best;
    this.publish({ e: "bookTicker", E: timestampMs, s: this.#symbol, u: version, b, B, a, A });
  }
}
