/**
 * Simulates trading in one demo contract: a maker's ladder around a given price, and takers. Both
 * close what they hold before they open more. Like the spot simulator it acts when called.
 */
import type { PositionSide, Side } from "../domain/index.ts";
import type { CommandOf, ContractOrderView, PositionView } from "../protocol/index.ts";
import { type DemoContract, MAKER_UID, TAKER_UID } from "./demo-profile.ts";
import { changeQuotes, onGrid, type Quote } from "./quotes.ts";
import type { SimulatorOptions } from "./spot-simulator.ts";

/** A taker pays at most this much more than the price that it sees. */
const SLIPPAGE_MAX = 0.002;
/** A net position of this value skews quotes and takers fully against it. */
const INVENTORY_LIMIT_NOTIONAL = 1_000_000;

/** What an account can still close, which shrinks as closing orders are made. */
type Closable = Record<PositionSide, number>;

export class ContractSimulator {
  readonly #options: SimulatorOptions;
  readonly #contract: DemoContract;

  constructor(options: SimulatorOptions, contract: DemoContract) {
    this.#options = options;
    this.#contract = contract;
  }

  get symbol(): string {
    return this.#contract.symbol;
  }

  /**
   * The index, but a pinned mark where somebody tries out what a price would do; 0 for none, and
   * for a stale one, at which nothing may be opened.
   */
  async price(): Promise<number> {
    const { symbol } = this.#contract;
    const prices = await this.#options.engine.query({ type: "contract-prices", symbol });
    const [market] = prices.ok ? prices.value : [];
    if (market === undefined || market.isStale) return 0;
    return Number(market.isPinned ? market.markPrice : market.indexPrice);
  }

  /**
   * At most `commandsMax` changes of the ladder around a price, and then so many takers, each of
   * `takeScale` times what one takes in a live turn.
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
    // What is handed over in one turn enters the same batch, in this order.
    const commands = [...this.#quote(price, open.value, made.value, commandsMax)];
    const closable = closableOf(taken.value, []);
    const skew = skewOf(taken.value, price);
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
    const { engine, random } = this.#options;
    const skew = skewOf(positions, price);
    const changes = (side: Side, changesMax: number) => {
      // With too much of the base asset the bids step back, with too little the asks.
      const sideSkew = Math.max(0, side === "BUY" ? skew : -skew);
      return changeQuotes(this.#contract, side, price, sideSkew, open, changesMax, random);
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

  /** Somebody buys or sells at once, and rather the other way when it holds much already. */
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

  /** Closes the other side where that holds enough, else opens. */
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

/** From -1 (short as far as the trader goes) to 1 (long as far). */
function skewOf(positions: readonly PositionView[], price: number): number {
  const net = positions.reduce(
    (sum, { side, size }) => sum + (side === "LONG" ? Number(size) : -Number(size)),
    0,
  );
  return Math.max(-1, Math.min(1, (net * price) / INVENTORY_LIMIT_NOTIONAL));
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
