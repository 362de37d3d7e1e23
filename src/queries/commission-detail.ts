/**
 * One commission in detail: the fill it came from, the rates applied, what was capped, and when it
 * was paid, released or reversed.
 */
import { addDecimals, type Row } from "../store/index.ts";
import { commissionOf, isReversed, lastSettlementId } from "./commissions.ts";
import type { CommissionDetail, RateVersion, Settlement } from "./history-port.ts";
import type { Db, HistoryQuery } from "./history-query.ts";

export const commission: HistoryQuery<"commission"> = async (db, { commissionId }) => {
  const row = await find(db, commissionId);
  if (row === undefined) return null;
  const isReversal = row.reversed_id !== 0;
  const settledId = await lastSettlementId(db, row.affiliate_uid, row.asset);
  return {
    commission: commissionOf(row, settledId),
    fill: isReversal ? null : await fillOf(db, row),
    gross: isReversal ? "0" : addDecimals(row.amount, row.capped),
    capped: row.capped,
    rateVersion: await rateVersion(db, row.affiliate_uid, row.rate_version),
    viaRateVersion: isReversal ? null : await viaRateVersion(db, row),
    settlement: isReversal || row.held === 1 ? null : await settlementOf(db, row),
    release: isReversal ? null : await releaseOf(db, commissionId),
    reversal: await reversalOf(db, isReversal ? row.reversed_id : commissionId),
  };
};

async function find(db: Db, commissionId: number): Promise<Row<"commissions"> | undefined> {
  const rows = db.selectFrom("commissions").selectAll();
  return await rows.where("commission_id", "=", commissionId).limit(1).executeTakeFirst();
}

async function fillOf(
  db: Db,
  { product, symbol, trade_id, maker }: Row<"commissions">,
): Promise<CommissionDetail["fill"]> {
  const trade =
    product === "spot"
      ? await db
          .selectFrom("spot_trades")
          .select(["price", "quantity", "quote_quantity as quoteQuantity", "time_ms as timeMs"])
          .where("symbol", "=", symbol)
          .where("trade_id", "=", trade_id)
          .limit(1)
          .executeTakeFirst()
      : await db
          .selectFrom("contract_trades")
          .select(["price", "quantity", "value as quoteQuantity", "time_ms as timeMs"])
          .where("symbol", "=", symbol)
          .where("trade_id", "=", trade_id)
          .limit(1)
          .executeTakeFirst();
  if (trade === undefined) return null;
  const markets = product === "spot" ? "spot_markets" : "contract_markets";
  const market = await db
    .selectFrom(markets)
    .select("quote_asset")
    .where("symbol", "=", symbol)
    .limit(1)
    .executeTakeFirstOrThrow();
  const role = maker === 1 ? "maker" : "taker";
  return { tradeId: trade_id, role, ...trade, quoteAsset: market.quote_asset };
}

/** Version 0 is none. */
async function rateVersion(db: Db, uid: number, version: number): Promise<RateVersion | null> {
  const found = await db
    .selectFrom("affiliate_rates")
    .select([
      "uid",
      "version",
      "spot_rate as spotRate",
      "futures_rate as futuresRate",
      "since_ms as sinceMs",
    ])
    .where("uid", "=", uid)
    .where("version", "=", version)
    .limit(1)
    .executeTakeFirst();
  return found ?? null;
}

/**
 * Of the affiliate whose rate was subtracted: the highest below, who therefore earned the
 * commission right before this one.
 */
async function viaRateVersion(db: Db, row: Row<"commissions">): Promise<RateVersion | null> {
  if (row.via_uid === 0) return null;
  const below = await find(db, row.commission_id - 1);
  return below === undefined
    ? null
    : await rateVersion(db, below.affiliate_uid, row.via_rate_version);
}

/** The first settlement of the coin since it began to wait, unless it was reversed before. */
async function settlementOf(db: Db, row: Row<"commissions">): Promise<Settlement | null> {
  const settlement = await db
    .selectFrom("affiliate_settlements")
    .select(["settlement_id as settlementId", "time_ms as timeMs", "accrued", "recovered", "paid"])
    .where("affiliate_uid", "=", row.affiliate_uid)
    .where("asset", "=", row.asset)
    .where("settlement_id", ">", row.waits_since_settlement)
    .orderBy("settlement_id")
    .limit(1)
    .executeTakeFirst();
  if (settlement === undefined) return null;
  const isLate = isReversed(row) && settlement.settlementId > row.reversed_since_settlement;
  return isLate ? null : settlement;
}

function actions(db: Db, commissionId: number, action: "release" | "reversal") {
  return db
    .selectFrom("commission_actions")
    .where("commission_id", "=", commissionId)
    .where("action", "=", action)
    .limit(1);
}

async function releaseOf(db: Db, commissionId: number): Promise<CommissionDetail["release"]> {
  const released = actions(db, commissionId, "release");
  const columns = released.select(["actor", "reason", "time_ms as timeMs"]);
  return (await columns.executeTakeFirst()) ?? null;
}

async function reversalOf(db: Db, commissionId: number): Promise<CommissionDetail["reversal"]> {
  const reversed = actions(db, commissionId, "reversal").select([
    "reversal_id as reversalId",
    "commission_id as commissionId",
    "actor",
    "reason",
    "time_ms as timeMs",
    "from_payable as fromPayable",
    "from_spot as fromSpot",
    "newly_owed as owed",
  ]);
  return (await reversed.executeTakeFirst()) ?? null;
}
