/**
 * Recomputes the affiliate programme beside an engine, live or out of a journal: the commands of
 * the programme and the trades are the facts, and whatever else the events say of commissions must
 * be what the reference says, directly behind its cause. A ledger that knows the events alone goes
 * along.
 */
import { inspect, isDeepStrictEqual } from "node:util";
import {
  type AffiliateCommand,
  type Command,
  type Event,
  readEvents,
} from "../../../src/protocol/index.ts";
import { AffiliateEventLedger } from "../../support/affiliate/affiliate-event-ledger.ts";
import { NaiveAffiliateCommands } from "../../support/affiliate/naive-affiliate-commands.ts";
import {
  HELD_MAX,
  NaiveAffiliateProgramme,
  type NaiveOutcome,
} from "../../support/affiliate/naive-affiliate-programme.ts";
import { Discrepancy } from "./discrepancy.ts";

/** Commands of the sequencer, in which time passes. */
const TIMES: ReadonlySet<string> = new Set(["advance-time", "resume", "continue-risk"]);

export const PROGRAMME_EVENTS: ReadonlySet<string> = new Set([
  "affiliate-set",
  "affiliate-policy-set",
  "house-account-set",
  "commission-accrued",
  "commission-rounded",
  "commission-released",
  "commission-reversed",
  "commissions-settled",
  "settlement-asked",
  "internal-withdrawal-made",
] satisfies Event["type"][]);

export class AffiliateRecomputation {
  readonly programme: NaiveAffiliateProgramme;
  readonly ledger = new AffiliateEventLedger();
  /** In the book. */
  fills = 0;
  readonly #commands: NaiveAffiliateCommands;
  readonly #observe: (event: Event) => void;

  constructor(heldMax = HELD_MAX, observe: (event: Event) => void = () => {}) {
    this.programme = new NaiveAffiliateProgramme(heldMax);
    this.#commands = new NaiveAffiliateCommands(this.programme);
    this.#observe = observe;
  }

  carryOut(command: AffiliateCommand, nowMs: number): NaiveOutcome {
    return this.#commands.carryOut(command, nowMs);
  }

  /** Before a moment everything that was due has been settled. Throws `Discrepancy`. */
  checkNoneMissed(beforeMs: number): void {
    const dueMs = this.programme.settlementDueMs;
    if (dueMs === null || dueMs >= beforeMs) return;
    throw new Discrepancy("settlement", `none at ${new Date(dueMs).toISOString()}`);
  }

  /** Goes through a command's events; `own` are those that it must begin with. */
  walk(
    command: Command,
    commandMs: number,
    chunks: readonly Uint8Array[],
    own: readonly Event[],
  ): void {
    if (!TIMES.has(command.type)) this.checkNoneMissed(commandMs + 1);
    let expected = [...own];
    let nowMs = commandMs;
    for (const event of chunks.flatMap((chunk) => [...readEvents(chunk)])) {
      this.#observe(event);
      if (event.type === "command-applied") continue;
      if (PROGRAMME_EVENTS.has(event.type)) {
        if (expected.length === 0 && event.type === "commissions-settled") {
          expected = this.#settlement(command, nowMs);
        }
        mustEqual(`event ${event.type}`, event, expected.shift());
        this.#takeIntoLedger(event);
        continue;
      }
      // What the insurance fund paid stands between a liquidation and what it earns.
      if (event.type !== "liquidation-settled") mustEqual("events", undefined, expected[0]);
      if (event.type === "timer-fired") {
        nowMs = event.timestampMs;
        this.checkNoneMissed(nowMs);
      }
      this.programme.facts.take(event, nowMs);
      this.#takeIntoLedger(event);
      const earned = this.programme.accrue(event, nowMs);
      if (this.programme.facts.sides(event).length > 0) this.fills++;
      if (earned.length > 0) expected = earned;
    }
    mustEqual("events", undefined, expected[0]);
    failWith("event ledger", this.ledger.closeTrade());
    if (command.type === "resume") this.checkNoneMissed(commandMs + 1);
  }

  /** A settlement is at its hour; one that was missed is made up for when the exchange resumes. */
  #settlement(command: Command, nowMs: number): Event[] {
    const dueMs = this.programme.settlementDueMs;
    const isLate = command.type === "resume" && dueMs !== null && dueMs <= nowMs;
    if (isLate || (TIMES.has(command.type) && dueMs === nowMs)) return this.programme.settle(nowMs);
    throw new Discrepancy("settlement", `at ${nowMs}, but it is due at ${dueMs}`);
  }

  #takeIntoLedger(event: Event): void {
    failWith("event ledger", this.ledger.take(event, this.programme.facts.sides(event)));
  }
}

export function failWith(finder: string, fault: string | null): void {
  if (fault !== null) throw new Discrepancy(finder, fault);
}

/** Throws `Discrepancy` with what differs. */
export function mustEqual(finder: string, actual: unknown, expected: unknown): void {
  if (isDeepStrictEqual(actual, expected)) return;
  throw new Discrepancy(finder, difference(actual, expected));
}

/** Of two lists the first rows that differ, else both whole. */
function difference(actual: unknown, expected: unknown): string {
  let shown: unknown = { actual, expected };
  if (Array.isArray(actual) && Array.isArray(expected)) {
    const differs = (i: number) => !isDeepStrictEqual(actual[i], expected[i]);
    const row = Array.from({ length: Math.max(actual.length, expected.length) }, (_, i) => i);
    const first = row.find(differs) ?? 0;
    const counts = `row ${first} of ${actual.length}, expected ${expected.length}`;
    shown = { counts, actual: actual[first], expected: expected[first] };
  }
  return inspect(shown, { depth: 8, breakLength: 100 });
}
