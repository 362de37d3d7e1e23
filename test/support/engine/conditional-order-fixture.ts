/**
 * A market with a maker and a trader of conditional orders, for tests of these: every command ends
 * as in the engine, with the triggers that it reaches, and with the full check.
 */
import { invariant, type PositionSide, type Result, type Side } from "../../../src/domain/index.ts";
import {
  cancelAllConditionalOrders,
  cancelConditionalOrder,
  modifyConditionalOrder,
  placeConditionalOrder,
} from "../../../src/engine/contract/conditional/conditional-orders.ts";
import { checkContracts } from "../../../src/engine/contract/invariants.ts";
import { cancelContractOrder } from "../../../src/engine/contract/orders/cancel-order.ts";
import { placeContractOrder } from "../../../src/engine/contract/orders/place-order.ts";
import { pinMarkPrice, setIndexPrice } from "../../../src/engine/contract/prices/prices.ts";
import { runRisk } from "../../../src/engine/contract/risk/risk-loop.ts";
import type { User } from "../../../src/engine/state.ts";
import type { CommandOf, EventOf } from "../../../src/protocol/index.ts";
import { SYMBOL, TradingFixture } from "./trading-fixture.ts";

export type Placement = CommandOf<"place-algo-order">;
type Order = CommandOf<"place-contract-order">;
type Row = EventOf<"algo-order-changed">;

export const OPEN_LONG = { side: "BUY", positionSide: "LONG" } as const;
export const CLOSE_LONG = { side: "SELL", positionSide: "LONG" } as const;
export const OPEN_SHORT = { side: "SELL", positionSide: "SHORT" } as const;
export const CLOSE_SHORT = { side: "BUY", positionSide: "SHORT" } as const;

/** One market at 60000 with a last price, a trader, and a maker who takes the other sides. */
export class ConditionalOrderFixture extends TradingFixture {
  readonly trader = this.addUser(1001, "100000").account.user;
  readonly maker = this.addUser(2001, "100000000").account.user;
  #ids = 0;

  constructor() {
    super();
    this.index("60000");
    // A last price of 60000, and no position left behind it.
    this.trade("60000");
  }

  index(price: string): void {
    this.#done(
      setIndexPrice(this.context, {
        type: "set-index-price",
        actor: "",
        symbol: SYMBOL,
        price,
        force: true,
      }),
    );
  }

  mark(price: string | null): void {
    const symbol = SYMBOL;
    this.#done(pinMarkPrice(this.context, { type: "pin-mark-price", actor: "", symbol, price }));
  }

  /** The maker trades with itself: a last price at which nobody else holds anything. */
  trade(price: string): void {
    this.order(this.maker, { ...OPEN_SHORT, price, quantity: "0.001" });
    this.order(this.maker, { ...OPEN_LONG, price, quantity: "0.001" });
  }

  order(user: User, terms: Partial<Order>): Result<{ readonly orderId: number }> {
    return this.#done(
      placeContractOrder(this.context, {
        type: "place-contract-order",
        uid: user.uid,
        symbol: SYMBOL,
        ...OPEN_LONG,
        orderType: "LIMIT",
        timeInForce: "GTC",
        price: "60000",
        quantity: "1",
        clientOrderId: `order-${++this.#ids}`,
        tpTriggerPrice: null,
        slTriggerPrice: null,
        tpWorkingType: "CONTRACT_PRICE",
        slWorkingType: "CONTRACT_PRICE",
        ...terms,
      }),
    );
  }

  cancel(user: User, orderId: number): void {
    const { uid } = user;
    const result = cancelContractOrder(this.context, {
      type: "cancel-contract-order",
      uid,
      orderId,
      clientOrderId: null,
    });
    invariant(this.#done(result).ok, refusalOf(result));
  }

  /** A position of the trader against the maker, at 60000. */
  hold(positionSide: PositionSide, quantity: string): void {
    const opens = positionSide === "LONG";
    this.order(this.maker, { ...(opens ? OPEN_SHORT : OPEN_LONG), quantity });
    const taker = this.order(this.trader, { ...(opens ? OPEN_LONG : OPEN_SHORT), quantity });
    invariant(taker.ok, "the maker's order takes the other side");
    this.events.length = 0;
  }

  /** The maker quotes: what a child will meet. */
  quote(side: Side, price: string, quantity: string): void {
    const positionSide = side === "BUY" ? "LONG" : "SHORT";
    const quoted = this.order(this.maker, { side, positionSide, price, quantity });
    invariant(quoted.ok, refusalOf(quoted));
  }

  conditional(terms: Partial<Placement>): Result<{ readonly algoId: number }> {
    return this.#done(
      placeConditionalOrder(this.context, {
        type: "place-algo-order",
        uid: this.trader.uid,
        symbol: SYMBOL,
        ...CLOSE_LONG,
        orderType: "STOP_MARKET",
        quantity: "1",
        closePosition: false,
        isTpSl: false,
        triggerPrice: "",
        price: "",
        workingType: "CONTRACT_PRICE",
        clientAlgoId: `algo-${++this.#ids}`,
        presetTakeProfitPrice: null,
        presetStopLossPrice: null,
        tpWorkingType: "CONTRACT_PRICE",
        slWorkingType: "CONTRACT_PRICE",
        callbackRate: "",
        activationPrice: null,
        ...terms,
      }),
    );
  }

  /** The id of a placement that must succeed. */
  algoId(terms: Partial<Placement>): number {
    const placed = this.conditional(terms);
    invariant(placed.ok, refusalOf(placed));
    return placed.value.algoId;
  }

  modify(algoId: number, triggerPrice: string, changes: object = {}): Result<null> {
    return this.#done(
      modifyConditionalOrder(this.context, {
        type: "modify-algo-order",
        uid: this.trader.uid,
        algoId,
        triggerPrice,
        executePrice: null,
        workingType: null,
        ...changes,
      }),
    );
  }

  cancelConditional(user: User, algoId: number): Result<unknown> {
    return this.#done(
      cancelConditionalOrder(this.context, { type: "cancel-algo-order", uid: user.uid, algoId }),
    );
  }

  cancelAll(symbol: string | null): readonly number[] {
    const { uid } = this.trader;
    const result = cancelAllConditionalOrders(this.context, {
      type: "cancel-all-algo-orders",
      uid,
      symbol,
    });
    invariant(this.#done(result).ok, refusalOf(result));
    return result.ok ? result.value.map(({ orderId }) => orderId) : [];
  }

  /** What was told of a row since the last question, status by status. */
  rows(algoId: number): Row[] {
    return this.eventsOf("algo-order-changed").filter((row) => row.algoId === algoId);
  }

  statuses(algoId: number): string[] {
    return this.rows(algoId).map(({ status }) => status);
  }

  /** The end of every command, as the engine has it. */
  #done<Value>(result: Result<Value>): Result<Value> {
    this.context.sequence++;
    this.context.nowMs++;
    this.context.stepsLeft = 1000;
    if (result.ok) {
      runRisk(this.context);
      this.state.timestampMs = this.context.nowMs;
      const violations: string[] = [];
      checkContracts(this.state, violations);
      invariant(violations.length === 0, violations.join("; "));
    }
    return result;
  }
}

/** Reason and field of a refusal, or "accepted". */
export function refusalOf(result: Result<unknown>): string {
  return result.ok ? "accepted" : `${result.reason} ${result.field}`;
}
