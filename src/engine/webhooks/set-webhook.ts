/**
 * The operator's webhooks: where to, and about what. The engine keeps the settings, so that any
 * copy of the state knows them and history has what each was to be told; it sends nothing.
 */
import {
  accept,
  type Result,
  reject,
  WEBHOOK_ACCOUNTS_MAX,
  WEBHOOK_KINDS,
  WEBHOOKS_MAX,
} from "../../domain/index.ts";
import type { CommandOf, WebhookView } from "../../protocol/index.ts";
import type { Context, State } from "../state.ts";

export function setWebhook(context: Context, command: CommandOf<"set-webhook">): Result<null> {
  const { state, nowMs } = context;
  const { webhooks } = state;
  const { webhookId, url, kinds, accounts, isPaused } = command;
  const refused = checkSettings(state, command);
  if (refused !== null) return refused;
  const present = webhooks.get(webhookId);
  if (present === undefined && webhooks.size >= WEBHOOKS_MAX) {
    return reject("conflict", null, `at most ${WEBHOOKS_MAX} webhooks`);
  }
  const webhook: WebhookView = {
    webhookId,
    url,
    kinds: WEBHOOK_KINDS.filter((kind) => kinds.includes(kind)),
    accounts: [...accounts].sort((one, other) => one - other),
    isPaused,
    addedMs: present?.addedMs ?? nowMs,
  };
  if (JSON.stringify(present) === JSON.stringify(webhook)) return accept(null);
  webhooks.set(webhookId, webhook);
  const { addedMs: _, ...settings } = webhook;
  context.emit({ type: "webhook-set", actor: command.actor, ...settings });
  return accept(null);
}

function checkSettings(state: State, command: CommandOf<"set-webhook">): Result<never> | null {
  const { webhookId, url, kinds, accounts } = command;
  if (webhookId === "") return reject("malformed", "webhookId", "1 character or more");
  if (url === "") return reject("malformed", "url", "1 character or more");
  if (kinds.length === 0) return reject("malformed", "kinds", "one kind or more");
  if (accounts.length > WEBHOOK_ACCOUNTS_MAX || new Set(accounts).size < accounts.length) {
    return reject("malformed", "accounts", `at most ${WEBHOOK_ACCOUNTS_MAX}, each once`);
  }
  if (kinds.includes("fills") !== accounts.length > 0) {
    return reject("malformed", "accounts", "those whose fills are sent; none without fills");
  }
  const unknown = accounts.find((uid) => !state.users.has(uid));
  return unknown === undefined ? null : reject("unknown-user", "accounts", String(unknown));
}

/** It is told nothing more. */
export function removeWebhook(
  context: Context,
  { actor, webhookId }: CommandOf<"remove-webhook">,
): Result<null> {
  const { webhooks } = context.state;
  if (!webhooks.delete(webhookId)) return reject("conflict", "webhookId", "there is none");
  context.emit({ type: "webhook-removed", actor, webhookId });
  return accept(null);
}
