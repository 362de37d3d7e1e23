/** What a question of a client is, and the filters that it may have. */
import type { HistoryModel } from "../history/history-model.ts";
import type { NaiveContractExchange } from "../models/contract/naive-contract-exchange.ts";
import type { Random } from "../support/random.ts";
import type { Query } from "../support/signed-client.ts";
import type { Product } from "./orders.ts";

/** What an answer is derived from. */
export interface Known {
  readonly uid: number;
  readonly naive: NaiveContractExchange;
  readonly history: HistoryModel;
  /** Of the last command. */
  readonly nowMs: number;
  /** Of commands. */
  readonly times: readonly number[];
}

export interface Question {
  readonly sent: Query;
  /** What must be answered; some of it may depend on the moment that the answer names. */
  readonly due: (said: unknown) => unknown;
}

/** By what is asked: "GET /api/v3/openOrders"; null when there is nothing to ask for. */
export type Readings = Readonly<Record<string, (known: Known, random: Random) => Question | null>>;

/** A part of time: the bounds are times of commands, or one beside. */
export interface Range {
  readonly fromMs: number | null;
  readonly toMs: number | null;
}

/** As long as any question about the past may be. */
const RANGE_MAX_MS = 90 * 86_400_000;

export function someRange({ times }: Known, random: Random): Range {
  const bound = () => {
    return times.length === 0 || random.chance(0.5)
      ? null
      : random.pick([...times]) + random.integer(-1, 1);
  };
  const [fromMs, toMs] = [bound(), bound()];
  if (fromMs === null || toMs === null) return { fromMs, toMs };
  const endMs = Math.max(fromMs, toMs);
  return { fromMs: Math.max(Math.min(fromMs, toMs), endMs - RANGE_MAX_MS), toMs: endMs };
}

/** As it is sent, under the names of its ends. */
export function sentRange(
  { fromMs, toMs }: Range,
  [from, to]: readonly [from: string, to: string] = ["startTime", "endTime"],
): Query {
  return {
    ...(fromMs === null ? {} : { [from]: fromMs }),
    ...(toMs === null ? {} : { [to]: toMs }),
  };
}

/** How many rows are asked for; often as many as there are, or one more or less. */
export function someLimit(
  random: Random,
  usual: number,
  most: number,
  rows: number | null = null,
): { readonly limit: number; readonly sent: number | undefined } {
  const around = (rows ?? random.integer(2, 12)) + random.integer(-1, 1);
  const edge = Math.min(most, Math.max(1, around));
  const sent = random.pick([undefined, most, 1, random.integer(2, 12), edge, edge]);
  return { limit: sent ?? usual, sent };
}

/** Intervals that a range touches; null when it has no beginning. */
export function intervalsIn({ fromMs, toMs }: Range, intervalMs: number): number | null {
  if (fromMs === null || toMs === null) return null;
  return Math.floor(toMs / intervalMs) - Math.ceil(fromMs / intervalMs) + 1;
}

const UNIT_MS: Readonly<Record<string, number>> = { m: 60_000, h: 3_600_000, d: 86_400_000 };

/** Of "15m"; null for one that no number of milliseconds is. */
export function lengthOf(interval: string): number | null {
  const unitMs = UNIT_MS[interval.slice(-1)];
  return unitMs === undefined ? null : Number.parseInt(interval, 10) * unitMs;
}

/** What is undefined is not sent. */
export function sentOf(parts: Readonly<Record<string, string | number | undefined>>): Query {
  const given = Object.entries(parts).filter(([, value]) => value !== undefined);
  return Object.fromEntries(given) as Query;
}

/** Null or one of them. */
export function maybe<Value>(random: Random, values: readonly Value[]): Value | null {
  return values.length === 0 || random.chance(0.5) ? null : random.pick([...values]);
}

/** The end is given, as the present moves. */
export function somePast(known: Known, random: Random): Range {
  const { fromMs, toMs } = someRange(known, random);
  const end = Math.min(toMs ?? known.nowMs, known.nowMs);
  return { fromMs: fromMs === null ? null : Math.min(fromMs, end), toMs: end };
}

export function candleRow(candle: Readonly<Record<string, string | number>>) {
  const names = ["openMs", "open", "high", "low", "close", "baseVolume", "closeMs", "quoteVolume"];
  return [...names, "trades", "takerBaseVolume", "takerQuoteVolume"].map((name) => candle[name]);
}

/** Counted from 0; sometimes none is sent, and sometimes it is the one behind the last. */
export function somePage(random: Random, rows: number, limit: number): number | undefined {
  return random.chance(0.5) ? undefined : random.integer(0, Math.ceil(rows / limit));
}

/** The one of every market first, then by symbol. */
export const countdownsOf =
  (product: Product): Readings[string] =>
  ({ naive, uid }) => ({
    sent: {},
    due: () =>
      naive.switches
        .filter((one) => one.uid === uid && one.product === product)
        .sort((one, other) => ((one.symbol ?? "") < (other.symbol ?? "") ? -1 : 1))
        .map(({ symbol, countdownMs, firesAtMs, isHeld }) => {
          return { symbol, countdownMs, firesAt: firesAtMs, isHeld };
        }),
  });
