/**
 * Random commands for an exchange with affiliates, chosen by the state of the reference: orders
 * that mostly trade, a tree that grows and changes its rates meanwhile, caps and holds that are set
 * and lifted, payments between users, commissions that are released and reversed before and after
 * payment, with and without cover, and time steps from milliseconds to weeks.
 */
import type { Command, CommandOf, Event, EventOf } from "../../../src/protocol/index.ts";
import type { NaiveAffiliateProgramme } from "../../support/affiliate/naive-affiliate-programme.ts";
import { text } from "../../support/exact.ts";
import type { Random } from "../../support/random.ts";
import { NOTHING_ATTACHED } from "../contract/contract-setup.ts";
import { registration } from "../spot-setup.ts";
import { AffiliateOperations } from "./affiliate-operations.ts";
import {
  ACTOR,
  type AffiliateSetup,
  affiliateSetup,
  funding,
  indexPrice,
  spotListing,
  type TradedMarket,
} from "./affiliate-setup.ts";

const START_MS = Date.UTC(2026, 1, 27, 22, 58, 30, 700);
const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;
const USERS_MAX = 40;

export class AffiliateTraffic {
  nowMs = START_MS;
  readonly setup: AffiliateSetup;
  readonly #random: Random;
  readonly #programme: NaiveAffiliateProgramme;
  readonly #operations: AffiliateOperations;
  readonly #script: Command[];
  /** Lots by `<uid> <symbol> <LONG or SHORT>`. */
  readonly #positions = new Map<string, number>();
  /** Markets whose tick is twice what it was. */
  readonly #coarse = new Set<TradedMarket>();
  #counter = 0;

  constructor(random: Random, programme: NaiveAffiliateProgramme) {
    this.#random = random;
    this.#programme = programme;
    this.setup = affiliateSetup(random);
    this.#operations = new AffiliateOperations(random, programme);
    this.#script = [...this.setup.setUp];
  }

  /** The next command; `nowMs` is its time. */
  next(): Command {
    const scripted = this.#script.shift();
    if (scripted !== undefined) return scripted;
    const random = this.#random;
    this.#passTime();
    const kind = random.next();
    if (kind < 0.51) return this.#spotOrder();
    if (kind < 0.8) return this.#contractOrder();
    if (kind < 0.83) return this.#indexPrice();
    if (kind < 0.84) return this.#cancel();
    if (kind < 0.85) return this.#newcomer();
    if (kind < 0.86) return this.#people();
    if (kind < 0.89) return this.#funds();
    if (kind < 0.893) return this.#restart();
    const [first, ...rest] = this.#operations.next();
    this.#script.push(...rest);
    return first ?? this.#spotOrder();
  }

  /** What happened, for positions that may be closed later. */
  observe(event: Event): void {
    if (event.type !== "contract-trade") return;
    this.#observeFill(event, event.maker);
    this.#observeFill(event, event.taker);
  }

