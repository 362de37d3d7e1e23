/**
 * Random commands for an exchange, chosen with an eye on the reference exchange: orders near the
 * last price, cancels of what is open, repetitions of what was sent, bursts that one large order
 * sweeps, operators who change rules while people trade, and input that nobody should send.
 */
import type { Command, CommandOf } from "../../src/protocol/index.ts";
import { exact, greatest, text } from "../support/exact.ts";
import type { Random } from "../support/random.ts";
import type { NaiveExchange } from "./naive-exchange.ts";
import { ONE } from "./naive-rules.ts";
import type { NaiveMarket } from "./naive-spot-orders.ts";
import { marketCommand, registration, setUpCommands, startingFunds } from "./spot-setup.ts";

type Place = CommandOf<"place-spot-order">;

const DAY_MS = 86_400_000;
const START_MS = Date.UTC(2026, 6, 1, 11, 59, 58, 700);
const ACTOR = "operator";
const BAD_AMOUNTS = ["", "0", "-1", "1e3", "1.", ".5", "00.1", "1".repeat(19), " 1", "１", "0x1"];
const TIMES_IN_FORCE = ["GTC", "GTC", "GTC", "GTC", "IOC", "FOK", "POST_ONLY"] as const;
const SELF_TRADE = ["NONE", "NONE", "EXPIRE_TAKER", "EXPIRE_MAKER", "EXPIRE_BOTH"] as const;
const PAST_MAX = 400;

interface Sent {
  readonly command: Place;
  readonly atMs: number;
}

export class RandomTraffic {
  nowMs = START_MS;
  readonly #random: Random;
  readonly #exchange: NaiveExchange;
  readonly #script: Command[] = [];
  readonly #past: Sent[] = [];
  readonly #movements: Command[] = [];
  #counter = 0;

  constructor(random: Random, exchange: NaiveExchange) {
    this.#random = random;
    this.#exchange = exchange;
    const setUp = setUpCommands(random);
    const markets = setUp.filter((command) => command.type === "set-spot-market");
    this.#script.push(...setUp);
    // The second user's uid was asked for; the others count from the first.
    for (const uid of [100_001, 77, 100_002, 100_003, 100_004]) {
      for (const asset of ["QUO", "ACO", "BEL"]) {
        this.#script.push(this.#deposit(uid, asset, startingFunds(markets, asset)));
      }
    }
  }

  /** Whether the commands that set the exchange up are behind us. */
  get isSetUp(): boolean {
    return this.#script.length === 0;
  }

  /** The next command; `nowMs` is its time. */
  next(): Command {
    const random = this.#random;
    const scripted = this.#script.shift();
    if (scripted !== undefined) return scripted;
    this.#passTime();
    const kind = random.next();
    if (kind < 0.54) return this.#remembered(this.#order());
    if (kind < 0.6) return this.#amendment();
    if (kind < 0.72) return this.#cancel();
    if (kind < 0.79) return this.#repetition();
    if (kind < 0.8) return { ...this.#someone(), type: "cancel-all-spot-orders" };
    if (kind < 0.845) return this.#burst();
    if (kind < 0.85) return this.#countdown();
    if (kind < 0.91) return this.#movement();
    return this.#operation();
  }

  #passTime(): void {
    const random = this.#random;
    const pace = random.next();
    if (pace < 0.7) this.nowMs += random.integer(0, 40);
    else if (pace < 0.93) this.nowMs += random.integer(100, 3_000);
    else if (pace < 0.99) this.nowMs += random.integer(1_000, 600_000);
    else this.nowMs += random.integer(0, 6 * 3_600_000);
  }

