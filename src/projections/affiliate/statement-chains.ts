/**
 * The chain of entries of each affiliate, from which statements are made, and its end after each
 * day. Every entry is stored as the line that was hashed.
 */
import { createHash } from "node:crypto";
import {
  CoinTally,
  entryLine,
  genesisText,
  linkText,
  type MovedUnits,
  parseEntryLine,
  type StatementFacts,
  utcDay,
} from "../../affiliate-statement/index.ts";
import { formatDecimal, invariant, RATE_SCALE } from "../../domain/index.ts";
import type { EventOf } from "../../protocol/index.ts";
import type { Row, RowSink } from "../../store/index.ts";
import type { Instruments } from "../instruments.ts";
import type { AffiliateReaders } from "./affiliate-readers.ts";
import { notionalText } from "./commissions.ts";
import { RowCache } from "./row-cache.ts";

type Head = Pick<Row<"affiliate_day_heads">, "affiliate_uid" | "ordinal" | "hash">;

/** The facts of an entry besides its ordinal, coin and balances. */
type Facts = Partial<StatementFacts> & Pick<StatementFacts, "kind">;

const NOTHING: Omit<StatementFacts, "ordinal" | "timeMs" | "kind" | "asset"> = {
  id: 0,
  aboutId: 0,
  product: "",
  symbol: "",
  traderUid: 0,
  role: "",
  tradeId: 0,
  viaUid: 0,
  notional: "0",
  fee: "0",
  rate: "0",
  rateVersion: 0,
  viaRateVersion: 0,
  capped: "0",
  amount: "0",
  flags: [],
  isHeld: false,
  fromPayable: "0",
  fromSpot: "0",
  newlyOwed: "0",
  recovered: "0",
  paid: "0",
  payableAfter: "0",
  heldAfter: "0",
  owedAfter: "0",
};

/** Above this the cache is cleared and read again as needed. */
const TALLIES_KEPT_MAX = 50_000;

export class StatementChains {
  readonly #rows: RowSink;
  readonly #instruments: Instruments;
  readonly #readers: AffiliateReaders;
  readonly #heads: RowCache<Row<"affiliate_day_heads">>;
  readonly #tallies = new Map<string, CoinTally>();

  constructor(rows: RowSink, instruments: Instruments, readers: AffiliateReaders) {
    this.#rows = rows;
    this.#instruments = instruments;
    this.#readers = readers;
    this.#heads = new RowCache((row) => rows.upsert("affiliate_day_heads", row));
  }

