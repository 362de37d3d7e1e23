/**
 * Drives the engine and the reference exchange of contracts with the same random commands and
 * compares them after every one. Plays the sequencer's part: due timers before a command, the rest
 * of a cascade after it.
 */
import { inspect, isDeepStrictEqual } from "node:util";
import { sha256Hex } from "../../../src/app/event-digest.ts";
import type { Result } from "../../../src/domain/index.ts";
import { Engine } from "../../../src/engine/index.ts";
import {
  ByteWriter,
  type Command,
  type CommandOf,
  type CommandResult,
  decodeCommand,
  type EngineQuery,
  encodeCommand,
  readEvents,
} from "../../../src/protocol/index.ts";
import { HASH_KEY, OTHER_HASH_KEY } from "../../support/hash-key.ts";
import type { Random } from "../../support/random.ts";
import { Divergence } from "../divergence.ts";
import type { NaiveEvent, NaiveOutcome } from "../naive-accounts.ts";
import { splitVersions } from "../versioned-answers.ts";
import { byType, contractEventsAsText } from "./contract-event-text.ts";
import { ContractTraffic } from "./contract-traffic.ts";
import { NaiveContractExchange } from "./naive-contract-exchange.ts";
import {
  naiveContractBalances,
  naiveContractOpenOrders,
  naiveContractPrices,
  naiveContractSettings,
  naiveContractTotals,
  naiveOpenConditionalOrders,
  naivePositions,
} from "./naive-contract-views.ts";

const FULL_CHECK_EVERY = 25;
const RESTORE_CHANCE = 0.01;
/** What is written by hand is short. */
const SCRIPT_RESTORE_CHANCE = 0.25;
const TRACE_CHANCE = 0.03;
const TEST_CHANCE = 0.2;
const SLICES_MAX = 1_000;

/** Where the commands come from, each with its time. */
interface Traffic {
  readonly nowMs: number;
  next(): Command;
}

/** Fields of events whose values the traffic is meant to reach. */
const COUNTED = [
  ["reason", "ended"],
  ["kind", "trade"],
  ["cause", "margin"],
  ["marginType", "margin type"],
  ["origin", "origin"],
] as const;
const COUNTED_IF_SOME = ["waived", "rounding", "insurancePaid", "liquidationFee", "pinned"];

interface Journaled {
  readonly command: Command;
  readonly nowMs: number;
  readonly chunk: Uint8Array;
}

export class ContractModelRun {
  readonly exchange = new NaiveContractExchange();
  /** What the traffic reached: commands, reasons, event types, end reasons, statuses. */
  readonly reached = new Map<string, number>();
  readonly #random: Random;
  readonly #traffic: Traffic;
  readonly #restoreChance: number;
  readonly #events = new ByteWriter();
  readonly #journal: Journaled[] = [];
  #engine = Engine.create(sha256Hex, HASH_KEY);
  #steps = 0;
  #last: Command | null = null;

  constructor(random: Random, traffic: Traffic | null = null) {
    this.#random = random;
    this.#restoreChance = traffic === null ? RESTORE_CHANCE : SCRIPT_RESTORE_CHANCE;
    this.#traffic = traffic ?? new ContractTraffic(random, this.exchange);
  }

