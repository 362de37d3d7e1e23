/**
 * One spot market as the API describes it, in the fewest words: resting orders in a sorted
 * list, balances as sums, fees by the formula. Slow and plain on purpose; tests compare the
 * exchange with it. Amounts are those of `exact.ts`. Bands and minima are not modelled.
 */
import { least, roundedUp, times } from "./exact.ts";

export type OracleSide = "BUY" | "SELL";
export type OracleTimeInForce = "GTC" | "IOC" | "FOK" | "POST_ONLY";

export interface OracleRules {
  readonly base: string;
  readonly quote: string;
  readonly step: bigint;
  readonly makerRate: bigint;
  readonly takerRate: bigint;
}

export interface OracleRequest {
  readonly key: string;
  readonly user: string;
  readonly side: OracleSide;
  /** Null for a market order. */
  readonly price: bigint | null;
  readonly quantity: bigint;
  readonly timeInForce: OracleTimeInForce;
  /** Market buy by quote amount: `quantity` counts quote. */
  readonly byQuote?: boolean;
}

export interface OracleOrder extends OracleRequest {
  remaining: bigint;
  filledBase: bigint;
  filledQuote: bigint;
  status: "NEW" | "FILLED" | "CANCELED";
  /** Exact fee so far, in 10^-36, and what was charged of it. */
  exactFee: bigint;
  feeCharged: bigint;
}

export interface OracleFill {
  readonly price: bigint;
  readonly quantity: bigint;
  readonly buyer: string;
  readonly seller: string;
  readonly takerSide: OracleSide;
  readonly buyerFee: bigint;
  readonly sellerFee: bigint;
}

const ASSET_SCALE = 8;

export class SpotOracle {
  readonly fills: OracleFill[] = [];
  readonly #rules: OracleRules;
  readonly #equity = new Map<string, bigint>();
  readonly #orders = new Map<string, OracleOrder>();
  /** In order of arrival. */
  #resting: OracleOrder[] = [];

  constructor(rules: OracleRules) {
    this.#rules = rules;
  }

  deposit(user: string, asset: string, amount: bigint): void {
    this.#add(user, asset, amount);
  }

  order(key: string): OracleOrder {
    const order = this.#orders.get(key);
    if (order === undefined) throw new Error(`the oracle knows no order ${key}`);
    return order;
  }

  openOrders(user: string): readonly OracleOrder[] {
    return this.#resting.filter((order) => order.user === user);
  }

  equity(user: string, asset: string): bigint {
    return this.#equity.get(`${user} ${asset}`) ?? 0n;
  }

  frozen(user: string, asset: string): bigint {
    let total = 0n;
    for (const order of this.openOrders(user)) {
      if (order.side === "SELL" && asset === this.#rules.base) total += order.remaining;
      if (order.side === "BUY" && asset === this.#rules.quote) {
        total += times(order.price ?? 0n, order.remaining);
      }
    }
    return total;
  }

  available(user: string, asset: string): bigint {
    return this.equity(user, asset) - this.frozen(user, asset);
  }

  /** Total resting quantity by price, best first. */
  levels(side: OracleSide): readonly (readonly [price: bigint, quantity: bigint])[] {
    const levels = new Map<bigint, bigint>();
    for (const order of this.#bestFirst(side)) {
      const price = order.price ?? 0n;
      levels.set(price, (levels.get(price) ?? 0n) + order.remaining);
    }
    return [...levels];
  }

  /** Null when the account cannot afford the order: then nothing changed. */
  place(request: OracleRequest): OracleOrder | null {
    const order: OracleOrder = {
      ...request,
      remaining: request.quantity,
      filledBase: 0n,
      filledQuote: 0n,
      status: "NEW",
      exactFee: 0n,
      feeCharged: 0n,
    };
    if (!this.#affordable(order)) return null;
    this.#orders.set(order.key, order);
    const crossing = this.#crossing(order);
    const takes = crossing.length > 0;
    const fillable = crossing.reduce((total, maker) => total + maker.remaining, 0n);
    const refusesToTake = order.timeInForce === "POST_ONLY" && takes;
    const cannotFillWhole = order.timeInForce === "FOK" && fillable < order.remaining;
    if (!refusesToTake && !cannotFillWhole) this.#match(order, crossing);
    if (order.status !== "NEW") return order;
    const rests = order.timeInForce === "GTC" || order.timeInForce === "POST_ONLY";
    if (rests && !refusesToTake && order.price !== null) this.#resting.push(order);
    else order.status = "CANCELED";
    return order;
  }

  /** False when there is no such open order. */
  cancel(key: string): boolean {
    const order = this.#resting.find((resting) => resting.key === key);
    if (order === undefined) return false;
    order.status = "CANCELED";
    this.#resting = this.#resting.filter((resting) => resting !== order);
    return true;
  }

  #bestFirst(side: OracleSide): readonly OracleOrder[] {
    const sign = side === "BUY" ? -1n : 1n;
    const orders = this.#resting.filter((order) => order.side === side);
    // The sort is stable, so that orders of one price stay in order of arrival.
    return orders.sort((a, b) => Number(sign * ((a.price ?? 0n) - (b.price ?? 0n))));
  }

  #crossing(taker: OracleOrder): readonly OracleOrder[] {
    const makers = this.#bestFirst(taker.side === "BUY" ? "SELL" : "BUY");
    const limit = taker.price;
    if (limit === null) return makers;
    return makers.filter(({ price }) =>
      taker.side === "BUY" ? (price ?? 0n) <= limit : (price ?? 0n) >= limit,
    );
  }

