/** What a webhook does and how a delivery went, in words. */
import type { ListWebhookDeliveriesAnswer, ListWebhooksAnswer } from "../../../client/index.ts";
import { utcTime } from "../../data/utc.ts";
import type { BadgeProps } from "../components/badge.tsx";

export type Webhook = ListWebhooksAnswer["items"][number];
export type Delivery = ListWebhookDeliveriesAnswer["items"][number];

export interface WebhookState {
  readonly tone: BadgeProps["tone"];
  readonly text: string;
}

/** Without a secret or paused nothing is sent, whatever failed before. */
export function webhookState({ hasSecret, paused, failingSince }: Webhook): WebhookState {
  if (!hasSecret) return { tone: "warn", text: "no secret" };
  if (paused) return { tone: "plain", text: "paused" };
  if (failingSince === null) return { tone: "good", text: "working" };
  return { tone: "bad", text: `failing since ${utcTime(failingSince)}` };
}

/** "deposits, fills of 70, 71" */
export function kindsText({ kinds, accounts }: Webhook): string {
  const accountsText = accounts.length === 0 ? "no account" : accounts.join(", ");
  return kinds.map((kind) => (kind === "fills" ? `fills of ${accountsText}` : kind)).join(", ");
}

/** The events of a delivery: "41", "41–45"; a test has none. */
export function eventsText({ firstNumber, lastNumber }: Delivery): string {
  if (firstNumber === 0) return "–";
  return firstNumber === lastNumber ? String(firstNumber) : `${firstNumber}–${lastNumber}`;
}

/** "status 503", or why there was none. */
export function answerText({ status, error }: Delivery): string {
  return status === null ? (error ?? "no answer") : `status ${status}`;
}

/** "Delivered in 12 ms: status 200", "Not delivered: ECONNREFUSED". */
export function deliverySentence(delivery: Delivery): string {
  const { delivered, durationMs } = delivery;
  const how = delivered ? `Delivered in ${durationMs} ms` : "Not delivered";
  return `${how}: ${answerText(delivery)}`;
}
