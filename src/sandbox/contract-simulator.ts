/**
 * Simulates trading in one demo contract: a maker's ladder around a given price, and takers. Both
 * close what they hold before they open more. Like the spot simulator it acts only when called.
 */
import type { PositionSide, Side } from "../domain/index.ts";
import type { CommandOf, ContractOrderView, PositionView } from "../protocol/index.ts";
import { type DemoContract, MAKER_UID, TAKER_UID } from "./demo-profile.ts";
import { changeQuotes, onGrid, type Quote } from "./quotes.ts";
import { enlarged, type SimulatorOptions } from "./spot-simulator.ts";

/** The most a taker pays above the price it sees, as a fraction. */
const SLIPPAGE_MAX = 0.002;
/** A net position of this value skews quotes and takers fully against it. */
const INVENTORY_LIMIT_NOTIONAL = 1_000_000;

/** What an account can still close; shrinks as closing orders are placed. */
type Closable = Record<PositionSide, number>;

export class ContractSimulator {
  readonly #options: SimulatorOptions;
  readonly #contract: DemoContract;
  /** Around which the last sketch quoted; 0 before the first. */
  #sketchedPrice = 0;

  constructor(options: SimulatorOptions, contract: DemoContract) {
    this.#options = options;
    this.#contract = contract;
  }

  get symbol(): string {
    return this.#contract.symbol;
  }

  /**
   * The index, or the pinned mark when one is set; 0 without a price and for a stale index, at
   * which no position can be opened.
   */
  async price(): Promise<number> {
    const { symbol } = this.#contract;
    const prices = await this.#options.engine.query({ type: "contract-prices", symbol });
    const [market] = prices.ok ? prices.value : [];
    if (market === undefined || market.isStale) return 0;
    return Number(market.isPinned ? market.markPrice : market.indexPrice);
  }

