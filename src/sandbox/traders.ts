/**
 * The demo's makers and takers. They stand outside the engine and send the same commands as
 * anybody; their orders are journaled, so a replay needs no trader. They find their open orders in
 * the exchange itself and keep nothing, so a restart goes on where the market is.
 */
import type { Side } from "../domain/index.ts";
import type { CommandOf, EngineClient, SpotBalanceView, SpotOrderView } from "../protocol/index.ts";
import { demoInvitees, seedSpotCommissions } from "./affiliate-seed.ts";
import { ContractTraders, type TradersOptions } from "./contract-traders.ts";
import {
  BOT_FUNDS_QUOTE,
  DEMO_MARKETS,
  type DemoMarket,
  MAKER_UID,
  TAKER_UID,
} from "./demo-venue.ts";
import { PriceWalk } from "./price-walk.ts";
import { changeQuotes, LADDER_LEVELS, onGrid, type Quote } from "./quotes.ts";
import { SeededRandom } from "./random.ts";

/** One market gets a turn of at most four commands: 8 a second while watched, 1 a second else. */
const COMMANDS_PER_TURN = 4;
const TURN_WATCHED_MS = 500;
const TURN_ALONE_MS = 4_000;
/** Share of turns in which somebody takes. */
const TAKE_PROBABILITY = 0.7;
/** Share of takers who are somebody's invitees: commissions keep coming. They take little. */
const INVITEE_PROBABILITY = 0.15;
const INVITEE_SHARE = 0.2;
/** A taker pays at most this much more than the price that it sees. */
const TAKE_REACH = 0.002;
/**
 * An inventory this far from its mean, as a share of it, leans quotes and takers fully against it.
 */
const INVENTORY_REACH = 0.2;

interface TradedMarket {
  readonly market: DemoMarket;
  readonly walk: PriceWalk;
  lastMs: number;
}

export class Traders {
  readonly #engine: EngineClient;
  readonly #isWatched: () => boolean;
  readonly #random: SeededRandom;
  /** Distinguishes this run's client order ids from those of earlier runs. */
  readonly #run: string;
  readonly #markets: TradedMarket[] = [];
  readonly #inviteeUids: number[] = [];
  #turn = 0;
  #orders = 0;
  #timer: NodeJS.Timeout | null = null;
  #working: Promise<void> = Promise.resolve();
  #contracts: ContractTraders | null = null;
  #stopped = false;

  private constructor(options: TradersOptions) {
    this.#engine = options.engine;
    this.#isWatched = options.isWatched;
    this.#random = new SeededRandom(options.seed);
    this.#run = options.seed.toString(36);
  }

  /**
   * Puts whole ladders into the books, then trades until `stop`. Contracts follow as soon as the
   * spot books have given them a price.
   */
  static async start(options: TradersOptions): Promise<Traders> {
    const traders = new Traders(options);
    for (const market of DEMO_MARKETS) {
      const traded = await traders.#prepare(market);
      traders.#markets.push(traded);
      await traders.#quote(traded, LADDER_LEVELS * 4);
      await traders.#take(traded, 0, TAKER_UID);
    }
    await seedSpotCommissions(options.engine);
    for (const { uid, spotFunds, frozenAfterwards } of await demoInvitees(options.engine)) {
      if (spotFunds !== "0" && !frozenAfterwards) traders.#inviteeUids.push(uid);
    }
    traders.#schedule();
    traders.#startContracts(options);
    return traders;
  }

