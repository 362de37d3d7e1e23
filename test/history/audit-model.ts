/** The naive audit log: every entry kept, every question a look through all of them. */
import type { Event } from "../../src/protocol/index.ts";
import type { HistoryAnswer, HistoryQuestion } from "../../src/queries/index.ts";
import { text } from "../support/exact.ts";
import type { Listing } from "./listed.ts";
import { isIn } from "./naive-candles.ts";

export class AuditModel {
  readonly #entries: HistoryAnswer<"audit">[number][] = [];
  readonly #listing: Listing;
  readonly #price: (symbol: string, ticks: number) => string;

  /** `price` is of a contract. */
  constructor(listing: Listing, price: (symbol: string, ticks: number) => string) {
    this.#listing = listing;
    this.#price = price;
  }

  add(event: Extract<Event, { actor: string }>, sequence: number, timeMs: number): void {
    const subject = subjectOf(event);
    const details: Record<string, unknown> = { ...event };
    if ("asset" in event) {
      for (const [name, value] of Object.entries(event)) {
        if (typeof value !== "bigint") continue;
        delete details[name];
        details[name.slice(0, -"Minor".length)] = this.#listing.units(value, event.asset);
      }
    }
    for (const [name, value] of Object.entries(event)) {
      if (!name.endsWith("E8")) continue;
      delete details[name];
      details[name.slice(0, -2)] = value === null ? null : text(BigInt(value) * 10n ** 10n);
    }
    if (event.type === "index-price-set" || event.type === "mark-price-pinned") {
      const name = event.type === "index-price-set" ? "index" : "mark";
      const ticks = "indexTicks" in event ? event.indexTicks : event.markTicks;
      delete details[`${name}Ticks`];
      details[`${name}Price`] = this.#price(event.symbol, ticks);
    }
    this.#entries.push({
      auditId: this.#entries.length + 1,
      sequence,
      timeMs,
      actor: event.actor,
      action: event.type,
      subject,
      details: JSON.stringify(details),
    });
  }

  addReason(reason: string): void {
    const entry = this.#entries.pop();
    if (entry === undefined) return;
    const details = JSON.stringify({ ...JSON.parse(entry.details), reason });
    this.#entries.push({ ...entry, details });
  }

  find({ afterAuditId, beforeAuditId, limit }: HistoryQuestion<"audit">): HistoryAnswer<"audit"> {
    const after = this.#entries.filter(({ auditId }) => auditId > afterAuditId);
    if (beforeAuditId === null) return after.slice(0, limit);
    const before = after.filter(({ auditId }) => auditId < beforeAuditId);
    return before.reverse().slice(0, limit);
  }

  /** With fewer entries than a search looks at. */
  search(q: HistoryQuestion<"audit-search">): HistoryAnswer<"audit-search"> {
    const { actor, action, uid, symbol, text, time } = q.filter;
    const all = this.#entries.filter((entry) => {
      const details = JSON.parse(entry.details);
      const whole = [entry.actor, entry.action, entry.subject, entry.details].join(" ");
      return (
        entry.auditId < q.beforeAuditId &&
        (actor === null || ` ${entry.actor} `.includes(` ${actor} `)) &&
        (action === null || entry.action === action) &&
        (uid === null || details.uid === uid) &&
        (symbol === null || details.symbol === symbol) &&
        (text === null || whole.toLowerCase().includes(text.toLowerCase())) &&
        isIn(time, entry.timeMs)
      );
    });
    const entries = all.reverse().slice(0, q.limit);
    const last = entries.length === q.limit ? (entries.at(-1)?.auditId ?? null) : null;
    return { entries, beforeAuditId: last };
  }
}

function subjectOf(event: Extract<Event, { actor: string }>): string {
  if (event.type === "clock-advanced" || event.type === "clock-set") return "clock";
  if (event.type === "affiliate-policy-set") return "affiliate-policy";
  if (event.type === "settlement-asked") return "settlement";
  if ("apiKey" in event) return event.apiKey;
  if (event.type === "approval-rule-set") return event.action;
  if ("proposalId" in event) return String(event.proposalId);
  if (event.type === "custody-reported") return "custody";
  if ("webhookId" in event) return event.webhookId;
  if ("withdrawalId" in event) return String(event.withdrawalId);
  if ("depositId" in event) return String(event.depositId);
  if ("uid" in event) return String(event.uid);
  if ("commissionId" in event) return String(event.commissionId);
  if (event.type === "operator-set" || event.type === "operator-removed") return event.name;
  return "symbol" in event ? event.symbol : event.asset;
}