  /**
   * Makes at most `commandsMax` changes of the ladder around a price, then `takers` take, each
   * `takeScale` times the quantity of a live turn.
   */
  async trade(price: number, takers: number, commandsMax: number, takeScale = 1): Promise<void> {
    const { engine } = this.#options;
    const { symbol } = this.#contract;
    const [open, made, taken] = await Promise.all([
      engine.query({ type: "contract-open-orders", uid: MAKER_UID, symbol }),
      engine.query({ type: "contract-positions", uid: MAKER_UID, symbol }),
      engine.query({ type: "contract-positions", uid: TAKER_UID, symbol }),
    ]);
    if (!open.ok || !made.ok || !taken.ok) return;
    // Commands submitted in one turn enter the same batch, in this order.
    const commands = [...this.#quote(price, open.value, made.value, commandsMax)];
    const closable = closableOf(taken.value, []);
    const skew = skewOf(taken.value, price);
    for (let taker = 0; taker < takers; taker++) {
      commands.push(engine.execute(this.#take(price, skew, takeScale, closable)));
    }
    await Promise.all(commands);
  }

  /** As `trade`, in few commands, as the spot simulator does. */
  async sketch(price: number, takers: number, takeScale: number): Promise<void> {
    const { engine, random, ladder } = this.#options;
    const { symbol } = this.#contract;
    const [made, taken] = await Promise.all([
      engine.query({ type: "contract-positions", uid: MAKER_UID, symbol }),
      engine.query({ type: "contract-positions", uid: TAKER_UID, symbol }),
    ]);
    if (!made.ok || !taken.ok) return;
    const closable = closableOf(taken.value, []);
    const skew = skewOf(taken.value, price);
    const mine = closableOf(made.value, []);
    const mySkew = skewOf(made.value, price);
    const quotes = (["BUY", "SELL"] as const).flatMap((side) => {
      const sideSkew = Math.max(0, side === "BUY" ? mySkew : -mySkew);
      return changeQuotes(this.#contract, ladder, side, price, sideSkew, [], 1, random).place;
    });
    const opening =
      this.#sketchedPrice === 0 ? [] : [this.#take(this.#sketchedPrice, skew, 1, closable)];
    this.#sketchedPrice = price;
    const commands: Promise<unknown>[] = [
      engine.executeAll(opening),
      engine.execute({ type: "cancel-all-contract-orders", uid: MAKER_UID, symbol }),
      engine.executeAll(
        quotes.map((quote) =>
          this.#order(MAKER_UID, "POST_ONLY", enlarged(quote, this.#contract), mine),
        ),
      ),
    ];
    for (let taker = 0; taker < takers; taker++) {
      commands.push(engine.execute(this.#take(price, skew, takeScale, closable)));
    }
    await Promise.all(commands);
  }

  #quote(
    price: number,
    open: readonly ContractOrderView[],
    positions: readonly PositionView[],
    commandsMax: number,
  ): readonly Promise<unknown>[] {
    const { engine, random, ladder } = this.#options;
    const skew = skewOf(positions, price);
    const changes = (side: Side, changesMax: number) => {
      // With too much of the base asset the bids move away, with too little the asks.
      const sideSkew = Math.max(0, side === "BUY" ? skew : -skew);
      return changeQuotes(this.#contract, ladder, side, price, sideSkew, open, changesMax, random);
    };
    const first: Side = random.next() < 0.5 ? "BUY" : "SELL";
    const one = changes(first, Math.ceil(commandsMax / 2));
    const used = one.cancel.length + one.place.length;
    const other = changes(first === "BUY" ? "SELL" : "BUY", commandsMax - used);
    const cancelled = [...one.cancel, ...other.cancel];
    const kept = open.filter((order) => !cancelled.includes(order));
    const closable = closableOf(positions, kept);
    const orders = [...one.place, ...other.place].map((quote) =>
      this.#order(MAKER_UID, "POST_ONLY", quote, closable),
    );
    return [engine.executeAll(cancelled.map(cancelOf)), engine.executeAll(orders)];
  }

  /** A random taker buys or sells; one with a large position more likely reduces it. */
  #take(
    price: number,
    skew: number,
    scale: number,
    closable: Closable,
  ): CommandOf<"place-contract-order"> {
    const { random } = this.#options;
    const { tickSize, stepSize, orderNotional } = this.#contract;
    const side: Side = random.next() < 0.5 - skew / 2 ? "BUY" : "SELL";
    const limitRatio = side === "BUY" ? 1 + SLIPPAGE_MAX : 1 - SLIPPAGE_MAX;
    // Many small orders and few large ones.
    const notional = orderNotional * 0.08 * scale * Math.exp(random.normal());
    const quote: Quote = {
      side,
      price: onGrid(price * limitRatio, tickSize),
      quantity: onGrid(notional / price, stepSize),
    };
    return this.#order(TAKER_UID, "IOC", quote, closable);
  }

  /** Closes the other side if that is large enough, otherwise opens. */
  #order(
    uid: number,
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
      symbol: this.#contract.symbol,
      side,
      positionSide: closes ? closing : opening,
      orderType: "LIMIT",
      timeInForce,
      price,
      quantity,
      clientOrderId: this.#options.nextClientOrderId(),
      tpTriggerPrice: null,
      slTriggerPrice: null,
      tpWorkingType: "CONTRACT_PRICE",
      slWorkingType: "CONTRACT_PRICE",
    };
  }
}

function cancelOf({ orderId }: ContractOrderView): CommandOf<"cancel-contract-order"> {
  return { type: "cancel-contract-order", uid: MAKER_UID, orderId, clientOrderId: null };
}

/** From -1 (the maximum short position) to 1 (the maximum long position). */
function skewOf(positions: readonly PositionView[], price: number): number {
  const net = positions.reduce(
    (sum, { side, size }) => sum + (side === "LONG" ? Number(size) : -Number(size)),
    0,
  );
  return Math.max(-1, Math.min(1, (net * price) / INVENTORY_LIMIT_NOTIONAL));
}

/** Position sizes less what open orders already close. */
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
