/**
 * Commands, events and the query of the operator's webhooks. Secrets are in none of them: whoever
 * sends has them.
 */
import { WEBHOOK_KINDS, type WebhookKind } from "../domain/index.ts";
import { choice, flag, list, record, text, uint } from "./record.ts";

const WEBHOOK_FIELDS = {
  actor: text,
  webhookId: text,
  url: text,
  kinds: list(choice(WEBHOOK_KINDS)),
  /** Whose fills; empty without "fills". */
  accounts: list(uint),
  isPaused: flag,
} as const;

/** Adds a webhook or replaces its settings. */
const setWebhook = record(110, "set-webhook", WEBHOOK_FIELDS);
const removeWebhook = record(111, "remove-webhook", { actor: text, webhookId: text });

export const WEBHOOK_COMMANDS = [setWebhook, removeWebhook] as const;

/** From now on the webhook is told of what happens, as it is set. */
const webhookSet = record(130, "webhook-set", WEBHOOK_FIELDS);
const webhookRemoved = record(131, "webhook-removed", { actor: text, webhookId: text });

export const WEBHOOK_EVENTS = [webhookSet, webhookRemoved] as const;

export interface WebhookView {
  readonly webhookId: string;
  readonly url: string;
  readonly kinds: readonly WebhookKind[];
  readonly accounts: readonly number[];
  readonly isPaused: boolean;
  readonly addedMs: number;
}
