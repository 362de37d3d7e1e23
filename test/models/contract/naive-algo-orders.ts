/**
 * Conditional orders of the reference exchange of contracts: rows in a list, looked through from
 * the lowest id whenever somebody asks which of them is reached.
 */
import type { AlgoOrderType, PositionSide, RejectReason } from "../../../src/domain/index.ts";
import type { CommandOf } from "../../../src/protocol/index.ts";
import { exact, greatest, least, text } from "../../support/exact.ts";
import { accepted, type NaiveOutcome } from "../naive-accounts.ts";
import {
  type Attached,
  isClosing,
  NaiveContractOrders,
  readOnGrid,
} from "./naive-contract-orders.ts";
import type {
  NaiveAlgo,
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

export abstract class NaiveAlgoOrders extends NaiveContractOrders {
  readonly #remembered = new Map<string, { readonly payload: string; readonly algo: NaiveAlgo }>();

  openAlgos(uid: number, symbol: string | null): NaiveAlgo[] {
    return this.algos.filter(
      (algo) => algo.uid === uid && (symbol === null || algo.symbol === symbol) && isWaiting(algo),
    );
  }

  /** The trigger of a row; that of a trailing stop follows its extreme. */
  triggerOf(algo: NaiveAlgo): bigint {
    if (!isTrailing(algo.orderType)) return algo.triggerPrice;
    if (algo.extreme === 0n) return 0n;
    const { tick } = this.market(algo.symbol).rules;
    return algo.side === "SELL"
      ? down(algo.extreme * (ONE - algo.callbackRate), ONE, tick)
      : up(algo.extreme * (ONE + algo.callbackRate), ONE, tick);
  }

  /** The lowest row that is reached now, in a market that trades. */
  protected reachedAlgo(): NaiveAlgo | undefined {
    return this.algos.find(
      (algo) =>
        algo.status === "UNTRIGGERED" &&
        this.market(algo.symbol).state === "trading" &&
        this.#isReached(algo),
    );
  }

  #isReached(algo: NaiveAlgo): boolean {
    const market = this.market(algo.symbol);
    const price = algo.workingType === "MARK_PRICE" ? market.mark : market.last;
    const trigger = this.triggerOf(algo);
    if (price === 0n || trigger === 0n) return false;
    const isTakeProfit = algo.orderType.startsWith("TAKE_PROFIT");
    const firesAbove = (algo.side === "BUY") !== isTakeProfit;
    return firesAbove ? price >= trigger : price <= trigger;
  }

  /** Trailing stops look at the last price when an order is completely matched. */
  protected override lastPriceSeen(market: NaiveContractMarket): void {
    const { last, symbol } = market;
    if (last === 0n) return;
    for (const algo of this.algos) {
      if (algo.symbol !== symbol || algo.status !== "UNTRIGGERED") continue;
      if (!isTrailing(algo.orderType)) continue;
      const sells = algo.side === "SELL";
      const { activation } = algo;
      const active = activation === 0n || (sells ? last >= activation : last <= activation);
      if (algo.extreme === 0n) algo.extreme = active ? last : 0n;
      else algo.extreme = sells ? greatest(algo.extreme, last) : least(algo.extreme, last);
    }
  }

  protected fire(algo: NaiveAlgo): void {
    const { uid, symbol, positionSide, side, reduceOnly } = algo;
    algo.triggeredMs = this.nowMs;
    algo.status = "TRIGGERED";
    const closable = this.closable(uid, symbol, positionSide);
    const wanted = algo.quantity === 0n ? closable : algo.quantity;
    const limit = isLimit(algo.orderType);
    const terms: NaiveOrderTerms = {
      ...{ uid, symbol, side, positionSide },
      orderType: limit ? "LIMIT" : "MARKET",
      timeInForce: limit ? "GTC" : "IOC",
      price: limit ? algo.price : 0n,
      quantity: reduceOnly ? least(wanted, closable) : wanted,
      ...{ origin: "algo", algoId: algo.algoId, targetPositionId: 0 },
    };
    if (terms.quantity <= 0n) {
      this.#change(algo, "CANCELED");
      return;
    }
    const { takeProfit, stopLoss } = algo;
    try {
      this.check(terms, { takeProfit, stopLoss });
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      this.#change(algo, "CANCELED");
      return;
    }
    const clientOrderId = `algo-${algo.algoId}`;
    const order = this.execute(terms, clientOrderId, { takeProfit, stopLoss });
    if (order.endReason !== null) return;
    algo.actualOrderId = order.orderId;
    this.#change(algo, "TRIGGERED");
  }

  protected override createAttached(order: NaiveContractOrder, attached: Attached): void {
    const rows = [
      ["TAKE_PROFIT_MARKET", "tp", attached.takeProfit],
      ["STOP_MARKET", "sl", attached.stopLoss],
    ] as const;
    for (const [orderType, suffix, preset] of rows) {
      if (preset === null) continue;
      const algo: NaiveAlgo = {
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
      this.algos.push(algo);
      this.#change(algo, "NEW");
    }
  }

  protected override parentProgressed(order: NaiveContractOrder): void {
    for (const algo of this.#rowsOf(order)) {
      algo.quantity = order.filled;
      this.#change(algo, "UNTRIGGERED");
    }
  }

  protected override orderEnded(order: NaiveContractOrder): void {
    const known = this.remembered.get(`${order.uid} ${order.clientOrderId}`);
    if (known?.answer.orderId === order.orderId) known.endedMs = this.nowMs;
    if (order.filled === 0n) {
      for (const algo of this.#rowsOf(order)) this.#change(algo, "CANCELED");
    }
    const algo = this.algos.find(({ algoId }) => algoId === order.algoId);
    if (algo === undefined) return;
    algo.actualOrderId = order.orderId;
    if (order.filled > 0n) {
      algo.actualPrice = nearest(order.filledValue * ONE, order.filled, PRICE_UNIT);
    }
    this.#change(algo, order.endReason === "filled" ? "FILLED" : "CANCELED");
  }

  /** Rows attached to an order that still wait. */
  #rowsOf(order: NaiveContractOrder): NaiveAlgo[] {
    const { orderId } = order;
    return this.algos.filter((algo) => algo.parentOrderId === orderId && isWaiting(algo));
  }

  /** Those that wait for the first fill of an order. */
  protected waitingRowsOf(order: NaiveContractOrder): NaiveAlgo[] {
    return this.#rowsOf(order).filter(({ status }) => status === "NEW");
  }

  protected parentAmended(order: NaiveContractOrder): void {
    for (const algo of this.waitingRowsOf(order)) {
      if (algo.quantity === order.quantity) continue;
      algo.quantity = order.quantity;
      this.#change(algo, "NEW");
    }
  }

  protected override sideEmptied(uid: number, symbol: string, side: PositionSide): void {
    for (const algo of this.openAlgos(uid, symbol)) {
      const isOfSide = algo.positionSide === side && algo.reduceOnly;
      if (isOfSide && algo.status === "UNTRIGGERED") this.#change(algo, "CANCELED");
    }
  }

  protected placeAlgo(command: Place): NaiveOutcome {
    const { uid, symbol, clientAlgoId, quantity } = command;
    if (!this.users.has(uid)) throw new Refusal("unknown-user");
    const market = this.market(symbol);
    const key = `${uid} ${clientAlgoId}`;
    const { type: _, uid: __, clientAlgoId: ___, ...asked } = command;
    const payload = JSON.stringify(asked);
    const first = this.#remembered.get(key);
    if (first !== undefined && this.#isRemembered(first.algo)) {
      if (first.payload !== payload) throw new Refusal("duplicate-client-order-id");
      const { algoId, createdMs } = first.algo;
      return accepted({ algoId, clientAlgoId, symbol, createdMs }, []);
    }
    const reasons = new Set<RejectReason>();
    const { rules } = market;
    const read = (price: string) => readPrice(price, rules.tick, reasons);
    const algo: NaiveAlgo = {
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
    this.#checkAlgo(algo, command.isTpSl, market, reasons);
    this.nextOrderId = algo.algoId + 1;
    if (isTrailing(algo.orderType) && algo.activation === 0n) algo.extreme = market.last;
    this.algos.push(algo);
    this.#remembered.set(key, { payload, algo });
    this.#change(algo, "UNTRIGGERED");
    const { algoId, createdMs } = algo;
    return accepted({ algoId, clientAlgoId, symbol, createdMs }, []);
  }

  /** A row with nothing in it but its id, which is taken when the row is attached. */
  #blank(uid: number, symbol: string, positionSide: PositionSide): NaiveAlgo {
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

  #isRemembered(algo: NaiveAlgo): boolean {
    const isOpen = isWaiting(algo) || algo.status === "TRIGGERED";
    return isOpen || this.nowMs <= algo.updatedMs + 86_400_000;
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

  #checkAlgo(
    algo: NaiveAlgo,
    isTpSl: boolean,
    market: NaiveContractMarket,
    reasons: Set<RejectReason>,
  ): void {
    const { rules, last, mark } = market;
    const { uid, symbol, positionSide, reduceOnly, quantity, takeProfit, stopLoss } = algo;
    if (this.users.get(uid)?.state === "frozen") reasons.add("user-frozen");
    if (market.state !== "trading") reasons.add("market-not-trading");
    const opensAtMarket = !reduceOnly && !isLimit(algo.orderType);
    const most = opensAtMarket ? least(rules.maxSize, rules.marketOpenLimit) : rules.maxSize;
    if (!algo.closePosition) {
      if (quantity < rules.minSize || quantity === 0n) reasons.add("quantity-below-minimum");
      if (quantity > most) reasons.add("quantity-above-maximum");
    }
    if (this.openAlgos(uid, symbol).length >= rules.maxOpenOrders) {
      reasons.add("too-many-open-orders");
    }
    const held = this.sideSize(uid, symbol, positionSide);
    if (reduceOnly && (held === 0n || (isTpSl && quantity > held))) {
      reasons.add("close-exceeds-position");
    }
    if (takeProfit !== null || stopLoss !== null) {
      if (reduceOnly) reasons.add("only-opening-orders");
      const reference = isLimit(algo.orderType) ? algo.price : algo.triggerPrice;
      const d = direction(positionSide);
      const wrong =
        (takeProfit !== null && d * (takeProfit.price - reference) <= 0n) ||
        (stopLoss !== null && d * (reference - stopLoss.price) <= 0n);
      if (wrong) reasons.add("trigger-on-wrong-side");
    }
    if (this.#holdsAlready(algo, last, mark)) reasons.add("would-trigger");
    if (reasons.size > 0) throw new Refusal(...reasons);
  }

  #holdsAlready(algo: NaiveAlgo, last: bigint, mark: bigint): boolean {
    if (!isTrailing(algo.orderType)) return this.#isReached(algo);
    const price = algo.workingType === "MARK_PRICE" ? mark : last;
    if (algo.activation === 0n || price === 0n) return false;
    return algo.side === "SELL" ? price >= algo.activation : price <= algo.activation;
  }

  protected cancelAlgo(command: CommandOf<"cancel-algo-order">): NaiveOutcome {
    const { uid, algoId } = command;
    if (!this.users.has(uid)) throw new Refusal("unknown-user");
    const algo = this.openAlgos(uid, null).find((open) => open.algoId === algoId);
    if (algo === undefined) throw new Refusal("algo-order-not-found");
    this.#change(algo, "CANCELED");
    return accepted(cancelled(algo), []);
  }

  protected cancelAllAlgos(command: CommandOf<"cancel-all-algo-orders">): NaiveOutcome {
    const { uid, symbol } = command;
    if (!this.users.has(uid)) throw new Refusal("unknown-user");
    if (symbol !== null) this.market(symbol);
    const open = this.openAlgos(uid, symbol);
    for (const algo of open) this.#change(algo, "CANCELED");
    return accepted(open.map(cancelled), []);
  }

  protected modifyAlgo(command: CommandOf<"modify-algo-order">): NaiveOutcome {
    const { uid, algoId, executePrice } = command;
    if (!this.users.has(uid)) throw new Refusal("unknown-user");
    const algo = this.openAlgos(uid, null).find((open) => open.algoId === algoId);
    if (algo === undefined || !algo.reduceOnly || isTrailing(algo.orderType)) {
      throw new Refusal("algo-order-not-found");
    }
    const reasons = new Set<RejectReason>();
    const { rules } = this.market(algo.symbol);
    const atMarket = executePrice === null || executePrice === "0";
    const kind = algo.orderType.startsWith("TAKE_PROFIT") ? "TAKE_PROFIT" : "STOP";
    const changed: NaiveAlgo = {
      ...algo,
      triggerPrice: readPrice(command.triggerPrice, rules.tick, reasons),
      price: atMarket ? 0n : readPrice(executePrice, rules.tick, reasons),
      orderType: atMarket ? `${kind}_MARKET` : kind,
      workingType: command.workingType ?? algo.workingType,
    };
    if (this.users.get(uid)?.state === "frozen") reasons.add("user-frozen");
    if (this.market(algo.symbol).state !== "trading") reasons.add("market-not-trading");
    if (algo.status === "NEW") {
      // It still hangs on an order that rests, and lies on one side of its price.
      const parent = this.openContractOrders(uid, algo.symbol).find(
        ({ orderId }) => orderId === algo.parentOrderId,
      );
      const away = changed.triggerPrice - (parent?.price ?? 0n);
      const way = direction(algo.positionSide) * (kind === "TAKE_PROFIT" ? 1n : -1n);
      if (way * away <= 0n) reasons.add("trigger-on-wrong-side");
    } else if (this.#isReached(changed)) reasons.add("would-trigger");
    if (reasons.size > 0) throw new Refusal(...reasons);
    Object.assign(algo, changed);
    this.#change(algo, algo.status);
    return accepted(null, []);
  }

  #change(algo: NaiveAlgo, status: NaiveAlgo["status"]): void {
    algo.status = status;
    algo.updatedMs = this.nowMs;
    const { algoId, uid, symbol, clientAlgoId, orderType, side, positionSide } = algo;
    const { closePosition, reduceOnly, parentOrderId, actualOrderId } = algo;
    const { tpWorkingType, slWorkingType, workingType, createdMs, updatedMs, triggeredMs } = algo;
    this.nextOrderId = Math.max(this.nextOrderId, algoId + 1);
    this.emit({
      type: "algo-order-changed",
      ...{ algoId, uid, symbol, clientAlgoId, orderType, side, positionSide },
      ...{ closePosition, reduceOnly, status, parentOrderId, actualOrderId },
      ...{ tpWorkingType, slWorkingType, workingType, createdMs, updatedMs, triggeredMs },
      timeInForce: timeInForceOf(orderType),
      quantity: text(algo.quantity),
      actualPrice: text(algo.actualPrice),
      trigger: text(this.triggerOf(algo)),
      price: text(algo.price),
      tpTrigger: text(algo.takeProfit?.price ?? 0n),
      slTrigger: text(algo.stopLoss?.price ?? 0n),
    });
  }
}

export function timeInForceOf(orderType: AlgoOrderType): "GTC" | "IOC" {
  return isLimit(orderType) ? "GTC" : "IOC";
}

function isWaiting({ status }: NaiveAlgo): boolean {
  return status === "NEW" || status === "UNTRIGGERED";
}

function cancelled({ algoId, clientAlgoId, symbol }: NaiveAlgo): unknown {
  return { orderId: algoId, clientOrderId: clientAlgoId, symbol };
}

function readPrice(price: string, tick: bigint, reasons: Set<RejectReason>): bigint {
  const read = readOnGrid(price, tick, "off-tick", reasons);
  if (read === 0n) reasons.add("out-of-range");
  return read;
}
