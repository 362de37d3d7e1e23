/** Brings a market to what a plan says, and looks whether it is. */
import { accept, type Product, reject } from "../../domain/index.ts";
import type { EngineClient } from "../../protocol/index.ts";
import { fund, liquidityUid, lowerLeverage, openLiquidityAccount } from "./liquidity-account.ts";
import { type Level, type MarketMoment, readMoment } from "./market-moment.ts";
import { commandsOf, type HouseCommand, needsOf, ordersOf, type Plan } from "./order-batch.ts";
import type { Outcome } from "./outcome.ts";

/** Users may trade with the house while it makes its book. */
const TRIES_MAX = 5;

export class HouseTrading {
  readonly engine: EngineClient;

  constructor(engine: EngineClient) {
    this.engine = engine;
  }

  /** A market that trades, as the house's account sees it. */
  async open(
    symbol: string,
    product: Product | null,
    actor: string,
  ): Promise<Outcome<{ readonly uid: number; readonly moment: MarketMoment }>> {
    // A wrong symbol registers nobody.
    const seen = await readMoment(this.engine, 0, symbol, product);
    if (!seen.ok) return seen;
    const { rules } = seen.value;
    if (rules.state !== "trading") return reject("market-not-trading", "symbol", rules.state);
    const account = await openLiquidityAccount(this.engine, actor);
    if (!account.ok) return account;
    const uid = account.value;
    if (rules.product === "contract") {
      const prepared = await lowerLeverage(this.engine, uid, symbol);
      if (!prepared.ok) return prepared;
    }
    const moment = await readMoment(this.engine, uid, symbol, rules.product);
    return moment.ok ? accept({ uid, moment: moment.value }) : moment;
  }

  /** The house's orders in the market become those of the plan; others keep theirs. */
  async bringAbout(
    uid: number,
    before: MarketMoment,
    plan: Plan,
    actor: string,
  ): Promise<Outcome<MarketMoment>> {
    const { product, symbol } = before.rules;
    let moment = before;
    let { tradeTicks } = plan;
    for (let tries = 0; tries < TRIES_MAX; tries++) {
      const done = await this.#place(uid, moment, { ...plan, tradeTicks }, actor);
      if (!done.ok) return done;
      const after = await readMoment(this.engine, uid, symbol, product);
      if (!after.ok) return after;
      moment = after.value;
      if (isAt(moment, plan)) return accept(moment);
      if (moment.lastTicks === plan.tradeTicks) tradeTicks = 0;
    }
    const detail = "orders of others arrive faster than the house can trade: try again";
    return reject("conflict", null, detail);
  }

  /** A contract as it is now. */
  look(symbol: string, uid: number): Promise<Outcome<MarketMoment>> {
    return readMoment(this.engine, uid, symbol, "contract");
  }

  /** Funds the house's positions in a contract for a mark that is about to be. */
  async bearAt(symbol: string, ticks: number, actor: string): Promise<Outcome<null>> {
    const uid = await liquidityUid(this.engine);
    const moment = await readMoment(this.engine, uid, symbol, "contract");
    if (!moment.ok) return moment;
    const { positionLots, rules } = moment.value;
    if (positionLots.LONG + positionLots.SHORT === 0) return accept(null);
    const needs = needsOf({ ...moment.value, lastTicks: ticks }, []);
    return await fund(this.engine, uid, rules, needs, actor);
  }

  async #place(
    uid: number,
    moment: MarketMoment,
    plan: Plan,
    actor: string,
  ): Promise<Outcome<null>> {
    const orders = ordersOf(moment, plan);
    const funded = await fund(this.engine, uid, moment.rules, needsOf(moment, orders), actor);
    if (!funded.ok) return funded;
    const commands = commandsOf(moment, uid, orders);
    const replies = await this.engine.executeAll<HouseCommand["type"]>(commands);
    for (const reply of replies) {
      // An order that was filled since cannot be cancelled.
      if (!reply.ok && !("reason" in reply && reply.reason === "order-not-found")) return reply;
    }
    return accept(null);
  }
}

function isAt({ own, lastTicks }: MarketMoment, { book, tradeTicks }: Plan): boolean {
  if (tradeTicks > 0 && lastTicks !== tradeTicks) return false;
  const bids = own.filter(({ side }) => side === "BUY");
  const asks = own.filter(({ side }) => side === "SELL");
  return isSame(bids, book.bids) && isSame(asks, book.asks);
}

function isSame(own: readonly Level[], asked: readonly Level[]): boolean {
  if (own.length !== asked.length) return false;
  const lotsAt = new Map(own.map(({ ticks, lots }) => [ticks, lots]));
  return asked.every(({ ticks, lots }) => lotsAt.get(ticks) === lots);
}
