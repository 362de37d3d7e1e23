/** The operator's webhooks: what happened, sent to where operators want it. */
export { createPost, type Post, type PostOutcome } from "./post.ts";
export { type WebhookTargets, webhookUrlProblem } from "./targets.ts";
export {
  DELIVERIES_MAX,
  type Delivery,
  type KnownWebhook,
  type WebhookRecords,
  WebhookStore,
} from "./webhook-store.ts";
export { type WebhookFigures, Webhooks } from "./webhooks.ts";
