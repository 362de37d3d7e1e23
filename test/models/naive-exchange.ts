/**
 * The spot exchange in its plainest form: one branch per command, cancels, amendments, countdowns
 * and the rules of markets. Written from the design alone; see `naive-spot-orders.ts`.
 */
import type { RejectReason } from "../../src/domain/index.ts";
import type { Command, CommandOf } from "../../src/protocol/index.ts";
import { text } from "../support/exact.ts";
import {
  accepted,
  type NaiveEvent,
  type NaiveOutcome,
  type NaiveSwitch,
  refused,
} from "./naive-accounts.ts";
import { insideBand, readOrder, readRules } from "./naive-rules.ts";
import {
  type NaiveMarket,
  type NaiveOrder,
  NaiveSpotOrders,
  orderFields,
  type Turn,
} from "./naive-spot-orders.ts";

export class NaiveExchange extends NaiveSpotOrders {
  apply(command: Command, nowMs: number): NaiveOutcome {
    switch (command.type) {
      case "place-spot-order":
        return this.place(command, nowMs);
      case "amend-spot-order":
        return this.#amend(command, nowMs);
      case "set-dead-man-switch":
        return this.setSwitch(command, nowMs);
      case "advance-time":
        return accepted(null, this.#endCountdowns(command.toMs));
      case "cancel-spot-order":
        return this.#cancel(command, nowMs);
      case "cancel-all-spot-orders":
        return this.#cancelAll(command, nowMs);
      case "set-asset":
        return this.setAsset(command);
      case "set-spot-market":
        return this.#setMarket(command, nowMs);
      case "set-spot-market-state":
        return this.#setMarketState(command, nowMs);
      case "register-user":
        return this.registerUser(command, nowMs);
      case "update-user":
        return this.updateUser(command);
      case "set-fee-rates":
        return this.setFeeRates(command);
      case "set-api-key":
      case "revoke-api-key":
        return this.changeApiKey(command);
      case "adopt-rules":
        return this.adoptRules(command);
      case "advance-clock":
        return this.advanceClock(command);
      case "set-clock":
        return this.setClock(command, nowMs);
      default:
        return this.moveFunds(command);
    }
  }

  #cancel(command: CommandOf<"cancel-spot-order">, nowMs: number): NaiveOutcome {
    if (!this.users.has(command.uid)) return refused("unknown-user");
    if (command.symbol !== null && !this.markets.has(command.symbol)) {
      return refused("unknown-symbol");
    }
    const { orderId, clientOrderId } = command;
    const order = this.openOrders(command.uid, command.symbol).find((open) =>
      orderId === null ? open.clientOrderId === clientOrderId : open.orderId === orderId,
    );
    const market = order === undefined ? undefined : this.markets.get(order.symbol);
    if (order === undefined || market === undefined) return refused("order-not-found");
    if (market.state === "halted") return refused("market-halted");
    return this.#cancelOrders([order], { market, nowMs, events: [] }, (answers) => answers[0]);
  }

