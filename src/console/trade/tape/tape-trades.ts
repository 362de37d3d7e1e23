/** The latest trades from REST and stream: unique, newest first, bounded. */

/** The fields that REST and stream share. */
export interface TapeTrade {
  readonly id: string;
  readonly price: string;
  readonly qty: string;
  readonly time: number;
  /** True if the taker sold. */
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

  /** Adds a streamed trade; they arrive in order. */
  push(trade: TapeTrade): void {
    const newest = this.#trades[0];
    if (newest === undefined || isNewer(trade, newest)) {
      this.#trades = [trade, ...this.#trades.slice(0, this.#most - 1)];
    }
  }

  /** Adds REST trades in any order, filling gaps of the stream. */
  merge(trades: readonly TapeTrade[]): void {
    const byId = new Map([...this.#trades, ...trades].map((trade) => [trade.id, trade]));
    const sorted = [...byId.values()].sort((one, other) => (isNewer(one, other) ? -1 : 1));
    this.#trades = sorted.slice(0, this.#most);
  }
}

/** Trade IDs of a market increase. */
function isNewer(one: TapeTrade, other: TapeTrade): boolean {
  return Number(one.id) > Number(other.id);
}