  /** Throws `Divergence`. */
  run(commands: number): void {
    for (let i = 0; i < commands; i++) {
      try {
        this.#step();
        if (this.#steps % FULL_CHECK_EVERY === 0) this.#checkAll();
      } catch (error) {
        if (error instanceof Divergence) throw error;
        throw this.#divergence("invariant", error instanceof Error ? `${error.stack}` : "");
      }
    }
    this.#checkReplay();
    for (const [what, times] of this.exchange.noted) this.reached.set(what, times);
  }

  #step(): void {
    this.#steps++;
    const command = decodeCommand(encodeCommand(this.#traffic.next()));
    const { nowMs } = this.#traffic;
    if (command.type !== "resume") this.#passTime(nowMs);
    this.#last = command;
    if (command.type === "place-contract-order" && this.#random.chance(TEST_CHANCE)) {
      this.#testOrder(command);
    }
    const isTraced = this.#random.chance(TRACE_CHANCE);
    const before = isTraced ? this.#engine.snapshotSections() : null;
    const sequence = this.#journal.length + 1;
    const { result, chunks } = this.#execute(command, nowMs);
    const outcome = this.exchange.carryOut(command, nowMs, sequence);
    this.exchange.recordedMs = this.#journal.at(-1)?.nowMs ?? 0;
    this.#compareOutcome(outcome, result);
    this.#count(result.ok ? command.type : result.reason);
    this.#compareEvents(chunks, outcome.ok ? outcome.events : []);
    if (chunks.length === 0) {
      if (before !== null) this.#same("trace", this.#engine.snapshotSections(), before);
      return;
    }
    if (!result.ok) throw this.#divergence("trace", "a refused command emitted events");
    for (const uid of this.#concerned(command, chunks)) this.#checkUser(uid);
    if (this.#random.chance(this.#restoreChance)) this.#restore(nowMs);
  }

  /** The test of an order answers like the order itself, and leaves no trace. */
  #testOrder(order: CommandOf<"place-contract-order">): void {
    const { nowMs } = this.#traffic;
    const before = this.#random.chance(TRACE_CHANCE) ? this.#engine.snapshotSections() : null;
    const outcome = this.exchange.testContract(order, nowMs);
    this.#compareOutcome(
      outcome,
      this.#engine.query({ type: "contract-order-test", order }, nowMs),
    );
    if (before !== null) this.#same("trace", this.#engine.snapshotSections(), before);
  }

  /** Timers that are due come before the next command. */
  #passTime(nowMs: number): void {
    const sequence = this.#journal.length + 1;
    const chunks: Uint8Array[] = [];
    if (this.#engine.nextDueMs <= nowMs) {
      this.#last = { type: "advance-time", toMs: nowMs };
      const executed = this.#execute(this.#last, nowMs);
      if (!executed.result.ok) throw this.#divergence("time", inspect(executed.result));
      chunks.push(...executed.chunks);
    }
    this.#compareEvents(chunks, this.exchange.advance(nowMs, sequence));
    this.exchange.recordedMs = this.#journal.at(-1)?.nowMs ?? 0;
  }

  /** Applies a command and whatever is left of its cascade. */
  #execute(first: Command, nowMs: number): { result: CommandResult; chunks: Uint8Array[] } {
    const chunks: Uint8Array[] = [];
    const result = this.#apply(first, nowMs, chunks);
    for (let slices = 0; this.#engine.hasUnfinishedRisk; slices++) {
      if (slices > SLICES_MAX) throw this.#divergence("cascade", "it never ends");
      this.#count("continue-risk");
      this.#apply({ type: "continue-risk" }, nowMs, chunks);
    }
    return { result, chunks };
  }

