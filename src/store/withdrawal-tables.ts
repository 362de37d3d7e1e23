/** The tables of withdrawals: see `tables.ts`. */
import type { WithdrawalState } from "../domain/index.ts";
import { integer, table, text } from "./table.ts";

export const WITHDRAWAL_TABLES = {
  /** Each withdrawal as it is now. */
  withdrawals: table({
    columns: {
      withdrawal_id: integer(),
      uid: integer(),
      request_id: text(),
      asset: text(),
      /** With the fee. */
      amount: text(),
      fee: text(),
      address_id: integer(),
      network: text(),
      address: text(),
      memo: text(),
      state: text<WithdrawalState>(),
      /** Of what was sent; "" before. */
      reference: text(),
      requested_ms: integer(),
      changed_ms: integer(),
    },
    key: ["uid", "withdrawal_id"],
    indexes: [["withdrawal_id"], ["state", "withdrawal_id"], ["uid", "state", "withdrawal_id"]],
  }),

  /** The request is step 1. */
  withdrawal_steps: table({
    columns: {
      withdrawal_id: integer(),
      step: integer(),
      step_id: text(),
      state: text<WithdrawalState>(),
      /** "" for the user. */
      actor: text(),
      note: text(),
      time_ms: integer(),
    },
    key: ["withdrawal_id", "step"],
  }),
};
