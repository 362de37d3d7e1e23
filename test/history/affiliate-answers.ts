/** Small parts of the naive answers about the affiliate programme. */
import type { EventOf } from "../../src/protocol/index.ts";
import type { Commission, CommissionDetail, Page, Paged } from "../../src/queries/index.ts";
import { text } from "../support/exact.ts";
import type { Listing } from "./listed.ts";

export function paged<Row>(rows: readonly Row[], { page, pageSize }: Page): Paged<Row> {
  const start = (page - 1) * pageSize;
  return { rows: rows.slice(start, start + pageSize), total: rows.length };
}

/** Of 10^-8. */
export function usdt(e8: bigint): string {
  return text(e8 * 10n ** 10n);
}

export function day(timeMs: number): string {
  const date = new Date(timeMs);
  const two = (number: number) => String(number).padStart(2, "0");
  return `${date.getUTCFullYear()}-${two(date.getUTCMonth() + 1)}-${two(date.getUTCDate())}`;
}

interface Happened<Type> {
  readonly event: Type;
  readonly timeMs: number;
}

/** The row of its own that a reversal is in the report. */
export function reversalRow(
  { units }: Listing,
  { event, timeMs }: Happened<EventOf<"commission-reversed">>,
  viaUid: number | null,
): Commission {
  const { affiliateUid, traderUid, product, symbol, asset } = event;
  return {
    commissionId: event.reversalId,
    ...{ affiliateUid, traderUid, product, symbol, asset, timeMs },
    fee: "0",
    amount: units(-event.amountMinor, asset),
    rate: "0",
    viaUid,
    takerAmount: "0",
    makerAmount: "0",
    status: "reversal",
    flags: [],
  };
}

export function reversalAnswer(
  { units }: Listing,
  { event, timeMs }: Happened<EventOf<"commission-reversed">>,
): NonNullable<CommissionDetail["reversal"]> {
  const { reversalId, commissionId, actor, reason, asset } = event;
  return {
    reversalId,
    commissionId,
    actor,
    reason,
    timeMs,
    fromPayable: units(event.fromPayableMinor, asset),
    fromSpot: units(event.fromSpotMinor, asset),
    owed: units(event.owedMinor, asset),
  };
}

export function settlementAnswer(
  { units }: Listing,
  { event, timeMs }: Happened<EventOf<"commissions-settled">>,
): NonNullable<CommissionDetail["settlement"]> {
  const { settlementId, asset } = event;
  return {
    settlementId,
    timeMs,
    accrued: units(event.accruedMinor, asset),
    recovered: units(event.recoveredMinor, asset),
    paid: units(event.paidMinor, asset),
  };
}
