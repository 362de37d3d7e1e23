/**
 * Requests that are made to meet a boundary: the naive exchange says where it is, by trying until
 * one lot more would be refused.
 */
import type { CommandOf } from "../../src/protocol/index.ts";
import type { NaiveContractExchange } from "../models/contract/naive-contract-exchange.ts";
import { exact, text } from "../support/exact.ts";
import type { Random } from "../support/random.ts";
import { hold } from "./breach.ts";
import { contractPrice, SYMBOL, spotPrice } from "./markets.ts";
import type { Product } from "./orders.ts";
import type { RefusedOrder } from "./refused-order.ts";
import type { SimulatedExchange, Wire } from "./simulated-exchange.ts";
import type { Trader } from "./trader.ts";

const LOTS_MAX = 2 ** 40;

function spotCommand(uid: number, body: RefusedOrder["body"]): CommandOf<"place-spot-order"> {
  const isMarket = body.type === "MARKET";
  return {
    type: "place-spot-order",
    uid,
    symbol: String(body.symbol),
    side: body.side as "BUY" | "SELL",
    orderType: isMarket ? "MARKET" : "LIMIT",
    timeInForce: isMarket ? "IOC" : (body.timeInForce as "GTC"),
    price: isMarket ? "" : String(body.price),
    quantity: String(body.quoteAmount ?? body.quantity),
    quantityUnit: body.quoteAmount === undefined ? "base" : "quote",
    clientOrderId: String(body.newClientOrderId ?? "nobody's"),
  };
}

function contractCommand(
  uid: number,
  body: RefusedOrder["body"],
): CommandOf<"place-contract-order"> {
  const isMarket = body.type === "MARKET";
  return {
    type: "place-contract-order",
    uid,
    symbol: String(body.symbol),
    side: body.side as "BUY" | "SELL",
    positionSide: body.positionSide as "LONG" | "SHORT",
    orderType: isMarket ? "MARKET" : "LIMIT",
    timeInForce: isMarket ? "IOC" : (body.timeInForce as "GTC"),
    price: isMarket ? "0" : String(body.price),
    quantity: String(body.quantity),
    clientOrderId: String(body.newClientOrderId ?? "nobody's"),
    tpTriggerPrice: textOrNull(body.tpTriggerPrice),
    slTriggerPrice: textOrNull(body.slTriggerPrice),
    tpWorkingType: "CONTRACT_PRICE",
    slWorkingType: "CONTRACT_PRICE",
  };
}

function conditionalCommand(
  uid: number,
  body: RefusedOrder["body"],
): CommandOf<"place-algo-order"> {
  return {
    type: "place-algo-order",
    uid,
    symbol: String(body.symbol),
    side: body.side as "BUY" | "SELL",
    positionSide: body.positionSide as "LONG" | "SHORT",
    orderType: body.type as "STOP",
    quantity: String(body.quantity),
    closePosition: false,
    isTpSl: false,
    triggerPrice: String(body.triggerPrice ?? ""),
    price: String(body.price ?? ""),
    workingType: (body.workingType ?? "CONTRACT_PRICE") as "CONTRACT_PRICE",
    clientAlgoId: String(body.clientAlgoId),
    presetTakeProfitPrice: textOrNull(body.presetTakeProfitPrice),
    presetStopLossPrice: textOrNull(body.presetStopLossPrice),
    tpWorkingType: "CONTRACT_PRICE",
    slWorkingType: "CONTRACT_PRICE",
    callbackRate: String(body.callbackRate ?? ""),
    activationPrice: textOrNull(body.activationPrice),
  };
}

function textOrNull(value: unknown): string | null {
  return value === undefined ? null : String(value);
}

/** Whether the naive exchange would take the order as things are. */
export function isAcceptable(
  naive: NaiveContractExchange,
  { body, product, uid }: RefusedOrder,
): boolean {
  if (product === "spot") return naive.test(spotCommand(uid, body), naive.nowMs).ok;
  if (product === "conditional") {
    return naive.testConditional(conditionalCommand(uid, body), naive.nowMs).ok;
  }
  return naive.testContract(contractCommand(uid, body), naive.nowMs).ok;
}

/** Of a step; each costs a look at every state that it may have met. */
const JUDGED_MAX = 12;

/**
 * An order that did not come as far as the engine, whose refusals the story judges, must be refused
 * in one of the states that it may have met: those from the last look at the journal on. The naive
 * exchange is asked in each of them.
 */
export class Refusals {
  readonly #exchange: SimulatedExchange;
  #left: readonly RefusedOrder[];

