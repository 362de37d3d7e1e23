/**
 * Where a scene is played: between two steps, while nobody else does anything, so that the naive
 * exchange can be asked where the next edge is, and has followed everything up to there.
 */
import type { Random } from "../../support/random.ts";
import type { CreditedExchange } from "../affiliate-story.ts";
import { SYMBOL } from "../markets.ts";
import { operate } from "../operate.ts";
import type { Product, SentOrder } from "../orders.ts";
import type { SimulatedExchange } from "../simulated-exchange.ts";
import { checkStep } from "../state-check.ts";
import type { Trader } from "../trader.ts";

export type Scene = (stage: Stage) => Promise<void>;

export class Stage {
  readonly exchange: SimulatedExchange;
  readonly traders: readonly Trader[];
  readonly random: Random;

  constructor(exchange: SimulatedExchange, traders: readonly Trader[], random: Random) {
    this.exchange = exchange;
    this.traders = traders;
    this.random = random;
  }

  /** The naive exchange as things are now; everything up to here is checked. */
  async look(): Promise<CreditedExchange> {
    await checkStep(this.exchange);
    return this.exchange.story.naive;
  }

  /** As the naive exchange has it now. */
  async marketOf(product: Product, symbol: string = SYMBOL) {
    const naive = await this.look();
    return (product === "spot" ? naive.markets : naive.contracts).get(symbol);
  }

  /** Whether it was taken. */
  async send(trader: Trader, method: string, path: string, body?: object): Promise<boolean> {
    const outcome = await this.do(trader.send(method, path, body));
    if (outcome?.status === 200) return true;
    if (outcome !== null) trader.expectRefusal(outcome, `${method} ${path}`);
    return false;
  }

  place(trader: Trader, product: Product, content: Record<string, unknown>): Promise<SentOrder> {
    return this.do(trader.place(product, content));
  }

  async cancel(trader: Trader, order: SentOrder): Promise<void> {
    await this.do(trader.cancel(order));
  }

  /** Of everybody in one market. */
  async clear(product: Product, symbol: string): Promise<void> {
    for (const trader of this.traders) await this.do(trader.cancelAll(product, symbol));
  }

  async move(trader: Trader, kind: "deposits" | "withdrawals", body: Movement): Promise<void> {
    await this.do(trader.move(kind, { ...body }));
  }

  operate(method: string, path: string, body?: object): Promise<unknown> {
    return this.do(operate(this.exchange, method, path, body));
  }

  /** Some of its rules; the others stay. */
  async changeMarket(product: Product, change: object, symbol: string = SYMBOL): Promise<void> {
    const path = `markets/${product}/${symbol}`;
    const present = await this.exchange.operator<Record<string, unknown>>("GET", path);
    const { symbol: _, indexAgeMs: __, indexSource: ___, ...rules } = present;
    await this.operate("PUT", path, { ...rules, ...change });
  }

  pass(ms: number): Promise<void> {
    return this.exchange.pass(ms);
  }

  do<Value>(work: Promise<Value>): Promise<Value> {
    return this.exchange.life.until(work);
  }
}

interface Movement {
  readonly account: "spot" | "contract";
  readonly asset: string;
  readonly amount: string;
}
