/**
 * Random commands for an exchange of contracts, chosen by the state of the reference exchange:
 * orders around the mark, closes of positions, prices that creep and jump, conditional orders near
 * the price, settings and margins changed meanwhile, time steps from seconds to hours.
 */
import type { Command, CommandOf } from "../../../src/protocol/index.ts";
import { exact, greatest, text } from "../../support/exact.ts";
import type { Random } from "../../support/random.ts";
import { additionalCommand, BAD_AMOUNTS } from "./additions-traffic.ts";
import {
  type ContractSetup,
  contractSetup,
  type Listing,
  listing,
  lotsValue,
  NOTHING_ATTACHED,
  UIDS,
} from "./contract-setup.ts";
import type { NaiveContractExchange } from "./naive-contract-exchange.ts";
import type { NaiveContractMarket, NaivePosition } from "./naive-contract-state.ts";
import { priceCommand, spotCommand } from "./price-traffic.ts";
import { nearest, ONE } from "./rounding.ts";

type Place = CommandOf<"place-contract-order">;
type PlaceConditional = CommandOf<"place-algo-order">;

const START_MS = Date.UTC(2026, 6, 1, 7, 58, 30, 700);
const ACTOR = "operator";
const TIMES_IN_FORCE = ["GTC", "GTC", "GTC", "GTC", "GTC", "IOC", "FOK", "POST_ONLY"] as const;

export class ContractTraffic {
  nowMs = START_MS;
  readonly setup: ContractSetup;
  readonly #random: Random;
  readonly #exchange: NaiveContractExchange;
  readonly #script: Command[];
  readonly #past: (Place | PlaceConditional)[] = [];
  #counter = 0;

  constructor(random: Random, exchange: NaiveContractExchange) {
    this.#random = random;
    this.#exchange = exchange;
    this.setup = contractSetup(random);
    this.#script = [...this.setup.setUp];
  }

  /** The next command; `nowMs` is its time. */
  next(): Command {
    const scripted = this.#script.shift();
    if (scripted !== undefined) return scripted;
    const random = this.#random;
    this.#passTime();
    const kind = random.next();
    if (kind < 0.34) return this.#remembered(this.#order());
    if (kind < 0.41) return additionalCommand(random, this.#exchange, this.#uid());
    if (kind < 0.47) return this.#cancel();
    if (kind < 0.49) return this.#repetition();
    if (kind < 0.52) return this.#quotes();
    if (kind < 0.69) return this.#price();
    if (kind < 0.8) return this.#conditional();
    if (kind < 0.85) return this.#setting();
    if (kind < 0.9) return this.#margin();
    if (kind < 0.93) return this.#close();
    if (kind < 0.96) return this.#movement();
    return this.#operation();
  }

  #passTime(): void {
    const random = this.#random;
    const pace = random.next();
    if (pace < 0.6) this.nowMs += random.integer(0, 40);
    else if (pace < 0.92) this.nowMs += random.integer(100, 3_000);
    else if (pace < 0.985) this.nowMs += random.integer(1_000, 120_000);
    else if (pace < 0.998) this.nowMs += random.integer(60_000, 900_000);
    else this.nowMs += random.integer(0, 5 * 3_600_000);
  }

