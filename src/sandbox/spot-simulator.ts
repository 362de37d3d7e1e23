/**
 * Simulates trading in one demo spot market: a maker's ladder around a random price, and takers. It
 * acts only when called, by a timer or while history is made. It reads its open orders from the
 * exchange and keeps only the price.
 */
import type { Side } from "../domain/index.ts";
import type {
  CommandOf,
  EngineClient,
  SpotBalanceView,
  SpotBookTickerView,
  SpotOrderView,
} from "../protocol/index.ts";
import { BOT_FUNDS_QUOTE, type DemoMarket, MAKER_UID, TAKER_UID } from "./demo-profile.ts";
import { PriceWalk } from "./price-walk.ts";
import { changeQuotes, type Ladder, onGrid, type Quote, type QuotedMarket } from "./quotes.ts";
import type { SeededRandom } from "./random.ts";

/** A sketch has one quote a side, of the size of so many. */
const SKETCH_SIZE = 6;
/** Invitees take small quantities. */
const INVITEE_SHARE = 0.2;
/** The most a taker pays above the price it sees, as a fraction. */
const SLIPPAGE_MAX = 0.002;
/**
 * An inventory this far from its mean, as a share of it, skews quotes and takers fully against it.
 */
const INVENTORY_LIMIT = 0.2;

export interface SimulatorOptions {
  readonly engine: EngineClient;
  readonly random: SeededRandom;
  /** Of the maker's orders. */
  readonly ladder: Ladder;
  /** Differs at every call, and in every run of the traders. */
  readonly nextClientOrderId: () => string;
}

export class SpotSimulator {
  readonly #options: SimulatorOptions;
  readonly #market: DemoMarket;
  readonly #walk: PriceWalk;
  /** Around which the last sketch quoted; 0 before the first. */
  #sketchedPrice = 0;

  private constructor(options: SimulatorOptions, market: DemoMarket, walk: PriceWalk) {
    this.#options = options;
    this.#market = market;
    this.#walk = walk;
  }

  /** Continues at the market's price; a market that never traded starts at its reference. */
  static async open(
    options: SimulatorOptions,
    market: DemoMarket,
    walkRandom: SeededRandom,
  ): Promise<SpotSimulator> {
    const { symbol, referencePrice, dailyVolatility } = market;
    const tickers = await options.engine.query({ type: "spot-book-tickers", symbol });
    const price = (tickers.ok ? priceOf(tickers.value[0]) : 0) || referencePrice;
    return new SpotSimulator(
      options,
      market,
      new PriceWalk(referencePrice, price, dailyVolatility, walkRandom),
    );
  }

  get symbol(): string {
    return this.#market.symbol;
  }

  /** The price that the maker quotes around. */
  get price(): number {
    return this.#walk.price;
  }

  /** Moves the price on by this much time. */
  movePrice(elapsedMs: number): void {
    this.#walk.advance(elapsedMs);
  }

