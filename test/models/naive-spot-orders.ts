/**
 * Orders of the spot reference exchange in their plainest form: in order of arrival, sorted again
 * for every walk; frozen funds computed from the open orders; exact amounts throughout. Written
 * from the design alone and slow on purpose. It shares only the vocabulary with the engine.
 */
import type {
  EndReason,
  MarketState,
  Product,
  RejectReason,
  Side,
  TimeInForce,
} from "../../src/domain/index.ts";
import type { CommandOf } from "../../src/protocol/index.ts";
import { least, roundedUp, text, times } from "../support/exact.ts";
import {
  accepted,
  NaiveAccounts,
  type NaiveEvent,
  type NaiveOutcome,
  type NaiveUser,
  refused,
} from "./naive-accounts.ts";
import { payloadOf } from "./naive-payload.ts";
import {
  insideBand,
  type NaiveAsk,
  type NaiveAsset,
  type NaiveRules,
  readOrder,
} from "./naive-rules.ts";

const DAY_MS = 86_400_000;

export interface NaiveOrder extends NaiveAsk {
  readonly orderId: number;
  readonly uid: number;
  readonly symbol: string;
  readonly clientOrderId: string;
  readonly side: Side;
  readonly orderType: "LIMIT" | "MARKET";
  readonly timeInForce: TimeInForce;
  readonly makerRate: bigint;
  readonly takerRate: bigint;
  readonly createdMs: number;
  updatedMs: number;
  filled: bigint;
  filledQuote: bigint;
  /** Exact fee so far, in 10^-36. */
  exactFee: bigint;
  feeCharged: bigint;
}

export interface NaiveTrade {
  readonly ms: number;
  readonly price: bigint;
  readonly base: bigint;
  readonly quote: bigint;
}

export interface NaiveMarket {
  readonly symbol: string;
  rules: NaiveRules;
  state: MarketState;
  lastPrice: bigint | null;
  readonly trades: NaiveTrade[];
  /** Open orders in order of arrival. */
  resting: NaiveOrder[];
}

interface RememberedOrder {
  readonly payload: string;
  readonly orderId: number;
  readonly createdMs: number;
  endedMs: number | null;
}

interface NaivePlacement {
  readonly key: string;
  readonly payload: string;
  readonly market: NaiveMarket;
  readonly order: NaiveOrder;
}

/** A command being carried out: its time, and where its events go. */
export interface Turn {
  readonly nowMs: number;
  readonly market: NaiveMarket;
  readonly events: NaiveEvent[];
}

export abstract class NaiveSpotOrders extends NaiveAccounts {
  readonly markets = new Map<string, NaiveMarket>();
  readonly #remembered = new Map<string, RememberedOrder>();
  protected nextOrderId = 1;
  protected nextTradeId = 1;

  protected override isListed(symbol: string, product: Product): boolean {
    return product === "spot" && this.markets.has(symbol);
  }

  protected override isTraded(asset: string): boolean {
    const all = [...this.markets.values()];
    return all.some(({ rules }) => rules.base.asset === asset || rules.quote.asset === asset);
  }

  /** What a user's open orders need: a buy its price × quantity, a sell its quantity. */
  frozen(uid: number, asset: string): bigint {
    let total = 0n;
    for (const { rules, resting } of this.markets.values()) {
      for (const order of resting) {
        if (order.uid !== uid) continue;
        const rest = order.quantity - order.filled;
        if (order.side === "SELL" && rules.base.asset === asset) total += rest;
        if (order.side === "BUY" && rules.quote.asset === asset) total += times(order.price, rest);
      }
    }
    return total;
  }

  override available(uid: number, asset: string): bigint {
    return this.equity(uid, "spot", asset) - this.frozen(uid, asset);
  }

  /** By ascending order id; a null symbol means every market. */
  openOrders(uid: number, symbol: string | null): NaiveOrder[] {
    const orders = [...this.markets.values()].flatMap((market) => market.resting);
    return orders
      .filter((order) => order.uid === uid && (symbol === null || order.symbol === symbol))
      .sort((one, other) => one.orderId - other.orderId);
  }

