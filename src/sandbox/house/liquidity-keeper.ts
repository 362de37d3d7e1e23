/**
 * Keeps markets quoted by their models. It looks at each a few times a second, as a maker outside
 * of the exchange would: what was taken is placed again, the book follows the price, or goes away.
 * While the exchange's clock stands still it looks when that clock is moved, and at no other time:
 * the same requests are then the same commands.
 */
import type { Platform, Timer } from "../../platform/index.ts";
import type { EngineClient } from "../../protocol/index.ts";
import type { HouseTrading } from "./house-trading.ts";
import { type LiquidityTerms, modelShape } from "./liquidity-models.ts";
import { bookAround } from "./liquidity-shape.ts";
import {
  type BookLevels,
  type MarketMoment,
  type MarketRules,
  readMoment,
} from "./market-moment.ts";

const LOOK_MS = 100;
/** How long a book that was taken from stays away, in exchange time. */
const AWAY_MS = 5_000;
const EMPTY: BookLevels = { bids: [], asks: [] };

export interface KeptMarket {
  readonly uid: number;
  readonly rules: MarketRules;
  readonly terms: LiquidityTerms;
  readonly actor: string;
}

interface Quoted extends KeptMarket {
  /** Where the book is; 0 when it is to be placed anew. */
  ticks: number;
  book: BookLevels;
  awayUntilMs: number;
}

export interface KeeperOptions {
  readonly trading: HouseTrading;
  readonly platform: Pick<Platform, "scheduler">;
  /** Runs a look when nothing else goes on in the markets of a symbol; otherwise leaves it out. */
  readonly whenIdle: (symbol: string, look: () => Promise<void>) => Promise<void>;
}

export class LiquidityKeeper {
  readonly #options: KeeperOptions;
  readonly #markets = new Map<string, Quoted>();
  #timer: Timer | null = null;

  constructor(options: KeeperOptions) {
    this.#options = options;
  }

  get(key: string): KeptMarket | null {
    return this.#markets.get(key) ?? null;
  }

  /** Quotes it now, and looks at it from then on. */
  async keep(key: string, market: KeptMarket): Promise<void> {
    const quoted = { ...market, ticks: 0, book: EMPTY, awayUntilMs: 0 };
    this.#markets.set(key, quoted);
    const time = await exchangeTime(this.#options.trading.engine);
    if (time !== null) await this.#look(quoted, time.nowMs);
    this.#schedule();
  }

  drop(key: string): void {
    this.#markets.delete(key);
  }

  /** The house itself moved the price: nobody took anything. */
  moved(symbol: string): void {
    for (const market of this.#markets.values()) {
      if (market.rules.symbol === symbol) market.ticks = 0;
    }
  }

  /** While time stands still, quotes follow where it was moved to, before that is answered. */
  async timeMoved(): Promise<void> {
    if (this.#markets.size > 0) await this.#lookAtAll((time) => time.standsStill);
  }

  stop(): void {
    this.#markets.clear();
    this.#timer?.cancel();
    this.#timer = null;
  }

  #schedule(): void {
    if (this.#timer !== null || this.#markets.size === 0) return;
    const run = (): void => {
      this.#timer = null;
      void this.#lookAtAll((time) => !time.standsStill).then(() => this.#schedule());
    };
    this.#timer = this.#options.platform.scheduler.after(LOOK_MS, run, "background");
  }

  async #lookAtAll(isDue: (time: ExchangeTime) => boolean): Promise<void> {
    for (const [key, market] of this.#markets) {
      const look = async (): Promise<void> => {
        const time = await exchangeTime(this.#options.trading.engine);
        // It may have been dropped while others were looked at.
        if (this.#markets.get(key) !== market || time === null || !isDue(time)) return;
        await this.#look(market, time.nowMs);
      };
      await this.#options.whenIdle(market.rules.symbol, look);
    }
  }

  /** A market that cannot be quoted now, such as a halted one, is looked at again. */
  async #look(market: Quoted, nowMs: number): Promise<void> {
    const { uid, rules, terms } = market;
    const { engine } = this.#options.trading;
    const seen = await readMoment(engine, uid, rules.symbol, rules.product);
    if (!seen.ok || seen.value.rules.state !== "trading") return;
    const moment = seen.value;
    if (nowMs < market.awayUntilMs) return;
    const isTaken = market.ticks !== 0 && !hasBook(moment, market.book);
    if (isTaken && terms.model === "vanishes-on-take") {
      market.awayUntilMs = nowMs + AWAY_MS;
      market.ticks = 0;
      await this.#place(market, moment, EMPTY);
      return;
    }
    const ticks = centreOf(market, moment);
    if (ticks === 0 || (ticks === market.ticks && !isTaken)) return;
    const shape = modelShape(terms, moment.rules, ticks);
    const book = bookAround(shape, ticks, moment.rules);
    if (!(await this.#place(market, moment, book))) return;
    market.ticks = ticks;
    market.book = book;
  }

  async #place(market: Quoted, moment: MarketMoment, book: BookLevels): Promise<boolean> {
    const plan = { tradeTicks: 0, book };
    const { actor, uid } = market;
    const placed = await this.#options.trading.bringAbout(uid, moment, plan, actor);
    return placed.ok;
  }
}

interface ExchangeTime {
  readonly nowMs: number;
  readonly standsStill: boolean;
}

async function exchangeTime(engine: EngineClient): Promise<ExchangeTime | null> {
  const status = await engine.query({ type: "status" });
  if (!status.ok) return null;
  return { nowMs: status.timestampMs, standsStill: status.value.clockSpeedE3 === 0 };
}

/** The last price, the mark of a contract; firm quotes stay where they are. */
function centreOf({ terms, ticks }: Quoted, moment: MarketMoment): number {
  const { lastTicks, bandTicks, rules } = moment;
  const price = rules.product === "contract" ? bandTicks : lastTicks;
  if (ticks === 0) return price;
  if (terms.model === "last-look-never") return ticks;
  // Trades at the best quotes do not move the book; beyond them they do.
  const isFar = Math.abs(price - ticks) > (ticks * terms.spread * 3) / 4;
  return isFar ? price : ticks;
}

function hasBook({ own }: MarketMoment, { bids, asks }: BookLevels): boolean {
  if (own.length !== bids.length + asks.length) return false;
  const lotsAt = new Map(own.map(({ side, ticks, lots }) => [`${side}${ticks}`, lots]));
  return (
    bids.every(({ ticks, lots }) => lotsAt.get(`BUY${ticks}`) === lots) &&
    asks.every(({ ticks, lots }) => lotsAt.get(`SELL${ticks}`) === lots)
  );
}
