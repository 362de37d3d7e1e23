/**
 * Trades and ticker as a client hears them: each trade since the subscription once and in order, by
 * whoever reads them, and none by who has stopped.
 */

import { exact, text } from "../../support/exact.ts";
import { hold } from "../breach.ts";
import { SYMBOL } from "../markets.ts";
import type { Product } from "../orders.ts";
import type { Story } from "../story.ts";
import type { MarketStream } from "./client-streams.ts";

interface Heard {
  readonly id: string;
  readonly price: string;
  readonly qty: string;
}

export class TapeFollower {
  readonly #product: Product;
  /** Since the stream was interrupted last; what comes then need not follow. */
  #heard: Heard[] = [];
  #listened = 0;
  #read = 0;
  #lastPrice: string | null = null;
  readonly #stopped: () => void;
  #heardAfterStop = 0;

  constructor(product: Product, market: MarketStream, trace: (said: unknown) => void) {
    this.#product = product;
    const trades = market.trades(SYMBOL);
    trades.listen((trade) => {
      trace(trade);
      this.#listened++;
      this.#heard.push(trade);
    });
    // Of the same channel: it must not end with the one that stops.
    let isStopped = false;
    const stop = trades.listen(() => {
      if (isStopped) this.#heardAfterStop++;
    });
    this.#stopped = () => {
      isStopped = true;
      stop();
    };
    void this.#readAll(trades);
    market.ticker(SYMBOL).listen(({ lastPrice }) => {
      this.#lastPrice = lastPrice;
    });
    market.onState(({ name, resumed }) => {
      if (name !== "live" || resumed) this.#heard = [];
    });
  }

  async #readAll(trades: AsyncIterable<unknown>): Promise<void> {
    for await (const _ of trades) this.#read++;
  }

  stopOne(): void {
    this.#stopped();
  }

  check(): void {
    const [listened, read] = [this.#listened, this.#read];
    const both = () => `${read} instead of ${listened}`;
    hold(read === listened, "every reader of a client's channel hears everything", both);
    const isSilent = this.#heardAfterStop === 0;
    hold(isSilent, "who has stopped hears nothing", () => `${this.#heardAfterStop}`);
  }

  /** Null once it is what the exchange has. */
  difference(story: Story): string | null {
    const tape = story.trades.of(this.#product, SYMBOL);
    const last = tape.at(-1);
    const first = this.#heard[0];
    const from = tape.findIndex(({ id }) => id === first?.id);
    const due = first === undefined ? [] : tape.slice(from);
    const wanted = due.map(({ id, price, quantity }) => `${id} ${text(price)} ${text(quantity)}`);
    const said = this.#heard.map(({ id, price, qty }) => {
      return `${id} ${text(exact(price))} ${text(exact(qty))}`;
    });
    if (first !== undefined && String(said) !== String(wanted)) {
      return `${this.#product} trades ${said} instead of ${wanted}`;
    }
    if (last === undefined || this.#lastPrice === null) return null;
    const isSame = exact(this.#lastPrice) === last.price;
    return isSame ? null : `the last price is ${this.#lastPrice} instead of ${text(last.price)}`;
  }
}
