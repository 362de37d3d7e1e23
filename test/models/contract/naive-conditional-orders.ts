/**
 * Conditional orders of the reference exchange of contracts: rows in a list, searched from the
 * lowest id for those that are triggered.
 */
import type { AlgoOrderType, PositionSide, RejectReason } from "../../../src/domain/index.ts";
import type { CommandOf } from "../../../src/protocol/index.ts";
import { exact, greatest, least, text } from "../../support/exact.ts";
import { accepted, type NaiveOutcome } from "../naive-accounts.ts";
import { payloadOf } from "../naive-payload.ts";
import {
  type Attached,
  isClosing,
  NaiveContractOrders,
  readOnGrid,
} from "./naive-contract-orders.ts";
import type {
  NaiveConditionalOrder,
  NaiveContractMarket,
  NaiveContractOrder,
  NaiveOrderTerms,
  NaivePreset,
} from "./naive-contract-state.ts";
import { Refusal } from "./naive-positions.ts";
import { direction, down, nearest, ONE, up } from "./rounding.ts";

/** The average price of a child has eight decimals. */
const PRICE_UNIT = 10n ** 10n;
const PERCENT = 100n;

type Place = CommandOf<"place-algo-order">;

function isTrailing(orderType: AlgoOrderType): boolean {
  return orderType === "TRAILING_STOP_MARKET";
}

function isLimit(orderType: AlgoOrderType): boolean {
  return orderType === "STOP" || orderType === "TAKE_PROFIT";
}

export abstract class NaiveConditionalOrders extends NaiveContractOrders {
  readonly #remembered = new Map<
    string,
    { readonly payload: string; readonly conditional: NaiveConditionalOrder }
  >();

  openConditionalOrders(uid: number, symbol: string | null): NaiveConditionalOrder[] {
    return this.conditionalOrders.filter(
      (conditional) =>
        conditional.uid === uid &&
        (symbol === null || conditional.symbol === symbol) &&
        isWaiting(conditional),
    );
  }

  /** The trigger of a row; that of a trailing stop follows its extreme. */
  triggerOf(conditional: NaiveConditionalOrder): bigint {
    if (!isTrailing(conditional.orderType)) return conditional.triggerPrice;
    if (conditional.extreme === 0n) return 0n;
    const { tick } = this.market(conditional.symbol).rules;
    return conditional.side === "SELL"
      ? down(conditional.extreme * (ONE - conditional.callbackRate), ONE, tick)
      : up(conditional.extreme * (ONE + conditional.callbackRate), ONE, tick);
  }

  /** The lowest row that is reached now, in a market that trades. */
  protected reachedConditional(): NaiveConditionalOrder | undefined {
    return this.conditionalOrders.find(
      (conditional) =>
        conditional.status === "UNTRIGGERED" &&
        this.market(conditional.symbol).state === "trading" &&
        this.#isReached(conditional),
    );
  }

