/** An affiliate's commissions and their reversals, by row, by day, and what was paid of them. */
import type { Row } from "../store/index.ts";
import type {
  Commission,
  CommissionStatus,
  HistoryQuestion,
  PaidCommissions,
} from "./history-port.ts";
import type { Db, HistoryQuery } from "./history-query.ts";
import { NumberedRows } from "./numbered-rows.ts";

/** More than an exchange lists. */
const COINS_MAX = 100_000;

/** A page, newest first. */
export const commissions: HistoryQuery<"commissions"> = async (db, question) => {
  const { affiliateUid, product, traderUid, asset } = question;
  const numbered = new NumberedRows(
    db,
    "commissions",
    {
      affiliate_uid: affiliateUid,
      product,
      ...(traderUid !== null && { trader_uid: traderUid }),
      ...(asset !== null && { asset }),
    },
    ordinalColumn(question),
  );
  const { rows, total } = await numbered.page(await numbered.inTime(question.time), question.page);
  return { rows: await withStatus(db, affiliateUid, rows), total };
};

/** The ordinal that numbers the rows of these filters. */
function ordinalColumn({ traderUid, asset }: HistoryQuestion<"commissions">) {
  if (traderUid !== null) return asset === null ? "trader_ordinal" : "both_ordinal";
  return asset === null ? "ordinal" : "asset_ordinal";
}

async function withStatus(db: Db, affiliateUid: number, rows: readonly Row<"commissions">[]) {
  const lastIds = new Map<string, number>();
  for (const { asset } of rows) {
    if (lastIds.has(asset)) continue;
    lastIds.set(asset, await lastSettlementId(db, affiliateUid, asset));
  }
  return rows.map((row) => commissionOf(row, lastIds.get(row.asset) ?? 0));
}

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
  db: Db,
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

/** Oldest day first. */
export const commissionDays: HistoryQuery<"commission-days"> = async (
  db,
  { affiliateUid, fromDay, toDay, limit },
) => {
  const rows = await db
    .selectFrom("affiliate_days")
    .selectAll()
    .where("affiliate_uid", "=", affiliateUid)
    .where("day", ">=", fromDay)
    .where("day", "<=", toDay)
    .orderBy("day")
    .orderBy("product")
    .orderBy("asset")
    .limit(limit)
    .execute();
  return rows.map((row) => ({
    day: row.day,
    product: row.product,
    asset: row.asset,
    commissions: row.commissions,
    amount: row.amount,
    usdtValue: row.usdt_value,
    volume: row.volume,
  }));
};

/** By coin, two look-ups for each. */
export const paidCommissions: HistoryQuery<"paid-commissions"> = async (db, { affiliateUid }) => {
  const coins = await db
    .selectFrom("affiliate_coins")
    .select("asset")
    .where("affiliate_uid", "=", affiliateUid)
    .orderBy("asset")
    .limit(COINS_MAX)
    .execute();
  const found: PaidCommissions[] = [];
  for (const { asset } of coins) {
    const last = await db
      .selectFrom("affiliate_settlements")
      .select("paid_until")
      .where("affiliate_uid", "=", affiliateUid)
      .where("asset", "=", asset)
      .orderBy("settlement_id", "desc")
      .limit(1)
      .executeTakeFirst();
    if (last !== undefined) found.push({ asset, paid: last.paid_until });
  }
  return found;
};
