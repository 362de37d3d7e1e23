/**
 * The naive list of an operator's webhooks: what each is told about, as it was set last. Shares
 * nothing with the engine.
 */
import { type RejectReason, WEBHOOK_KINDS, type WebhookKind } from "../../src/domain/index.ts";
import type { CommandOf } from "../../src/protocol/index.ts";
import { accepted, type NaiveOutcome, refused } from "./naive-accounts.ts";

export interface NaiveWebhook {
  readonly webhookId: string;
  readonly url: string;
  readonly kinds: readonly WebhookKind[];
  readonly accounts: readonly number[];
  readonly isPaused: boolean;
}

const WEBHOOKS_MAX = 20;
const ACCOUNTS_MAX = 100;

export class NaiveWebhooks {
  /** In the order in which they were created. */
  readonly all: { settings: NaiveWebhook; readonly addedMs: number }[] = [];
  readonly #hasUser: (uid: number) => boolean;

  constructor(hasUser: (uid: number) => boolean) {
    this.#hasUser = hasUser;
  }

  set(command: CommandOf<"set-webhook">, nowMs: number): NaiveOutcome {
    const { accounts, isPaused, kinds, url, webhookId } = command;
    const known = this.all.find(({ settings }) => settings.webhookId === webhookId);
    const reasons = new Set<RejectReason>();
    const isNamed = webhookId.length > 0 && url.length > 0 && kinds.length > 0;
    const isOnce = accounts.every((uid, index) => accounts.indexOf(uid) === index);
    const isMeant = kinds.includes("fills") === accounts.length > 0;
    if (!isNamed || !isOnce || !isMeant || accounts.length > ACCOUNTS_MAX) reasons.add("malformed");
    if (!accounts.every((uid) => this.#hasUser(uid))) reasons.add("unknown-user");
    if (known === undefined && this.all.length >= WEBHOOKS_MAX) reasons.add("conflict");
    if (reasons.size > 0) return { ok: false, reasons };
    const settings = {
      ...{ webhookId, url, isPaused },
      kinds: WEBHOOK_KINDS.filter((kind) => kinds.includes(kind)),
      accounts: accounts.toSorted((one, other) => one - other),
    };
    if (JSON.stringify(known?.settings) === JSON.stringify(settings)) return accepted(null, []);
    if (known === undefined) this.all.push({ settings, addedMs: nowMs });
    else known.settings = settings;
    return accepted(null, [{ type: "webhook-set", ...settings }]);
  }

  remove({ webhookId }: CommandOf<"remove-webhook">): NaiveOutcome {
    const index = this.all.findIndex(({ settings }) => settings.webhookId === webhookId);
    if (index < 0) return refused("conflict");
    this.all.splice(index, 1);
    return accepted(null, [{ type: "webhook-removed", webhookId }]);
  }
}
