/**
 * The demo's makers and takers of contracts. They quote around the index, which follows the spot
 * market, close what they hold before they open more, and keep nothing that the exchange does not
 * know, so a restart goes on where the market is.
 */
import type { PositionSide, Side } from "../domain/index.ts";
import type {
  CommandOf,
  ContractOrderView,
  EngineClient,
  PositionView,
} from "../protocol/index.ts";
import { seedContractCommissions } from "./affiliate-seed.ts";
import { seedContractTrades } from "./contract-seed.ts";
import { DEMO_CONTRACTS, type DemoContract, MAKER_UID, TAKER_UID } from "./demo-venue.ts";
import { changeQuotes, LADDER_LEVELS, onGrid, type Quote } from "./quotes.ts";
import { SeededRandom } from "./random.ts";

export interface TradersOptions {
  readonly engine: EngineClient;
  /** Whether anybody looked at the exchange lately; alone, the traders hardly move. */
  readonly isWatched: () => boolean;
  readonly seed: number;
}

/** One market gets a turn of at most four commands: 8 a second while watched, 1 a second else. */
const COMMANDS_PER_TURN = 4;
const TURN_WATCHED_MS = 500;
const TURN_ALONE_MS = 4_000;
/** The index comes with the first whole second after the spot market is quoted. */
const FIRST_PRICE_POLL_MS = 200;
const FIRST_PRICE_POLLS_MAX = 20;
/** Share of turns in which somebody takes. */
const TAKE_PROBABILITY = 0.6;
/** A taker pays at most this much more than the price that it sees. */
const TAKE_REACH = 0.002;
/** A net position of this value leans quotes and takers fully against it. */
const INVENTORY_REACH_NOTIONAL = 1_000_000;

/** What an account can still close, which shrinks as closing orders are made. */
type Closable = Record<PositionSide, number>;

export class ContractTraders {
  readonly #engine: EngineClient;
  readonly #isWatched: () => boolean;
  readonly #random: SeededRandom;
  /** Distinguishes this run's client order ids from those of earlier runs. */
  readonly #run: string;
  /** Markets whose whole ladders have been placed in this run. */
  readonly #quoted = new Set<string>();
  #isSeeded = false;
  #turn = 0;
  #orders = 0;
  #timer: NodeJS.Timeout | null = null;
  #working: Promise<void> = Promise.resolve();
  #stopped = false;

  private constructor(options: TradersOptions) {
    this.#engine = options.engine;
    this.#isWatched = options.isWatched;
    this.#random = new SeededRandom(options.seed);
    this.#run = options.seed.toString(36);
  }

