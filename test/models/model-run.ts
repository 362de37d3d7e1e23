/**
 * Drives the engine and the reference exchange with the same random commands and compares them
 * after every one. It also checks the engine's own guarantees: rejections leave no trace, events
 * explain every balance, a restored snapshot continues exactly as before.
 */
import { inspect, isDeepStrictEqual } from "node:util";
import { sha256Hex } from "../../src/app/event-digest.ts";
import { Engine } from "../../src/engine/index.ts";
import {
  ByteWriter,
  type Command,
  type CommandOf,
  type CommandResult,
  decodeCommand,
  type EngineQuery,
  encodeCommand,
  readEvents,
} from "../../src/protocol/index.ts";
import { text } from "../support/exact.ts";
import { HASH_KEY, OTHER_HASH_KEY } from "../support/hash-key.ts";
import type { Random } from "../support/random.ts";
import { Divergence } from "./divergence.ts";
import { EventLedger } from "./event-ledger.ts";
import { eventsAsText } from "./event-text.ts";
import type { NaiveOutcome } from "./naive-accounts.ts";
import { NaiveExchange } from "./naive-exchange.ts";
import { minorUnit } from "./naive-rules.ts";
import type { NaiveMarket } from "./naive-spot-orders.ts";
import {
  naiveBalances,
  naiveBookTicker,
  naiveDepth,
  naiveOpenOrders,
  naiveSwitches,
  naiveTicker,
  naiveTotals,
} from "./naive-views.ts";
import { RandomTraffic } from "./random-traffic.ts";
import { splitVersions, type Versioned } from "./versioned-answers.ts";

const DAY_MS = 86_400_000;
const FULL_CHECK_EVERY = 40;
const RESTORE_CHANCE = 0.004;
const TRACE_CHANCE = 0.03;
const TEST_CHANCE = 0.2;
const DEPTH_LEVELS = 1_000;

interface Journaled {
  readonly command: Command;
  readonly nowMs: number;
  readonly chunk: Uint8Array;
}

export class ModelRun {
  readonly exchange = new NaiveExchange();
  /** How often each command was accepted and each reason given. */
  readonly accepted = new Map<string, number>();
  readonly refused = new Map<string, number>();
  readonly ended = new Map<string, number>();
  trades = 0;
  readonly #random: Random;
  readonly #traffic: RandomTraffic;
  readonly #ledger = new EventLedger();
  readonly #events = new ByteWriter();
  readonly #journal: Journaled[] = [];
  #engine = Engine.create(sha256Hex, HASH_KEY);
  #steps = 0;
  #last: Command | null = null;

  constructor(random: Random) {
    this.#random = random;
    this.#traffic = new RandomTraffic(random, this.exchange);
  }

