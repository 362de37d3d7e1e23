/**
 * The changes of a user's spot wallet, newest first. A fill is two bills, one incoming and one
 * outgoing; deposits, withdrawals and transfers have their own rows. Both are read up to the limit
 * and merged.
 */
import { negateDecimal, subtractDecimals } from "../store/index.ts";
import type { Bill, HistoryQuestion } from "./history-port.ts";
import type { Db, HistoryQuery } from "./history-query.ts";
import { rangeBounds } from "./ranges.ts";
import { newestSides, type SidedMarket, type SpotSide, sidedMarkets } from "./spot-sides.ts";

type Question = HistoryQuestion<"bills">;

export const bills: HistoryQuery<"bills"> = async (db, question) => {
  const { billType, limit } = question;
  const found: Bill[] = [];
  if (billType !== "trade_in" && billType !== "trade_out") {
    found.push(...(await fundsBills(db, question)));
  }
  if (billType === null || billType === "trade_in" || billType === "trade_out") {
    for (const side of await sidesOf(db, question)) {
      const bills = [billOfReceived(side), billOfPaid(side)];
      found.push(...bills.filter((bill) => isAsked(question, bill)));
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

/** Those that have a bill of the question. */
async function sidesOf(db: Db, question: Question): Promise<SpotSide[]> {
  const { uid, limit } = question;
  const markets = await sidedMarkets(db, uid, null);
  const asked = markets.filter((market) => hasAsked(question, market));
  return await newestSides(db, uid, asked, rangeBounds(question.time), 0, limit);
}

function hasAsked({ asset, billType }: Question, { market, side }: SidedMarket): boolean {
  if (asset === null) return true;
  const buys = side === "BUY";
  const receives = asset === (buys ? market.base_asset : market.quote_asset);
  const pays = asset === (buys ? market.quote_asset : market.base_asset);
  return (receives && billType !== "trade_out") || (pays && billType !== "trade_in");
}

function isAsked({ asset, billType }: Question, bill: Bill): boolean {
  return (
    (asset === null || bill.asset === asset) && (billType === null || bill.billType === billType)
  );
}

function billOfReceived(fill: SpotSide): Bill {
  const received = fill.side === "BUY" ? fill.quantity : fill.quoteQuantity;
  return {
    billId: fill.billId,
    uid: fill.uid,
    asset: fill.receivedAsset,
    billType: "trade_in",
    fillQuantity: fill.quantity,
    fillValue: fill.quoteQuantity,
    delta: subtractDecimals(received, fill.fee),
    after: fill.receivedAfter,
    fee: fill.fee,
    timeMs: fill.timeMs,
  };
}

function billOfPaid(fill: SpotSide): Bill {
  const paid = fill.side === "BUY" ? fill.quoteQuantity : fill.quantity;
  return {
    billId: fill.billId + 1,
    uid: fill.uid,
    asset: fill.paidAsset,
    billType: "trade_out",
    fillQuantity: fill.quantity,
    fillValue: fill.quoteQuantity,
    delta: negateDecimal(paid),
    after: fill.paidAfter,
    fee: "0",
    timeMs: fill.timeMs,
  };
}
