/**
 * Orders of the reference exchange of contracts: rejections and their reasons, frozen funds,
 * matching, and cancels.
 */
import type { EndReason, RejectReason, WorkingType } from "../../../src/domain/index.ts";
import type { CommandOf } from "../../../src/protocol/index.ts";
import { exact, greatest, least, sum, text, times } from "../../support/exact.ts";
import { accepted, type NaiveOutcome } from "../naive-accounts.ts";
import { payloadOf } from "../naive-payload.ts";
import type {
  NaiveContractMarket,
  NaiveContractOrder,
  NaiveOrderTerms,
  NaivePosition,
  NaivePreset,
} from "./naive-contract-state.ts";
import { NaiveMatching } from "./naive-matching.ts";
import { Refusal } from "./naive-positions.ts";
import { direction, down, ONE, up } from "./rounding.ts";

const DAY_MS = 86_400_000;
const WIRE_AMOUNT = /^(0|[1-9]\d{0,17})(\.\d{1,18})?$/;
const STEPS_MAX = 2n ** 53n - 1n;

type Place = CommandOf<"place-contract-order">;

/** What may stand beside an opening order. */
export interface Attached {
  readonly takeProfit: NaivePreset | null;
  readonly stopLoss: NaivePreset | null;
}

interface Remembered {
  readonly payload: string;
  readonly answer: { readonly orderId: number; readonly createdMs: number };
  endedMs: number | null;
}

/** An amount on a grid; adds why it is none. */
export function readOnGrid(
  given: string,
  grid: bigint,
  offGrid: RejectReason,
  reasons: Set<RejectReason>,
): bigint {
  if (!WIRE_AMOUNT.test(given)) {
    reasons.add("malformed");
    return 0n;
  }
  const amount = exact(given);
  if (amount % grid !== 0n) reasons.add(offGrid);
  if (amount / grid > STEPS_MAX) reasons.add("out-of-range");
  return amount;
}

export function isClosing(terms: Pick<NaiveOrderTerms, "side" | "positionSide">): boolean {
  return (terms.side === "BUY") !== (terms.positionSide === "LONG");
}

function mayRest(terms: Pick<NaiveOrderTerms, "orderType" | "timeInForce">): boolean {
  const { orderType, timeInForce } = terms;
  return orderType === "LIMIT" && (timeInForce === "GTC" || timeInForce === "POST_ONLY");
}

export abstract class NaiveContractOrders extends NaiveMatching {
  protected readonly remembered = new Map<string, Remembered>();

  /** An index that is too old, on which nothing is opened. */
  protected abstract isStale(market: NaiveContractMarket): boolean;

  /** Conditional orders of a user that wait. */
  protected abstract openConditionalOrders(uid: number, symbol: string | null): readonly unknown[];
  protected abstract createAttached(order: NaiveContractOrder, attached: Attached): void;
  protected abstract lastPriceSeen(market: NaiveContractMarket): void;

  /** Answers like `placeContract`, and does nothing. */
  testContract(command: Place, nowMs: number): NaiveOutcome {
    this.nowMs = nowMs;
    try {
      this.#readPlacement(command);
      return accepted({}, []);
    } catch (error) {
      if (error instanceof Refusal) return { ok: false, reasons: error.reasons };
      throw error;
    }
  }

  protected placeContract(command: Place): NaiveOutcome {
    const { clientOrderId, symbol } = command;
    const read = this.#readPlacement(command);
    if ("repeated" in read) return accepted({ ...read.repeated, clientOrderId, symbol }, []);
    const { attached, key, payload, terms } = read;
    const order = this.execute(terms, clientOrderId, attached, (orderId) => {
      const answer = { orderId, createdMs: this.nowMs };
      this.remembered.set(key, { payload, answer, endedMs: null });
    });
    const { orderId, createdMs } = order;
    return accepted({ orderId, clientOrderId, symbol, createdMs }, []);
  }

