/** Webhooks: the exchange keeps their settings, whoever sends keeps secrets and positions. */
import { refuse } from "../../api/errors.ts";
import * as routes from "../../api/operator/webhooks.ts";
import { accept, type Result, reject } from "../../domain/index.ts";
import type { WebhookView } from "../../protocol/index.ts";
import { done, pageLimit, toPage } from "../answers.ts";
import { type Call, handle, type OperatorContext, type Outcome } from "../call.ts";
import type { WebhookDelivery, WebhookStatus } from "../ports.ts";

async function list({ engine }: OperatorContext): Promise<Outcome<readonly WebhookView[]>> {
  const reply = await engine.query({ type: "webhooks" });
  return reply.ok ? done(reply.value) : reply;
}

async function find(context: OperatorContext, webhookId: string): Promise<Outcome<WebhookView>> {
  const found = await list(context);
  if (!found.ok) return found;
  const webhook = found.value.find((candidate) => candidate.webhookId === webhookId);
  return webhook === undefined ? refuse("unknown-id", "webhookId") : done(webhook);
}

const NOT_BEGUN: WebhookStatus = {
  hasSecret: false,
  deliveredNumber: 0,
  lastNumber: 0,
  failures: 0,
  failingSinceMs: null,
  lastError: null,
};

async function toWebhook(context: OperatorContext, webhook: WebhookView) {
  const { isPaused: paused, addedMs: added, kinds, accounts, ...rest } = webhook;
  const told = (await context.webhooks.status(webhook.webhookId)) ?? NOT_BEGUN;
  if ("unavailable" in told) return told;
  const { failingSinceMs, ...status } = told;
  const failingSince = failingSinceMs === null ? null : Math.round(failingSinceMs);
  const lists = { kinds: [...kinds], accounts: [...accounts] };
  return done({ ...rest, ...lists, paused, added, ...status, failingSince });
}

function toDelivery({ timeMs: time, ...delivery }: WebhookDelivery) {
  const { status } = delivery;
  return { ...delivery, time, delivered: status !== null && status >= 200 && status < 300 };
}

function checkUrl(context: OperatorContext, url: string): Result<null> {
  const expected = context.webhooks.urlProblem(url);
  return expected === null ? accept(null) : reject("malformed", "url", expected);
}

const createWebhook = handle(routes.createWebhook, async ({ body, actor }, context) => {
  const { engine, webhooks } = context;
  const { url, kinds, accounts = [] } = body;
  const checked = checkUrl(context, url);
  if (!checked.ok) return checked;
  const created = await webhooks.create();
  if ("unavailable" in created) return created;
  const { webhookId, secret } = created;
  const settings = { webhookId, url, kinds, accounts, isPaused: false };
  const reply = await engine.execute({ type: "set-webhook", actor, ...settings });
  if (!reply.ok) {
    await webhooks.forget(webhookId);
    return reply;
  }
  await webhooks.refresh();
  return done({ webhookId, secret });
});

const listWebhooks = handle(routes.listWebhooks, async (_request, context) => {
  const found = await list(context);
  if (!found.ok) return found;
  const outcomes = await Promise.all(found.value.map((webhook) => toWebhook(context, webhook)));
  const refused = outcomes.find(({ ok }) => !ok);
  if (refused?.ok === false) return refused;
  return done({ items: outcomes.flatMap((outcome) => (outcome.ok ? [outcome.value] : [])) });
});

const getWebhook = handle(routes.getWebhook, async ({ params }, context) => {
  const found = await find(context, params.webhookId);
  return found.ok ? await toWebhook(context, found.value) : found;
});

const updateWebhook = handle(routes.updateWebhook, ({ params, body, actor }, context) =>
  context.mutex.run(async () => {
    const found = await find(context, params.webhookId);
    if (!found.ok) return found;
    const { addedMs: _, ...present } = found.value;
    const checked = checkUrl(context, body.url ?? present.url);
    if (!checked.ok) return checked;
    const { paused: isPaused = present.isPaused, ...changes } = body;
    const settings = { ...present, ...changes, isPaused };
    const reply = await context.engine.execute({ type: "set-webhook", actor, ...settings });
    if (!reply.ok) return reply;
    await context.webhooks.refresh();
    const changed = await find(context, params.webhookId);
    return changed.ok ? await toWebhook(context, changed.value) : changed;
  }),
);

const removeWebhook = handle(routes.removeWebhook, async ({ params, actor }, context) => {
  const { webhookId } = params;
  const found = await find(context, webhookId);
  if (!found.ok) return found;
  const reply = await context.engine.execute({ type: "remove-webhook", actor, webhookId });
  if (!reply.ok) return reply;
  await context.webhooks.refresh();
  await context.webhooks.forget(webhookId);
  return done({ webhookId });
});

const renewWebhookSecret = handle(
  routes.renewWebhookSecret,
  async ({ params: { webhookId }, body }, context) => {
    const found = await find(context, webhookId);
    if (!found.ok) return found;
    const renewed = await context.webhooks.newSecret(webhookId, body.after ?? null);
    return "unavailable" in renewed ? renewed : done({ webhookId, ...renewed });
  },
);

async function send(context: OperatorContext, webhookId: string, number: number | null) {
  const found = await find(context, webhookId);
  if (!found.ok) return found;
  const sent = await context.webhooks.send(webhookId, number);
  switch (sent) {
    case "no-secret":
      return reject("conflict", "webhookId", "it has no secret: give it a new one");
    case "busy":
      return reject("conflict", "webhookId", "another test or redelivery is under way");
    case "unknown-number":
      return refuse("unknown-id", "number");
    case "unavailable":
      return { ok: false, unavailable: "overloaded" } as const;
    default:
      return "unavailable" in sent ? sent : done(toDelivery(sent));
  }
}

const testWebhook = handle(routes.testWebhook, ({ params }, context) =>
  send(context, params.webhookId, null),
);

const redeliverWebhookEvent = handle(routes.redeliverWebhookEvent, ({ params, body }, context) =>
  send(context, params.webhookId, body.number),
);

const listWebhookDeliveries = handle(
  routes.listWebhookDeliveries,
  async ({ params, query }, context) => {
    const found = await find(context, params.webhookId);
    if (!found.ok) return found;
    const limit = pageLimit(query);
    const before = query.before ?? Number.MAX_SAFE_INTEGER;
    const rows = await context.webhooks.deliveries(params.webhookId, before, limit);
    if ("unavailable" in rows) return rows;
    return done(toPage(rows, limit, toDelivery, ({ deliveryId }) => deliveryId));
  },
);

export const WEBHOOK_CALLS: readonly Call[] = [
  createWebhook,
  listWebhooks,
  getWebhook,
  updateWebhook,
  removeWebhook,
  renewWebhookSecret,
  testWebhook,
  redeliverWebhookEvent,
  listWebhookDeliveries,
];
