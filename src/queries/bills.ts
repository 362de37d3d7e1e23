/**
 * The changes of a user's spot wallet, newest first. A fill is two bills, one incoming and one
 * outgoing; deposits, withdrawals and transfers have their own rows. Both sources are read up to
 * the limit and merged.
 */
import { negateDecimal, subtractDecimals } from "../store/index.ts";
import type { Bill, HistoryQuestion } from "./history-port.ts";
import type { Db, HistoryQuery } from "./history-query.ts";
import { rangeBounds } from "./ranges.ts";

type Question = HistoryQuestion<"bills">;

export const bills: HistoryQuery<"bills"> = async (db, question) => {
  const { asset, billType, limit } = question;
  const found: Bill[] = [];
  if (billType !== "trade_in" && billType !== "trade_out") {
    found.push(...(await fundsBills(db, question)));
  }
  if (billType === null && asset === null) {
    const fills = await fillsOf(db, question, null);
    found.push(...fills.flatMap((fill) => [billOfReceived(fill), billOfPaid(fill)]));
  } else {
    if (billType === null || billType === "trade_in") {
      found.push(...(await fillsOf(db, question, "received_asset")).map(billOfReceived));
    }
    if (billType === null || billType === "trade_out") {
      found.push(...(await fillsOf(db, question, "paid_asset")).map(billOfPaid));
    }
  }
  return found.sort((left, right) => right.billId - left.billId).slice(0, limit);
};

async function fundsBills(db: Db, question: Question): Promise<Bill[]> {
  const { uid, asset, billType, limit } = question;
  const [fromMs, toMs] = rangeBounds(question.time);
  let query = db
    .selectFrom("funds_bills")
    .selectAll()
    .where("uid", "=", uid)
    .where("time_ms", ">=", fromMs)
    .where("time_ms", "<=", toMs);
  if (asset !== null) query = query.where("asset", "=", asset);
  if (billType !== null) query = query.where("bill_type", "=", billType as never);
  const rows = await query
    .orderBy("time_ms", "desc")
    .orderBy("bill_id", "desc")
    .limit(limit)
    .execute();
  return rows.map((row) => ({
    billId: row.bill_id,
    uid: row.uid,
    asset: row.asset,
    billType: row.bill_type,
    fillQuantity: "0",
    fillValue: "0",
    delta: row.delta,
    after: row.after,
    fee: "0",
    timeMs: row.time_ms,
  }));
}

type Fill = Awaited<ReturnType<typeof fillsOf>>[number];

async function fillsOf(
  db: Db,
  question: Question,
  assetColumn: "received_asset" | "paid_asset" | null,
) {
  const [fromMs, toMs] = rangeBounds(question.time);
  let query = db
    .selectFrom("spot_fills")
    .selectAll()
    .where("uid", "=", question.uid)
    .where("time_ms", ">=", fromMs)
    .where("time_ms", "<=", toMs);
  if (assetColumn !== null && question.asset !== null) {
    query = query.where(assetColumn, "=", question.asset);
  }
  return await query
    .orderBy("time_ms", "desc")
    .orderBy("bill_id", "desc")
    .limit(question.limit)
    .execute();
}

function billOfReceived(fill: Fill): Bill {
  const received = fill.side === "BUY" ? fill.quantity : fill.quote_quantity;
  return {
    billId: fill.bill_id,
    uid: fill.uid,
    asset: fill.received_asset,
    billType: "trade_in",
    fillQuantity: fill.quantity,
    fillValue: fill.quote_quantity,
    delta: subtractDecimals(received, fill.fee),
    after: fill.received_after,
    fee: fill.fee,
    timeMs: fill.time_ms,
  };
}

function billOfPaid(fill: Fill): Bill {
  const paid = fill.side === "BUY" ? fill.quote_quantity : fill.quantity;
  return {
    billId: fill.bill_id + 1,
    uid: fill.uid,
    asset: fill.paid_asset,
    billType: "trade_out",
    fillQuantity: fill.quantity,
    fillValue: fill.quote_quantity,
    delta: negateDecimal(paid),
    after: fill.paid_after,
    fee: "0",
    timeMs: fill.time_ms,
  };
}