  #observeFill(trade: EventOf<"contract-trade">, fill: EventOf<"contract-trade">["maker"]): void {
    const key = `${fill.uid} ${trade.symbol} ${fill.positionSide}`;
    const lots = fill.isClosing ? -trade.quantityLots : trade.quantityLots;
    this.#positions.set(key, (this.#positions.get(key) ?? 0) + lots);
  }

  /** Mostly little; now and then to the millisecond at which something ends. */
  #passTime(): void {
    const random = this.#random;
    const pace = random.next();
    if (pace < 0.93) this.nowMs += random.integer(0, 400);
    else if (pace < 0.98) this.nowMs += random.integer(0, 3 * MINUTE_MS);
    else if (pace < 0.99) this.#passTo(HOUR_MS);
    else if (pace < 0.995) this.nowMs += random.integer(0, 5 * HOUR_MS);
    else if (pace < 0.997) this.#passTo(DAY_MS);
    else if (pace < 0.9993) this.#passTo(random.pick([29, 30, 31]) * DAY_MS);
    else if (pace < 0.9997) this.nowMs += random.integer(1, 15) * DAY_MS;
  }

  /** To a full unit of time, or just before or after it. */
  #passTo(unitMs: number): void {
    const days = Math.floor(unitMs / DAY_MS);
    const roundTo = days > 0 ? DAY_MS : unitMs;
    const fullMs = this.nowMs - (this.nowMs % roundTo) + unitMs + this.#random.integer(-1, 1);
    this.nowMs = Math.max(this.nowMs, fullMs);
  }

  #uid(): number {
    return this.#random.pick([...this.#programme.facts.users.keys()]);
  }

  #id(prefix: string): string {
    return `${prefix}-${++this.#counter}`;
  }

  #market(product: "spot" | "contract"): TradedMarket {
    return this.#random.pick(this.setup.markets.filter((market) => market.product === product));
  }

  #price({ tick, centreTicks }: TradedMarket): string {
    const spread = Math.max(1, Math.min(2, Math.floor(centreTicks / 10)));
    return text(tick * BigInt(centreTicks + this.#random.integer(-spread, spread)));
  }

  #spotOrder(): CommandOf<"place-spot-order"> {
    const random = this.#random;
    const market = this.#market("spot");
    const isMarket = random.chance(0.1);
    return {
      ...{ type: "place-spot-order", uid: this.#uid(), symbol: market.symbol },
      side: random.pick(["BUY", "SELL"] as const),
      orderType: isMarket ? "MARKET" : "LIMIT",
      timeInForce: isMarket ? "IOC" : random.pick(["GTC", "GTC", "GTC", "IOC", "FOK"] as const),
      price: isMarket ? "" : this.#price(market),
      quantity: text(market.step * BigInt(random.integer(1, random.pick([2, 5, 5, 40])))),
      ...{ quantityUnit: "base", clientOrderId: this.#id("s") },
    };
  }

  #contractOrder(): CommandOf<"place-contract-order"> {
    const random = this.#random;
    const market = this.#market("contract");
    const uid = this.#uid();
    const positionSide = random.pick(["LONG", "SHORT"] as const);
    const held = this.#positions.get(`${uid} ${market.symbol} ${positionSide}`) ?? 0;
    const closes = held > 0 && random.chance(0.35);
    const side = (positionSide === "LONG") === closes ? "SELL" : "BUY";
    const isMarket = random.chance(0.15);
    const lots = random.integer(1, closes ? held : random.pick([2, 5, 5, 40]));
    return {
      ...{ type: "place-contract-order", uid, symbol: market.symbol, side, positionSide },
      orderType: isMarket ? "MARKET" : "LIMIT",
      timeInForce: isMarket ? "IOC" : random.pick(["GTC", "GTC", "GTC", "IOC"] as const),
      price: isMarket ? "" : this.#price(market),
      quantity: text(market.step * BigInt(lots)),
      clientOrderId: this.#id("c"),
      ...NOTHING_ATTACHED,
    };
  }

  /** Around the centre, and now and then so far away that the thin ones are liquidated. */
  #indexPrice(): Command {
    const random = this.#random;
    const market = this.#market("contract");
    const perMille = random.pick([0, 10, 60, 150, 250]);
    const shift = Math.floor((market.centreTicks * random.integer(-perMille, perMille)) / 1_000);
    this.#script.push(indexPrice({ ...market, centreTicks: market.centreTicks + shift }));
    return indexPrice(market);
  }

  #cancel(): Command {
    if (this.#random.chance(0.1)) return this.#otherTick();
    const { symbol, product } = this.#market(this.#random.pick(["spot", "contract"] as const));
    const uid = this.#uid();
    return product === "spot"
      ? { type: "cancel-all-spot-orders", uid, symbol }
      : { type: "cancel-all-contract-orders", uid, symbol };
  }

  /** A spot market's tick becomes another, once its book is empty; its last price stays. */
  #otherTick(): Command {
    const market = this.#market("spot");
    const isCoarse = this.#coarse.delete(market);
    if (!isCoarse) this.#coarse.add(market);
    market.tick = isCoarse ? market.tick / 2n : market.tick * 2n;
    market.centreTicks = isCoarse ? market.centreTicks * 2 : market.centreTicks / 2;
    for (const uid of this.#programme.facts.users.keys()) {
      this.#script.push({ type: "cancel-all-spot-orders", uid, symbol: market.symbol });
    }
    this.#script.push(spotListing(this.#random, market));
    return indexPrice(this.#market("contract"));
  }

  /** Mostly with a code, also of somebody who is no affiliate yet. */
  #newcomer(): Command {
    const random = this.#random;
    const { users } = this.#programme.facts;
    if (users.size >= USERS_MAX) return this.#people();
    const uid = random.integer(50, 999);
    const codes = [...users.keys()].map((other) => this.#codeOf(other));
    const invitedWith = random.chance(0.1) ? null : random.pick(codes);
    if (!users.has(uid)) this.#script.push(...funding(random, uid));
    return registration(uid, this.#codeOf(uid), invitedWith);
  }

  #codeOf(uid: number): string {
    return uid < 50 ? `invite-${uid - 1}` : `code-${uid}`;
  }

  /** States and fee rates; those who were frozen mostly thaw soon. */
  #people(): Command {
    const random = this.#random;
    const users = [...this.#programme.facts.users.values()];
    const frozen = users.filter(({ isFrozen }) => isFrozen);
    const uid = frozen.length > 0 && random.chance(0.7) ? random.pick(frozen).uid : this.#uid();
    if (random.chance(0.4)) {
      return {
        ...{ type: "set-fee-rates", actor: ACTOR, uid, symbol: null },
        product: random.pick(["spot", "contract"] as const),
        makerFeeRate: random.pick(["0", "0.0005", "0.1"]),
        takerFeeRate: random.pick(["0", "0.00012345", "0.05"]),
      };
    }
    const isFrozen = this.#programme.facts.user(uid).isFrozen;
    const state = isFrozen || random.chance(0.3) ? "active" : "frozen";
    const unchanged = { kyc: null, selfTradePrevention: null };
    return { type: "update-user", actor: ACTOR, uid, state, ...unchanged };
  }

  /** Some fill up, some leave with all that they have. */
  #funds(): Command {
    const random = this.#random;
    const uid = this.#uid();
    const { facts } = this.#programme;
    const request = { actor: ACTOR, requestId: this.#id("m"), uid };
    if (random.chance(0.4)) {
      // Soon to be liquidated.
      const [asset, amount] = random.pick([
        ["USDT", "30"],
        ["BTC", "0.002"],
      ] as const);
      return { type: "deposit-funds", ...request, wallet: "contract", asset, amount };
    }
    const asset = random.pick([...facts.assets.keys()]);
    const ids = { ...request, asset };
    if (random.chance(0.4)) {
      return { type: "deposit-funds", ...ids, wallet: "spot", amount: "5000" };
    }
    const available = facts.available(uid, asset);
    const amount = text(available * facts.unit(asset));
    return random.chance(0.5)
      ? { type: "withdraw-funds", ...ids, wallet: "spot", amount }
      : { type: "transfer-funds", ...ids, from: "spot", to: "contract", amount: "1" };
  }

  /** The exchange was down for a while, perhaps over a full hour. */
  #restart(): Command {
    const random = this.#random;
    this.nowMs += random.pick([1_500, 10 * MINUTE_MS, 70 * MINUTE_MS, 3 * HOUR_MS]);
    return { type: "resume" };
  }
}
