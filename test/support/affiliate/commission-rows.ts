/**
 * The rows that the commission report of every affiliate must have, out of the events alone.
 */
import assert from "node:assert/strict";
import type { Event, EventOf } from "../../../src/protocol/index.ts";
import { text } from "../exact.ts";
import type { NaiveAffiliateProgramme } from "./naive-affiliate-programme.ts";

const E8 = 10n ** 10n;

/** As in the report; a reversal's source type is left open. */
export interface ReportedRow {
  readonly commissionId: string;
  readonly uid: string;
  readonly dealTime: string;
  readonly coin: string;
  readonly productType: string;
  readonly symbol: string;
  readonly fee: string;
  readonly commission: string;
  readonly rate: string;
  readonly sourceType: number | null;
  readonly takerAmount: string;
  readonly makerAmount: string;
  readonly flags: readonly string[];
  status: string;
}

export class CommissionRows {
  settlements = 0;
  readonly #programme: NaiveAffiliateProgramme;
  /** By `<affiliate> <product type>`, oldest first. */
  readonly #rows = new Map<string, ReportedRow[]>();
  readonly #byId = new Map<number, ReportedRow>();
  /** What the next settlement pays, by `<affiliate> <asset>`. */
  readonly #waiting = new Map<string, ReportedRow[]>();
  #nowMs = 0;

  /** Of events that the programme is told, or has been told. */
  constructor(programme: NaiveAffiliateProgramme) {
    this.#programme = programme;
  }

  /** Newest first. */
  of(affiliateUid: number, productType: string): readonly ReportedRow[] {
    return (this.#rows.get(`${affiliateUid} ${productType}`) ?? []).toReversed();
  }

  observe(event: Event): void {
    switch (event.type) {
      case "command-applied":
      case "timer-fired":
        this.#nowMs = event.timestampMs;
        break;
      case "commission-accrued":
        this.#addCommission(event);
        break;
      case "commission-released":
        this.#wait(event.affiliateUid, event.asset, event.commissionId);
        break;
      case "commission-reversed":
        this.#addReversal(event);
        break;
      case "commissions-settled":
        this.#settle(event);
        break;
      default:
    }
  }

  #amount(asset: string, minor: bigint): string {
    return this.#programme.amountText(asset, minor);
  }

  #add(affiliateUid: number, id: number, row: ReportedRow): void {
    const key = `${affiliateUid} ${row.productType}`;
    this.#rows.set(key, [...(this.#rows.get(key) ?? []), row]);
    this.#byId.set(id, row);
  }

  #wait(affiliateUid: number, asset: string, id: number): void {
    const row = this.#byId.get(id);
    assert.ok(row !== undefined);
    row.status = "accrued";
    const key = `${affiliateUid} ${asset}`;
    this.#waiting.set(key, [...(this.#waiting.get(key) ?? []), row]);
  }

  #addCommission(event: EventOf<"commission-accrued">): void {
    const { affiliateUid, asset, commissionId, isMaker } = event;
    const { facts } = this.#programme;
    const quote = facts.markets.get(event.symbol)?.quote;
    const quoteAsset = event.product === "spot" ? (quote ?? "") : asset;
    const notional = this.#amount(quoteAsset, event.notionalMinor);
    this.#add(affiliateUid, commissionId, {
      ...this.#common(event, commissionId),
      fee: this.#amount(asset, event.feeMinor),
      commission: this.#amount(asset, event.commissionMinor),
      rate: text(BigInt(event.rateE8) * E8),
      sourceType: event.viaUid === null ? 1 : 2,
      takerAmount: isMaker ? "0" : notional,
      makerAmount: isMaker ? notional : "0",
      flags: event.flags,
      status: "held",
    });
    if (!event.isHeld) this.#wait(affiliateUid, asset, commissionId);
  }

  #addReversal(event: EventOf<"commission-reversed">): void {
    const { affiliateUid, asset, commissionId, reversalId } = event;
    const reversed = this.#byId.get(commissionId);
    assert.ok(reversed !== undefined);
    reversed.status = "reversed";
    this.#add(affiliateUid, reversalId, {
      ...this.#common(event, reversalId),
      ...{ fee: "0", rate: "0", sourceType: null, takerAmount: "0", makerAmount: "0", flags: [] },
      commission: this.#amount(asset, -event.amountMinor),
      status: "reversal",
    });
  }

  #common(
    event: EventOf<"commission-accrued"> | EventOf<"commission-reversed">,
    commissionId: number,
  ) {
    return {
      commissionId: String(commissionId),
      uid: String(event.traderUid),
      dealTime: String(this.#nowMs),
      coin: event.asset,
      productType: event.product === "spot" ? "SPOT" : "FUTURES",
      symbol: event.symbol,
    };
  }

  #settle({ affiliateUid, asset }: EventOf<"commissions-settled">): void {
    this.settlements++;
    const key = `${affiliateUid} ${asset}`;
    for (const row of this.#waiting.get(key) ?? []) {
      if (row.status === "accrued") row.status = "settled";
    }
    this.#waiting.delete(key);
  }
}
