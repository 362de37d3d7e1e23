/** A book that the client keeps: each version that it shows is the exchange's. */
import type { LocalOrderBook, StreamLevel } from "../../../src/client/index.ts";
import { bookText } from "../../support/local-book.ts";
import { hold } from "../breach.ts";
import type { Story } from "../story.ts";

interface Shown {
  readonly version: number;
  readonly bids: readonly StreamLevel[];
  readonly asks: readonly StreamLevel[];
}

export class BookFollower {
  readonly book: LocalOrderBook;
  readonly #name: string;
  /** That were not compared yet. */
  #shown: Shown[] = [];
  #highest = 0;

  constructor(book: LocalOrderBook, name: string, trace: (said: unknown) => void) {
    this.book = book;
    this.#name = name;
    book.listen(({ asks, bids, isLive, version }) => {
      trace([version, isLive]);
      if (isLive) this.#shown.push({ version, bids, asks });
    });
  }

  /** What the story has followed; the rest is looked at the next time. */
  check(story: Story): void {
    const { levels } = this.book;
    const last = story.books.at(this.#name, story.sequence)?.version ?? 0;
    const followed = this.#shown.filter(({ version }) => version <= last);
    this.#shown = this.#shown.filter(({ version }) => version > last);
    for (const { asks, bids, version } of followed) {
      const goesOn = version >= this.#highest;
      const order = () => `${this.#name}: ${this.#highest} → ${version}`;
      hold(goesOn, "a client's book never goes back", order);
      this.#highest = version;
      const known = story.books.version(this.#name, version);
      const due = known === undefined ? "none" : bookText(known.bids, known.asks, levels);
      const said = JSON.stringify([bids, asks]);
      const detail = () => `${this.#name} ${version}: ${said} instead of ${due}`;
      hold(said === due, "a client's book is the book of its version", detail);
    }
  }

  /** Null once it is what the exchange has. */
  difference(story: Story): string | null {
    if (!this.book.isLive) return `the book of ${this.#name} is not live`;
    const last = story.books.at(this.#name, story.sequence)?.version ?? 0;
    return this.book.version === last ? null : `${this.#name} is ${this.book.version} of ${last}`;
  }
}
