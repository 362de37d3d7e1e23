/** The latest trades of a market, from REST and the stream: each once, newest first, bounded. */

/** What REST and the stream both tell of a trade. */
export interface TapeTrade {
  readonly id: string;
  readonly price: string;
  readonly qty: string;
  readonly time: number;
  /** The taker sold. */
  readonly isBuyerMaker: boolean;
}

export class TapeTrades {
  readonly #most: number;
  #trades: readonly TapeTrade[] = [];

  constructor(most: number) {
    this.#most = most;
  }

  get newestFirst(): readonly TapeTrade[] {
    return this.#trades;
  }

  /** A trade of the stream, which tells them in order. */
  push(trade: TapeTrade): void {
    const newest = this.#trades[0];
    if (newest === undefined || isNewer(trade, newest)) {
      this.#trades = [trade, ...this.#trades.slice(0, this.#most - 1)];
    }
  }

  /** What REST knows, in any order; fills what the stream did not tell. */
  merge(trades: readonly TapeTrade[]): void {
    const byId = new Map([...this.#trades, ...trades].map((trade) => [trade.id, trade]));
    const sorted = [...byId.values()].sort((one, other) => (isNewer(one, other) ? -1 : 1));
    this.#trades = sorted.slice(0, this.#most);
  }
}

/** Ids of a market's trades grow. */
function isNewer(one: TapeTrade, other: TapeTrade): boolean {
  return Number(one.id) > Number(other.id);
}
