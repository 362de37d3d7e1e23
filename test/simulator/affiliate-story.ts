/**
 * The affiliate programme beside the story of the journal: the naive programme recomputes what
 * each fill earns, what is held, settled, reversed and paid on, event by event. What it moves in
 * spot wallets the naive exchange is told, which knows nothing of affiliates.
 */
import {
  type AffiliateCommand,
  type Command,
  type Event,
  readEvents,
} from "../../src/protocol/index.ts";
import { minorUnit } from "../models/naive-rules.ts";
import { AffiliateRecomputation } from "../support/affiliate/affiliate-recomputation.ts";
import { CommissionRows } from "../support/affiliate/commission-rows.ts";
import { Discrepancy } from "../support/affiliate/discrepancy.ts";
import { isAffiliateCommand } from "../support/affiliate/naive-affiliate-commands.ts";
import type { NaiveAffiliateProgramme } from "../support/affiliate/naive-affiliate-programme.ts";
import { Breach } from "./breach.ts";
import { FundedExchange } from "./funded-exchange.ts";

const CHECK = "affiliates earn what the naive programme says";

/** The naive exchange, with wallets that others change too. */
export class CreditedExchange extends FundedExchange {
  /** In 10^-18; a negative amount is paid. What affiliates earn comes from fees. */
  credit(uid: number, asset: string, amount: bigint): void {
    this.addEquity(uid, "spot", asset, amount);
    this.addHouse("fees", asset, -amount);
  }

  /** What rounding leaves of commissions. */
  round(asset: string, amount: bigint): void {
    this.addHouse("fees", asset, -amount);
    this.addHouse("rounding", asset, amount);
  }

  unit(asset: string): bigint {
    return minorUnit(this.assets.get(asset)?.scale ?? 0);
  }
}

export class AffiliateStory {
  readonly rows: CommissionRows;
  readonly #naive: CreditedExchange;
  readonly #recomputation: AffiliateRecomputation;
  /** How many there were in a command. */
  readonly settlements = new Map<number, number>();
  /** What spot wallets got by the programme, by `<uid> <asset>`, in 10^-18. */
  readonly #paid = new Map<string, bigint>();

  constructor(naive: CreditedExchange) {
    this.#naive = naive;
    this.#recomputation = new AffiliateRecomputation(undefined, (event) => {
      this.rows.observe(event);
    });
    this.rows = new CommissionRows(this.programme);
  }

  get programme(): NaiveAffiliateProgramme {
    return this.#recomputation.programme;
  }

  paid(uid: number, asset: string): bigint {
    return this.#paid.get(`${uid} ${asset}`) ?? 0n;
  }

  /** A durable command, and what the engine says that came of it. */
  take(command: Command, nowMs: number, chunk: Uint8Array, sequence: number): void {
    try {
      const own = isAffiliateCommand(command) ? this.#carryOut(command, nowMs) : [];
      this.#recomputation.walk(command, nowMs, [chunk], own);
    } catch (error) {
      if (!(error instanceof Discrepancy)) throw error;
      throw new Breach(CHECK, `${command.type}: ${error.message}`);
    }
    for (const event of readEvents(chunk)) {
      this.#credit(event);
      if (event.type !== "commissions-settled") continue;
      this.settlements.set(sequence, (this.settlements.get(sequence) ?? 0) + 1);
    }
  }

  /** Of the naive programme, which it may change when it is accepted. */
  outcomeOf(command: AffiliateCommand, nowMs: number) {
    return this.#recomputation.carryOut(command, nowMs);
  }

  #carryOut(command: AffiliateCommand, nowMs: number): readonly Event[] {
    const outcome = this.outcomeOf(command, nowMs);
    if (outcome.ok) return outcome.events;
    throw new Discrepancy("outcome", `${command.type} should be ${[...outcome.reasons]}`);
  }

  #credit(event: Event): void {
    switch (event.type) {
      case "commissions-settled":
        this.#pay(event.affiliateUid, event.asset, event.paidMinor);
        break;
      case "commission-reversed":
        this.#pay(event.affiliateUid, event.asset, -event.fromSpotMinor);
        break;
      case "internal-withdrawal-made":
        this.#pay(event.uid, event.asset, -event.amountMinor);
        this.#pay(event.toUid, event.asset, event.amountMinor);
        break;
      case "commission-rounded":
        this.#naive.round(event.asset, event.residueMinor * this.#naive.unit(event.asset));
        break;
      default:
    }
  }

  #pay(uid: number, asset: string, minor: bigint): void {
    const amount = minor * this.#naive.unit(asset);
    this.#paid.set(`${uid} ${asset}`, this.paid(uid, asset) + amount);
    this.#naive.credit(uid, asset, amount);
  }
}
