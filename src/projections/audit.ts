/** Read model: what was done by whom. Every event that names an actor is one entry. */
import type { Event } from "../protocol/index.ts";
import type { AuditTable } from "../store/index.ts";
import type { Listings } from "./listings.ts";

type ActedEvent = Extract<Event, { readonly actor: string }>;

export function isActed(event: Event): event is ActedEvent {
  return "actor" in event;
}

export function auditRow(
  event: ActedEvent,
  listings: Listings,
  sequence: number,
  timestampMs: number,
  auditId: number,
): AuditTable {
  return {
    audit_id: auditId,
    sequence,
    time_ms: timestampMs,
    actor: event.actor,
    action: event.type,
    subject: subjectOf(event),
    details: JSON.stringify(detailsOf(event, listings)),
  };
}

function subjectOf(event: ActedEvent): string {
  switch (event.type) {
    case "clock-advanced":
      return "clock";
    case "asset-set":
    case "insurance-moved":
      return event.asset;
    case "spot-market-set":
    case "spot-market-state-set":
      return event.symbol;
    case "user-registered":
    case "user-updated":
    case "fee-rates-set":
    case "funds-moved":
      return String(event.uid);
    case "api-key-set":
    case "api-key-revoked":
      return event.apiKey;
  }
}

/**
 * The event with its minor units as decimal text: `amountMinor: 150n` of a scale of 2 is `amount:
 * "1.5"`.
 */
function detailsOf(event: ActedEvent, listings: Listings): object {
  const details: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(event)) {
    if (typeof value === "bigint" && "asset" in event) {
      details[name.replace(/Minor$/, "")] = listings.amountText(event.asset, value);
    } else {
      details[name] = value;
    }
  }
  return details;
}
