/**
 * An order book kept by a client from a depth stream, by the published rules: a snapshot, then
 * updates whose `U` is the previous `u`, with absolute sizes and "0" for a removed level.
 */
import assert from "node:assert/strict";

type Level = [price: string, quantity: string];

export interface DepthMessage {
  readonly e: "depth" | "depthSnapshot";
  readonly E: number;
  readonly s: string;
  readonly U: number;
  readonly u: number;
  readonly l: number;
  readonly d: string;
  readonly b: Level[];
  readonly a: Level[];
}

interface BookSides {
  readonly bids: readonly (readonly [price: string, quantity: string])[];
  readonly asks: readonly (readonly [price: string, quantity: string])[];
}

export class LocalBook {
  /** 0 before the first snapshot. */
  version = 0;
  updates = 0;
  snapshots = 0;
  readonly #bids = new Map<string, string>();
  readonly #asks = new Map<string, string>();

  /** Nothing may follow but another snapshot, which is not older. */
  beginAnew(): void {
    this.snapshots = 0;
  }

  /** Fails at a gap or a repeat. */
  apply(message: DepthMessage): void {
    if (message.e === "depthSnapshot") {
      assert.equal(message.d, "SNAPSHOT");
      assert.ok(message.u >= this.version, "versions never go back");
      this.#bids.clear();
      this.#asks.clear();
      this.snapshots++;
    } else {
      assert.equal(message.d, "CHANGED");
      assert.ok(this.snapshots > 0, "a snapshot comes first");
      assert.equal(message.U, this.version, "an update follows the message before it");
      assert.ok(message.u > this.version, "an update is new");
      this.updates++;
    }
    change(this.#bids, message.b);
    change(this.#asks, message.a);
    this.version = message.u;
  }

  /** Null when the best levels of the view are exactly what is kept, else the first difference. */
  differenceFrom(view: BookSides, levels: number): string | null {
    return (
      firstDifference("bids", this.#bids, view.bids.slice(0, levels)) ??
      firstDifference("asks", this.#asks, view.asks.slice(0, levels))
    );
  }

  /** The whole book as text, best prices first. */
  get text(): string {
    return JSON.stringify([sorted(this.#bids, -1), sorted(this.#asks, 1)]);
  }
}

/** The same text for a book that was asked for, cut to the levels of a stream. */
export function bookText(
  bids: readonly (readonly [string, string])[],
  asks: readonly (readonly [string, string])[],
  levels: number,
): string {
  return JSON.stringify([bids.slice(0, levels), asks.slice(0, levels)]);
}

function firstDifference(
  name: string,
  kept: ReadonlyMap<string, string>,
  levels: BookSides["bids"],
): string | null {
  for (const [price, quantity] of levels) {
    const mine = kept.get(price);
    if (mine !== quantity) return `${name} ${price}: ${mine} instead of ${quantity}`;
  }
  return kept.size === levels.length ? null : `${kept.size} ${name} instead of ${levels.length}`;
}

function change(side: Map<string, string>, levels: readonly Level[]): void {
  for (const [price, quantity] of levels) {
    if (quantity === "0") {
      assert.ok(side.delete(price), `${price} is taken away and was not there`);
    } else side.set(price, quantity);
  }
}

function sorted(side: ReadonlyMap<string, string>, sign: 1 | -1): Level[] {
  return [...side].sort(([one], [other]) => sign * (Number(one) - Number(other)));
}
