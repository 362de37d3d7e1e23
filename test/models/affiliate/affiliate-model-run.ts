/**
 * Drives the engine with random commands and recomputes the affiliate programme: its commands and
 * the trades are the input, and everything else that the engine emits about commissions must equal
 * the reference. Plays the sequencer's part: due timers before a command, the rest of a cascade
 * after it.
 */
import { inspect } from "node:util";
import { sha256Hex } from "../../../src/app/event-digest.ts";
import { Engine } from "../../../src/engine/index.ts";
import {
  type AffiliateCommand,
  ByteWriter,
  type Command,
  type CommandResult,
  decodeCommand,
  type EngineQuery,
  type EngineQueryType,
  type Event,
  encodeCommand,
  type QueryAnswers,
} from "../../../src/protocol/index.ts";
import {
  AffiliateRecomputation,
  failWith,
  mustEqual,
} from "../../support/affiliate/affiliate-recomputation.ts";
import { Discrepancy } from "../../support/affiliate/discrepancy.ts";
import { isAffiliateCommand } from "../../support/affiliate/naive-affiliate-commands.ts";
import {
  HELD_MAX,
  type NaiveAffiliateProgramme,
} from "../../support/affiliate/naive-affiliate-programme.ts";
import {
  naiveAffiliate,
  naiveAffiliates,
  naiveHeldCommissions,
  naiveHouseBalances,
  naivePolicy,
} from "../../support/affiliate/naive-affiliate-views.ts";
import { exact, text } from "../../support/exact.ts";
import { HASH_KEY, OTHER_HASH_KEY } from "../../support/hash-key.ts";
import type { Random } from "../../support/random.ts";
import { AffiliateTraffic } from "./affiliate-traffic.ts";

const FULL_CHECK_EVERY = 100;
const RESTORE_CHANCE = 0.003;
const TRACE_CHANCE = 0.03;
const REPLAY_CHANCE = 0.3;
const SLICES_MAX = 1_000;
const PAGE = 1_000;

interface Journaled {
  readonly command: Command;
  readonly nowMs: number;
  readonly chunk: Uint8Array;
}

export class AffiliateModelRun {
  /** What the traffic reached: commands, reasons, events and what is rare in them. */
  readonly reached = new Map<string, number>();
  readonly #recomputation: AffiliateRecomputation;
  readonly #random: Random;
  readonly #traffic: AffiliateTraffic;
  readonly #events = new ByteWriter();
  readonly #journal: Journaled[] = [];
  #engine = Engine.create(sha256Hex, HASH_KEY);
  #steps = 0;
  #last: Command | null = null;