  #symbol(): string {
    return this.#random.chance(0.01)
      ? "NOSUCH"
      : this.#random.pick([...this.#exchange.markets.keys()]);
  }

  #market(): NaiveMarket {
    return this.#random.pick([...this.#exchange.markets.values()]);
  }

  #uid(): number {
    if (this.#random.chance(0.005)) return 424_242;
    return this.#random.pick([...this.#exchange.users.keys()].slice(0, 5));
  }

  #someone(): { uid: number; symbol: string } {
    return { uid: this.#uid(), symbol: this.#symbol() };
  }

  #clientOrderId(): string {
    const id = ++this.#counter;
    return this.#random.chance(0.03) ? `again-${this.#random.integer(0, 9)}` : `c:${id}/#${id}`;
  }

  #order(market: NaiveMarket = this.#market()): Place {
    const random = this.#random;
    const side = random.pick(["BUY", "SELL"] as const);
    const isMarket = random.chance(0.16);
    const byQuote = isMarket && side === "BUY" && random.chance(0.6);
    const quantity = this.#quantity(market, byQuote);
    return {
      type: "place-spot-order",
      uid: this.#uid(),
      symbol: random.chance(0.004) ? "NOSUCH" : market.symbol,
      side,
      orderType: isMarket ? "MARKET" : "LIMIT",
      timeInForce: isMarket ? "IOC" : random.pick(TIMES_IN_FORCE),
      price: isMarket ? "" : this.#price(market),
      quantity: this.#spelled(quantity),
      quantityUnit: byQuote ? "quote" : "base",
      clientOrderId: this.#clientOrderId(),
    };
  }

  #price({ rules, lastPrice }: NaiveMarket): string {
    const random = this.#random;
    const tick = random.chance(0.01) ? rules.tick / 2n || rules.tick : rules.tick;
    const centre = lastPrice === null ? 24 : Number(lastPrice / rules.tick);
    const spread = random.chance(0.1) ? 14 : 3;
    const ticks = Math.max(1, centre + random.integer(-spread, spread));
    return this.#spelled(tick * BigInt(ticks));
  }

  #quantity({ rules, lastPrice }: NaiveMarket, byQuote: boolean): bigint {
    const random = this.#random;
    const lots = BigInt(random.chance(0.1) ? random.integer(0, 70) : random.integer(1, 12));
    const quantity = rules.step * lots + (random.chance(0.01) ? rules.step / 2n : 0n);
    if (!byQuote) return quantity;
    const price = lastPrice ?? rules.tick * 24n;
    const extra = rules.tick * rules.step * BigInt(random.integer(0, 3));
    return (price * quantity + extra) / ONE;
  }

  /** Now and then not the plain form, now and then no amount at all. */
  #spelled(amount: bigint): string {
    if (this.#random.chance(0.006)) return this.#random.pick(BAD_AMOUNTS);
    const plain = text(amount);
    return this.#random.chance(0.03) && plain.includes(".") && plain.length < 18
      ? `${plain}0`
      : plain;
  }

  #remembered(command: Place): Place {
    this.#past.push({ command, atMs: this.nowMs });
    if (this.#past.length > PAST_MAX) this.#past.shift();
    return command;
  }

  /**
   * What was sent before, as it was or changed a little, also 24 hours later to the millisecond.
   */
  #repetition(): Command {
    const random = this.#random;
    const recent = this.#past.slice(random.chance(0.7) ? -30 : 0);
    if (recent.length === 0) return this.#order();
    const { command, atMs } = random.pick(recent);
    const edgeMs = atMs + DAY_MS + random.integer(0, 1);
    if (random.chance(0.05) && edgeMs > this.nowMs) this.nowMs = edgeMs;
    const { price, quantity } = command;
    const change = random.next();
    if (change < 0.5) return command;
    if (change < 0.7)
      return { ...command, quantity: otherSpelling(quantity), price: otherSpelling(price) };
    if (change < 0.8) return { ...command, quantity: text(this.#quantity(this.#market(), false)) };
    if (change < 0.9 && command.orderType === "LIMIT")
      return { ...command, side: otherSide(command) };
    return { ...command, uid: this.#uid() };
  }

  #cancel(): Command {
    const random = this.#random;
    const uid = this.#uid();
    const open = this.#exchange.openOrders(random.chance(0.95) ? uid : this.#uid(), null);
    const order = open.length === 0 ? null : random.pick(open);
    const past = this.#past.at(-1)?.command.clientOrderId ?? "none";
    const byId = random.chance(0.5);
    return {
      type: "cancel-spot-order",
      uid,
      symbol: random.chance(0.3)
        ? null
        : random.chance(0.93) && order
          ? order.symbol
          : this.#symbol(),
      orderId: byId ? (order?.orderId ?? random.integer(1, 50)) : null,
      clientOrderId: byId && random.chance(0.9) ? null : (order?.clientOrderId ?? past),
    };
  }

  /** A little more or less, nearer or farther, what is filled already, or the same again. */
  #amendment(): Command {
    const random = this.#random;
    const uid = this.#uid();
    const open = this.#exchange.openOrders(random.chance(0.97) ? uid : this.#uid(), null);
    const partly = open.filter(({ filled }) => filled > 0n);
    const wanted = partly.length > 0 && random.chance(0.4) ? partly : open;
    const order = wanted.length === 0 ? null : random.pick(wanted);
    const market = (order && this.#exchange.markets.get(order.symbol)) ?? this.#market();
    const { step, tick } = market.rules;
    const lots = BigInt(random.integer(-4, 3));
    const quantity = (order?.quantity ?? step) + lots * step;
    const across = random.chance(0.3) ? (order?.side === "SELL" ? -4 : 4) : 0;
    const price = (order?.price ?? tick) + BigInt(across + random.integer(-2, 2)) * tick;
    const isById = random.chance(0.5);
    const isOfMarket = random.chance(0.7);
    return {
      type: "amend-spot-order",
      uid,
      symbol: random.chance(0.3) ? null : isOfMarket ? market.symbol : this.#symbol(),
      orderId: isById ? (order?.orderId ?? random.integer(1, 50)) : null,
      clientOrderId: isById ? null : (order?.clientOrderId ?? "none"),
      price: random.chance(0.5) ? null : this.#spelled(price > 0n ? price : tick),
      quantity: random.chance(0.3) ? null : this.#spelled(quantity > 0n ? quantity : step),
    };
  }

  /** Mostly seconds; time passes by minutes now and then. */
  #countdown(): Command {
    const random = this.#random;
    const { uid, symbol } = this.#someone();
    const countdownMs = random.pick([0, 999, 1_000, 1_500, 2_345, 30_000, 86_400_000, 86_400_001]);
    return {
      type: "set-dead-man-switch",
      uid,
      product: random.chance(0.05) ? "contract" : "spot",
      symbol: random.chance(0.6) ? null : symbol,
      countdownMs,
    };
  }

  /** Small orders side by side, then one that sweeps them. */
  #burst(): Command {
    const random = this.#random;
    const market = this.#market();
    const { rules, lastPrice, symbol } = market;
    const centre = lastPrice === null ? 24n : lastPrice / rules.tick;
    const side = random.pick(["BUY", "SELL"] as const);
    const limit = (uid: number, ticks: bigint, lots: number): Place => ({
      ...this.#order(market),
      uid,
      symbol,
      side,
      orderType: "LIMIT",
      timeInForce: "GTC",
      price: text(rules.tick * (ticks > 0n ? ticks : 1n)),
      quantity: text(rules.step * BigInt(lots)),
      quantityUnit: "base",
    });
    for (let i = random.integer(3, 9); i > 0; i--) {
      const away = BigInt(random.integer(0, 2));
      const ticks = side === "SELL" ? centre + away : centre - away;
      this.#script.push(limit(this.#uid(), ticks, random.integer(1, 4)));
    }
    const ticks = side === "SELL" ? centre + 2n : centre - 2n;
    const sweep = limit(this.#uid(), ticks, random.integer(8, 25));
    const timeInForce = random.pick(["GTC", "IOC", "FOK"] as const);
    this.#script.push({ ...sweep, side: otherSide(sweep), timeInForce });
    return this.#order(market);
  }

  #deposit(uid: number, asset: string, amount: bigint): Command {
    const requestId = `in-${++this.#counter}`;
    const ids = { actor: ACTOR, requestId, uid, wallet: "spot" } as const;
    return { type: "deposit-funds", ...ids, asset, amount: text(amount) };
  }

  #movement(): Command {
    const random = this.#random;
    const past = this.#movements;
    if (past.length > 0 && random.chance(0.15)) return this.#repeatedMovement(random.pick(past));
    const uid = this.#uid();
    const asset = random.chance(0.02) ? "NIL" : random.pick([...this.#exchange.assets.keys()]);
    const held = this.#exchange.equity(uid, "spot", asset);
    const amount = random.chance(0.8) ? held / 6n : held + held / 3n;
    const scale = this.#exchange.assets.get(asset)?.scale ?? 0;
    const whole = 10n ** BigInt(18 - scale);
    const plenty = this.#plenty(asset);
    const body = {
      actor: ACTOR,
      requestId: `move-${++this.#counter}`,
      uid,
      wallet: random.pick(["spot", "spot", "contract"] as const),
      asset,
      amount: this.#spelled(random.chance(0.97) ? amount - (amount % whole) : amount + whole / 7n),
    };
    const { uid: _, wallet: __, ...fund } = body;
    const [from, to] = random.pick([
      ["spot", "contract"],
      ["contract", "spot"],
      ["spot", "spot"],
    ] as const);
    const command = random.pick<Command>([
      { type: "deposit-funds", ...body },
      { type: "deposit-funds", ...body, wallet: "spot" },
      { type: "deposit-funds", ...body, wallet: "spot", amount: text(plenty - (plenty % whole)) },
      { type: "withdraw-funds", ...body },
      { type: "transfer-funds", ...fund, uid, from, to },
      { type: "deposit-insurance", ...fund },
      { type: "withdraw-insurance", ...fund },
    ]);
    past.push(command);
    return command;
  }

  /** What pays for a handful of orders. */
  #plenty(asset: string): bigint {
    const needs = [...this.#exchange.markets.values()].map(({ rules, lastPrice }) => {
      if (rules.base.asset === asset) return rules.step * 100n;
      const price = lastPrice ?? rules.tick * 24n;
      return rules.quote.asset === asset ? (price * rules.step * 100n) / ONE : 0n;
    });
    return needs.reduce(greatest, ONE);
  }

  #repeatedMovement(command: Command): Command {
    const change = this.#random.next();
    if (change < 0.7 || !("requestId" in command) || !("asset" in command)) return command;
    return change < 0.85 ? { ...command, amount: "1" } : { ...command, asset: "QUO" };
  }

  /** What operators do. */
  #operation(): Command {
    const random = this.#random;
    const { uid, symbol } = this.#someone();
    const kind = random.next();
    if (kind < 0.35) return this.#resumption() ?? this.#order();
    if (kind < 0.4) {
      const state = random.pick(["trading", "cancel-only", "halted"] as const);
      return { type: "set-spot-market-state", actor: ACTOR, symbol, state };
    }
    if (kind < 0.55) return this.#userUpdate(uid);
    if (kind < 0.7) return this.#ownRates(uid, symbol);
    if (kind < 0.9) return this.#otherRules();
    if (kind < 0.93) {
      const asset = this.#random.pick(["QUO", "ACO", "BEL", "CRO", "cro"]);
      const { scale, coinId } = this.#exchange.assets.get(asset) ?? { scale: 4, coinId: 9 };
      const finer = random.chance(0.3) ? scale + 1 : scale;
      return { type: "set-asset", actor: ACTOR, asset, coinId, name: "renamed", scale: finer };
    }
    if (kind < 0.95) {
      const code = `code-${random.integer(0, 40)}`;
      return registration(
        random.chance(0.3) ? uid : null,
        code,
        random.pick([null, "invite-1", "x"]),
      );
    }
    if (kind < 0.96) return { type: "adopt-rules", version: random.integer(0, 3) };
    if (kind < 0.965) return { type: "advance-clock", actor: ACTOR, byMs: random.integer(0, 3) };
    if (kind < 0.97) return this.#clockChange();
    return this.#keyChange(uid);
  }

  /** Forward, sometimes back, which is refused; at any speed, sometimes too fast. */
  #clockChange(): CommandOf<"set-clock"> {
    const random = this.#random;
    const toMs = random.chance(0.5) ? this.nowMs + random.integer(-1, 3) : null;
    const speedE3 = random.chance(0.5) ? random.pick([0, 100, 60_000, 10_000_001]) : null;
    return { type: "set-clock", actor: ACTOR, toMs, speedE3 };
  }

  /** Trading and people that stand still for long would test nothing. */
  #resumption(): Command | null {
    for (const { symbol, state } of this.#exchange.markets.values()) {
      if (state === "trading") continue;
      return { type: "set-spot-market-state", actor: ACTOR, symbol, state: "trading" };
    }
    for (const { uid, state } of this.#exchange.users.values()) {
      if (state === "frozen") return { ...this.#userUpdate(uid), state: "active" };
    }
    return null;
  }

  #userUpdate(uid: number): CommandOf<"update-user"> {
    const random = this.#random;
    return {
      type: "update-user",
      actor: ACTOR,
      uid,
      kyc: random.pick([null, true, false]),
      state: random.pick([null, null, "active", "frozen"]),
      selfTradePrevention: random.chance(0.2) ? null : random.pick(SELF_TRADE),
    };
  }

  #ownRates(uid: number, symbol: string): Command {
    const random = this.#random;
    const rates = ["0", "0.0005", "0.1", "0.00012345", "0.10000001", "0.000000001"];
    return {
      type: "set-fee-rates",
      actor: ACTOR,
      uid,
      product: random.chance(0.9) ? "spot" : "contract",
      symbol: random.chance(0.6) ? symbol : null,
      makerFeeRate: random.pick(rates.slice(0, 5)),
      takerFeeRate: random.pick(rates),
    };
  }

  /** Other rules for a market; another tick or step mostly after its book was emptied. */
  #otherRules(): Command {
    const random = this.#random;
    const { symbol, rules } = this.#market();
    const { asset: base } = rules.base;
    const { asset: quote } = rules.quote;
    const tick = random.chance(0.5) ? rules.tick : random.pick(this.#otherTicks(rules.tick));
    const step = random.chance(0.8) ? rules.step : rules.step * 2n;
    const listed = { tickSize: text(tick), stepSize: text(step) };
    const command = { ...marketCommand(random, base, quote, listed), symbol };
    if (random.chance(0.1)) return { ...command, ...this.#badRule(command) };
    if (random.chance(0.3)) return command;
    for (const uid of [...this.#exchange.users.keys()].slice(0, 5)) {
      this.#script.push({ type: "cancel-all-spot-orders", uid, symbol });
    }
    this.#script.push(command);
    return { type: "set-spot-market-state", actor: ACTOR, symbol, state: "cancel-only" };
  }

  /** Finer, coarser, and beside the old grid. */
  #otherTicks(tick: bigint): bigint[] {
    return [tick * 3n, tick * 2n, tick / 2n || tick, tick / 5n || tick, tick / 3n || tick];
  }

  #badRule(command: CommandOf<"set-spot-market">): Partial<CommandOf<"set-spot-market">> {
    return this.#random.pick<Partial<CommandOf<"set-spot-market">>>([
      { baseAsset: "NIL" },
      { quoteAsset: command.baseAsset },
      { baseAsset: command.quoteAsset, quoteAsset: command.baseAsset },
      { tickSize: "0" },
      { stepSize: "0.0000000000000000001" },
      { tickSize: "0.000000000000000001" },
      { minTradeAmount: "0" },
      { maxTradeAmount: text(exact(command.maxTradeAmount) + 1n) },
      { minTradeAmount: command.maxTradeAmount, maxTradeAmount: command.minTradeAmount },
      { makerFeeRate: "0.10000001" },
      { takerFeeRate: "0.000000001" },
      { buyLimitPriceRatio: "1000.00000001" },
      { sellLimitPriceRatio: "1" },
      { maxOpenOrders: 0 },
      { symbol: "bad-symbol" },
    ]);
  }

  #keyChange(uid: number): Command {
    const apiKey = `key-${this.#random.integer(0, 12)}`;
    if (this.#random.chance(0.3)) return { type: "revoke-api-key", actor: ACTOR, apiKey };
    return {
      type: "set-api-key",
      actor: ACTOR,
      apiKey,
      uid,
      label: "ключ 🔑",
      permissions: ["read", "spot"],
      ipAllowList: ["10.0.0.0/8"],
      expiresAtMs: this.#random.chance(0.5) ? null : this.nowMs + 1_000,
    };
  }
}

/** The same amount with a zero more or less at its end. */
function otherSpelling(amount: string): string {
  if (!/^\d+(\.\d+)?$/.test(amount) || amount.length > 17) return amount;
  return amount.includes(".") ? `${amount}0` : `${amount}.0`;
}

function otherSide({ side }: Place): "BUY" | "SELL" {
  return side === "SELL" ? "BUY" : "SELL";
}
