/** The tables of what moved funds: see `tables.ts`. */
import type { Wallet } from "../domain/index.ts";
import type { FundsCommandType } from "../protocol/index.ts";
import { integer, nullableText, table, text } from "./table.ts";

export const FUNDS_TABLES = {
  /** Bills that are not matches: funds that entered or left the spot wallet, and commissions. */
  funds_bills: table({
    columns: {
      uid: integer(),
      time_ms: integer(),
      bill_id: integer(),
      asset: text(),
      bill_type: text<
        "deposit" | "withdraw" | "transfer_in" | "transfer_out" | "rr_agent_reward"
      >(),
      /** Signed. */
      delta: text(),
      after: text(),
    },
    key: ["uid", "time_ms", "bill_id"],
    indexes: [
      ["uid", "asset", "time_ms", "bill_id"],
      ["uid", "bill_type", "time_ms", "bill_id"],
      ["uid", "asset", "bill_type", "time_ms", "bill_id"],
    ],
  }),

  transfers: table({
    columns: {
      uid: integer(),
      time_ms: integer(),
      movement_id: integer(),
      request_id: text(),
      asset: text(),
      amount: text(),
      from_wallet: text<Wallet>(),
      to_wallet: text<Wallet>(),
    },
    key: ["uid", "time_ms", "movement_id"],
    indexes: [
      ["uid", "asset", "time_ms", "movement_id"],
      ["uid", "from_wallet", "time_ms", "movement_id"],
      ["uid", "asset", "from_wallet", "time_ms", "movement_id"],
    ],
  }),

  /**
   * Deposits and withdrawals. The ordinals number a user's rows, and the user's rows of one asset,
   * from 1, so that any page and any total is two look-ups, however many rows there are.
   */
  funding_movements: table({
    columns: {
      uid: integer(),
      uid_ordinal: integer(),
      asset_ordinal: integer(),
      movement_id: integer(),
      request_id: text(),
      kind: text<"deposit" | "withdrawal">(),
      wallet: text<Wallet>(),
      asset: text(),
      amount: text(),
      /** What the wallet holds afterwards, frozen part included. */
      after: text(),
      time_ms: integer(),
    },
    key: ["uid", "uid_ordinal"],
    indexes: [
      ["uid", "asset", "asset_ordinal"],
      ["uid", "time_ms", "uid_ordinal"],
      ["uid", "asset", "time_ms", "asset_ordinal"],
    ],
  }),

  /** Everything that moved funds, by its command; `uid` is 0 for the insurance fund. */
  operator_movements: table({
    columns: {
      command: text<FundsCommandType>(),
      uid: integer(),
      movement_id: integer(),
      request_id: text(),
      asset: text(),
      amount: text(),
      from_wallet: nullableText<Wallet>(),
      to_wallet: nullableText<Wallet>(),
      time_ms: integer(),
    },
    key: ["command", "uid", "movement_id"],
    indexes: [["command", "uid", "asset", "movement_id"]],
  }),
};