  #apply(command: Command, nowMs: number, chunks: Uint8Array[]): CommandResult {
    this.#events.clear();
    const result = this.#engine.apply(command, this.#journal.length + 1, nowMs, this.#events);
    const chunk = this.#events.toBytes();
    if (chunk.length === 0) return result;
    this.#journal.push({ command, nowMs, chunk });
    chunks.push(chunk);
    return result;
  }

  #compareOutcome(outcome: NaiveOutcome, result: Result<unknown>): void {
    if (outcome.ok && result.ok) {
      const { value } = splitVersions(result.value);
      this.#same("outcome", { ok: true, value }, { ok: true, value: outcome.value });
    } else if (outcome.ok || result.ok || !outcome.reasons.has(result.reason)) {
      const reasons = outcome.ok ? "success" : [...outcome.reasons].join(" or ");
      throw this.#divergence("outcome", `expected ${reasons}, was ${inspect(result)}`);
    }
  }

  #compareEvents(chunks: readonly Uint8Array[], expected: readonly NaiveEvent[]): void {
    const actual = chunks.flatMap((chunk) => contractEventsAsText(chunk, this.exchange));
    for (const event of actual) this.#countEvent(event);
    const { nowMs } = this.#traffic;
    const [is, ought] = [byType(actual, nowMs), byType(expected, nowMs)];
    for (const type of new Set([...Object.keys(is), ...Object.keys(ought)])) {
      this.#same(`events ${type}`, is[type] ?? [], ought[type] ?? []);
    }
  }

  #countEvent(event: NaiveEvent): void {
    this.#count(event.type);
    for (const [field, label] of COUNTED) {
      const value = event[field];
      if (value !== undefined) this.#count(`${label}: ${value}`);
    }
    if (event.type === "algo-order-changed") this.#count(`algo: ${event.status}`);
    for (const field of COUNTED_IF_SOME) {
      if ((event[field] ?? "0") !== "0") this.#count(`some ${field}`);
    }
  }

  #concerned(command: Command, chunks: readonly Uint8Array[]): Set<number> {
    const concerned = new Set<number>();
    if ("uid" in command && command.uid !== null) concerned.add(command.uid);
    for (const event of chunks.flatMap((chunk) => [...readEvents(chunk)])) {
      if (event.type === "contract-trade") concerned.add(event.maker.uid).add(event.taker.uid);
      else if ("uid" in event) concerned.add(event.uid);
    }
    return new Set([...concerned].filter((uid) => this.exchange.users.has(uid)));
  }

  #checkUser(uid: number): void {
    const { exchange } = this;
    const balances = this.ask({ type: "contract-balances", uid }) as { asset: string }[];
    const expected = naiveContractBalances(exchange, uid) as { asset: string }[];
    this.#same("balances", byAsset(balances), byAsset(expected));
    const positions = this.ask({ type: "contract-positions", uid, symbol: null });
    this.#same("positions", positions, naivePositions(exchange, uid));
  }

  #checkAll(): void {
    const { exchange } = this;
    for (const uid of exchange.users.keys()) {
      this.#checkUser(uid);
      const open = this.ask({ type: "contract-open-orders", uid, symbol: null });
      this.#same("open orders", open, naiveContractOpenOrders(exchange, uid));
      const conditionalOrders = this.ask({ type: "algo-open-orders", uid, symbol: null });
      this.#same(
        "conditional orders",
        conditionalOrders,
        naiveOpenConditionalOrders(exchange, uid),
      );
      const settings = this.ask({ type: "contract-settings", uid, symbol: null });
      this.#same("settings", settings, naiveContractSettings(exchange, uid));
    }
    const prices = this.ask({ type: "contract-prices", symbol: null }) as unknown[];
    const naivePrices = naiveContractPrices(exchange, this.#traffic.nowMs);
    this.#same("prices", withoutForecast(prices), withoutForecast(naivePrices));
    const totals: Record<string, unknown> = {};
    for (const asset of exchange.assets.keys()) {
      totals[asset] = naiveContractTotals(exchange, asset);
    }
    const invariants = this.ask({ type: "invariants" });
    const stateHash = this.#engine.stateHash();
    this.#same("invariants", invariants, { ok: true, violations: [], totals, stateHash });
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

  /** What the engine answers at the time of the last command. */
  ask(query: EngineQuery): unknown {
    const answer = this.#engine.query(query, this.#traffic.nowMs);
    if (!answer.ok) throw this.#divergence("query", `${query.type}: ${answer.reason}`);
    return answer.value;
  }

  #count(what: string): void {
    this.reached.set(what, (this.reached.get(what) ?? 0) + 1);
  }

  #same(finder: string, actual: unknown, expected: unknown): void {
    if (isDeepStrictEqual(actual, expected)) return;
    throw this.#divergence(finder, difference(actual, expected));
  }

  #divergence(finder: string, message: string): Divergence {
    const last = inspect(this.#last, { breakLength: Number.POSITIVE_INFINITY });
    return new Divergence(finder, `after ${this.#steps} commands, the last ${last}\n${message}`);
  }
}

function byAsset(rows: readonly { asset: string }[]): { asset: string }[] {
  return rows.toSorted((one, other) => (one.asset < other.asset ? -1 : 1));
}

/** Of two lists the first rows that differ, else both whole. */
function difference(actual: unknown, expected: unknown): string {
  let shown: unknown = { actual, expected };
  if (Array.isArray(actual) && Array.isArray(expected)) {
    const length = Math.max(actual.length, expected.length);
    for (let i = 0; i < length; i++) {
      if (isDeepStrictEqual(actual[i], expected[i])) continue;
      const counts = `row ${i} of ${actual.length}, expected ${expected.length}`;
      shown = { counts, actual: actual[i], expected: expected[i] };
      break;
    }
  }
  return inspect(shown, { depth: 8, breakLength: 100 });
}

/** Which is another one in every minute; the simulator compares it, and so does what settles. */
function withoutForecast(rows: readonly unknown[]): unknown[] {
  return (rows as readonly Record<string, unknown>[]).map(
    ({ forecastFundingRate: _, ...row }) => row,
  );
}