  #cancelAll(command: CommandOf<"cancel-all-spot-orders">, nowMs: number): NaiveOutcome {
    if (!this.users.has(command.uid)) return refused("unknown-user");
    const market = this.markets.get(command.symbol);
    if (market === undefined) return refused("unknown-symbol");
    if (market.state === "halted") return refused("market-halted");
    const orders = this.openOrders(command.uid, command.symbol);
    return this.#cancelOrders(orders, { market, nowMs, events: [] }, (answers) => answers);
  }

  #cancelOrders(
    orders: readonly NaiveOrder[],
    turn: Turn,
    answerOf: (answers: readonly unknown[]) => unknown,
  ): NaiveOutcome {
    const answers = orders.map((order) => {
      this.remove(order, "cancelled-by-user", turn);
      const { orderId, clientOrderId, symbol } = order;
      return { orderId, clientOrderId, symbol };
    });
    return accepted(answerOf(answers), turn.events);
  }

  /**
   * Less quantity alone leaves an order where it stands. Any other form is that of a new order, for
   * which the old one makes room: money, a place among the open orders, and what it has filled.
   */
  #amend(command: CommandOf<"amend-spot-order">, nowMs: number): NaiveOutcome {
    const user = this.users.get(command.uid);
    if (user === undefined) return refused("unknown-user");
    if (command.symbol !== null && !this.markets.has(command.symbol)) {
      return refused("unknown-symbol");
    }
    const order = this.openOrders(user.uid, command.symbol).find((open) =>
      command.orderId === null
        ? open.clientOrderId === command.clientOrderId
        : open.orderId === command.orderId,
    );
    const market = order === undefined ? undefined : this.markets.get(order.symbol);
    if (order === undefined || market === undefined) return refused("order-not-found");
    const reasons = new Set<RejectReason>();
    if (user.state === "frozen") reasons.add("user-frozen");
    if (market.state !== "trading") reasons.add("market-not-trading");
    const price = command.price ?? text(order.price);
    const quantity = command.quantity ?? text(order.quantity);
    const ask = readOrder(
      { orderType: "LIMIT", price, quantity, quantityUnit: "base" },
      market,
      reasons,
    );
    if (ask.quantity <= order.filled) reasons.add("out-of-range");
    const isSmaller = ask.price === order.price && ask.quantity <= order.quantity;
    if (!isSmaller) {
      if (!insideBand(order.side, ask.price, market)) reasons.add("price-outside-band");
      const others = this.openOrders(user.uid, order.symbol).length - 1;
      if (others >= market.rules.maxOpenOrders) reasons.add("too-many-open-orders");
    }
    if (reasons.size > 0) return { ok: false, reasons };
    if (ask.quantity === order.quantity && isSmaller) return accepted(amended(order, true), []);
    const form: NaiveOrder = { ...order, ...ask, updatedMs: nowMs };
    return isSmaller
      ? this.#shrink(order, form, market)
      : this.#replace(order, { ...form, ...this.presentRates(user, market) }, market);
  }

  #shrink(order: NaiveOrder, form: NaiveOrder, market: NaiveMarket): NaiveOutcome {
    market.resting[market.resting.indexOf(order)] = form;
    return accepted(amended(form, true), [amendedEvent(form, true)]);
  }

  #replace(order: NaiveOrder, form: NaiveOrder, market: NaiveMarket): NaiveOutcome {
    const before = market.resting;
    market.resting = before.filter((resting) => resting !== order);
    const takes = form.timeInForce === "POST_ONLY" && this.spotCrossing(form, market).length > 0;
    const isAffordable = this.isAffordable(form, market);
    if (takes || !isAffordable) {
      market.resting = before;
      return refused(isAffordable ? "would-take" : "insufficient-balance");
    }
    const events = [amendedEvent(form, false)];
    this.executeSpot(form, { market, nowMs: form.updatedMs, events });
    return accepted(amended(form, false, events.at(-1)?.status), events);
  }

  /** Whatever counts down until a moment ends at its own, in order. */
  #endCountdowns(toMs: number): NaiveEvent[] {
    const events: NaiveEvent[] = [];
    let lastMs = 0;
    for (let due = this.nextSwitch(toMs); due !== null; due = this.nextSwitch(toMs)) {
      const timestampMs = due.firesAtMs;
      if (timestampMs !== lastMs) events.push({ type: "timer-fired", timestampMs });
      lastMs = timestampMs;
      events.push(...this.endCountdown(due));
    }
    return events;
  }

  /** A countdown on spot; of contracts there are none here. */
  protected endCountdown(ended: NaiveSwitch): NaiveEvent[] {
    const events: NaiveEvent[] = [];
    const orders = ended.product === "spot" ? this.openOrders(ended.uid, ended.symbol) : [];
    let isHeld = false;
    for (const order of orders) {
      const market = this.markets.get(order.symbol);
      if (market === undefined || market.state === "halted") isHeld = true;
      else this.remove(order, "dead-man-switch", { market, nowMs: ended.firesAtMs, events });
    }
    return [...events, this.switchFired(ended, isHeld)];
  }

  #setMarket(command: CommandOf<"set-spot-market">, nowMs: number): NaiveOutcome {
    const { symbol, state } = command;
    if (!/^[A-Z0-9]{2,40}$/.test(symbol)) return refused("malformed");
    const rules = readRules(command, this.assets);
    if (rules instanceof Set) return { ok: false, reasons: rules };
    const events = [{ type: "spot-market-set" }];
    const market = this.markets.get(symbol);
    if (market === undefined) {
      this.markets.set(symbol, { symbol, rules, state, lastPrice: null, trades: [], resting: [] });
      return accepted(null, events);
    }
    const old = market.rules;
    const sameAssets = old.base.asset === rules.base.asset && old.quote.asset === rules.quote.asset;
    const sameGrid = old.tick === rules.tick && old.step === rules.step;
    if (!sameAssets || (!sameGrid && market.resting.length > 0)) return refused("conflict");
    market.rules = rules;
    if (market.state === "halted") this.releaseSwitches(nowMs);
    market.state = state;
    return accepted(null, events);
  }

  #setMarketState(
    { symbol, state }: CommandOf<"set-spot-market-state">,
    nowMs: number,
  ): NaiveOutcome {
    const market = this.markets.get(symbol);
    if (market === undefined) return refused("unknown-symbol");
    if (market.state === "halted") this.releaseSwitches(nowMs);
    market.state = state;
    return accepted(null, [{ type: "spot-market-state-set" }]);
  }
}

/** What an amendment answers: the order as it is then. */
function amended(order: NaiveOrder, keptPriority: boolean, status: unknown = "NEW") {
  return {
    orderId: order.orderId,
    clientOrderId: order.clientOrderId,
    symbol: order.symbol,
    price: text(order.price),
    quantity: text(order.quantity),
    filledQuantity: text(order.filled),
    status,
    keptPriority,
    updatedMs: order.updatedMs,
  };
}

/** With the fills that the order had before. */
function amendedEvent(order: NaiveOrder, keptPriority: boolean): NaiveEvent {
  const { createdMs } = order;
  return { ...orderFields(order), type: "spot-order-amended", keptPriority, createdMs };
}
