/**
 * Publishers that send every change of a book, one update for each command that changed it: by
 * price, and order by order. Nothing is left out, so a subscriber that cannot keep up is
 * disconnected.
 */
import { formatDecimal, type Side } from "../../domain/index.ts";
import { type Listing, priceText, quantityText } from "../channels/instruments.ts";
import { Publisher } from "../channels/publisher.ts";
import type {
  BookOrdersSnapshot,
  BookOrdersUpdate,
  BookUpdate,
  Level,
  OrderChange,
  OrderRow,
} from "../channels/updates.ts";
import type { BookChange, BookMirror, LotsByPrice, RestingOrder } from "./book-mirror.ts";

/** The book after the last command that was published. */
export interface FollowedBook {
  readonly mirror: BookMirror;
  readonly timestampMs: number;
  readonly listing: Listing;
}

/** What a command did to the book. */
export interface BookCommand extends FollowedBook {
  /** The version before it. */
  readonly previous: number;
  readonly changes: readonly BookChange[];
  /** Open lots before it, at the prices that it changed. */
  readonly dirty: LotsByPrice;
}

/** `current` is null until the book is known. */
type Current = () => FollowedBook | null;

export abstract class CommandPublisher extends Publisher {
  readonly #current: Current;
  #present: BookUpdate | BookOrdersSnapshot | null = null;

  constructor(kind: "book" | "bookOrders", current: Current) {
    super(kind);
    this.#current = current;
  }

  get conflates(): boolean {
    return false;
  }

  get present(): BookUpdate | BookOrdersSnapshot | null {
    const book = this.#current();
    if (book === null) return null;
    if (this.#present?.version !== book.mirror.version) this.#present = this.snapshotOf(book);
    return this.#present;
  }

  /** The book is known from now on. */
  begin(): void {
    const { present } = this;
    if (present !== null) this.publish(present);
  }

  abstract show(command: BookCommand): void;
  protected abstract snapshotOf(book: FollowedBook): BookUpdate | BookOrdersSnapshot;
}

export class BookChangesPublisher extends CommandPublisher {
  constructor(current: Current) {
    super("book", current);
  }

  show(command: BookCommand): void {
    const { listing, mirror, previous, timestampMs } = command;
    this.publish({
      kind: "book",
      symbol: listing.symbol,
      isSnapshot: false,
      previous,
      version: mirror.version,
      timestampMs,
      bids: changedLevels(command, "BUY"),
      asks: changedLevels(command, "SELL"),
    });
  }

  protected snapshotOf({ listing, mirror, timestampMs }: FollowedBook): BookUpdate {
    const { version } = mirror;
    const levels = (side: Side): Level[] =>
      mirror.levels(side).map(([priceTicks, lots]) => levelOf(listing, priceTicks, lots));
    return {
      kind: "book",
      symbol: listing.symbol,
      isSnapshot: true,
      previous: version,
      version,
      timestampMs,
      bids: levels("BUY"),
      asks: levels("SELL"),
    };
  }
}

function changedLevels({ listing, mirror, dirty }: BookCommand, side: Side): Level[] {
  const levels: Level[] = [];
  for (const [priceTicks, before] of dirty[side]) {
    const lots = mirror.levelLots(side, priceTicks);
    if (lots !== before) levels.push(levelOf(listing, priceTicks, lots));
  }
  return levels;
}

function levelOf(listing: Listing, priceTicks: number, lots: bigint): Level {
  const { step, scale } = listing.step;
  return [priceText(listing, priceTicks), formatDecimal(lots * BigInt(step), scale)];
}

export class BookOrdersPublisher extends CommandPublisher {
  constructor(current: Current) {
    super("bookOrders", current);
  }

  show({ changes, listing, mirror, previous, timestampMs }: BookCommand): void {
    const update: BookOrdersUpdate = {
      kind: "bookOrders",
      symbol: listing.symbol,
      previous,
      version: mirror.version,
      timestampMs,
      changes: changes.map((change) => orderChange(listing, change)),
    };
    this.publish(update);
  }

  protected snapshotOf({ listing, mirror, timestampMs }: FollowedBook): BookOrdersSnapshot {
    const { version } = mirror;
    const rows = (side: Side): OrderRow[] =>
      mirror.orders(side).map((order) => {
        const { orderId, price, quantity } = orderTexts(listing, order);
        return [orderId, price, quantity];
      });
    return {
      kind: "bookOrdersSnapshot",
      symbol: listing.symbol,
      version,
      timestampMs,
      bids: rows("BUY"),
      asks: rows("SELL"),
    };
  }
}

function orderTexts(listing: Listing, { orderId, side, priceTicks, openLots }: RestingOrder) {
  return {
    orderId: String(orderId),
    side,
    price: priceText(listing, priceTicks),
    quantity: quantityText(listing, openLots),
  };
}

function orderChange(listing: Listing, change: BookChange): OrderChange {
  const order = { change: change.kind, ...orderTexts(listing, change) };
  if (change.kind !== "filled") return { ...order, filled: null, tradeId: null };
  const filled = quantityText(listing, change.filledLots);
  return { ...order, filled, tradeId: String(change.tradeId) };
}