  /** Best price first, then in order of arrival: the sort keeps the order of equals. */
  sideOf(market: NaiveMarket, side: Side): NaiveOrder[] {
    const sign = side === "BUY" ? -1 : 1;
    return market.resting
      .filter((order) => order.side === side)
      .sort((one, other) => sign * compare(one.price, other.price));
  }

  /** Answers like `place`, and does nothing. */
  test(command: CommandOf<"place-spot-order">, nowMs: number): NaiveOutcome {
    const checked = this.#check(command, nowMs);
    return "order" in checked || checked.ok ? accepted({}, []) : checked;
  }

  protected place(command: CommandOf<"place-spot-order">, nowMs: number): NaiveOutcome {
    const { clientOrderId, symbol } = command;
    const checked = this.#check(command, nowMs);
    if (!("order" in checked)) return checked;
    const { key, market, order, payload } = checked;
    this.nextOrderId++;
    this.#remembered.set(key, { payload, orderId: order.orderId, createdMs: nowMs, endedMs: null });
    const events: NaiveEvent[] = [];
    this.executeSpot(order, { market, nowMs, events });
    return accepted({ orderId: order.orderId, clientOrderId, symbol, createdMs: nowMs }, events);
  }

  /** The order that would be placed, or the outcome without one. */
  #check(command: CommandOf<"place-spot-order">, nowMs: number): NaiveOutcome | NaivePlacement {
    const { clientOrderId, symbol } = command;
    const user = this.users.get(command.uid);
    if (user === undefined) return refused("unknown-user");
    const market = this.markets.get(symbol);
    if (market === undefined) return refused("unknown-symbol");
    const key = `${user.uid} ${clientOrderId}`;
    const { uid: _, clientOrderId: __, ...asked } = command;
    const payload = payloadOf(asked);
    const first = this.#recall(key, nowMs);
    if (first !== null) {
      if (first.payload !== payload) return refused("duplicate-client-order-id");
      const { orderId, createdMs } = first;
      return accepted({ orderId, clientOrderId, symbol, createdMs }, []);
    }
    const reasons = new Set<RejectReason>();
    if (user.state === "frozen") reasons.add("user-frozen");
    if (market.state !== "trading") reasons.add("market-not-trading");
    const ask = readOrder(command, market, reasons);
    const isLimit = command.orderType === "LIMIT";
    if (isLimit && !insideBand(command.side, ask.price, market)) reasons.add("price-outside-band");
    const openOrders = this.openOrders(user.uid, symbol).length;
    if (mayRest(command) && openOrders >= market.rules.maxOpenOrders) {
      reasons.add("too-many-open-orders");
    }
    if (reasons.size > 0) return { ok: false, reasons };
    const order = this.#newOrder(command, ask, user, market, nowMs);
    if (!this.isAffordable(order, market)) return refused("insufficient-balance");
    return { key, market, order, payload };
  }

  /** Ids are remembered while the order is open, and for 24 hours after its end. */
  #recall(key: string, nowMs: number): RememberedOrder | null {
    const known = this.#remembered.get(key);
    if (known === undefined) return null;
    return known.endedMs !== null && nowMs > known.endedMs + DAY_MS ? null : known;
  }

  protected presentRates(
    user: NaiveUser,
    { symbol, rules }: NaiveMarket,
  ): Pick<NaiveOrder, "makerRate" | "takerRate"> {
    const own = user.feeRates.get(`spot:${symbol}`) ?? user.feeRates.get("spot");
    return { makerRate: own?.maker ?? rules.makerRate, takerRate: own?.taker ?? rules.takerRate };
  }

  #newOrder(
    command: CommandOf<"place-spot-order">,
    ask: NaiveAsk,
    user: NaiveUser,
    market: NaiveMarket,
    nowMs: number,
  ): NaiveOrder {
    return {
      ...ask,
      orderId: this.nextOrderId,
      uid: user.uid,
      symbol: market.symbol,
      clientOrderId: command.clientOrderId,
      side: command.side,
      orderType: command.orderType,
      timeInForce: command.orderType === "MARKET" ? "IOC" : command.timeInForce,
      ...this.presentRates(user, market),
      createdMs: nowMs,
      updatedMs: nowMs,
      filled: 0n,
      filledQuote: 0n,
      exactFee: 0n,
      feeCharged: 0n,
    };
  }

  /** Resting orders at acceptable prices, in the order in which they would be met. */
  protected spotCrossing(order: NaiveOrder, market: NaiveMarket): NaiveOrder[] {
    const opposite = this.sideOf(market, order.side === "BUY" ? "SELL" : "BUY");
    return opposite.filter((maker) => {
      if (order.orderType === "MARKET") return insideBand(order.side, maker.price, market);
      return order.side === "BUY" ? maker.price <= order.price : maker.price >= order.price;
    });
  }

  /**
   * The part of `spotCrossing` that may trade with the order, by its owner's self-trade prevention.
   */
  #tradable(order: NaiveOrder, market: NaiveMarket): NaiveOrder[] {
    const crossing = this.spotCrossing(order, market);
    const mode = this.users.get(order.uid)?.selfTradePrevention;
    if (mode === "NONE") return crossing;
    if (mode === "EXPIRE_MAKER") return crossing.filter((maker) => maker.uid !== order.uid);
    const own = crossing.findIndex((maker) => maker.uid === order.uid);
    return own === -1 ? crossing : crossing.slice(0, own);
  }

  protected isAffordable(order: NaiveOrder, market: NaiveMarket): boolean {
    const { base, quote } = market.rules;
    const rest = order.quantity - order.filled;
    if (order.side === "SELL") return rest <= this.available(order.uid, base.asset);
    const funds = this.available(order.uid, quote.asset);
    if (order.quoteAmount > 0n) return order.quoteAmount <= funds;
    if (order.orderType === "LIMIT") return times(order.price, rest) <= funds;
    let left = order.quantity;
    let cost = 0n;
    for (const maker of this.#tradable(order, market)) {
      const quantity = least(left, maker.quantity - maker.filled);
      cost += times(maker.price, quantity);
      left -= quantity;
    }
    return cost <= funds;
  }

  protected executeSpot(order: NaiveOrder, turn: Turn): void {
    const { market, events } = turn;
    const makers = this.spotCrossing(order, market);
    let reason: EndReason | null = null;
    if (order.timeInForce === "POST_ONLY" && makers.length > 0) reason = "would-take";
    if (order.timeInForce === "FOK") {
      const rests = this.#tradable(order, market).map((maker) => maker.quantity - maker.filled);
      const fillable = rests.reduce((total, rest) => total + rest, 0n);
      if (fillable < order.quantity) reason = "not-fillable-at-once";
    }
    reason ??= this.#match(order, makers, turn);
    if (reason === null && mayRest(order)) {
      market.resting.push(order);
      const { type: _, ...fields } = orderFields(order);
      events.push({ type: "spot-order-opened", ...fields });
      return;
    }
    const unfilled = order.filled > 0n ? "remainder-not-rested" : "nothing-to-match";
    this.#end(order, reason ?? unfilled, turn);
  }

  /** Trades as far as it goes; a reason when the order is thereby at its end. */
  #match(order: NaiveOrder, makers: readonly NaiveOrder[], turn: Turn): EndReason | null {
    const { market } = turn;
    const mode = this.users.get(order.uid)?.selfTradePrevention;
    let isComplete = false;
    for (const maker of makers) {
      const wanted = wantedQuantity(order, maker.price, market.rules);
      isComplete = wanted === 0n;
      if (isComplete) break;
      if (maker.uid === order.uid && mode !== "NONE") {
        if (mode !== "EXPIRE_TAKER") this.remove(maker, "self-trade-prevented", turn);
        if (mode !== "EXPIRE_MAKER") return "self-trade-prevented";
      } else {
        this.#trade(order, maker, least(wanted, maker.quantity - maker.filled), turn);
        // A maker that has something left had more than the order could still take.
        isComplete = maker.filled < maker.quantity;
        if (!isComplete) this.remove(maker, "filled", turn);
      }
    }
    // What no price can buy is as good as spent.
    isComplete ||= wantedQuantity(order, market.rules.tick, market.rules) === 0n;
    return isComplete && order.filled > 0n ? "filled" : null;
  }

  #trade(taker: NaiveOrder, maker: NaiveOrder, quantity: bigint, turn: Turn): void {
    const { market, nowMs } = turn;
    const { base, quote } = market.rules;
    const { price } = maker;
    const notional = times(price, quantity);
    const makerFee = this.#settle(maker, maker.makerRate, quantity, notional, market.rules);
    const takerFee = this.#settle(taker, taker.takerRate, quantity, notional, market.rules);
    maker.updatedMs = nowMs;
    market.lastPrice = price;
    market.trades.push({ ms: nowMs, price, base: quantity, quote: notional });
    const [buyer, seller] = taker.side === "BUY" ? [taker, maker] : [maker, taker];
    const equity = (order: NaiveOrder, { asset }: NaiveAsset) =>
      text(this.equity(order.uid, "spot", asset));
    turn.events.push({
      type: "spot-trade",
      tradeId: this.nextTradeId++,
      symbol: market.symbol,
      takerSide: taker.side,
      price: text(price),
      quantity: text(quantity),
      base: text(quantity),
      quote: text(notional),
      makerOrderId: maker.orderId,
      takerOrderId: taker.orderId,
      makerUid: maker.uid,
      takerUid: taker.uid,
      makerFee: text(makerFee),
      takerFee: text(takerFee),
      buyerBaseEquity: equity(buyer, base),
      buyerQuoteEquity: equity(buyer, quote),
      sellerBaseEquity: equity(seller, base),
      sellerQuoteEquity: equity(seller, quote),
    });
  }

  /**
   * One side's money; the fee is that of the order so far, rounded up, less what it paid before.
   */
  #settle(
    order: NaiveOrder,
    rate: bigint,
    quantity: bigint,
    notional: bigint,
    { base, quote }: NaiveRules,
  ): bigint {
    const buys = order.side === "BUY";
    const [received, gained] = buys ? [quantity, base] : [notional, quote];
    const [paid, lost] = buys ? [notional, quote] : [quantity, base];
    order.exactFee += received * rate;
    const total = roundedUp(order.exactFee, gained.scale);
    const fee = total - order.feeCharged;
    order.feeCharged = total;
    order.filled += quantity;
    order.filledQuote += notional;
    this.addEquity(order.uid, "spot", gained.asset, received - fee);
    this.addEquity(order.uid, "spot", lost.asset, -paid);
    this.addHouse("fees", gained.asset, fee);
    return fee;
  }

  protected remove(order: NaiveOrder, reason: EndReason, turn: Turn): void {
    turn.market.resting = turn.market.resting.filter((resting) => resting !== order);
    this.#end(order, reason, turn);
  }

  #end(order: NaiveOrder, reason: EndReason, { nowMs, events }: Turn): void {
    const remembered = this.#remembered.get(`${order.uid} ${order.clientOrderId}`);
    if (remembered !== undefined) remembered.endedMs = nowMs;
    events.push({
      ...orderFields(order),
      orderType: order.orderType,
      quoteAmount: text(order.quoteAmount),
      status: reason === "filled" ? "FILLED" : "CANCELED",
      reason,
      createdMs: order.createdMs,
    });
  }
}

function compare(one: bigint, other: bigint): number {
  if (one === other) return 0;
  return one < other ? -1 : 1;
}

function mayRest(order: Pick<NaiveOrder, "orderType" | "timeInForce">): boolean {
  const { orderType, timeInForce } = order;
  return orderType === "LIMIT" && (timeInForce === "GTC" || timeInForce === "POST_ONLY");
}

/** How much the order would still take at a price. */
function wantedQuantity(order: NaiveOrder, price: bigint, rules: NaiveRules): bigint {
  if (order.quantity > 0n) return order.quantity - order.filled;
  const lots = (order.quoteAmount - order.filledQuote) / times(price, rules.step);
  return least(lots * rules.step, rules.maxQuantity - order.filled);
}

/** Two requests are the same order when all they ask for is the same, however it is written. */
export function orderFields(order: NaiveOrder): NaiveEvent {
  const { orderId, uid, symbol, clientOrderId, side, timeInForce } = order;
  return {
    type: "spot-order-ended",
    orderId,
    uid,
    symbol,
    clientOrderId,
    side,
    timeInForce,
    price: text(order.price),
    quantity: text(order.quantity),
    filled: text(order.filled),
    filledQuote: text(order.filledQuote),
  };
}
