/** The operator's webhooks: what happened, sent to where operators want it. */
export { createPost, type Post, type PostOutcome } from "./post.ts";
export { WebhookStore } from "./webhook-store.ts";
export { Webhooks } from "./webhooks.ts";
