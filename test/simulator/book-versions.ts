/** What every book was at each of its versions. */
import type { Engine } from "../../src/engine/index.ts";

const LEVELS = 200;

type Levels = readonly (readonly [price: string, quantity: string])[];

export interface BookVersion {
  readonly sequence: number;
  readonly version: number;
  readonly bids: Levels;
  readonly asks: Levels;
}

export class BookVersions {
  /** By `<product> <symbol>`, in order. */
  readonly #versions = new Map<string, BookVersion[]>();

  /** Looks at a book after the command of this sequence. */
  take(name: string, sequence: number, engine: Engine): void {
    const [product, symbol = ""] = name.split(" ");
    const type = product === "spot" ? "spot-depth" : "contract-depth";
    const answer = engine.query({ type, symbol, levels: LEVELS }, engine.timestampMs);
    if (!answer.ok) return;
    const known = this.#versions.get(name) ?? [];
    this.#versions.set(name, known);
    const { asks, bids, version } = answer.value as Omit<BookVersion, "sequence">;
    if (known.at(-1)?.version !== version) known.push({ sequence, version, bids, asks });
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