  constructor(exchange: SimulatedExchange) {
    this.#exchange = exchange;
    const { refusedByEngine } = exchange.story;
    const isJudged = ({ body, uid }: RefusedOrder) =>
      refusedByEngine.has(`${uid} ${body.newClientOrderId ?? body.clientAlgoId}`);
    const unjudged = exchange.refusedOrders.filter((refused) => !isJudged(refused));
    this.#left = unjudged.slice(0, JUDGED_MAX);
    exchange.refusedOrders = [];
  }

  /** The story has come to another state. */
  look(): void {
    if (this.#left.length === 0) return;
    const { naive } = this.#exchange.story;
    this.#left = this.#left.filter((refused) => isAcceptable(naive, refused));
  }

  check(): void {
    const [refused] = this.#left;
    const detail = () => `${refused?.uid} ${JSON.stringify(refused?.body)}`;
    hold(refused === undefined, "only what must be is refused", detail);
  }
}

/** The most lots that are acceptable, if fewer are too. */
export function mostLots(isFine: (lots: number) => boolean): number {
  let low = 0;
  let high = LOTS_MAX;
  while (low < high) {
    const middle = low + Math.ceil((high - low) / 2);
    if (isFine(middle)) low = middle;
    else high = middle - 1;
  }
  return low;
}

/** The largest quantity that is acceptable, or one lot more, or the rest of an order that waits. */
function boundaryQuantity(
  naive: NaiveContractExchange,
  order: RefusedOrder,
  random: Random,
): string | null {
  const isSpot = order.product === "spot";
  const market = isSpot ? naive.markets.get(SYMBOL) : naive.contracts.get(SYMBOL);
  if (market === undefined) return null;
  const { step } = market.rules;
  const quantityOf = (lots: number) => text(BigInt(lots) * step);
  const resting = market.resting.filter(({ side }) => side !== order.body.side);
  if (resting.length > 0 && random.chance(0.4)) {
    const { filled, quantity } = random.pick([...resting]);
    const lots = Number((quantity - filled) / step) + random.integer(-1, 1);
    return quantityOf(Math.max(0, lots));
  }
  const least = isSpot ? Number(exact("0.001") / step) : 1;
  const fits = (lots: number) => {
    const body = { ...order.body, quantity: quantityOf(lots) };
    return lots <= least || isAcceptable(naive, { ...order, body });
  };
  return quantityOf(mostLots(fits) + random.integer(0, 1));
}

/** As much as the account can pay for, to the lot. */
export const placeAtBoundary =
  (product: Product) =>
  async (trader: Trader, random: Random, wire?: Wire): Promise<void> => {
    const { exchange, uid } = trader;
    const isSpot = product === "spot";
    const body: Record<string, unknown> = {
      symbol: SYMBOL,
      side: random.pick(["BUY", "SELL"]),
      type: "LIMIT",
      timeInForce: random.pick(["GTC", "IOC", "FOK", "POST_ONLY"]),
      price: isSpot ? spotPrice(random) : contractPrice(random),
      ...(isSpot ? {} : { positionSide: random.pick(["LONG", "SHORT"]) }),
    };
    const quantity = boundaryQuantity(exchange.story.naive, { product, uid, body }, random);
    if (quantity === null) return;
    const order = await trader.place(product, { ...body, quantity }, wire);
    if (order.fate === "accepted" && random.chance(0.5)) await trader.cancel(order, wire);
  };

/** A price at which some position has just enough, or one tick too little. */
export function liquidatingPrice({ story }: SimulatedExchange, random: Random): string | null {
  const { naive } = story;
  const rules = naive.contracts.get(SYMBOL)?.rules;
  const positions = naive.positions.filter(({ symbol }) => symbol === SYMBOL);
  if (rules === undefined || positions.length === 0) return null;
  const price = naive.liquidatePrice(random.pick([...positions]));
  const ticks = price / rules.tick + BigInt(random.integer(-1, 1));
  return ticks <= 0n ? null : text(ticks * rules.tick);
}

/** How long until the next countdown ends, a millisecond more or less; null when there is none. */
export function nextDueIn({ nowMs, story }: SimulatedExchange, random: Random): number | null {
  const { naive } = story;
  const due = naive.switches.filter(({ isHeld }) => !isHeld).map(({ firesAtMs }) => firesAtMs);
  if (due.length === 0) return null;
  // The exchange's clock may have been set ahead of the wall clock.
  const aheadMs = Math.max(0, naive.nowMs - nowMs);
  const inMs = Math.min(...due) - nowMs - aheadMs + random.integer(-1, 1);
  return inMs > 0 && inMs <= 60_000 ? inMs : null;
}
