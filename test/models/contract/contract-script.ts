/**
 * An exchange of one plain market with scripted commands, for tests that state the outcome and
 * require the same from the reference exchange.
 */
import { RULES_VERSION } from "../../../src/engine/index.ts";
import type { Command, CommandOf } from "../../../src/protocol/index.ts";
import { BTC_CONTRACT } from "../../support/listings.ts";
import { registration } from "../spot-setup.ts";
import { NOTHING_ATTACHED } from "./contract-setup.ts";

const ACTOR = "operator";
const START_MS = Date.UTC(2026, 0, 1, 0, 0, 0, 500);
const SYMBOL = "BTCUSDT";

type Order = CommandOf<"place-contract-order">;
type MarketRules = CommandOf<"set-contract-market">;

/** The rules of the worked example. */
const RULES: MarketRules = {
  type: "set-contract-market",
  actor: ACTOR,
  ...BTC_CONTRACT,
  maxPositionSize: "1000",
  marketOpenLimitSize: "1000",
  indexStaleMs: 86_400_000,
  tiers: [
    ...BTC_CONTRACT.tiers,
    { maxNotional: "20000000", maintenanceMarginRate: "0.02", maxLeverage: 25 },
    { maxNotional: "1000000000", maintenanceMarginRate: "0.05", maxLeverage: 10 },
  ],
};

/** Commands in order, each at a time of its own; they are handed out by `next`. */
export class ContractScript {
  nowMs = START_MS;
  #timeMs = START_MS;
  readonly #commands: { readonly atMs: number; readonly command: Command }[] = [];
  #ids = 0;

  /** Without a price the market has no index yet. */
  constructor(rules: Partial<MarketRules> = {}, indexPrice: string | null = "60000") {
    for (const [asset, coinId] of [
      ["USDT", 1],
      ["BTC", 2],
    ] as const) {
      this.add({ type: "set-asset", actor: ACTOR, asset, coinId, name: asset, scale: 8 });
    }
    this.command({ type: "adopt-rules", version: RULES_VERSION });
    this.command({ ...RULES, ...rules });
    if (indexPrice !== null) this.index(indexPrice);
  }

  get length(): number {
    return this.#commands.length;
  }

  next(): Command {
    const first = this.#commands.shift();
    if (first === undefined) throw new Error("the script is at its end");
    this.nowMs = first.atMs;
    return first.command;
  }

  /** Time passes before the next command. */
  wait(ms: number): void {
    this.#timeMs += ms;
  }

  command(command: Command): void {
    this.add(command);
  }

  private add(command: Command): void {
    this.#timeMs += 1;
    this.#commands.push({ atMs: this.#timeMs, command });
  }

  index(price: string, symbol = SYMBOL, force = false): void {
    this.add({ type: "set-index-price", actor: ACTOR, symbol, price, force });
  }

  mark(price: string | null, symbol = SYMBOL): void {
    this.add({ type: "pin-mark-price", actor: ACTOR, symbol, price });
  }

  /** Other rules for the market, or a market of another name. */
  rules(rules: Partial<MarketRules>): void {
    this.add({ ...RULES, ...rules });
  }

  /** With so much in the contract wallet; the margin type is chosen first. */
  user(uid: number, amount: string, marginType: "CROSSED" | "ISOLATED", leverage = 20): void {
    this.add(registration(uid, `invite-${uid}`, null));
    this.deposit(uid, amount);
    this.add({ type: "set-margin-type", uid, symbol: SYMBOL, marginType, separatedType: null });
    this.leverage(uid, leverage);
  }

  deposit(uid: number, amount: string): void {
    const requestId = `in-${++this.#ids}`;
    const ids = { actor: ACTOR, requestId, uid, wallet: "contract", asset: "USDT" } as const;
    this.add({ type: "deposit-funds", ...ids, amount });
  }

  insurance(amount: string): void {
    const requestId = `fund-${++this.#ids}`;
    this.add({ type: "deposit-insurance", actor: ACTOR, requestId, asset: "USDT", amount });
  }

  leverage(uid: number, leverage: number): void {
    this.add({
      type: "set-leverage",
      uid,
      symbol: SYMBOL,
      marginType: null,
      crossLeverage: leverage,
      isolatedLongLeverage: leverage,
      isolatedShortLeverage: leverage,
    });
  }

  /** A limit order at a price, a market order without one. */
  order(
    uid: number,
    action: "open" | "close",
    positionSide: "LONG" | "SHORT",
    quantity: string,
    price: string | null = null,
    other: Partial<Order> = {},
  ): void {
    this.add({
      type: "place-contract-order",
      uid,
      symbol: SYMBOL,
      side: (action === "open") === (positionSide === "LONG") ? "BUY" : "SELL",
      positionSide,
      orderType: price === null ? "MARKET" : "LIMIT",
      timeInForce: price === null ? "IOC" : "GTC",
      price: price ?? "",
      quantity,
      clientOrderId: `order-${++this.#ids}`,
      ...NOTHING_ATTACHED,
      ...other,
    });
  }

  /** A stop that follows the last price at a distance in percent, and closes. */
  trail(uid: number, positionSide: "LONG" | "SHORT", quantity: string, callbackRate: string): void {
    const side = positionSide === "LONG" ? "SELL" : "BUY";
    const terms = { uid, symbol: SYMBOL, side, positionSide, quantity, callbackRate } as const;
    this.#conditional({ ...terms, orderType: "TRAILING_STOP_MARKET", triggerPrice: "" });
  }

  /** A stop at market price that opens a position. */
  stop(
    uid: number,
    positionSide: "LONG" | "SHORT",
    quantity: string,
    triggerPrice: string,
    symbol: string,
  ): void {
    const side = positionSide === "LONG" ? "BUY" : "SELL";
    const terms = { uid, symbol, side, positionSide, quantity, triggerPrice } as const;
    this.#conditional({ ...terms, orderType: "STOP_MARKET", callbackRate: "" });
  }

  #conditional(
    terms: Pick<
      CommandOf<"place-algo-order">,
      | ("uid" | "symbol" | "side" | "positionSide" | "quantity")
      | ("orderType" | "triggerPrice" | "callbackRate")
    >,
  ): void {
    this.add({
      type: "place-algo-order",
      ...terms,
      ...{ closePosition: false, isTpSl: false, price: "", activationPrice: null },
      workingType: "CONTRACT_PRICE",
      clientAlgoId: `algo-${++this.#ids}`,
      ...{ presetTakeProfitPrice: null, presetStopLossPrice: null },
      ...{ tpWorkingType: "CONTRACT_PRICE", slWorkingType: "CONTRACT_PRICE" },
    });
  }

  /** Two users trade with each other: the first opens the side, the second takes the other. */
  pair(maker: number, taker: number, takerSide: "LONG" | "SHORT", quantity: string, price: string) {
    this.order(maker, "open", takerSide === "LONG" ? "SHORT" : "LONG", quantity, price);
    this.order(taker, "open", takerSide, quantity);
  }
}