  /** What would be placed, or the first answer; throws a refusal. */
  #readPlacement(command: Place) {
    const { uid, symbol, clientOrderId } = command;
    if (!this.users.has(uid)) throw new Refusal("unknown-user");
    const market = this.market(symbol);
    const key = `${uid} ${clientOrderId}`;
    const { uid: _, clientOrderId: __, ...asked } = command;
    const payload = payloadOf(asked);
    const first = this.recall(key);
    if (first !== null) {
      if (first.payload !== payload) throw new Refusal("duplicate-client-order-id");
      return { repeated: first.answer };
    }
    const reasons = new Set<RejectReason>();
    const { rules } = market;
    const isLimit = command.orderType === "LIMIT";
    const price = isLimit ? readOnGrid(command.price, rules.tick, "off-tick", reasons) : 0n;
    if (isLimit && price === 0n) reasons.add("out-of-range");
    const terms: NaiveOrderTerms = {
      uid,
      symbol,
      side: command.side,
      positionSide: command.positionSide,
      orderType: command.orderType,
      timeInForce: isLimit ? command.timeInForce : "IOC",
      price,
      quantity: readOnGrid(command.quantity, rules.step, "off-step", reasons),
      origin: "user",
      algoId: 0,
      targetPositionId: 0,
    };
    const attached = {
      takeProfit: preset(command.tpTriggerPrice, command.tpWorkingType, market, reasons),
      stopLoss: preset(command.slTriggerPrice, command.slWorkingType, market, reasons),
    };
    this.check(terms, attached, reasons);
    return { attached, key, payload, terms };
  }

  /** Ids are remembered while the order is open, and for 24 hours after its end. */
  protected recall(key: string): Remembered | null {
    const known = this.remembered.get(key);
    if (known === undefined) return null;
    return known.endedMs !== null && this.nowMs > known.endedMs + DAY_MS ? null : known;
  }

  /** Who may trade where, and how much in all. */
  protected checkForm(terms: NaiveOrderTerms, size: bigint, reasons: Set<RejectReason>): void {
    const { rules, state } = this.market(terms.symbol);
    const opensAtMarket = terms.orderType === "MARKET" && !isClosing(terms);
    if (this.users.get(terms.uid)?.state === "frozen") reasons.add("user-frozen");
    if (state !== "trading") reasons.add("market-not-trading");
    if (size < rules.minSize || size === 0n) reasons.add("quantity-below-minimum");
    const most = opensAtMarket ? least(rules.maxSize, rules.marketOpenLimit) : rules.maxSize;
    if (size > most) reasons.add("quantity-above-maximum");
  }

  /**
   * Throws a refusal; `reasons` are those that reading already gave, `size` is what the order is
   * for, with what it has filled.
   */
  protected check(
    terms: NaiveOrderTerms,
    attached: Attached,
    reasons = new Set<RejectReason>(),
    size = terms.quantity,
  ): void {
    const market = this.market(terms.symbol);
    const { rules, mark } = market;
    const closing = isClosing(terms);
    const isMarket = terms.orderType === "MARKET";
    this.checkForm(terms, size, reasons);
    if (mark === 0n) reasons.add("no-mark-price");
    else if (!isMarket && !this.#isInsideBand(terms, market)) reasons.add("price-outside-band");
    if (!closing && this.isStale(market)) reasons.add("index-stale");
    this.#checkAttached(terms, attached, market, reasons);
    const open = this.openContractOrders(terms.uid, terms.symbol).length;
    if (mayRest(terms) && open >= rules.maxOpenOrders) reasons.add("too-many-open-orders");
    if (reasons.size > 0) throw new Refusal(...reasons);
    if (closing) {
      if (terms.quantity > this.closable(terms.uid, terms.symbol, terms.positionSide)) {
        throw new Refusal("close-exceeds-position");
      }
      return;
    }
    this.#checkLimits(terms, market);
    this.#checkMargin(terms, market);
  }

  closable(uid: number, symbol: string, side: "LONG" | "SHORT"): bigint {
    return this.sideSize(uid, symbol, side) - this.restingSize(uid, symbol, side, true);
  }

  /** What rests to open or to close a side. */
  restingSize(uid: number, symbol: string, side: "LONG" | "SHORT", closing: boolean): bigint {
    const orders = this.openContractOrders(uid, symbol).filter(
      (order) => order.positionSide === side && order.isClosing === closing,
    );
    return sum(orders.map(({ quantity, filled }) => quantity - filled));
  }

  /** The worst price of the band on the order's side. */
  protected worstPrice(side: "BUY" | "SELL", { mark, rules }: NaiveContractMarket): bigint {
    return side === "BUY"
      ? down(mark * (ONE + rules.buyRatio), ONE, rules.tick)
      : up(mark * (ONE - rules.sellRatio), ONE, rules.tick);
  }

  #isInsideBand({ side, price }: NaiveOrderTerms, market: NaiveContractMarket): boolean {
    const worst = this.worstPrice(side, market);
    return side === "BUY" ? price <= worst : price >= worst;
  }

  #checkAttached(
    terms: NaiveOrderTerms,
    { takeProfit, stopLoss }: Attached,
    market: NaiveContractMarket,
    reasons: Set<RejectReason>,
  ): void {
    if (takeProfit === null && stopLoss === null) return;
    if (isClosing(terms)) reasons.add("only-opening-orders");
    const last = market.last === 0n ? market.mark : market.last;
    const reference = terms.orderType === "LIMIT" ? terms.price : last;
    const d = direction(terms.positionSide);
    const wrong =
      (takeProfit !== null && d * (takeProfit.price - reference) <= 0n) ||
      (stopLoss !== null && d * (reference - stopLoss.price) <= 0n);
    if (wrong) reasons.add("trigger-on-wrong-side");
    const rows = (takeProfit === null ? 0 : 1) + (stopLoss === null ? 0 : 1);
    const waiting = this.openConditionalOrders(terms.uid, terms.symbol).length;
    if (waiting + rows > market.rules.maxOpenOrders) reasons.add("too-many-open-orders");
  }

  #checkLimits(terms: NaiveOrderTerms, { rules, mark }: NaiveContractMarket): void {
    const { uid, symbol, positionSide, quantity } = terms;
    const own = this.sideSize(uid, symbol, positionSide);
    const size = own + this.restingSize(uid, symbol, positionSide, false) + quantity;
    const reasons = new Set<RejectReason>();
    if (size > rules.maxPosition) reasons.add("position-limit");
    const isCross = this.settings(uid, symbol).marginType === "CROSSED";
    const other = positionSide === "LONG" ? "SHORT" : "LONG";
    const both = isCross ? size + this.sideSize(uid, symbol, other) : size;
    const leverage = this.leverage(uid, symbol, positionSide);
    const tier = rules.tiers[this.tierIndex(symbol, times(mark, both))];
    if (leverage > rules.maxLeverage || leverage > (tier?.maxLeverage ?? 0)) {
      reasons.add("leverage-above-maximum");
    }
    if (reasons.size > 0) throw new Refusal(...reasons);
  }

  /** At which price an opening order is reckoned to trade. */
  #assumedPrice(terms: NaiveOrderTerms, market: NaiveContractMarket): bigint {
    const { side, price, quantity } = terms;
    const isLimit = terms.orderType === "LIMIT";
    const makers = this.crossing(market, side, isLimit ? price : this.worstPrice(side, market));
    const best = makers[0]?.price;
    if (isLimit) return side === "BUY" ? price : greatest(price, best ?? price);
    if (best === undefined) return market.mark;
    if (side === "SELL") return best;
    let left = quantity;
    let worst = best;
    for (const maker of makers) {
      if (left <= 0n) break;
      worst = maker.price;
      left -= maker.quantity - maker.filled;
    }
    return worst;
  }

  #checkMargin(terms: NaiveOrderTerms, market: NaiveContractMarket): void {
    const { uid, symbol, positionSide, quantity } = terms;
    const { asset } = market.rules.quote;
    const leverage = this.leverage(uid, symbol, positionSide);
    const rates = this.rates(uid, symbol);
    const price = this.#assumedPrice(terms, market);
    const cost = { symbol, leverage, makerRate: rates.maker, takerRate: rates.taker };
    if (this.freeze(cost, price, quantity) > this.availableBalance(uid, asset)) {
      throw new Refusal("insufficient-margin");
    }
    const limit = terms.orderType === "LIMIT" ? terms.price : this.worstPrice(terms.side, market);
    const putBack = this.picture();
    // An order that is amended has its id and what it has filled already.
    const order = { ...this.newOrder(terms, null), ...terms };
    const isDue = this.isDueWhenFilled(order, limit, mayRest(terms));
    putBack();
    if (!isDue) return;
    this.note("refused: an opening order would be due when filled");
    throw new Refusal("insufficient-margin");
  }

  protected newOrder(terms: NaiveOrderTerms, clientOrderId: string | null): NaiveContractOrder {
    const { uid, symbol, positionSide, origin } = terms;
    const orderId = this.nextOrderId++;
    const { maker, taker } = this.rates(uid, symbol);
    const short = { "close-positions": "close", liquidation: "liq", netting: "net" };
    const prefix = short[origin as keyof typeof short] ?? origin;
    return {
      ...terms,
      orderId,
      clientOrderId: clientOrderId ?? `${prefix}-${orderId}`,
      isClosing: isClosing(terms),
      leverage: this.leverage(uid, symbol, positionSide),
      makerRate: maker,
      takerRate: taker,
      createdMs: this.nowMs,
      updatedMs: this.nowMs,
      ...{ frozenPrice: 0n, filled: 0n, filledValue: 0n, exactFee: 0n, feeCharged: 0n },
      endReason: null,
    };
  }

  /** At which price it is frozen while it is matched. */
  protected assumedFor(terms: NaiveOrderTerms): bigint {
    return isClosing(terms) ? 0n : this.#assumedPrice(terms, this.market(terms.symbol));
  }

  /** Carries out what was checked. */
  protected execute(
    terms: NaiveOrderTerms,
    clientOrderId: string | null,
    attached: Attached,
    onAccepted: (orderId: number) => void = () => {},
  ): NaiveContractOrder {
    const market = this.market(terms.symbol);
    const assumed = this.assumedFor(terms);
    const order = this.newOrder(terms, clientOrderId);
    order.frozenPrice = assumed;
    onAccepted(order.orderId);
    this.createAttached(order, attached);
    let limit = terms.orderType === "LIMIT" ? terms.price : this.worstPrice(terms.side, market);
    // It pays no more than it was frozen for, also when a maker that it counted on ends instead.
    if (terms.orderType === "MARKET" && terms.side === "BUY" && assumed > 0n) {
      limit = least(limit, assumed);
    }
    const makers = this.crossing(market, terms.side, limit);
    const crossed = sum(makers.map(({ quantity, filled }) => quantity - filled));
    this.active = order;
    if (terms.timeInForce === "POST_ONLY" && crossed > 0n) {
      order.endReason = "would-take";
    } else if (terms.timeInForce === "FOK" && !this.fillsWhole(order, limit)) {
      if (crossed >= terms.quantity) this.note("fill-or-kill: not whole on the copy");
      order.endReason = "not-fillable-at-once";
    } else {
      this.matchDown(order, limit, terms.quantity);
    }
    this.finish(order);
    return order;
  }

  protected override picture(): () => void {
    const putBack = super.picture();
    const known = [...this.remembered.values()].map((row) => ({ row, endedMs: row.endedMs }));
    return () => {
      putBack();
      for (const { row, endedMs } of known) row.endedMs = endedMs;
    };
  }

  /** The order rests or ends; then what its side still closes too much is cancelled. */
  protected finish(order: NaiveContractOrder): void {
    const market = this.market(order.symbol);
    if (order.endReason === null && order.filled < order.quantity && mayRest(order)) {
      this.active = null;
      order.frozenPrice = order.price;
      market.resting.push(order);
      const { orderId, uid, symbol, clientOrderId, side, positionSide } = order;
      this.emit({
        type: "contract-order-opened",
        ...{ orderId, uid, symbol, clientOrderId, side, positionSide },
        timeInForce: order.timeInForce,
        origin: order.origin,
        price: text(order.price),
        quantity: text(order.quantity),
        filled: text(order.filled),
        filledValue: text(order.filledValue),
        leverage: order.leverage,
      });
    } else {
      this.endOrder(order, order.endReason ?? reasonOf(order));
    }
    this.trim(order.uid, order.symbol, order.positionSide);
    this.lastPriceSeen(market);
  }

  /** While more would be closed than there is, the newest resting close is cancelled, whole. */
  protected trim(uid: number, symbol: string, side: "LONG" | "SHORT"): void {
    while (this.closable(uid, symbol, side) < 0n) {
      const closes = this.openContractOrders(uid, symbol).filter(
        (order) => order.positionSide === side && order.isClosing,
      );
      this.endOrder(closes.at(-1) as NaiveContractOrder, "position-closed");
    }
  }

  protected cancelContract(command: CommandOf<"cancel-contract-order">): NaiveOutcome {
    if (!this.users.has(command.uid)) throw new Refusal("unknown-user");
    const { orderId, clientOrderId } = command;
    const order = this.openContractOrders(command.uid, null).find((open) =>
      orderId === null
        ? open.clientOrderId === clientOrderId && open.origin === "user"
        : open.orderId === orderId,
    );
    if (order === undefined) throw new Refusal("order-not-found");
    if (this.market(order.symbol).state === "halted") throw new Refusal("market-halted");
    this.endOrder(order, "cancelled-by-user");
    return accepted(cancelled(order), []);
  }

  protected cancelAllContract(command: CommandOf<"cancel-all-contract-orders">): NaiveOutcome {
    if (!this.users.has(command.uid)) throw new Refusal("unknown-user");
    if (command.symbol !== null && this.market(command.symbol).state === "halted") {
      throw new Refusal("market-halted");
    }
    const orders = this.openContractOrders(command.uid, command.symbol).filter(
      ({ symbol }) => this.market(symbol).state !== "halted",
    );
    for (const order of orders) this.endOrder(order, "cancelled-by-user");
    return accepted(orders.map(cancelled), []);
  }

  protected closePositions(command: CommandOf<"close-positions">): NaiveOutcome {
    const { uid, symbol, positionId } = command;
    const user = this.users.get(uid);
    if (user === undefined) throw new Refusal("unknown-user");
    if (symbol !== null) this.market(symbol);
    if (user.state === "frozen") throw new Refusal("user-frozen");
    const chosen = this.positionsOf(uid, symbol).filter(
      ({ id }) => positionId === null || id === positionId,
    );
    if (positionId !== null && chosen.length === 0) throw new Refusal("failed-precondition");
    const rows: unknown[] = [];
    for (const position of chosen) {
      // One close may have met the resting close of another position and emptied it.
      if (position.size > 0n) rows.push(this.#closePosition(position));
    }
    return accepted(rows, []);
  }

  #closePosition({ id, uid, symbol, side, size }: NaivePosition): unknown {
    const { state, mark } = this.market(symbol);
    const refused = (reason: RejectReason) => ({ positionId: id, ok: false, orderId: 0, reason });
    if (state !== "trading") return refused("market-not-trading");
    if (mark === 0n) return refused("no-mark-price");
    const terms = this.systemTerms(uid, symbol, side, size, "close-positions", id);
    const { orderId } = this.execute(terms, null, { takeProfit: null, stopLoss: null });
    return { positionId: id, ok: true, orderId, reason: null };
  }

  protected systemTerms(
    uid: number,
    symbol: string,
    positionSide: "LONG" | "SHORT",
    quantity: bigint,
    origin: NaiveOrderTerms["origin"],
    targetPositionId: number,
  ): NaiveOrderTerms {
    const side = positionSide === "LONG" ? "SELL" : "BUY";
    const market = { orderType: "MARKET", timeInForce: "IOC", price: 0n, algoId: 0 } as const;
    return { uid, symbol, side, positionSide, quantity, origin, targetPositionId, ...market };
  }
}

function reasonOf({ filled, quantity }: NaiveContractOrder): EndReason {
  if (filled === quantity) return "filled";
  return filled > 0n ? "remainder-not-rested" : "nothing-to-match";
}

function cancelled({ orderId, clientOrderId, symbol }: NaiveContractOrder): unknown {
  return { orderId, clientOrderId, symbol };
}

function preset(
  price: string | null,
  workingType: WorkingType,
  { rules }: NaiveContractMarket,
  reasons: Set<RejectReason>,
): NaivePreset | null {
  if (price === null) return null;
  const read = readOnGrid(price, rules.tick, "off-tick", reasons);
  if (read === 0n) reasons.add("out-of-range");
  return { price: read, workingType };
}