  /** Throws `Divergence`. */
  run(commands: number): void {
    for (let i = 0; i < commands; i++) {
      try {
        this.#step();
        if (this.#steps % FULL_CHECK_EVERY === 0) this.#checkAll();
      } catch (error) {
        if (error instanceof Divergence) throw error;
        throw this.#divergence("invariant", String(error));
      }
    }
    this.#checkReplay();
  }

  #step(): void {
    this.#steps++;
    const command = decodeCommand(encodeCommand(this.#traffic.next()));
    const { nowMs } = this.#traffic;
    if (this.#engine.nextDueMs <= nowMs) this.#apply({ type: "advance-time", toMs: nowMs });
    if (command.type === "place-spot-order" && this.#random.chance(TEST_CHANCE)) {
      this.#testOrder(command);
    }
    this.#apply(command);
  }

  /** The test of an order answers like the order itself, and leaves no trace. */
  #testOrder(order: CommandOf<"place-spot-order">): void {
    this.#last = order;
    const { nowMs } = this.#traffic;
    const before = this.#random.chance(TRACE_CHANCE) ? this.#engine.snapshotSections() : null;
    const outcome = this.exchange.test(order, nowMs);
    const result = this.#engine.query({ type: "spot-order-test", order }, nowMs);
    if (outcome.ok) this.#same("order test", result, { ok: true, value: outcome.value });
    else if (result.ok || !outcome.reasons.has(result.reason)) {
      const reasons = [...outcome.reasons].join(" or ");
      throw this.#divergence("order test", `expected ${reasons}, was ${inspect(result)}`);
    }
    if (before !== null) this.#same("trace", this.#engine.snapshotSections(), before);
  }

  #apply(command: Command): void {
    this.#last = command;
    const { nowMs } = this.#traffic;
    const isTraced = this.#random.chance(TRACE_CHANCE);
    const before = isTraced ? this.#engine.snapshotSections() : null;
    this.#events.clear();
    const result = this.#engine.apply(command, this.#journal.length + 1, nowMs, this.#events);
    const chunk = this.#events.toBytes();
    const outcome = this.exchange.apply(command, nowMs);
    this.#compareOutcome(outcome, result);
    if (result.ok) count(this.accepted, command.type);
    else count(this.refused, result.reason);
    if (chunk.length === 0) {
      this.#same("events", [], outcome.ok ? outcome.events : []);
      if (before !== null) this.#same("trace", this.#engine.snapshotSections(), before);
      return;
    }
    if (!result.ok) throw this.#divergence("trace", "a refused command emitted events");
    this.#journal.push({ command, nowMs, chunk });
    this.#same("events", eventsAsText(chunk, this.exchange), outcome.ok ? outcome.events : []);
    this.#takeEvents(chunk, command);
    if (this.#random.chance(RESTORE_CHANCE)) this.#restore(nowMs);
  }

  #compareOutcome(outcome: NaiveOutcome, result: CommandResult): void {
    if (outcome.ok && result.ok) {
      const { value, last } = splitVersions(result.value);
      this.#same("outcome", { ok: true, value }, { ok: true, value: outcome.value });
      if (last !== null) this.#compareVersion(last);
    } else if (outcome.ok || result.ok || !outcome.reasons.has(result.reason)) {
      const reasons = outcome.ok ? ["success"] : [...outcome.reasons].join(" or ");
      throw this.#divergence("outcome", `expected ${reasons}, was ${inspect(result)}`);
    }
  }

  /** The naive exchange counts no versions: the engine's own view is the oracle. */
  #compareVersion({ bookVersion, symbol }: Versioned): void {
    const query = { type: "spot-depth", symbol, levels: 1 } as const;
    const depth = this.#engine.query(query, this.#traffic.nowMs);
    const version = depth.ok && "version" in depth.value ? depth.value.version : null;
    this.#same("book version", bookVersion, version);
  }