  /**
   * Makes at most `commandsMax` changes of the ladder, then each taker takes once; the house taker
   * takes `takeScale` times the quantity of a live turn.
   */
  async trade(takerUids: readonly number[], commandsMax: number, takeScale = 1): Promise<void> {
    const { engine } = this.#options;
    const { symbol } = this.#market;
    const [open, balances] = await Promise.all([
      engine.query({ type: "spot-open-orders", uid: MAKER_UID, symbol }),
      engine.query({ type: "spot-balances", uid: MAKER_UID }),
    ]);
    if (!open.ok || !balances.ok) return;
    const skew = this.#inventorySkew(balances.value);
    // Commands submitted in one turn enter the same batch, in this order.
    await Promise.all([
      ...this.#quote(open.value, skew, commandsMax),
      ...takerUids.map((uid) => engine.execute(this.#take(skew, uid, takeScale))),
    ]);
  }

  /**
   * As `trade`, in few commands: one large quote a side is placed anew, and each taker takes. The
   * house taker took from the former quotes before, so that a candle opens where the last closed.
   */
  async sketch(takerUids: readonly number[], takeScale: number): Promise<void> {
    const { engine, random, ladder } = this.#options;
    const { symbol } = this.#market;
    const balances = await engine.query({ type: "spot-balances", uid: MAKER_UID });
    if (!balances.ok) return;
    const skew = this.#inventorySkew(balances.value);
    const { price } = this.#walk;
    const quotes = (side: Side): readonly Quote[] => {
      const sideSkew = Math.max(0, side === "BUY" ? skew : -skew);
      const market = this.#market;
      const { place } = changeQuotes(market, ladder, side, price, sideSkew, [], 1, random);
      return place.map((quote) => enlarged(quote, market));
    };
    const opening =
      this.#sketchedPrice === 0 ? [] : [this.#take(skew, TAKER_UID, 1, this.#sketchedPrice)];
    this.#sketchedPrice = price;
    await Promise.all([
      engine.executeAll(opening),
      engine.execute({ type: "cancel-all-spot-orders", uid: MAKER_UID, symbol }),
      engine.executeAll(
        [...quotes("BUY"), ...quotes("SELL")].map((quote) =>
          this.#order(MAKER_UID, "POST_ONLY", quote),
        ),
      ),
      ...takerUids.map((uid) => engine.execute(this.#take(skew, uid, takeScale))),
    ]);
  }

  /** From -1 (the maker is short of the base asset) to 1 (it has too much). */
  #inventorySkew(balances: readonly SpotBalanceView[]): number {
    const { baseAsset, referencePrice } = this.#market;
    const mean = BOT_FUNDS_QUOTE / referencePrice;
    const equity = Number(balances.find(({ asset }) => asset === baseAsset)?.equity ?? mean);
    return Math.max(-1, Math.min(1, (equity - mean) / (mean * INVENTORY_LIMIT)));
  }

  #quote(
    open: readonly SpotOrderView[],
    skew: number,
    commandsMax: number,
  ): readonly Promise<unknown>[] {
    const { engine, random, ladder } = this.#options;
    const { price } = this.#walk;
    const changes = (side: Side, sideSkew: number, changesMax: number) =>
      changeQuotes(this.#market, ladder, side, price, sideSkew, open, changesMax, random);
    // With too much of the base asset the bids move away, with too little the asks.
    const first: Side = random.next() < 0.5 ? "BUY" : "SELL";
    const skewOf = (side: Side): number => Math.max(0, side === "BUY" ? skew : -skew);
    const one = changes(first, skewOf(first), Math.ceil(commandsMax / 2));
    const used = one.cancel.length + one.place.length;
    const second: Side = first === "BUY" ? "SELL" : "BUY";
    const other = changes(second, skewOf(second), commandsMax - used);
    const cancels = [...one.cancel, ...other.cancel].map(cancelOf);
    const orders = [...one.place, ...other.place].map((quote) =>
      this.#order(MAKER_UID, "POST_ONLY", quote),
    );
    return [engine.executeAll(cancels), engine.executeAll(orders)];
  }

  /** A random taker buys or sells; one with too much of the base asset more likely sells. */
  #take(
    makerSkew: number,
    uid: number,
    scale: number,
    price: number = this.#walk.price,
  ): CommandOf<"place-spot-order"> {
    const { random } = this.#options;
    const { tickSize, stepSize, orderNotional } = this.#market;
    const side: Side = random.next() < 0.5 + makerSkew / 2 ? "BUY" : "SELL";
    const limitRatio = side === "BUY" ? 1 + SLIPPAGE_MAX : 1 - SLIPPAGE_MAX;
    const share = uid === TAKER_UID ? scale : INVITEE_SHARE;
    // Many small orders and few large ones.
    const notional = orderNotional * 0.05 * share * Math.exp(random.normal());
    return this.#order(uid, "IOC", {
      side,
      price: onGrid(price * limitRatio, tickSize),
      quantity: onGrid(notional / price, stepSize),
    });
  }

  #order(
    uid: number,
    timeInForce: "IOC" | "POST_ONLY",
    { side, price, quantity }: Quote,
  ): CommandOf<"place-spot-order"> {
    return {
      type: "place-spot-order",
      uid,
      symbol: this.#market.symbol,
      side,
      orderType: "LIMIT",
      timeInForce,
      price,
      quantity,
      quantityUnit: "base",
      clientOrderId: this.#options.nextClientOrderId(),
    };
  }
}

export function enlarged(quote: Quote, { stepSize }: QuotedMarket): Quote {
  return { ...quote, quantity: onGrid(Number(quote.quantity) * SKETCH_SIZE, stepSize) };
}

/** The last price, unless the book has since moved away from it; 0 without one. */
function priceOf(ticker: SpotBookTickerView | undefined): number {
  if (ticker === undefined) return 0;
  const last = Number(ticker.lastPrice);
  const bid = Number(ticker.bidPrice);
  const ask = Number(ticker.askPrice) || Number.POSITIVE_INFINITY;
  return last > 0 ? Math.min(Math.max(last, bid), ask) : 0;
}

function cancelOf({ orderId, symbol }: SpotOrderView): CommandOf<"cancel-spot-order"> {
  return { type: "cancel-spot-order", uid: MAKER_UID, symbol, orderId, clientOrderId: null };
}
