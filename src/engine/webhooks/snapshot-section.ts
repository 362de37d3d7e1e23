/** Webhooks in the state's canonical form; absent where there are none. */
import { WEBHOOK_KINDS } from "../../domain/index.ts";
import { choice, flag, list, record, text, uint } from "../../protocol/index.ts";
import { section } from "../snapshot-section.ts";

const webhookRow = record(110, "webhook", {
  webhookId: text,
  url: text,
  kinds: list(choice(WEBHOOK_KINDS)),
  accounts: list(uint),
  isPaused: flag,
  addedMs: uint,
});

export const WEBHOOKS = section({
  name: "webhooks",
  codec: webhookRow,
  optional: true,
  *rowsOf({ webhooks }) {
    for (const webhook of webhooks.values()) yield { type: "webhook", ...webhook } as const;
  },
  restore({ webhooks }, { type: _, ...webhook }) {
    webhooks.set(webhook.webhookId, webhook);
  },
});