  addCommission(event: EventOf<"commission-accrued">, timeMs: number): void {
    const { asset, commissionMinor, cappedMinor } = event;
    const text = (minor: bigint) => this.#instruments.amountText(asset, minor);
    const facts: Facts = {
      kind: "commission",
      id: event.commissionId,
      product: event.product,
      symbol: event.symbol,
      traderUid: event.traderUid,
      role: event.isMaker ? "maker" : "taker",
      tradeId: event.tradeId,
      viaUid: event.viaUid ?? 0,
      notional: notionalText(event, this.#instruments),
      fee: text(event.feeMinor),
      rate: formatDecimal(BigInt(event.rateE8), RATE_SCALE),
      rateVersion: event.rateVersion,
      viaRateVersion: event.viaRateVersion ?? 0,
      capped: text(cappedMinor),
      flags: event.flags,
      isHeld: event.isHeld,
    };
    const units = { amount: commissionMinor, capped: cappedMinor };
    this.#add(event.affiliateUid, asset, timeMs, facts, units);
  }

  addRelease(event: EventOf<"commission-released">, timeMs: number): void {
    const facts: Facts = { kind: "release", aboutId: event.commissionId };
    this.#add(event.affiliateUid, event.asset, timeMs, facts, { amount: event.amountMinor });
  }

  /** `isHeld`: the commission awaited an operator's decision. */
  addReversal(event: EventOf<"commission-reversed">, isHeld: boolean, timeMs: number): void {
    const { asset, fromPayableMinor, fromSpotMinor, owedMinor } = event;
    const text = (minor: bigint) => this.#instruments.amountText(asset, minor);
    const facts: Facts = {
      kind: "reversal",
      id: event.reversalId,
      aboutId: event.commissionId,
      product: event.product,
      symbol: event.symbol,
      traderUid: event.traderUid,
      isHeld,
      fromPayable: text(fromPayableMinor),
      fromSpot: text(fromSpotMinor),
      newlyOwed: text(owedMinor),
    };
    this.#add(event.affiliateUid, asset, timeMs, facts, {
      amount: event.amountMinor,
      fromPayable: fromPayableMinor,
      fromSpot: fromSpotMinor,
      newlyOwed: owedMinor,
    });
  }

  addSettlement(event: EventOf<"commissions-settled">, timeMs: number): void {
    const { asset, recoveredMinor, paidMinor } = event;
    const facts: Facts = {
      kind: "settlement",
      id: event.settlementId,
      recovered: this.#instruments.amountText(asset, recoveredMinor),
      paid: this.#instruments.amountText(asset, paidMinor),
    };
    this.#add(event.affiliateUid, asset, timeMs, facts, {
      amount: event.accruedMinor,
      recovered: recoveredMinor,
      paid: paidMinor,
    });
  }

  flush(): void {
    this.#heads.flush();
  }

  #add(affiliateUid: number, asset: string, timeMs: number, facts: Facts, units: MovedUnits): void {
    const text = (minor: bigint) => this.#instruments.amountText(asset, minor);
    const head = this.#head(affiliateUid);
    const ordinal = head.ordinal + 1;
    const tally = this.#tally(affiliateUid, asset, ordinal);
    tally.add({ kind: facts.kind, isHeld: facts.isHeld ?? false }, units);
    const line = entryLine({
      ...NOTHING,
      ...facts,
      ordinal,
      timeMs,
      asset,
      amount: text(units.amount),
      payableAfter: text(tally.payable),
      heldAfter: text(tally.held),
      owedAfter: text(tally.owed),
    });
    const hash = sha256(linkText(head.hash, line));
    this.#rows.insert("affiliate_entries", {
      affiliate_uid: affiliateUid,
      ordinal,
      time_ms: timeMs,
      asset,
      line,
      hash,
    });
    const day = utcDay(timeMs);
    const next = { affiliate_uid: affiliateUid, day, ordinal, hash };
    if (head.day === day) this.#heads.set(String(affiliateUid), next);
    else this.#heads.follow(String(affiliateUid), next);
  }

  #head(affiliateUid: number): Head & { readonly day?: string } {
    const last = this.#heads.get(String(affiliateUid), () => {
      const entry = this.#readers.lastEntry(affiliateUid);
      return entry === undefined ? undefined : headOf(entry);
    });
    const hash = () => sha256(genesisText(affiliateUid));
    return last ?? { affiliate_uid: affiliateUid, ordinal: 0, hash: hash() };
  }

  /** The affiliate's balances in the coin before the entry of this ordinal. */
  #tally(affiliateUid: number, asset: string, ordinal: number): CoinTally {
    const key = `${affiliateUid}|${asset}`;
    const kept = this.#tallies.get(key);
    if (kept !== undefined) return kept;
    if (this.#tallies.size > TALLIES_KEPT_MAX) this.#tallies.clear();
    const row = this.#readers.lastEntryOfCoin(affiliateUid, asset);
    const last = row === undefined ? NOTHING : parseEntryLine(row.line, row.hash);
    invariant(last !== null, `entry ${row?.ordinal} of affiliate ${affiliateUid} is readable`);
    const { payableAfter: payable, heldAfter: held, owedAfter: owed } = last;
    const tally = new CoinTally({
      asset,
      scale: this.#instruments.scaleOf(asset),
      payable,
      held,
      owed,
    });
    this.#tallies.set(key, tally);
    if (row === undefined) {
      const coin = { affiliate_uid: affiliateUid, asset, first_ordinal: ordinal };
      this.#rows.insert("affiliate_coins", coin);
    }
    return tally;
  }
}

function headOf({ affiliate_uid, time_ms, ordinal, hash }: Row<"affiliate_entries">) {
  return { affiliate_uid, day: utcDay(time_ms), ordinal, hash };
}

function sha256(text: string): string {
  return createHash("sha256").update(text).digest("hex");
}
