/** Reported deposits as they are now. */
import type { HistoryQuery } from "./history-query.ts";

const ENTRY = [
  "deposit_id as depositId",
  "uid",
  "asset",
  "amount",
  "network",
  "transaction_id as transactionId",
  "output_index as outputIndex",
  "confirmations",
  "required",
  "state",
  "first_ms as firstMs",
  "changed_ms as changedMs",
] as const;

export const deposits: HistoryQuery<"deposits"> = async (db, question) => {
  const { uid, state, afterDepositId, beforeDepositId, limit } = question;
  let query = db.selectFrom("deposits").select(ENTRY).limit(limit);
  if (uid !== null) query = query.where("uid", "=", uid);
  if (state !== null) query = query.where("state", "=", state);
  if (beforeDepositId === null) {
    const after = query.where("deposit_id", ">", afterDepositId);
    return await after.orderBy("deposit_id").execute();
  }
  const before = query.where("deposit_id", "<", beforeDepositId);
  return await before.orderBy("deposit_id", "desc").execute();
};

export const deposit: HistoryQuery<"deposit"> = async (db, { depositId }) => {
  const query = db.selectFrom("deposits").select(ENTRY).where("deposit_id", "=", depositId);
  return (await query.limit(1).executeTakeFirst()) ?? null;
};
