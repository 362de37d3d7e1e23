/** The tables of what webhooks are to be told: see `tables.ts`. */
import { integer, table, text } from "./table.ts";

export const WEBHOOK_TABLES = {
  /** Each webhook as it is now; a removed one has no kinds. */
  webhooks: table({
    columns: {
      webhook_id: text(),
      /** JSON lists. */
      kinds: text(),
      accounts: text(),
    },
    key: ["webhook_id"],
  }),

  /** Numbered from 1 for each webhook, without gaps, in the order of what happened. */
  webhook_events: table({
    columns: {
      webhook_id: text(),
      number: integer(),
      sequence: integer(),
      time_ms: integer(),
      event_type: text(),
      /** 0 for what concerns a market. */
      uid: integer(),
      /** A JSON object. */
      data: text(),
    },
    key: ["webhook_id", "number"],
  }),
};