  /** Begins to trade as soon as there is a price, until `stop`. */
  static start(options: TradersOptions): ContractTraders {
    const traders = new ContractTraders(options);
    traders.#schedule();
    return traders;
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    if (this.#timer !== null) clearTimeout(this.#timer);
    await this.#working;
  }

  #schedule(): void {
    const isStarting =
      this.#quoted.size < DEMO_CONTRACTS.length && this.#turn < FIRST_PRICE_POLLS_MAX;
    const delayMs = this.#isWatched() ? TURN_WATCHED_MS : TURN_ALONE_MS;
    this.#timer = setTimeout(
      () => {
        this.#working = this.#takeTurn();
      },
      isStarting ? FIRST_PRICE_POLL_MS : delayMs,
    ).unref();
  }

  async #takeTurn(): Promise<void> {
    const contract = DEMO_CONTRACTS[this.#turn++ % DEMO_CONTRACTS.length] as DemoContract;
    const price = await this.#priceOf(contract);
    if (price > 0) await this.#trade(contract, price);
    if (!this.#isSeeded && this.#quoted.size === DEMO_CONTRACTS.length) {
      this.#isSeeded = true;
      await seedContractTrades(this.#engine);
      await seedContractCommissions(this.#engine);
    }
    if (!this.#stopped) this.#schedule();
  }

  /** The index, but a pinned mark where somebody tries out what a price would do; 0 for none. */
  async #priceOf({ symbol }: DemoContract): Promise<number> {
    const prices = await this.#engine.ask({ type: "contract-prices", symbol });
    const [market] = prices.ok ? prices.value : [];
    if (market === undefined) return 0;
    return Number(market.isPinned ? market.markPrice : market.indexPrice);
  }

  async #trade(contract: DemoContract, price: number): Promise<void> {
    if (!this.#quoted.has(contract.symbol)) {
      await this.#quote(contract, price, LADDER_LEVELS * 4);
      await this.#take(contract, price);
      this.#quoted.add(contract.symbol);
      return;
    }
    const takes = this.#random.next() < TAKE_PROBABILITY;
    if (takes) await this.#take(contract, price);
    await this.#quote(contract, price, takes ? COMMANDS_PER_TURN - 1 : COMMANDS_PER_TURN);
  }

  async #quote(contract: DemoContract, price: number, commandsMax: number): Promise<void> {
    const { symbol } = contract;
    const [open, positions] = await Promise.all([
      this.#engine.ask({ type: "contract-open-orders", uid: MAKER_UID, symbol }),
      this.#engine.ask({ type: "contract-positions", uid: MAKER_UID, symbol }),
    ]);
    if (!open.ok || !positions.ok) return;
    const lean = leanOf(positions.value, price);
    const changes = (side: Side, changesMax: number) => {
      // With too much of the base asset the bids step back, with too little the asks.
      const sideLean = Math.max(0, side === "BUY" ? lean : -lean);
      return changeQuotes(contract, side, price, sideLean, open.value, changesMax, this.#random);
    };
    const first: Side = this.#random.next() < 0.5 ? "BUY" : "SELL";
    const one = changes(first, Math.ceil(commandsMax / 2));
    const used = one.cancel.length + one.place.length;
    const other = changes(first === "BUY" ? "SELL" : "BUY", commandsMax - used);
    const cancels = [...one.cancel, ...other.cancel];
    await this.#cancel(cancels);
    const kept = open.value.filter((order) => !cancels.includes(order));
    const closable = closableOf(positions.value, kept);
    const orders = [...one.place, ...other.place].map((quote) =>
      this.#order(MAKER_UID, symbol, "POST_ONLY", quote, closable),
    );
    await this.#engine.executeAll(orders);
  }

  async #cancel(orders: readonly ContractOrderView[]): Promise<void> {
    const cancels = orders.map(
      ({ orderId }): CommandOf<"cancel-contract-order"> => ({
        type: "cancel-contract-order",
        uid: MAKER_UID,
        orderId,
        clientOrderId: null,
      }),
    );
    await this.#engine.executeAll(cancels);
  }

  /** Somebody buys or sells at once, and rather the other way when it holds much already. */
  async #take(contract: DemoContract, price: number): Promise<void> {
    const { symbol, tickSize, stepSize, orderNotional } = contract;
    const positions = await this.#engine.ask({
      type: "contract-positions",
      uid: TAKER_UID,
      symbol,
    });
    if (!positions.ok) return;
    const lean = leanOf(positions.value, price);
    const side: Side = this.#random.next() < 0.5 - lean / 2 ? "BUY" : "SELL";
    const reach = side === "BUY" ? 1 + TAKE_REACH : 1 - TAKE_REACH;
    // Many small orders and few large ones.
    const notional = orderNotional * 0.08 * Math.exp(this.#random.normal());
    const quote: Quote = {
      side,
      price: onGrid(price * reach, tickSize),
      quantity: onGrid(notional / price, stepSize),
    };
    const closable = closableOf(positions.value, []);
    await this.#engine.execute(this.#order(TAKER_UID, symbol, "IOC", quote, closable));
  }

  /** Closes the other side where that holds enough, else opens. */
  #order(
    uid: number,
    symbol: string,
    timeInForce: "IOC" | "POST_ONLY",
    { side, price, quantity }: Quote,
    closable: Closable,
  ): CommandOf<"place-contract-order"> {
    const closing: PositionSide = side === "BUY" ? "SHORT" : "LONG";
    const closes = closable[closing] >= Number(quantity);
    if (closes) closable[closing] -= Number(quantity);
    const opening: PositionSide = side === "BUY" ? "LONG" : "SHORT";
    return {
      type: "place-contract-order",
      uid,
      symbol,
      side,
      positionSide: closes ? closing : opening,
      orderType: "LIMIT",
      timeInForce,
      price,
      quantity,
      clientOrderId: `c${this.#run}-${(this.#orders++).toString(36)}`,
      tpTriggerPrice: null,
      slTriggerPrice: null,
      tpWorkingType: "CONTRACT_PRICE",
      slWorkingType: "CONTRACT_PRICE",
    };
  }
}

/** From -1 (short as far as the trader goes) to 1 (long as far). */
function leanOf(positions: readonly PositionView[], price: number): number {
  const net = positions.reduce(
    (sum, { side, size }) => sum + (side === "LONG" ? Number(size) : -Number(size)),
    0,
  );
  return Math.max(-1, Math.min(1, (net * price) / INVENTORY_REACH_NOTIONAL));
}

/** Sizes less what open orders close already. */
function closableOf(
  positions: readonly PositionView[],
  open: readonly ContractOrderView[],
): Closable {
  const closable: Closable = { LONG: 0, SHORT: 0 };
  for (const { side, size } of positions) closable[side] += Number(size);
  for (const order of open) {
    if (!order.reduceOnly) continue;
    closable[order.positionSide] -= Number(order.quantity) - Number(order.filledQuantity);
  }
  return closable;
}
