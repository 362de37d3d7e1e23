/**
 * Amendments and countdowns in the reference exchange of contracts. If only the quantity falls an
 * order keeps its place; any other change is checked and matched as a new order for the unfilled
 * rest, without the old one.
 */
import type { RejectReason } from "../../../src/domain/index.ts";
import type { CommandOf } from "../../../src/protocol/index.ts";
import { text } from "../../support/exact.ts";
import {
  accepted,
  type NaiveEvent,
  type NaiveOutcome,
  type NaiveSwitch,
} from "../naive-accounts.ts";
import { NaiveConditionalOrders } from "./naive-conditional-orders.ts";
import { readOnGrid } from "./naive-contract-orders.ts";
import type { NaiveContractOrder } from "./naive-contract-state.ts";
import { Refusal } from "./naive-positions.ts";
import { direction } from "./rounding.ts";

export abstract class NaiveAmendments extends NaiveConditionalOrders {
  protected amendContract(command: CommandOf<"amend-contract-order">): NaiveOutcome {
    if (!this.users.has(command.uid)) throw new Refusal("unknown-user");
    const order = this.openContractOrders(command.uid, null).find((open) =>
      command.orderId === null
        ? open.clientOrderId === command.clientOrderId && open.origin === "user"
        : open.orderId === command.orderId,
    );
    if (order === undefined) throw new Refusal("order-not-found");
    const market = this.market(order.symbol);
    const { rules } = market;
    const reasons = new Set<RejectReason>();
    const read = (
      given: string | null,
      present: bigint,
      grid: bigint,
      off: RejectReason,
    ): bigint => (given === null ? present : readOnGrid(given, grid, off, reasons));
    const price = read(command.price, order.price, rules.tick, "off-tick");
    const quantity = read(command.quantity, order.quantity, rules.step, "off-step");
    if (price === 0n) reasons.add("out-of-range");
    if (quantity <= order.filled) reasons.add("out-of-range");
    const form: NaiveContractOrder = { ...order, price, quantity, updatedMs: this.nowMs };
    if (price === order.price && quantity <= order.quantity) {
      this.checkForm(form, quantity, reasons);
      if (reasons.size > 0) throw new Refusal(...reasons);
      if (quantity === order.quantity) return accepted(answerOf(order, true), []);
      market.resting[market.resting.indexOf(order)] = form;
      this.#emit(form, true);
      return accepted(answerOf(form, true), []);
    }
    const before = market.resting;
    market.resting = before.filter((resting) => resting !== order);
    try {
      this.#checkReplacement(form, reasons);
    } catch (error) {
      market.resting = before;
      throw error;
    }
    return this.#replace(form);
  }

  #checkReplacement(form: NaiveContractOrder, reasons: Set<RejectReason>): void {
    const d = direction(form.positionSide);
    for (const conditional of this.waitingRowsOf(form)) {
      const beyond = d * (conditional.triggerPrice - form.price);
      const isTakeProfit = conditional.orderType.startsWith("TAKE_PROFIT");
      if (isTakeProfit ? beyond <= 0n : beyond >= 0n) reasons.add("trigger-on-wrong-side");
    }
    const rest = form.quantity - form.filled;
    const nothing = { takeProfit: null, stopLoss: null };
    this.check({ ...form, quantity: rest > 0n ? rest : 1n }, nothing, reasons, form.quantity);
    const makers = this.crossing(this.market(form.symbol), form.side, form.price);
    if (form.timeInForce === "POST_ONLY" && makers.length > 0) throw new Refusal("would-take");
  }

  #replace(form: NaiveContractOrder): NaiveOutcome {
    const { uid, symbol, positionSide } = form;
    this.#emit(form, false);
    const { maker, taker } = this.rates(uid, symbol);
    const rest = form.quantity - form.filled;
    const order: NaiveContractOrder = {
      ...form,
      makerRate: maker,
      takerRate: taker,
      leverage: this.leverage(uid, symbol, positionSide),
      frozenPrice: this.assumedFor({ ...form, quantity: rest }),
    };
    this.active = order;
    this.matchDown(order, order.price, rest);
    this.finish(order);
    const { endReason } = order;
    const ended = endReason === "filled" ? "FILLED" : "CANCELED";
    return accepted(answerOf(order, false, endReason === null ? "NEW" : ended), []);
  }

  /** With the fills of before; rows that wait for the first fill are for the new quantity. */
  #emit(order: NaiveContractOrder, keptPriority: boolean): void {
    const { orderId, uid, symbol, clientOrderId, side, positionSide } = order;
    const { timeInForce, origin, leverage, createdMs } = order;
    this.emit({
      type: "contract-order-amended",
      ...{ orderId, uid, symbol, clientOrderId, side, positionSide, timeInForce, origin },
      price: text(order.price),
      quantity: text(order.quantity),
      filled: text(order.filled),
      filledValue: text(order.filledValue),
      ...{ leverage, keptPriority, createdMs },
    });
    this.parentAmended(order);
  }

  /** On contracts the conditional orders go too; a halted market keeps what is in its book. */
  protected override endCountdown(ended: NaiveSwitch): NaiveEvent[] {
    const { uid, symbol, product } = ended;
    if (product === "spot") return super.endCountdown(ended);
    let isHeld = false;
    for (const order of this.openContractOrders(uid, symbol)) {
      if (this.market(order.symbol).state === "halted") isHeld = true;
      else this.endOrder(order, "dead-man-switch");
    }
    this.cancelAllConditional({ type: "cancel-all-algo-orders", uid, symbol });
    return [this.switchFired(ended, isHeld)];
  }
}

function answerOf(order: NaiveContractOrder, keptPriority: boolean, status = "NEW") {
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
