/** Webhooks: what happened, sent to where an operator wants it. */
import { Type } from "typebox";
import { WEBHOOK_ACCOUNTS_MAX, WEBHOOK_KINDS } from "../../domain/index.ts";
import {
  Count,
  Fields,
  Flag,
  Limit,
  Nullable,
  OneOf,
  PageOf,
  TimestampMs,
  Uid,
  WebhookId,
} from "./fields.ts";
import { operatorRoute } from "./route.ts";

const TAG = "Webhooks";

const OneWebhook = Fields({ webhookId: WebhookId });

const Url = Type.String({
  pattern: "^https?://[!-~]{1,1980}$",
  description: "an https URL, or an http one of this machine",
});
const Kinds = Type.Array(OneOf(WEBHOOK_KINDS), {
  minItems: 1,
  uniqueItems: true,
  description: `a list of ${WEBHOOK_KINDS.join(", ")}: at least one, each once`,
});
const Accounts = Type.Array(Uid, {
  maxItems: WEBHOOK_ACCOUNTS_MAX,
  uniqueItems: true,
  description: `uids whose fills are sent: at most ${WEBHOOK_ACCOUNTS_MAX}, each once`,
});

/**
 * `deliveredNumber` is the last event that the webhook took, `lastNumber` the last that there is.
 * `failures` are the tries since the last success.
 */
const Webhook = Fields({
  webhookId: WebhookId,
  url: Type.String(),
  kinds: Kinds,
  accounts: Accounts,
  paused: Flag,
  added: TimestampMs,
  hasSecret: Flag,
  deliveredNumber: Count,
  lastNumber: Count,
  failures: Count,
  failingSince: Nullable(TimestampMs),
  lastError: Nullable(Type.String()),
});

/** `firstNumber` and `lastNumber` are the events that it had; 0 of a test. */
const Delivery = Fields({
  deliveryId: Count,
  time: TimestampMs,
  kind: OneOf(["events", "redelivery", "test"]),
  firstNumber: Count,
  lastNumber: Count,
  attempt: Count,
  delivered: Flag,
  status: Nullable(Count),
  error: Nullable(Type.String()),
  durationMs: Count,
});

const Secret = Fields({ webhookId: WebhookId, secret: Type.String() });

export const createWebhook = operatorRoute("createWebhook", {
  tag: TAG,
  summary: "Create a webhook; only this response shows the secret",
  body: Fields({ url: Url, kinds: Kinds, accounts: Type.Optional(Accounts) }),
  answer: Secret,
});

export const listWebhooks = operatorRoute("listWebhooks", {
  tag: TAG,
  summary: "List webhooks in the order in which they were created; at most 20",
  answer: Fields({ items: Type.Array(Webhook) }),
});

export const getWebhook = operatorRoute("getWebhook", {
  tag: TAG,
  summary: "Get a webhook: its settings, and how far it was told",
  params: OneWebhook,
  answer: Webhook,
});

export const updateWebhook = operatorRoute("updateWebhook", {
  tag: TAG,
  summary: "Change a webhook, pause or resume it; omitted fields keep their values",
  params: OneWebhook,
  body: Fields({
    url: Type.Optional(Url),
    kinds: Type.Optional(Kinds),
    accounts: Type.Optional(Accounts),
    paused: Type.Optional(Flag),
  }),
  answer: Webhook,
});

export const removeWebhook = operatorRoute("removeWebhook", {
  tag: TAG,
  summary: "Remove a webhook; what it was not told yet is never sent",
  params: OneWebhook,
  answer: OneWebhook,
});

export const renewWebhookSecret = operatorRoute("renewWebhookSecret", {
  tag: TAG,
  summary: "Give a webhook a new secret, which signs from then on; only this response shows it",
  params: OneWebhook,
  body: Fields({ after: Type.Optional(Count) }),
  answer: Secret,
});

export const testWebhook = operatorRoute("testWebhook", {
  tag: TAG,
  summary: "Send a test without events, once, and wait for how it went",
  params: OneWebhook,
  answer: Delivery,
});

export const redeliverWebhookEvent = operatorRoute("redeliverWebhookEvent", {
  tag: TAG,
  summary: "Send one event again, once, and wait for how it went",
  params: OneWebhook,
  body: Fields({ number: Count }),
  answer: Delivery,
});

export const listWebhookDeliveries = operatorRoute("listWebhookDeliveries", {
  tag: TAG,
  summary: "List the last 1000 deliveries of a webhook, newest first",
  params: OneWebhook,
  query: Fields({ before: Type.Optional(Count), limit: Type.Optional(Limit) }),
  answer: PageOf(Delivery, Count),
});
