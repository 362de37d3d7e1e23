/** Random values of what is about webhooks and custody, for `random-records.ts`. */
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
  const { text, uint, orNull } = fields;
  return {
    "set-webhook": () => settings(fields),
    "remove-webhook": () => ({ actor: text(), webhookId: text() }),
    "report-custody": () => ({
      actor: text(),
      asOfMs: orNull(uint),
      balances: [{ asset: text(), amount: text() }],
    }),
  };
}

export function randomWebhookEvents(fields: RandomFields) {
  const { text, uint, orNull } = fields;
  return {
    "webhook-set": () => settings(fields),
    "webhook-removed": () => ({ actor: text(), webhookId: text() }),
    "custody-reported": () => ({
      actor: text(),
      asOfMs: uint(),
      reportedMs: uint(),
      rows: [
        {
          ...{ asset: text(), liability: text(), spotWallets: text(), contractWallets: text() },
          ...{ insurance: text(), fees: text(), clearing: text(), inFlight: text() },
          ...{ reported: orNull(text), difference: orNull(text), shortage: orNull(text) },
        },
      ],
    }),
  };
}