  #startContracts(options: TradersOptions): void {
    this.#contracts = ContractTraders.start(options);
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    if (this.#timer !== null) clearTimeout(this.#timer);
    await Promise.all([this.#working, this.#contracts?.stop()]);
  }

  async #prepare(market: DemoMarket): Promise<TradedMarket> {
    const { referencePrice, dailyVolatility } = market;
    const tickers = await this.#engine.ask({ type: "spot-book-tickers", symbol: market.symbol });
    const last = tickers.ok ? Number(tickers.value[0]?.lastPrice ?? 0) : 0;
    const price = last > 0 ? last : referencePrice;
    const walk = new PriceWalk(referencePrice, price, dailyVolatility, this.#random);
    return { market, walk, lastMs: performance.now() };
  }

  #schedule(): void {
    const delayMs = this.#isWatched() ? TURN_WATCHED_MS : TURN_ALONE_MS;
    this.#timer = setTimeout(() => {
      this.#working = this.#takeTurn();
    }, delayMs).unref();
  }

  async #takeTurn(): Promise<void> {
    const traded = this.#markets[this.#turn++ % this.#markets.length] as TradedMarket;
    const nowMs = performance.now();
    traded.walk.advance(nowMs - traded.lastMs);
    traded.lastMs = nowMs;
    const inventory = await this.#inventoryLean(traded.market);
    const takes = this.#random.next() < TAKE_PROBABILITY;
    if (takes) await this.#take(traded, inventory, this.#drawTaker());
    await this.#quote(traded, takes ? COMMANDS_PER_TURN - 1 : COMMANDS_PER_TURN);
    if (!this.#stopped) this.#schedule();
  }

  /** From -1 (the maker is short of the base asset) to 1 (it has too much). */
  async #inventoryLean({ baseAsset, referencePrice }: DemoMarket): Promise<number> {
    const balances = await this.#engine.ask({ type: "spot-balances", uid: MAKER_UID });
    if (!balances.ok) return 0;
    const holds = (balance: SpotBalanceView): boolean => balance.asset === baseAsset;
    const mean = BOT_FUNDS_QUOTE / referencePrice;
    const equity = Number(balances.value.find(holds)?.equity ?? mean);
    return Math.max(-1, Math.min(1, (equity - mean) / (mean * INVENTORY_REACH)));
  }

  async #quote({ market, walk }: TradedMarket, commandsMax: number): Promise<void> {
    const { symbol } = market;
    const open = await this.#engine.ask({ type: "spot-open-orders", uid: MAKER_UID, symbol });
    if (!open.ok) return;
    const lean = await this.#inventoryLean(market);
    const changes = (side: Side, sideLean: number, changesMax: number) =>
      changeQuotes(market, side, walk.price, sideLean, open.value, changesMax, this.#random);
    // With too much of the base asset the bids step back, with too little the asks.
    const first: Side = this.#random.next() < 0.5 ? "BUY" : "SELL";
    const leanOf = (side: Side): number => Math.max(0, side === "BUY" ? lean : -lean);
    const one = changes(first, leanOf(first), Math.ceil(commandsMax / 2));
    const used = one.cancel.length + one.place.length;
    const second: Side = first === "BUY" ? "SELL" : "BUY";
    const other = changes(second, leanOf(second), commandsMax - used);
    await this.#cancel([...one.cancel, ...other.cancel]);
    await this.#place(symbol, [...one.place, ...other.place]);
  }

  async #cancel(orders: readonly SpotOrderView[]): Promise<void> {
    const cancels = orders.map(
      ({ orderId, symbol }): CommandOf<"cancel-spot-order"> => ({
        type: "cancel-spot-order",
        uid: MAKER_UID,
        symbol,
        orderId,
        clientOrderId: null,
      }),
    );
    await this.#engine.executeAll(cancels);
  }

  async #place(symbol: string, quotes: readonly Quote[]): Promise<void> {
    const orders = quotes.map((quote) => this.#order(MAKER_UID, symbol, "POST_ONLY", quote));
    await this.#engine.executeAll(orders);
  }

  /**
   * Somebody buys or sells at once; who holds too much of the base asset is the likelier seller.
   */
  async #take({ market, walk }: TradedMarket, makerLean: number, uid: number): Promise<void> {
    const side: Side = this.#random.next() < 0.5 + makerLean / 2 ? "BUY" : "SELL";
    const reach = side === "BUY" ? 1 + TAKE_REACH : 1 - TAKE_REACH;
    const share = uid === TAKER_UID ? 1 : INVITEE_SHARE;
    // Many small orders and few large ones.
    const notional = market.orderNotional * 0.05 * share * Math.exp(this.#random.normal());
    const quote: Quote = {
      side,
      price: onGrid(walk.price * reach, market.tickSize),
      quantity: onGrid(notional / walk.price, market.stepSize),
    };
    await this.#engine.execute(this.#order(uid, market.symbol, "IOC", quote));
  }

  /** Mostly the venue's own. */
  #drawTaker(): number {
    if (this.#random.next() >= INVITEE_PROBABILITY) return TAKER_UID;
    const index = Math.floor(this.#random.next() * this.#inviteeUids.length);
    return this.#inviteeUids[index] ?? TAKER_UID;
  }

  #order(
    uid: number,
    symbol: string,
    timeInForce: "IOC" | "POST_ONLY",
    { side, price, quantity }: Quote,
  ): CommandOf<"place-spot-order"> {
    return {
      type: "place-spot-order",
      uid,
      symbol,
      side,
      orderType: "LIMIT",
      timeInForce,
      price,
      quantity,
      quantityUnit: "base",
      clientOrderId: `t${this.#run}-${(this.#orders++).toString(36)}`,
    };
  }
}
