/** The table of reported deposits: see `tables.ts`. */
import type { DepositState } from "../domain/index.ts";
import { integer, table, text } from "./table.ts";

export const DEPOSIT_TABLES = {
  /** Each deposit as it is now. */
  deposits: table({
    columns: {
      deposit_id: integer(),
      uid: integer(),
      asset: text(),
      amount: text(),
      network: text(),
      transaction_id: text(),
      output_index: integer(),
      confirmations: integer(),
      required: integer(),
      state: text<DepositState>(),
      first_ms: integer(),
      changed_ms: integer(),
    },
    key: ["uid", "deposit_id"],
    indexes: [["deposit_id"], ["state", "deposit_id"], ["uid", "state", "deposit_id"]],
  }),
};
