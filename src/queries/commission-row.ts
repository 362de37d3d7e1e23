/** A stored commission as it is answered, with what has become of it. */
import type { Kysely } from "kysely";
import type { HistoryTables, Row } from "../store/index.ts";
import type { Commission, CommissionStatus } from "./history-port.ts";

/** `lastSettledId` is the affiliate's last settlement of that coin, 0 for none. */
export function commissionOf(row: Row<"commissions">, lastSettledId: number): Commission {
  return {
    commissionId: row.commission_id,
    affiliateUid: row.affiliate_uid,
    traderUid: row.trader_uid,
    product: row.product,
    symbol: row.symbol,
    asset: row.asset,
    fee: row.fee,
    amount: row.amount,
    rate: row.rate,
    viaUid: row.via_uid === 0 ? null : row.via_uid,
    takerAmount: row.maker === 1 ? "0" : row.notional,
    makerAmount: row.maker === 1 ? row.notional : "0",
    timeMs: row.time_ms,
    status: statusOf(row, lastSettledId),
    flags: row.flags === "" ? [] : (row.flags.split(" ") as Commission["flags"][number][]),
  };
}

export async function lastSettlementId(
  db: Kysely<HistoryTables>,
  affiliateUid: number,
  asset: string,
): Promise<number> {
  const last = await db
    .selectFrom("affiliate_settlements")
    .select("settlement_id")
    .where("affiliate_uid", "=", affiliateUid)
    .where("asset", "=", asset)
    .orderBy("settlement_id", "desc")
    .limit(1)
    .executeTakeFirst();
  return last?.settlement_id ?? 0;
}

export function isReversed(row: Row<"commissions">): boolean {
  return row.reversed_since_settlement >= 0;
}

function statusOf(row: Row<"commissions">, lastSettledId: number): CommissionStatus {
  if (row.reversed_id !== 0) return "reversal";
  if (isReversed(row)) return "reversed";
  if (row.held === 1) return "held";
  return lastSettledId > row.waits_since_settlement ? "settled" : "accrued";
}
