/** Withdrawals as they are now, and their steps. */
import type { HistoryQuery } from "./history-query.ts";

const ENTRY = [
  "withdrawal_id as withdrawalId",
  "uid",
  "request_id as requestId",
  "asset",
  "amount",
  "fee",
  "address_id as addressId",
  "network",
  "address",
  "memo",
  "state",
  "reference",
  "requested_ms as requestedMs",
  "changed_ms as changedMs",
] as const;

/** Its five states at most; a step has a row. */
const STEPS_MAX = 5;

export const withdrawals: HistoryQuery<"withdrawals"> = async (db, question) => {
  const { uid, state, afterWithdrawalId, beforeWithdrawalId, limit } = question;
  let query = db.selectFrom("withdrawals").select(ENTRY).limit(limit);
  if (uid !== null) query = query.where("uid", "=", uid);
  if (state !== null) query = query.where("state", "=", state);
  if (beforeWithdrawalId === null) {
    const after = query.where("withdrawal_id", ">", afterWithdrawalId);
    return await after.orderBy("withdrawal_id").execute();
  }
  return await query
    .where("withdrawal_id", "<", beforeWithdrawalId)
    .orderBy("withdrawal_id", "desc")
    .execute();
};

export const withdrawal: HistoryQuery<"withdrawal"> = async (db, { withdrawalId, uid }) => {
  const entry = await db
    .selectFrom("withdrawals")
    .select(ENTRY)
    .where("withdrawal_id", "=", withdrawalId)
    .limit(1)
    .executeTakeFirst();
  if (entry === undefined || (uid !== null && entry.uid !== uid)) return null;
  const steps = await db
    .selectFrom("withdrawal_steps")
    .select(["step_id as stepId", "state", "actor", "note", "time_ms as timeMs"])
    .where("withdrawal_id", "=", withdrawalId)
    .orderBy("step")
    .limit(STEPS_MAX)
    .execute();
  return { ...entry, steps };
};
