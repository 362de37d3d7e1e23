/**
 * The audit log: who did what. Every event with an actor is an entry; users' own movements of funds
 * have an empty actor and are no entries.
 */
import { formatDecimal, RATE_SCALE } from "../domain/index.ts";
import type { Event } from "../protocol/index.ts";
import type { Row } from "../store/index.ts";
import { type Instruments, priceText } from "./instruments.ts";

type AuditedEvent = Extract<Event, { readonly actor: string }>;

export function hasActor(event: Event): event is AuditedEvent {
  return "actor" in event && event.actor !== "";
}

export function auditRow(
  event: AuditedEvent,
  instruments: Instruments,
  sequence: number,
  timestampMs: number,
  auditId: number,
): Row<"audit"> {
  return {
    audit_id: auditId,
    sequence,
    time_ms: timestampMs,
    actor: event.actor,
    action: event.type,
    subject: subjectOf(event),
    details: JSON.stringify(detailsOf(event, instruments)),
  };
}

export function withReason(row: Row<"audit">, reason: string): Row<"audit"> {
  return { ...row, details: JSON.stringify({ ...JSON.parse(row.details), reason }) };
}

function subjectOf(event: AuditedEvent): string {
  switch (event.type) {
    case "clock-advanced":
    case "clock-set":
      return "clock";
    case "asset-set":
    case "insurance-moved":
    case "withdrawal-rules-set":
    case "deposit-rules-set":
      return event.asset;
    case "spot-market-set":
    case "spot-market-state-set":
    case "contract-market-set":
    case "contract-market-state-set":
    case "index-price-set":
    case "mark-price-pinned":
    case "funding-rate-set":
      return event.symbol;
    case "user-registered":
    case "user-updated":
    case "fee-rates-set":
    case "funds-moved":
    case "affiliate-set":
    case "house-account-set":
    case "withdrawal-address-added":
    case "withdrawal-address-removed":
      return String(event.uid);
    case "affiliate-policy-set":
      return "affiliate-policy";
    case "commission-released":
    case "commission-reversed":
      return String(event.commissionId);
    case "deposit-changed":
      return String(event.depositId);
    case "withdrawal-changed":
      return String(event.withdrawalId);
    case "settlement-asked":
      return "settlement";
    case "api-key-set":
    case "api-key-revoked":
      return event.apiKey;
    case "approval-rule-set":
      return event.action;
    case "proposal-changed":
      return String(event.proposalId);
    case "operator-set":
    case "operator-removed":
      return event.name;
    case "custody-reported":
      return "custody";
    case "webhook-set":
    case "webhook-removed":
      return event.webhookId;
  }
}

/**
 * The event with its minor units and ticks as decimal text: `amountMinor: 150n` of a scale of 2 is
 * `amount: "1.5"`, `markTicks: 30` of a tick of 0.1 is `markPrice: "3"`, `spotRateE8: 5000000` is
 * `spotRate: "0.05"`.
 */
function detailsOf(event: AuditedEvent, instruments: Instruments): object {
  const details: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(event)) {
    if (name.endsWith("E8")) {
      const isSet = typeof value === "number" || typeof value === "bigint";
      details[name.replace(/E8$/, "")] = isSet ? formatDecimal(BigInt(value), RATE_SCALE) : value;
    } else if (typeof value === "bigint" && "asset" in event) {
      details[name.replace(/Minor$/, "")] = instruments.amountText(event.asset, value);
    } else if (typeof value === "number" && name.endsWith("Ticks") && "symbol" in event) {
      const market = instruments.contractMarket(event.symbol ?? "");
      details[name.replace(/Ticks$/, "Price")] = priceText(market, value);
    } else {
      details[name] = value;
    }
  }
  return details;
}