  #listing(): Listing {
    return this.#random.pick(this.setup.listings);
  }

  #market({ command }: Listing): NaiveContractMarket {
    return this.#exchange.market(command.symbol);
  }

  #uid(): number {
    return this.#random.chance(0.004) ? 424_242 : this.#random.pick(UIDS);
  }

  #id(prefix: string): string {
    return this.#random.chance(0.02) ? `${prefix}-again` : `${prefix}:${++this.#counter}`;
  }

  #side(): "LONG" | "SHORT" {
    return this.#random.pick(["LONG", "SHORT"] as const);
  }

  #ticks(price: bigint, ticks: number, tick: bigint): bigint {
    return greatest(tick, price - (price % tick) + BigInt(ticks) * tick);
  }

  #order(listing = this.#listing()): Place {
    const random = this.#random;
    const market = this.#market(listing);
    const { rules } = market;
    const { symbol } = market;
    const uid = this.#uid();
    const positionSide = this.#side();
    const closable = UIDS.includes(uid) ? this.#exchange.closable(uid, symbol, positionSide) : 0n;
    const closes =
      closable > 0n ? random.chance(this.#keeps(uid) ? 0.15 : 0.45) : random.chance(0.01);
    const side = (positionSide === "LONG") === closes ? "SELL" : "BUY";
    const isMarket = random.chance(0.2);
    const most = closes ? Number(closable / rules.step) : random.pick([4, 12, 12, 40]);
    const lots = random.integer(1, Math.max(1, most)) + (random.chance(0.02) ? most + 1 : 0);
    const centre = market.mark || listing.centre;
    const spread = random.pick([1, 3, 3, 8, 40]);
    const near = this.#ticks(centre, random.integer(-spread, spread), rules.tick);
    // Some wait far away, and are met when the mark is pinned there or the books are thin.
    const far = nearest(centre * BigInt(random.integer(900, 1_100)), 1_000n, rules.tick);
    const price = random.chance(0.12) ? greatest(rules.tick, far) : near;
    const order: Place = {
      type: "place-contract-order",
      uid,
      symbol: random.chance(0.004) ? "NOSUCH" : symbol,
      side,
      positionSide,
      orderType: isMarket ? "MARKET" : "LIMIT",
      timeInForce: isMarket ? "IOC" : random.pick(TIMES_IN_FORCE),
      price: isMarket ? "" : this.#spelled(price + (random.chance(0.005) ? rules.tick / 3n : 0n)),
      quantity: this.#spelled(rules.step * BigInt(lots)),
      clientOrderId: this.#id("c"),
      ...NOTHING_ATTACHED,
    };
    return random.chance(closes ? 0.01 : 0.2)
      ? this.#withAttached(order, price, rules.tick)
      : order;
  }

  /** Some hold what they have on both sides, until they are liquidated. */
  #keeps(uid: number): boolean {
    return uid % 2 === 0;
  }

  #withAttached(order: Place, price: bigint, tick: bigint): Place {
    const random = this.#random;
    const sign = order.positionSide === "LONG" ? 1 : -1;
    const away = (way: number) => {
      const ticks = random.integer(random.chance(0.05) ? -2 : 1, 15);
      return text(this.#ticks(price, way * sign * ticks, tick));
    };
    return {
      ...order,
      tpTriggerPrice: random.chance(0.7) ? away(1) : null,
      slTriggerPrice: random.chance(0.7) ? away(-1) : null,
      tpWorkingType: random.pick(["CONTRACT_PRICE", "MARK_PRICE"] as const),
      slWorkingType: random.pick(["CONTRACT_PRICE", "MARK_PRICE"] as const),
    };
  }

  /** Now and then not the plain form, now and then no amount at all. */
  #spelled(amount: bigint): string {
    if (this.#random.chance(0.003)) return this.#random.pick(BAD_AMOUNTS);
    const plain = text(amount);
    return this.#random.chance(0.03) && plain.includes(".") && plain.length < 18
      ? `${plain}0`
      : plain;
  }

  #remembered<Sent extends Place | PlaceConditional>(command: Sent): Sent {
    this.#past.push(command);
    if (this.#past.length > 200) this.#past.shift();
    return command;
  }

  #repetition(): Command {
    const random = this.#random;
    const recent = this.#past.slice(random.chance(0.7) ? -20 : 0);
    if (recent.length === 0) return this.#order();
    const command = random.pick(recent);
    if (random.chance(0.6)) return command;
    if (random.chance(0.5)) return { ...command, uid: this.#uid() };
    return { ...command, quantity: text(exact("0.21")) };
  }

  #cancel(): Command {
    const random = this.#random;
    const uid = this.#uid();
    if (random.chance(0.08)) {
      const symbol = random.chance(0.5) ? null : this.#listing().command.symbol;
      return { type: "cancel-all-contract-orders", uid, symbol };
    }
    const owner = random.chance(0.95) ? uid : random.pick(UIDS);
    const open = this.#exchange.openContractOrders(owner, null);
    const order = open.length === 0 ? null : random.pick(open);
    const byId = random.chance(0.5) || order?.origin !== "user";
    return {
      type: "cancel-contract-order",
      uid,
      orderId: byId ? (order?.orderId ?? random.integer(1, 50)) : null,
      clientOrderId: byId ? null : (order?.clientOrderId ?? "none"),
    };
  }

  /** A ladder on both sides, so that books are two-sided and deep now and then. */
  #quotes(): Command {
    const random = this.#random;
    const listing = this.#listing();
    const market = this.#market(listing);
    const { tick, step } = market.rules;
    const centre = market.mark || listing.centre;
    const uid = random.pick(UIDS);
    for (let i = 1; i <= random.integer(2, 5); i++) {
      for (const positionSide of ["LONG", "SHORT"] as const) {
        const opens = positionSide === "LONG" ? "BUY" : "SELL";
        this.#script.push({
          ...this.#order(listing),
          ...{ uid, symbol: market.symbol, side: opens, positionSide },
          ...{ orderType: "LIMIT", timeInForce: "GTC" },
          price: text(this.#ticks(centre, (positionSide === "LONG" ? -1 : 1) * i * 2, tick)),
          quantity: text(step * BigInt(random.integer(2, 12))),
          ...NOTHING_ATTACHED,
        });
      }
    }
    return this.#spotQuote() ?? this.#order(listing);
  }

  #spotQuote(): Command | null {
    const [listing] = this.setup.listings;
    return spotCommand(this.#random, this.#exchange, listing, this.#id("s"));
  }

  #price(): Command {
    const command = priceCommand(this.#random, this.#exchange, this.#listing());
    return command === "spot" ? (this.#spotQuote() as Command) : command;
  }

  #conditional(): Command {
    const random = this.#random;
    const uid = this.#uid();
    const kind = random.next();
    const open = UIDS.includes(uid) ? this.#exchange.openConditionalOrders(uid, null) : [];
    if (kind < 0.15) {
      const algoId = open.length > 0 ? random.pick(open).algoId : random.integer(1, 60);
      const owner = random.chance(0.95) ? uid : random.pick(UIDS);
      return { type: "cancel-algo-order", uid: owner, algoId };
    }
    if (kind < 0.17) {
      const symbol = random.chance(0.5) ? null : this.#listing().command.symbol;
      return { type: "cancel-all-algo-orders", uid, symbol };
    }
    if (kind < 0.27 && open.length > 0) return this.#modification(uid, random.pick(open).algoId);
    return this.#remembered(this.#placement(uid));
  }

  #modification(uid: number, algoId: number): Command {
    const random = this.#random;
    const conditional = this.#exchange.conditionalOrders.find((row) => row.algoId === algoId);
    const market = this.#exchange.market(conditional?.symbol ?? this.#listing().command.symbol);
    const near = () => text(this.#ticks(market.mark, random.integer(-20, 20), market.rules.tick));
    return {
      ...{ type: "modify-algo-order", uid, algoId, triggerPrice: near() },
      executePrice: random.pick([null, "0", near()]),
      workingType: random.pick([null, "CONTRACT_PRICE", "MARK_PRICE"] as const),
    };
  }

  #placement(uid: number): PlaceConditional {
    const random = this.#random;
    const market = this.#market(this.#listing());
    const { symbol, rules, mark } = market;
    const positionSide = this.#side();
    const held = UIDS.includes(uid) ? this.#exchange.sideSize(uid, symbol, positionSide) : 0n;
    const closes = held > 0n ? random.chance(0.8) : random.chance(0.05);
    const side = (positionSide === "LONG") === closes ? "SELL" : "BUY";
    const orderType = random.pick([
      ...(["STOP", "TAKE_PROFIT", "STOP_MARKET", "TAKE_PROFIT_MARKET"] as const),
      ...(["STOP_MARKET", "TAKE_PROFIT_MARKET", "TRAILING_STOP_MARKET"] as const),
    ]);
    const isTrailing = orderType === "TRAILING_STOP_MARKET";
    const isLimit = orderType === "STOP" || orderType === "TAKE_PROFIT";
    const isTpSl = closes && !isTrailing && random.chance(0.5);
    const closePosition = isTpSl && random.chance(0.4);
    const above = (side === "BUY") !== orderType.startsWith("TAKE_PROFIT") ? 1 : -1;
    const away = random.integer(random.chance(0.05) ? -3 : 0, 15);
    const from = market.last === 0n ? mark : market.last;
    const trigger = this.#ticks(from, above * away, rules.tick);
    const price = this.#ticks(trigger, random.integer(-4, 4), rules.tick);
    const lots = random.integer(1, closes ? Math.max(1, Number(held / rules.step)) : 8);
    const presets = !closes && random.chance(0.3);
    const d = positionSide === "LONG" ? 1 : -1;
    const reference = isLimit ? price : trigger;
    const beyond = (way: number) =>
      presets ? text(this.#ticks(reference, way * d * random.integer(1, 10), rules.tick)) : null;
    return {
      ...{ type: "place-algo-order", uid, symbol, side, positionSide, orderType },
      quantity: closePosition ? "" : this.#spelled(rules.step * BigInt(lots)),
      closePosition,
      isTpSl,
      triggerPrice: isTrailing ? "" : this.#spelled(trigger),
      price: isLimit ? text(price) : "",
      workingType: isTpSl && random.chance(0.5) ? "MARK_PRICE" : "CONTRACT_PRICE",
      clientAlgoId: this.#id("a"),
      presetTakeProfitPrice: isTrailing ? null : beyond(1),
      presetStopLossPrice: isTrailing ? null : beyond(-1),
      tpWorkingType: random.pick(["CONTRACT_PRICE", "MARK_PRICE"] as const),
      slWorkingType: "CONTRACT_PRICE",
      callbackRate: isTrailing ? random.pick(["0.1", "0.5", "1.234567", "10", "0.09", "10.1"]) : "",
      activationPrice:
        isTrailing && random.chance(0.5)
          ? text(this.#ticks(from, random.integer(-6, 6), rules.tick))
          : null,
    };
  }

  #setting(): Command {
    const random = this.#random;
    const uid = this.#uid();
    const { symbol } = this.#listing().command;
    if (random.chance(0.4)) {
      return {
        ...{ type: "set-margin-type", uid, symbol },
        marginType: random.pick(["CROSSED", "ISOLATED"] as const),
        separatedType: random.pick([null, "COMBINED", "SEPARATED"] as const),
      };
    }
    const leverage = () => (random.chance(0.6) ? random.pick([1, 2, 3, 5, 10, 20, 50, 101]) : null);
    return {
      ...{ type: "set-leverage", uid, symbol },
      marginType: random.chance(0.8) ? null : random.pick(["CROSSED", "ISOLATED"] as const),
      crossLeverage: leverage(),
      isolatedLongLeverage: leverage(),
      isolatedShortLeverage: leverage(),
    };
  }

  #position(uid: number): NaivePosition | undefined {
    const own = this.#exchange.positions.filter(
      (position) => position.uid === uid || this.#random.chance(0.01),
    );
    const isolated = own.filter(({ marginType }) => marginType === "ISOLATED");
    if (own.length === 0) return undefined;
    return this.#random.pick(isolated.length > 0 && this.#random.chance(0.9) ? isolated : own);
  }

  #margin(): Command {
    const random = this.#random;
    const uid = this.#uid();
    const position = this.#position(uid);
    if (position === undefined) return this.#order();
    const positionId = random.chance(0.98) ? position.id : 5_000_000;
    if (random.chance(0.4)) {
      return { type: "set-auto-append-margin", uid, positionId, enabled: random.chance(0.8) };
    }
    const { tick, step } = this.#exchange.market(position.symbol).rules;
    const unit = (tick * step) / ONE;
    const part = (position.margin * BigInt(random.integer(1, 12))) / 10n;
    return {
      ...{ type: "move-position-margin", uid, positionId },
      amount: this.#spelled(part - (part % unit)),
      direction: random.pick(["add", "remove"] as const),
    };
  }

  #close(): Command {
    const random = this.#random;
    const uid = this.#uid();
    const position = this.#position(uid);
    const symbol = position?.symbol ?? this.#listing().command.symbol;
    const kind = random.next();
    if (kind < 0.5) {
      const positionId = position?.id ?? 1;
      return { type: "close-positions", uid, symbol: random.pick([null, symbol]), positionId };
    }
    const all = random.chance(0.2);
    return { type: "close-positions", uid, symbol: all ? null : symbol, positionId: null };
  }

  #movement(): Command {
    const random = this.#random;
    const uid = random.pick(UIDS);
    const asset = random.pick(["QUO", "BEL"]);
    const own = this.setup.listings.filter(({ command }) => command.quoteAsset === asset);
    const worth = lotsValue(own[0] as Listing, random.pick([1, 4, 12]));
    const scale = this.#exchange.assets.get(asset)?.scale ?? 0;
    const unit = 10n ** BigInt(18 - scale);
    const held = this.#exchange.availableBalance(uid, asset);
    const wanted = random.chance(0.5) ? worth : held / BigInt(random.integer(1, 4));
    const amount = text(wanted - (wanted % unit) + (random.chance(0.05) ? unit : 0n));
    const moves = { requestId: this.#id("m"), asset, amount };
    const fund = { actor: ACTOR, ...moves };
    return random.pick<Command>([
      { type: "deposit-funds", ...fund, uid, wallet: "contract" },
      { type: "deposit-funds", ...fund, uid, wallet: "contract" },
      { type: "withdraw-funds", ...fund, uid, wallet: "contract" },
      { type: "transfer-funds", ...fund, uid, from: "contract", to: "spot" },
      { type: "transfer-own-funds", ...moves, uid, from: "contract", to: "spot" },
      { type: "transfer-own-funds", ...moves, uid, from: "spot", to: "contract" },
      { type: "deposit-insurance", ...fund },
      { type: "withdraw-insurance", ...fund },
    ]);
  }

  /** What operators do. */
  #operation(): Command {
    const random = this.#random;
    const { symbol } = this.#listing().command;
    const kind = random.next();
    if (kind < 0.5) return this.#resumption() ?? this.#order();
    if (kind < 0.6) {
      const state = random.pick(["trading", "cancel-only", "halted"] as const);
      return { type: "set-contract-market-state", actor: ACTOR, symbol, state };
    }
    if (kind < 0.62) return this.#otherRules();
    if (kind < 0.67) return this.#restart();
    if (kind < 0.7) {
      const state = random.pick(["active", "frozen"] as const);
      return this.#userState(random.pick(UIDS), state);
    }
    if (kind < 0.8) {
      return {
        ...{ type: "set-fee-rates", actor: ACTOR, uid: random.pick(UIDS), product: "contract" },
        symbol: random.chance(0.5) ? symbol : null,
        makerFeeRate: random.pick(["0", "0.0003", "0.001"]),
        takerFeeRate: random.pick(["0", "0.0005", "0.00123456", "0.003"]),
      };
    }
    return this.#order();
  }

  /** Other limits, tiers and fees on the same grid. */
  #otherRules(): Command {
    const old = this.#listing();
    const { baseAsset, quoteAsset } = old.command;
    return listing(this.#random, baseAsset, quoteAsset, old).command;
  }

  /** The exchange was down for a while; nothing of what was due then has happened. */
  #restart(): Command {
    this.nowMs += this.#random.pick([1_500, 9_000, 28_800, 31_000, 61_000, 1_300_000]);
    return { type: "resume" };
  }

  #userState(uid: number, state: "active" | "frozen"): Command {
    const unchanged = { kyc: null, selfTradePrevention: null };
    return { type: "update-user", actor: ACTOR, uid, state, ...unchanged };
  }

  /** Trading and people that stand still for long would test nothing. */
  #resumption(): Command | null {
    for (const { symbol, state } of this.#exchange.contracts.values()) {
      if (state === "trading") continue;
      return { type: "set-contract-market-state", actor: ACTOR, symbol, state: "trading" };
    }
    for (const { uid, state } of this.#exchange.users.values()) {
      if (state === "frozen") return this.#userState(uid, "active");
    }
    return null;
  }
}