  #affordable(order: OracleOrder): boolean {
    const { base, quote } = this.#rules;
    if (order.side === "SELL") return this.available(order.user, base) >= order.quantity;
    const funds = this.available(order.user, quote);
    if (order.price !== null) return funds >= times(order.price, order.quantity);
    if (order.byQuote === true) return funds >= order.quantity;
    let left = order.quantity;
    let cost = 0n;
    for (const maker of this.#crossing(order)) {
      const quantity = least(maker.remaining, left);
      cost += times(maker.price ?? 0n, quantity);
      left -= quantity;
    }
    return funds >= cost;
  }

  #match(taker: OracleOrder, makers: readonly OracleOrder[]): void {
    for (const maker of makers) {
      const price = maker.price ?? 0n;
      const wanted =
        taker.byQuote === true ? this.#lotsFor(taker.remaining, price) : taker.remaining;
      const quantity = least(maker.remaining, wanted);
      if (quantity === 0n) break;
      this.#fill(maker, taker, price, quantity);
      if (maker.remaining === 0n) {
        maker.status = "FILLED";
        this.#resting = this.#resting.filter((resting) => resting !== maker);
      }
    }
    if (taker.remaining === 0n) taker.status = "FILLED";
  }

  #lotsFor(quoteAmount: bigint, price: bigint): bigint {
    return (quoteAmount / times(price, this.#rules.step)) * this.#rules.step;
  }

  #fill(maker: OracleOrder, taker: OracleOrder, price: bigint, quantity: bigint): void {
    const quoteAmount = times(price, quantity);
    const makerFee = this.#settle(maker, quantity, quoteAmount, this.#rules.makerRate);
    const takerFee = this.#settle(taker, quantity, quoteAmount, this.#rules.takerRate);
    const takerBuys = taker.side === "BUY";
    this.fills.push({
      price,
      quantity,
      buyer: (takerBuys ? taker : maker).user,
      seller: (takerBuys ? maker : taker).user,
      takerSide: taker.side,
      buyerFee: takerBuys ? takerFee : makerFee,
      sellerFee: takerBuys ? makerFee : takerFee,
    });
  }

  /**
   * The fee of a fill is the order's exact fee so far, rounded up, less what it was charged before.
   */
  #settle(order: OracleOrder, quantity: bigint, quoteAmount: bigint, rate: bigint): bigint {
    const { base, quote } = this.#rules;
    const buys = order.side === "BUY";
    order.exactFee += (buys ? quantity : quoteAmount) * rate;
    const fee = roundedUp(order.exactFee, ASSET_SCALE) - order.feeCharged;
    order.feeCharged += fee;
    order.filledBase += quantity;
    order.filledQuote += quoteAmount;
    order.remaining -= order.byQuote === true ? quoteAmount : quantity;
    this.#add(order.user, base, buys ? quantity - fee : -quantity);
    this.#add(order.user, quote, buys ? -quoteAmount : quoteAmount - fee);
    return fee;
  }

  #add(user: string, asset: string, amount: bigint): void {
    this.#equity.set(`${user} ${asset}`, this.equity(user, asset) + amount);
  }
}
