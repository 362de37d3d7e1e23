/**
 * Converts the engine's contract events to the reference exchange's form: ticks, lots and minor
 * units become amounts as text, and field names lose their unit.
 */
import { type Event, readEvents } from "../../../src/protocol/index.ts";
import { text } from "../../support/exact.ts";
import { eventAsText } from "../event-text.ts";
import type { NaiveEvent } from "../naive-accounts.ts";
import { minorUnit } from "../naive-rules.ts";
import type { NaiveContractExchange } from "./naive-contract-exchange.ts";

/** That say when what follows them happened. */
const TIMES = new Set(["command-applied", "timer-fired"]);
/** Events that tell how, not what: the reference samples where the engine need not. */
const UNCOMPARED = new Set(["premium-sampled", "resumed"]);
/** Fields that state what others imply, or that the rules leave open. */
const UNCOMPARED_FIELDS = new Set(["maintenanceE8Minor"]);
/** Of these events the reference says that they happened. */
const BARE = new Set([
  "contract-market-set",
  "contract-market-state-set",
  "asset-set",
  "spot-market-set",
  "spot-market-state-set",
  "user-registered",
  "user-updated",
  "fee-rates-set",
  "api-key-set",
  "api-key-revoked",
  "rules-adopted",
  "clock-advanced",
  "clock-set",
]);
/** Whether a step was the user's own, users are told. */
const TELLS_ACTOR = /^(withdrawal|deposit)-/;
const RATE = 10n ** 10n;

export function contractEventsAsText(
  chunk: Uint8Array,
  exchange: NaiveContractExchange,
): NaiveEvent[] {
  const events: NaiveEvent[] = [];
  for (const event of readEvents(chunk)) {
    if (TIMES.has(event.type)) events.push(event);
    else if (!UNCOMPARED.has(event.type)) events.push(asText(event, exchange));
  }
  return events;
}

interface Units {
  readonly tick: bigint;
  readonly step: bigint;
  readonly minor: bigint;
}

function asText(event: Event, exchange: NaiveContractExchange): NaiveEvent {
  if (BARE.has(event.type)) return { type: event.type };
  if (event.type.startsWith("spot-")) return eventAsText(event, exchange);
  const fields = event as unknown as Record<string, unknown> & { readonly type: string };
  const symbol = String(fields.symbol ?? "");
  const rules = exchange.contracts.get(symbol)?.rules;
  const asset = String(fields.asset ?? rules?.quote.asset ?? "");
  const { actor, ...rest } = fields;
  const emitted = TELLS_ACTOR.test(event.type) ? { ...rest, actor } : rest;
  return named(emitted, {
    tick: rules?.tick ?? 0n,
    step: rules?.step ?? 0n,
    minor: minorUnit(exchange.assets.get(asset)?.scale ?? 0),
  });
}

function named(fields: Record<string, unknown>, units: Units): NaiveEvent {
  const said: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(fields)) {
    if (UNCOMPARED_FIELDS.has(name)) continue;
    const [, plain = name, unit] = /^(.*?)(Ticks|Lots|Minor|E8)$/.exec(name) ?? [];
    if (Array.isArray(value) && value.every((one) => typeof one !== "object")) {
      said[name] = value;
    } else if (Array.isArray(value)) {
      said[name] = value.map((one: Record<string, unknown>) => named(one, units));
    } else if (typeof value === "object" && value !== null) {
      said[name] = named(value as Record<string, unknown>, units);
    } else if (unit === undefined) {
      said[name] = value;
    } else {
      const amount = value as bigint | number | null;
      said[plain] = amount === null ? null : text(BigInt(amount) * unitOf(unit, units));
    }
  }
  return said as NaiveEvent;
}

function unitOf(unit: string, { tick, step, minor }: Units): bigint {
  switch (unit) {
    case "Ticks":
      return tick;
    case "Lots":
      return step;
    case "Minor":
      return minor;
    default:
      return RATE;
  }
}

/**
 * The events of each type, in their order and with their time: what must agree. Without another
 * word they happened at the time of their command.
 */
export function byType(
  events: readonly NaiveEvent[],
  commandMs: number,
): Record<string, NaiveEvent[]> {
  const groups: Record<string, NaiveEvent[]> = {};
  let happenedMs: unknown = commandMs;
  for (const event of events) {
    if (TIMES.has(event.type)) happenedMs = event.timestampMs;
    if (TIMES.has(event.type) || UNCOMPARED.has(event.type)) continue;
    groups[event.type] ??= [];
    groups[event.type]?.push({ ...event, happenedMs });
  }
  // Rows that change together change in no order that anybody could see.
  groups["algo-order-changed"]?.sort((one, other) => Number(one.algoId) - Number(other.algoId));
  groups["contract-prices-changed"]?.sort(bySymbol);
  return groups;
}

function bySymbol(one: NaiveEvent, other: NaiveEvent): number {
  if (one.symbol === other.symbol) return 0;
  return String(one.symbol) < String(other.symbol) ? -1 : 1;
}