  constructor(random: Random, heldMax = HELD_MAX) {
    this.#random = random;
    this.#recomputation = new AffiliateRecomputation(heldMax, (event) => {
      this.#traffic.observe(event);
      this.#countRare(event);
    });
    this.#traffic = new AffiliateTraffic(random, this.programme);
  }

  get programme(): NaiveAffiliateProgramme {
    return this.#recomputation.programme;
  }

  get fills(): number {
    return this.#recomputation.fills;
  }

  /** Until there were so many fills. Throws `Discrepancy`. */
  run(fills: number): void {
    try {
      while (this.fills < fills) {
        this.#step();
        if (this.#steps % FULL_CHECK_EVERY === 0) this.#checkAll();
      }
      this.#checkAll();
      if (this.#random.chance(REPLAY_CHANCE)) this.#checkReplay();
    } catch (error) {
      if (error instanceof Discrepancy) throw this.#placed(error.finder, error.message);
      throw this.#placed("invariant", error instanceof Error ? `${error.stack}` : "");
    }
  }

  #step(): void {
    this.#steps++;
    const command = decodeCommand(encodeCommand(this.#traffic.next()));
    const { nowMs } = this.#traffic;
    if (command.type !== "resume") this.#passTime(nowMs);
    this.#last = command;
    const isTraced = this.#random.chance(TRACE_CHANCE) && isAffiliateCommand(command);
    const before = isTraced ? this.#engine.snapshotSections() : null;
    const { result, chunks } = this.#execute(command, nowMs);
    this.#count(result.ok ? command.type : `${command.type}: ${result.reason}`);
    if (!result.ok && chunks.length > 0) {
      throw new Discrepancy("trace", "a refused command emitted events");
    }
    const own = isAffiliateCommand(command) ? this.#carryOut(command, nowMs, result) : [];
    this.#recomputation.walk(command, nowMs, chunks, own);
    if (before !== null && chunks.length === 0) {
      mustEqual("trace", this.#engine.snapshotSections(), before);
    }
    if (this.#random.chance(RESTORE_CHANCE)) this.#restore();
  }

  /** Timers that are due come before the next command. */
  #passTime(nowMs: number): void {
    if (this.#engine.nextDueMs > nowMs) return;
    this.#last = { type: "advance-time", toMs: nowMs };
    const { result, chunks } = this.#execute(this.#last, nowMs);
    if (!result.ok) throw new Discrepancy("time", inspect(result));
    this.#recomputation.walk(this.#last, nowMs, chunks, []);
  }

  /** Applies a command and whatever is left of its cascade. */
  #execute(first: Command, nowMs: number): { result: CommandResult; chunks: Uint8Array[] } {
    const chunks: Uint8Array[] = [];
    const result = this.#apply(first, nowMs, chunks);
    for (let slices = 0; this.#engine.hasUnfinishedRisk; slices++) {
      if (slices > SLICES_MAX) throw new Discrepancy("cascade", "it never ends");
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

  #carryOut(command: AffiliateCommand, nowMs: number, result: CommandResult): readonly Event[] {
    const outcome = this.#recomputation.carryOut(command, nowMs);
    if (outcome.ok) {
      mustEqual("outcome", result, { ok: true, value: outcome.value });
      return outcome.events;
    }
    if (result.ok || !outcome.reasons.has(result.reason)) {
      const reasons = [...outcome.reasons].join(" or ");
      throw new Discrepancy("outcome", `expected ${reasons}, was ${inspect(result)}`);
    }
    return [];
  }

  /** What is seldom, to know that it happened. */
  #countRare(event: Event): void {
    this.#count(event.type);
    if (event.type === "commission-reversed") {
      if (event.fromPayableMinor > 0n) this.#count("taken back from what waits");
      if (event.fromSpotMinor > 0n) this.#count("taken back from the wallet");
      if (event.owedMinor > 0n) this.#count("taken back later");
    }
    if (event.type === "contract-trade") this.#count(`trade: ${event.kind}`);
    if (event.type === "commissions-settled" && event.recoveredMinor > 0n) this.#count("recovered");
    if (event.type !== "commission-accrued") return;
    this.#count(`commission: ${event.product}`);
    for (const flag of event.flags) this.#count(flag);
    if (event.viaUid !== null) this.#count("commission from below");
    if (event.cappedMinor > 0n) this.#count(event.commissionMinor > 0n ? "cut" : "cut to nothing");
    if (event.affiliateUid === event.traderUid) this.#count("own trade");
    if (event.viaUid === null) {
      this.#count(`direct at depth ${this.programme.depth(event.affiliateUid)}`);
    }
  }

  #checkAll(): void {
    const { programme } = this;
    const { facts } = programme;
    for (const { uid, isHouse } of facts.users.values()) {
      const rows = this.ask({ type: "spot-balances", uid });
      const shown = rows.map(({ asset, available, frozen }) => ({ asset, available, frozen }));
      const expected = rows.map(({ asset }) => ({
        asset,
        available: programme.amountText(asset, facts.available(uid, asset)),
        frozen: programme.amountText(asset, facts.frozen(uid, asset)),
      }));
      mustEqual("balances", shown, expected);
      mustEqual("user", this.ask({ type: "user", uid }).house, isHouse);
    }
    this.#checkProgramme();
    this.#checkHouse();
    failWith("event ledger", this.#recomputation.ledger.imbalance());
  }

  #checkProgramme(): void {
    const { programme } = this;
    const all = naiveAffiliates(programme, 0, PAGE);
    mustEqual("affiliates", this.ask({ type: "affiliates", afterUid: 0, limit: PAGE }), all);
    const afterUid = this.#random.integer(0, 20);
    const limit = this.#random.integer(1, 4);
    const page = this.ask({ type: "affiliates", afterUid, limit });
    mustEqual("affiliates", page, naiveAffiliates(programme, afterUid, limit));
    const users = [...programme.facts.users.keys()];
    for (const uid of [this.#random.pick(users), 424_242]) {
      const answer = this.#engine.query({ type: "affiliate", uid }, this.#traffic.nowMs);
      const shown = answer.ok ? answer.value : answer.reason;
      const isOne = programme.isAffiliate(uid);
      mustEqual("affiliate", shown, isOne ? naiveAffiliate(programme, uid) : "not-an-affiliate");
    }
    mustEqual("policy", this.ask({ type: "affiliate-policy" }), naivePolicy(programme));
    const after = this.#random.chance(0.5)
      ? 0
      : this.#random.integer(0, programme.nextCommissionId);
    for (const affiliateUid of [null, this.#random.pick(users)]) {
      const limit = this.#random.pick([3, PAGE]);
      const shown = this.ask({
        ...{ type: "held-commissions", affiliateUid, limit },
        afterCommissionId: after,
      });
      mustEqual("held", shown, naiveHeldCommissions(programme, affiliateUid, after, limit));
    }
  }

  /** The house accounts are those of the reference and of the stream, and all sums to nothing. */
  #checkHouse(): void {
    const { ok, violations, totals } = this.ask({ type: "invariants" });
    mustEqual("invariants", { ok, violations }, { ok: true, violations: [] });
    for (const [asset, accounts] of Object.entries(totals)) {
      const sum = Object.values(accounts).reduce((total, amount) => total + exact(amount), 0n);
      mustEqual("sums", sum, 0n);
      const { fees, "affiliate-payable": payable, rounding } = accounts;
      const expected = naiveHouseBalances(this.programme, asset);
      mustEqual(`house ${asset}`, { fees, "affiliate-payable": payable }, expected);
      const unit = this.programme.facts.unit(asset);
      const stream = Object.entries(this.#recomputation.ledger.house(asset)).map(
        ([name, minor]) => [name, text(minor * unit)],
      );
      const shown = { fees, "affiliate-payable": payable, rounding };
      mustEqual(`event ledger ${asset}`, shown, Object.fromEntries(stream));
    }
  }

  /** From here on the engine is one that was read from its own snapshot. */
  #restore(): void {
    const stateHash = this.#engine.stateHash();
    const sections = this.#engine.snapshotSections();
    const { timestampMs } = this.#engine;
    this.#engine = Engine.restore(sections, timestampMs, sha256Hex, OTHER_HASH_KEY);
    mustEqual("snapshot", this.#engine.stateHash(), stateHash);
  }

  /** The journal alone leads to the same events and the same state. */
  #checkReplay(): void {
    const engine = Engine.create(sha256Hex, HASH_KEY);
    for (const [i, { command, nowMs, chunk }] of this.#journal.entries()) {
      const events = new ByteWriter();
      engine.apply(command, i + 1, nowMs, events);
      if (Buffer.compare(events.toBytes(), chunk) !== 0) {
        throw new Discrepancy("replay", `command ${i + 1} has other events: ${inspect(command)}`);
      }
    }
    mustEqual("replay", engine.stateHash(), this.#engine.stateHash());
  }

  /** What the engine answers at the time of the last command. */
  ask<Type extends EngineQueryType>(
    query: Extract<EngineQuery, { readonly type: Type }>,
  ): QueryAnswers[Type] {
    const answer = this.#engine.query(query, this.#traffic.nowMs);
    if (!answer.ok) throw new Discrepancy("query", `${query.type}: ${answer.reason}`);
    return answer.value as QueryAnswers[Type];
  }

  #count(what: string): void {
    this.reached.set(what, (this.reached.get(what) ?? 0) + 1);
  }

  #placed(finder: string, message: string): Discrepancy {
    const last = inspect(this.#last, { breakLength: Number.POSITIVE_INFINITY });
    return new Discrepancy(finder, `after ${this.#steps} commands, the last ${last}\n${message}`);
  }
}