  #isReached(conditional: NaiveConditionalOrder): boolean {
    const market = this.market(conditional.symbol);
    const price = conditional.workingType === "MARK_PRICE" ? market.mark : market.last;
    const trigger = this.triggerOf(conditional);
    if (price === 0n || trigger === 0n) return false;
    const isTakeProfit = conditional.orderType.startsWith("TAKE_PROFIT");
    const firesAbove = (conditional.side === "BUY") !== isTakeProfit;
    return firesAbove ? price >= trigger : price <= trigger;
  }

  /** Trailing stops look at the last price when an order is completely matched. */
  protected override lastPriceSeen(market: NaiveContractMarket): void {
    const { last, symbol } = market;
    if (last === 0n) return;
    for (const conditional of this.conditionalOrders) {
      if (conditional.symbol !== symbol || conditional.status !== "UNTRIGGERED") continue;
      if (!isTrailing(conditional.orderType)) continue;
      const sells = conditional.side === "SELL";
      const { activation } = conditional;
      const active = activation === 0n || (sells ? last >= activation : last <= activation);
      if (conditional.extreme === 0n) conditional.extreme = active ? last : 0n;
      else
        conditional.extreme = sells
          ? greatest(conditional.extreme, last)
          : least(conditional.extreme, last);
    }
  }

  protected fire(conditional: NaiveConditionalOrder): void {
    const { uid, symbol, positionSide, side, reduceOnly } = conditional;
    conditional.triggeredMs = this.nowMs;
    conditional.status = "TRIGGERED";
    const closable = this.closable(uid, symbol, positionSide);
    const wanted = conditional.quantity === 0n ? closable : conditional.quantity;
    const limit = isLimit(conditional.orderType);
    const terms: NaiveOrderTerms = {
      ...{ uid, symbol, side, positionSide },
      orderType: limit ? "LIMIT" : "MARKET",
      timeInForce: limit ? "GTC" : "IOC",
      price: limit ? conditional.price : 0n,
      quantity: reduceOnly ? least(wanted, closable) : wanted,
      ...{ origin: "algo", algoId: conditional.algoId, targetPositionId: 0 },
    };
    if (terms.quantity <= 0n) {
      this.#change(conditional, "CANCELED");
      return;
    }
    const { takeProfit, stopLoss } = conditional;
    try {
      this.check(terms, { takeProfit, stopLoss });
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      this.#change(conditional, "CANCELED");
      return;
    }
    const clientOrderId = `algo-${conditional.algoId}`;
    const order = this.execute(terms, clientOrderId, { takeProfit, stopLoss });
    if (order.endReason !== null) return;
    conditional.actualOrderId = order.orderId;
    this.#change(conditional, "TRIGGERED");
  }

  protected override createAttached(order: NaiveContractOrder, attached: Attached): void {
    const rows = [
      ["TAKE_PROFIT_MARKET", "tp", attached.takeProfit],
      ["STOP_MARKET", "sl", attached.stopLoss],
    ] as const;
    for (const [orderType, suffix, preset] of rows) {
      if (preset === null) continue;
      const conditional: NaiveConditionalOrder = {
        ...this.#blank(order.uid, order.symbol, order.positionSide),
        clientAlgoId: `${order.orderId}-${suffix}`,
        orderType,
        side: order.side === "BUY" ? "SELL" : "BUY",
        quantity: order.quantity,
        reduceOnly: true,
        status: "NEW",
        parentOrderId: order.orderId,
        triggerPrice: preset.price,
        workingType: preset.workingType,
      };
      this.conditionalOrders.push(conditional);
      this.#change(conditional, "NEW");
    }
  }

  protected override parentProgressed(order: NaiveContractOrder): void {
    for (const conditional of this.#rowsOf(order)) {
      conditional.quantity = order.filled;
      this.#change(conditional, "UNTRIGGERED");
    }
  }

  protected override orderEnded(order: NaiveContractOrder): void {
    const known = this.remembered.get(`${order.uid} ${order.clientOrderId}`);
    if (known?.answer.orderId === order.orderId) known.endedMs = this.nowMs;
    if (order.filled === 0n) {
      for (const conditional of this.#rowsOf(order)) this.#change(conditional, "CANCELED");
    }
    const conditional = this.conditionalOrders.find(({ algoId }) => algoId === order.algoId);
    if (conditional === undefined) return;
    conditional.actualOrderId = order.orderId;
    if (order.filled > 0n) {
      conditional.actualPrice = nearest(order.filledValue * ONE, order.filled, PRICE_UNIT);
    }
    this.#change(conditional, order.endReason === "filled" ? "FILLED" : "CANCELED");
  }

  /** Rows attached to an order that still wait. */
  #rowsOf(order: NaiveContractOrder): NaiveConditionalOrder[] {
    const { orderId } = order;
    return this.conditionalOrders.filter(
      (conditional) => conditional.parentOrderId === orderId && isWaiting(conditional),
    );
  }

  /** Those that wait for the first fill of an order. */
  protected waitingRowsOf(order: NaiveContractOrder): NaiveConditionalOrder[] {
    return this.#rowsOf(order).filter(({ status }) => status === "NEW");
  }

  protected parentAmended(order: NaiveContractOrder): void {
    for (const conditional of this.waitingRowsOf(order)) {
      if (conditional.quantity === order.quantity) continue;
      conditional.quantity = order.quantity;
      this.#change(conditional, "NEW");
    }
  }

  protected override sideEmptied(uid: number, symbol: string, side: PositionSide): void {
    for (const conditional of this.openConditionalOrders(uid, symbol)) {
      const isOfSide = conditional.positionSide === side && conditional.reduceOnly;
      if (isOfSide && conditional.status === "UNTRIGGERED") this.#change(conditional, "CANCELED");
    }
  }

  /** Answers like `placeConditional`, and does nothing. */
  testConditional(command: Place, nowMs: number): NaiveOutcome {
    this.nowMs = nowMs;
    try {
      this.#readConditional(command);
      return accepted({}, []);
    } catch (error) {
      if (error instanceof Refusal) return { ok: false, reasons: error.reasons };
      throw error;
    }
  }

  protected placeConditional(command: Place): NaiveOutcome {
    const { clientAlgoId, symbol, uid } = command;
    const read = this.#readConditional(command);
    if ("repeated" in read) {
      const { algoId, createdMs } = read.repeated;
      return accepted({ algoId, clientAlgoId, symbol, createdMs }, []);
    }
    const { conditional, payload } = read;
    this.nextOrderId = conditional.algoId + 1;
    if (isTrailing(conditional.orderType) && conditional.activation === 0n) {
      conditional.extreme = this.market(symbol).last;
    }
    this.conditionalOrders.push(conditional);
    this.#remembered.set(`${uid} ${clientAlgoId}`, { payload, conditional });
    this.#change(conditional, "UNTRIGGERED");
    const { algoId, createdMs } = conditional;
    return accepted({ algoId, clientAlgoId, symbol, createdMs }, []);
  }

  /** What would be placed, or what was; throws a refusal. */
  #readConditional(
    command: Place,
  ):
    | { readonly repeated: NaiveConditionalOrder }
    | { readonly conditional: NaiveConditionalOrder; readonly payload: string } {
    const { uid, symbol, clientAlgoId, quantity } = command;
    if (!this.users.has(uid)) throw new Refusal("unknown-user");
    const market = this.market(symbol);
    const key = `${uid} ${clientAlgoId}`;
    const { uid: _, clientAlgoId: __, ...asked } = command;
    const payload = payloadOf(asked);
    const first = this.#remembered.get(key);
    if (first !== undefined && this.#isRemembered(first.conditional)) {
      if (first.payload !== payload) throw new Refusal("duplicate-client-order-id");
      return { repeated: first.conditional };
    }
    const reasons = new Set<RejectReason>();
    const { rules } = market;
    const read = (price: string) => readPrice(price, rules.tick, reasons);
    const conditional: NaiveConditionalOrder = {
      ...this.#blank(uid, symbol, command.positionSide),
      clientAlgoId,
      orderType: command.orderType,
      side: command.side,
      quantity: command.closePosition ? 0n : readOnGrid(quantity, rules.step, "off-step", reasons),
      closePosition: command.closePosition,
      reduceOnly: isClosing(command),
      status: "UNTRIGGERED",
      triggerPrice: isTrailing(command.orderType) ? 0n : read(command.triggerPrice),
      price: isLimit(command.orderType) ? read(command.price) : 0n,
      takeProfit: this.#preset(command.presetTakeProfitPrice, command.tpWorkingType, read),
      stopLoss: this.#preset(command.presetStopLossPrice, command.slWorkingType, read),
      // The price of a preset that is not there has no source.
      tpWorkingType:
        command.presetTakeProfitPrice === null ? "CONTRACT_PRICE" : command.tpWorkingType,
      slWorkingType:
        command.presetStopLossPrice === null ? "CONTRACT_PRICE" : command.slWorkingType,
      workingType: command.workingType,
      callbackRate: this.#callback(command, reasons),
      activation: command.activationPrice === null ? 0n : read(command.activationPrice),
    };
    this.#checkConditional(conditional, command.isTpSl, market, reasons);
    return { conditional, payload };
  }

  /** A row with nothing in it but its id, which is taken when the row is attached. */
  #blank(uid: number, symbol: string, positionSide: PositionSide): NaiveConditionalOrder {
    return {
      ...{ algoId: this.nextOrderId, uid, symbol, positionSide, clientAlgoId: "" },
      ...{ orderType: "STOP_MARKET", side: "SELL", quantity: 0n, closePosition: false },
      ...{ reduceOnly: false, status: "NEW", parentOrderId: 0, actualOrderId: 0 },
      ...{ actualPrice: 0n, triggerPrice: 0n, price: 0n, takeProfit: null, stopLoss: null },
      ...{ tpWorkingType: "CONTRACT_PRICE", slWorkingType: "CONTRACT_PRICE" },
      ...{ workingType: "CONTRACT_PRICE", callbackRate: 0n, activation: 0n, extreme: 0n },
      ...{ createdMs: this.nowMs, updatedMs: this.nowMs, triggeredMs: 0 },
    };
  }

  #isRemembered(conditional: NaiveConditionalOrder): boolean {
    const isOpen = isWaiting(conditional) || conditional.status === "TRIGGERED";
    return isOpen || this.nowMs <= conditional.updatedMs + 86_400_000;
  }

  #preset(
    price: string | null,
    workingType: NaivePreset["workingType"],
    read: (price: string) => bigint,
  ): NaivePreset | null {
    return price === null ? null : { price: read(price), workingType };
  }

  #callback({ orderType, callbackRate }: Place, reasons: Set<RejectReason>): bigint {
    if (!isTrailing(orderType)) return 0n;
    if (!/^\d+(\.\d{1,6})?$/.test(callbackRate)) {
      reasons.add("malformed").add("excess-precision").add("out-of-range");
      return 0n;
    }
    const rate = exact(callbackRate) / PERCENT;
    if (rate < exact("0.001") || rate > exact("0.1")) reasons.add("out-of-range");
    return rate;
  }

  #checkConditional(
    conditional: NaiveConditionalOrder,
    isTpSl: boolean,
    market: NaiveContractMarket,
    reasons: Set<RejectReason>,
  ): void {
    const { rules, last, mark } = market;
    const { uid, symbol, positionSide, reduceOnly, quantity, takeProfit, stopLoss } = conditional;
    if (this.users.get(uid)?.state === "frozen") reasons.add("user-frozen");
    if (market.state !== "trading") reasons.add("market-not-trading");
    const opensAtMarket = !reduceOnly && !isLimit(conditional.orderType);
    const most = opensAtMarket ? least(rules.maxSize, rules.marketOpenLimit) : rules.maxSize;
    if (!conditional.closePosition) {
      if (quantity < rules.minSize || quantity === 0n) reasons.add("quantity-below-minimum");
      if (quantity > most) reasons.add("quantity-above-maximum");
    }
    if (this.openConditionalOrders(uid, symbol).length >= rules.maxOpenOrders) {
      reasons.add("too-many-open-orders");
    }
    const held = this.sideSize(uid, symbol, positionSide);
    if (reduceOnly && (held === 0n || (isTpSl && quantity > held))) {
      reasons.add("close-exceeds-position");
    }
    if (takeProfit !== null || stopLoss !== null) {
      if (reduceOnly) reasons.add("only-opening-orders");
      const reference = isLimit(conditional.orderType)
        ? conditional.price
        : conditional.triggerPrice;
      const d = direction(positionSide);
      const wrong =
        (takeProfit !== null && d * (takeProfit.price - reference) <= 0n) ||
        (stopLoss !== null && d * (reference - stopLoss.price) <= 0n);
      if (wrong) reasons.add("trigger-on-wrong-side");
    }
    if (this.#holdsAlready(conditional, last, mark)) reasons.add("would-trigger");
    if (reasons.size > 0) throw new Refusal(...reasons);
  }

  #holdsAlready(conditional: NaiveConditionalOrder, last: bigint, mark: bigint): boolean {
    if (!isTrailing(conditional.orderType)) return this.#isReached(conditional);
    const price = conditional.workingType === "MARK_PRICE" ? mark : last;
    if (conditional.activation === 0n || price === 0n) return false;
    return conditional.side === "SELL"
      ? price >= conditional.activation
      : price <= conditional.activation;
  }

  protected cancelConditional(command: CommandOf<"cancel-algo-order">): NaiveOutcome {
    const { uid, algoId } = command;
    if (!this.users.has(uid)) throw new Refusal("unknown-user");
    const conditional = this.openConditionalOrders(uid, null).find(
      (open) => open.algoId === algoId,
    );
    if (conditional === undefined) throw new Refusal("algo-order-not-found");
    this.#change(conditional, "CANCELED");
    return accepted(cancelled(conditional), []);
  }

  protected cancelAllConditional(command: CommandOf<"cancel-all-algo-orders">): NaiveOutcome {
    const { uid, symbol } = command;
    if (!this.users.has(uid)) throw new Refusal("unknown-user");
    if (symbol !== null) this.market(symbol);
    const open = this.openConditionalOrders(uid, symbol);
    for (const conditional of open) this.#change(conditional, "CANCELED");
    return accepted(open.map(cancelled), []);
  }

  protected modifyConditional(command: CommandOf<"modify-algo-order">): NaiveOutcome {
    const { uid, algoId, executePrice } = command;
    if (!this.users.has(uid)) throw new Refusal("unknown-user");
    const conditional = this.openConditionalOrders(uid, null).find(
      (open) => open.algoId === algoId,
    );
    if (conditional === undefined || !conditional.reduceOnly || isTrailing(conditional.orderType)) {
      throw new Refusal("algo-order-not-found");
    }
    const reasons = new Set<RejectReason>();
    const { rules } = this.market(conditional.symbol);
    const atMarket = executePrice === null || /^0(\.0+)?$/.test(executePrice);
    const kind = conditional.orderType.startsWith("TAKE_PROFIT") ? "TAKE_PROFIT" : "STOP";
    const changed: NaiveConditionalOrder = {
      ...conditional,
      triggerPrice: readPrice(command.triggerPrice, rules.tick, reasons),
      price: atMarket ? 0n : readPrice(executePrice, rules.tick, reasons),
      orderType: atMarket ? `${kind}_MARKET` : kind,
      workingType: command.workingType ?? conditional.workingType,
    };
    if (this.users.get(uid)?.state === "frozen") reasons.add("user-frozen");
    if (this.market(conditional.symbol).state !== "trading") reasons.add("market-not-trading");
    if (conditional.status === "NEW") {
      // It still hangs on an order that rests, and lies on one side of its price.
      const parent = this.openContractOrders(uid, conditional.symbol).find(
        ({ orderId }) => orderId === conditional.parentOrderId,
      );
      const away = changed.triggerPrice - (parent?.price ?? 0n);
      const way = direction(conditional.positionSide) * (kind === "TAKE_PROFIT" ? 1n : -1n);
      if (way * away <= 0n) reasons.add("trigger-on-wrong-side");
    } else if (this.#isReached(changed)) reasons.add("would-trigger");
    if (reasons.size > 0) throw new Refusal(...reasons);
    Object.assign(conditional, changed);
    this.#change(conditional, conditional.status);
    return accepted(null, []);
  }

  #change(conditional: NaiveConditionalOrder, status: NaiveConditionalOrder["status"]): void {
    conditional.status = status;
    conditional.updatedMs = this.nowMs;
    const { algoId, uid, symbol, clientAlgoId, orderType, side, positionSide } = conditional;
    const { closePosition, reduceOnly, parentOrderId, actualOrderId } = conditional;
    const { tpWorkingType, slWorkingType, workingType, createdMs, updatedMs, triggeredMs } =
      conditional;
    this.nextOrderId = Math.max(this.nextOrderId, algoId + 1);
    this.emit({
      type: "algo-order-changed",
      ...{ algoId, uid, symbol, clientAlgoId, orderType, side, positionSide },
      ...{ closePosition, reduceOnly, status, parentOrderId, actualOrderId },
      ...{ tpWorkingType, slWorkingType, workingType, createdMs, updatedMs, triggeredMs },
      timeInForce: timeInForceOf(orderType),
      quantity: text(conditional.quantity),
      actualPrice: text(conditional.actualPrice),
      trigger: text(this.triggerOf(conditional)),
      price: text(conditional.price),
      tpTrigger: text(conditional.takeProfit?.price ?? 0n),
      slTrigger: text(conditional.stopLoss?.price ?? 0n),
    });
  }
}

export function timeInForceOf(orderType: AlgoOrderType): "GTC" | "IOC" {
  return isLimit(orderType) ? "GTC" : "IOC";
}

function isWaiting({ status }: NaiveConditionalOrder): boolean {
  return status === "NEW" || status === "UNTRIGGERED";
}

function cancelled({ algoId, clientAlgoId, symbol }: NaiveConditionalOrder): unknown {
  return { orderId: algoId, clientOrderId: clientAlgoId, symbol };
}

function readPrice(price: string, tick: bigint, reasons: Set<RejectReason>): bigint {
  const read = readOnGrid(price, tick, "off-tick", reasons);
  if (read === 0n) reasons.add("out-of-range");
  return read;
}
