/** Random values of what is about webhooks, for `random-records.ts`. */
import { WEBHOOK_KINDS } from "../../src/domain/index.ts";
import type { RandomFields } from "./random-contract-records.ts";

function settings({ text, uint, flag, pick }: RandomFields) {
  return {
    actor: text(),
    webhookId: text(),
    url: text(),
    kinds: [pick(WEBHOOK_KINDS)],
    accounts: [uint(), uint()],
    isPaused: flag(),
  };
}

export function randomWebhookCommands(fields: RandomFields) {
  const { text } = fields;
  return {
    "set-webhook": () => settings(fields),
    "remove-webhook": () => ({ actor: text(), webhookId: text() }),
  };
}

export function randomWebhookEvents(fields: RandomFields) {
  const { text } = fields;
  return {
    "webhook-set": () => settings(fields),
    "webhook-removed": () => ({ actor: text(), webhookId: text() }),
  };
}