  /** Events explain themselves, and the balances of everybody whom they touch. */
  #takeEvents(chunk: Uint8Array, command: Command): void {
    const touched = new Set<number>();
    if ("uid" in command && command.uid !== null) touched.add(command.uid);
    for (const event of readEvents(chunk)) {
      const fault = this.#ledger.take(event);
      if (fault !== null) throw this.#divergence("event ledger", fault);
      if (event.type === "spot-order-ended") count(this.ended, event.reason);
      if (event.type !== "spot-trade") continue;
      this.trades++;
      touched.add(event.makerUid).add(event.takerUid);
    }
    for (const uid of touched) {
      if (this.exchange.users.has(uid)) this.#checkBalances(uid);
    }
  }

  #checkBalances(uid: number): void {
    const balances = this.#ask({ type: "spot-balances", uid });
    this.#same("balances", balances, naiveBalances(this.exchange, uid));
  }

  #checkAll(): void {
    const { exchange } = this;
    for (const uid of exchange.users.keys()) {
      this.#checkBalances(uid);
      this.#checkEventLedger(uid);
      const switches = this.#ask({ type: "dead-man-switches", uid, product: "spot" });
      this.#same("countdowns", switches, naiveSwitches(exchange, uid));
      const open = this.#ask({ type: "spot-open-orders", uid, symbol: null });
      this.#same("open orders", open, naiveOpenOrders(exchange, uid));
    }
    this.#checkLookUps();
    this.#checkMarkets();
    const totals: Record<string, unknown> = {};
    for (const asset of exchange.assets.keys()) totals[asset] = naiveTotals(exchange, asset);
    const invariants = this.#ask({ type: "invariants" });
    const stateHash = this.#engine.stateHash();
    this.#same("invariants", invariants, { ok: true, violations: [], totals, stateHash });
  }

  /** An order is found by its owner alone, under either id and in its own market. */
  #checkLookUps(): void {
    const users = [...this.exchange.users.keys()];
    const orders = users.flatMap((uid) => this.exchange.openOrders(uid, null));
    if (orders.length === 0) return;
    const order = this.#random.pick(orders);
    const uid = this.#random.chance(0.5) ? order.uid : this.#random.pick(users);
    const symbols = [null, order.symbol, ...this.exchange.markets.keys()];
    const symbol = this.#random.pick(symbols);
    const { clientOrderId } = order;
    for (const orderId of [null, order.orderId]) {
      const query = { type: "spot-order", uid, symbol, orderId, clientOrderId } as const;
      const answer = this.#engine.query(query, this.#traffic.nowMs);
      const found = answer.ok ? answer.value : answer.reason;
      const own = this.exchange
        .openOrders(uid, symbol)
        .find((open) =>
          orderId === null ? open.clientOrderId === clientOrderId : open.orderId === orderId,
        );
      const views = naiveOpenOrders(this.exchange, uid);
      const view = views.find((open) => open.orderId === own?.orderId);
      this.#same("look-up", found, view ?? "order-not-found");
    }
  }

  #checkEventLedger(uid: number): void {
    for (const { asset, scale } of this.exchange.assets.values()) {
      const minor = (amount: bigint) => text(amount * minorUnit(scale));
      const rebuilt = {
        spot: minor(this.#ledger.equityMinor(uid, "spot", asset)),
        frozen: minor(this.#ledger.frozenMinor(uid, asset)),
      };
      const spot = text(this.exchange.equity(uid, "spot", asset));
      const frozen = text(this.exchange.frozen(uid, asset));
      this.#same("event ledger", rebuilt, { spot, frozen });
    }
  }

  #checkMarkets(): void {
    const { exchange } = this;
    for (const market of exchange.markets.values()) {
      const { symbol } = market;
      const depth = this.#ask({ type: "spot-depth", symbol, levels: DEPTH_LEVELS });
      const { bids, asks } = depth as Record<string, unknown>;
      const expected = {
        bids: naiveDepth(exchange, market, "BUY"),
        asks: naiveDepth(exchange, market, "SELL"),
      };
      this.#same("depth", { bids, asks }, expected);
      const best = this.#ask({ type: "spot-book-tickers", symbol });
      this.#same("book ticker", best, [naiveBookTicker(exchange, market)]);
      for (const nowMs of this.#tickerTimes(market)) {
        const ticker = this.#ask({ type: "spot-tickers", symbol }, nowMs);
        this.#same("ticker", ticker, [naiveTicker(exchange, market, nowMs)]);
      }
    }
  }

  /** Now, and the moments around which a past trade leaves the window. */
  #tickerTimes({ trades }: NaiveMarket): number[] {
    const { nowMs } = this.#traffic;
    const times = [nowMs];
    if (trades.length === 0) return times;
    const recent = trades.slice(-60);
    for (let i = 0; i < 3; i++) {
      const leavesMs = this.#random.pick(recent).ms + DAY_MS;
      const atMs = leavesMs + this.#random.pick([-1_000, -1, 0, 1, 999, 1_000, 60_000, 3_600_000]);
      if (atMs >= nowMs) times.push(atMs);
    }
    return times;
  }

  /** From here on the engine is one that was read from its own snapshot. */
  #restore(nowMs: number): void {
    const stateHash = this.#engine.stateHash();
    const sections = this.#engine.snapshotSections();
    this.#engine = Engine.restore(sections, nowMs, sha256Hex, OTHER_HASH_KEY);
    this.#same("snapshot", this.#engine.stateHash(), stateHash);
  }

  /** The journal alone leads to the same events and the same state. */
  #checkReplay(): void {
    const engine = Engine.create(sha256Hex, HASH_KEY);
    for (const [i, { command, nowMs, chunk }] of this.#journal.entries()) {
      const events = new ByteWriter();
      engine.apply(command, i + 1, nowMs, events);
      if (!isDeepStrictEqual(events.toBytes(), chunk)) {
        throw this.#divergence("replay", `command ${i + 1} has other events: ${inspect(command)}`);
      }
    }
    this.#same("replay", engine.stateHash(), this.#engine.stateHash());
  }

  #ask(query: EngineQuery, nowMs = this.#traffic.nowMs): unknown {
    const answer = this.#engine.query(query, nowMs);
    if (!answer.ok) throw this.#divergence("query", `${query.type}: ${answer.reason}`);
    return answer.value;
  }

  #same(finder: string, actual: unknown, expected: unknown): void {
    if (isDeepStrictEqual(actual, expected)) return;
    const shown = { actual, expected };
    throw this.#divergence(finder, inspect(shown, { depth: 8, breakLength: 100 }));
  }

  #divergence(finder: string, message: string): Divergence {
    const last = inspect(this.#last, { breakLength: Number.POSITIVE_INFINITY });
    return new Divergence(finder, `after ${this.#steps} commands, the last ${last}\n${message}`);
  }
}

function count(counts: Map<string, number>, key: string): void {
  counts.set(key, (counts.get(key) ?? 0) + 1);
}
