/**
 * The commission report. Every row has ordinals among the rows of its affiliate and product: of
 * all, of its trader, of its coin and of both, so that a page costs the same at any depth. A row's
 * status is derived from settlement numbers when it is read, so that a settlement rewrites none of
 * the rows that it pays.
 */
import { formatDecimal, invariant, RATE_SCALE } from "../../domain/index.ts";
import type { EventOf } from "../../protocol/index.ts";
import { negateDecimal, type Row, type RowSink } from "../../store/index.ts";
import type { Instruments } from "../instruments.ts";
import type { AffiliateReaders } from "./affiliate-readers.ts";
import { valueText } from "./usdt-prices.ts";

type Accrued = EventOf<"commission-accrued">;
type Reversed = EventOf<"commission-reversed">;
type Ordinals = Pick<
  Row<"commissions">,
  "ordinal" | "trader_ordinal" | "asset_ordinal" | "both_ordinal"
>;

/** Above this the cache is cleared and read again as needed. */
const COUNTS_KEPT_MAX = 100_000;
const NEVER = -1;

export class Commissions {
  readonly #rows: RowSink;
  readonly #instruments: Instruments;
  readonly #readers: AffiliateReaders;
  readonly #counts = new Map<string, number>();

  constructor(rows: RowSink, instruments: Instruments, readers: AffiliateReaders) {
    this.#rows = rows;
    this.#instruments = instruments;
    this.#readers = readers;
  }

  /** `lastSettlementId`: the exchange's last settlement. */
  add(event: Accrued, timestampMs: number, valueE8: bigint, lastSettlementId: number): void {
    const { asset } = event;
    const text = (minor: bigint) => this.#instruments.amountText(asset, minor);
    this.#rows.insert("commissions", {
      affiliate_uid: event.affiliateUid,
      product: event.product,
      ...this.#nextOrdinals(event),
      commission_id: event.commissionId,
      reversed_id: 0,
      trader_uid: event.traderUid,
      symbol: event.symbol,
      asset,
      trade_id: event.tradeId,
      maker: event.isMaker ? 1 : 0,
      via_uid: event.viaUid ?? 0,
      via_rate_version: event.viaRateVersion ?? 0,
      notional: notionalText(event, this.#instruments),
      fee: text(event.feeMinor),
      rate: formatDecimal(BigInt(event.rateE8), RATE_SCALE),
      rate_version: event.rateVersion,
      capped: text(event.cappedMinor),
      amount: text(event.commissionMinor),
      flags: event.flags.join(" "),
      usdt_value: valueText(valueE8),
      time_ms: timestampMs,
      held: event.isHeld ? 1 : 0,
      waits_since_settlement: lastSettlementId,
      reversed_since_settlement: NEVER,
    });
  }

  /** Returns the commission before the release. */
  release(
    event: EventOf<"commission-released">,
    timestampMs: number,
    lastSettlementId: number,
  ): Row<"commissions"> {
    const row = this.#find(event.commissionId);
    this.#replace({ ...row, held: 0, waits_since_settlement: lastSettlementId });
    this.#rows.insert("commission_actions", {
      commission_id: event.commissionId,
      action: "release",
      actor: event.actor,
      reason: event.reason,
      time_ms: timestampMs,
      reversal_id: 0,
      from_payable: "0",
      from_spot: "0",
      newly_owed: "0",
    });
    return row;
  }

  /** Adds the reversal's entry and returns the commission before it. */
  reverse(event: Reversed, timestampMs: number, lastSettlementId: number): Row<"commissions"> {
    const row = this.#find(event.commissionId);
    const text = (minor: bigint) => this.#instruments.amountText(event.asset, minor);
    // A held commission awaits no settlement, so none so far has paid it.
    const waits_since_settlement = row.held === 1 ? lastSettlementId : row.waits_since_settlement;
    const reversed_since_settlement = lastSettlementId;
    this.#replace({ ...row, held: 0, waits_since_settlement, reversed_since_settlement });
    this.#rows.insert("commissions", {
      ...row,
      ...this.#nextOrdinals(event),
      commission_id: event.reversalId,
      reversed_id: event.commissionId,
      trade_id: 0,
      maker: 0,
      via_rate_version: 0,
      notional: "0",
      fee: "0",
      rate: "0",
      rate_version: 0,
      capped: "0",
      amount: negateDecimal(text(event.amountMinor)),
      flags: "",
      usdt_value: "0",
      time_ms: timestampMs,
      held: 0,
      waits_since_settlement: lastSettlementId,
      reversed_since_settlement: NEVER,
    });
    this.#rows.insert("commission_actions", {
      commission_id: event.commissionId,
      action: "reversal",
      actor: event.actor,
      reason: event.reason,
      time_ms: timestampMs,
      reversal_id: event.reversalId,
      from_payable: text(event.fromPayableMinor),
      from_spot: text(event.fromSpotMinor),
      newly_owed: text(event.owedMinor),
    });
    return row;
  }

  #find(commissionId: number): Row<"commissions"> {
    const row = this.#readers.commission(commissionId);
    invariant(row !== undefined, `commission ${commissionId} was accrued before`);
    return row;
  }

  #replace(row: Row<"commissions">): void {
    this.#rows.upsert("commissions", row);
  }

  #nextOrdinals(event: Accrued | Reversed): Ordinals {
    const { affiliateUid, product, traderUid, asset } = event;
    if (this.#counts.size > COUNTS_KEPT_MAX) this.#counts.clear();
    const last = this.#readers.lastOrdinals;
    const all = [affiliateUid, product] as const;
    const name = all.join("|");
    return {
      ordinal: this.#next(name, () => last.ordinal(...all)),
      trader_ordinal: this.#next(`${name}|${traderUid}|`, () => last.trader(...all, traderUid)),
      asset_ordinal: this.#next(`${name}||${asset}`, () => last.asset(...all, asset)),
      both_ordinal: this.#next(`${name}|${traderUid}|${asset}`, () =>
        last.both(...all, traderUid, asset),
      ),
    };
  }

  #next(name: string, readLast: () => number): number {
    const next = (this.#counts.get(name) ?? readLast()) + 1;
    this.#counts.set(name, next);
    return next;
  }
}

/** The notional of the fill, in the quote asset; for a contract, its margin asset. */
export function notionalText(event: Accrued, instruments: Instruments): string {
  return instruments.amountText(notionalAsset(event, instruments), event.notionalMinor);
}

export function notionalAsset({ product, symbol }: Accrued, instruments: Instruments): string {
  return product === "spot"
    ? instruments.spotMarket(symbol).quoteAsset
    : instruments.contractMarket(symbol).marginAsset;
}
