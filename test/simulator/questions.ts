/** What a question of a client is, and the filters that it may have. */
import type { CandleInterval } from "../../src/domain/index.ts";
import type { SpotFill } from "../../src/queries/index.ts";
import type { HistoryModel } from "../history/history-model.ts";
import type { NaiveAffiliateProgramme } from "../support/affiliate/naive-affiliate-programme.ts";
import type { Random } from "../support/random.ts";
import type { Query } from "../support/signed-client.ts";
import type { FundedExchange } from "./funded-exchange.ts";
import type { Product } from "./orders.ts";

/** What an answer is derived from. */
export interface Known {
  readonly uid: number;
  readonly naive: FundedExchange;
  readonly history: HistoryModel;
  readonly programme: NaiveAffiliateProgramme;
  /** Of the last command. */
  readonly nowMs: number;
  /** Of commands. */
  readonly times: readonly number[];
}

export interface Question {
  readonly sent: Query;
  /**
   * What must be answered, or a promise of it; some of it may depend on the moment that the answer
   * names, or on that of the question.
   */
  readonly due: (said: unknown, nowMs: number) => unknown;
  /** The moment of the question counts. */
  readonly isOfNow?: boolean;
}

/** By what is asked: "GET /api/v3/openOrders"; null when there is nothing to ask for. */
export type Readings = Readonly<Record<string, (known: Known, random: Random) => Question | null>>;

/** A part of time. */
export interface Range {
  readonly fromMs: number | null;
  readonly toMs: number | null;
}

/** Of candles of contracts. */
export const CONTRACT_INTERVALS = [
  ...["1m", "5m", "15m", "30m"],
  ...["1h", "4h", "12h", "1d", "1w"],
] as CandleInterval[];

/** As long as any question about the past may be. */
const RANGE_MAX_MS = 90 * 86_400_000;

/** Bounds are times of rows that are asked for, or of commands, or one beside. */
export function someRange({ times }: Known, random: Random, rows: readonly number[] = []): Range {
  const bound = () => {
    if (random.chance(0.5)) return null;
    const known = rows.length > 0 && random.chance(0.7) ? rows : times;
    return known.length === 0 ? null : random.pick(known) + random.integer(-1, 1);
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

/** Of anybody. */
export function someUid({ naive }: Known, random: Random): number {
  return random.pick([...naive.users.keys()]);
}

/** Of anybody: with its order nobody else is told of it. */
export function someSpotFill(
  { history, naive }: Known,
  random: Random,
  symbol: string,
): SpotFill | null {
  const time = { fromMs: null, toMs: null };
  const all = [...naive.users.keys()].flatMap((uid) => {
    const question = { uid, symbol, orderId: null, time, offset: 0, limit: Infinity };
    return history.answer("spot-fills", question);
  });
  return all.length === 0 ? null : random.pick(all);
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

/** Whether a whole page follows another one, or any page is asked for. */
const IN_PAGES = 0.4;

/**
 * One page of so many rows, counted from 0. Sometimes none is sent, sometimes it is the one behind
 * the last, and often the rows are several whole pages, give or take one row.
 */
export function somePage(
  random: Random,
  rows: number,
  usual: number,
  most: number,
): {
  readonly limit: number;
  readonly sent: number | undefined;
  readonly page: number | undefined;
  readonly begin: number;
} {
  const pages = random.integer(2, 4);
  const whole = Math.floor(rows / pages);
  if (whole >= 1 && whole <= most && random.chance(IN_PAGES)) {
    const page = random.integer(0, pages);
    return { limit: whole, sent: whole, page, begin: page * whole };
  }
  const { limit, sent } = someLimit(random, usual, most);
  const page = random.chance(0.5) ? undefined : random.integer(0, Math.ceil(rows / limit));
  return { limit, sent, page, begin: (page ?? 0) * limit };
}

/** How many fills are asked for from one on: often so many that a match is cut in two. */
export function someFillLimit(
  random: Random,
  usual: number,
  most: number,
  ids: readonly number[],
): { readonly limit: number; readonly sent: number | undefined } {
  const cuts = ids.flatMap((id, index) => (ids[index + 1] === id ? [index + 1] : []));
  if (cuts.length === 0 || random.chance(0.5)) return someLimit(random, usual, most);
  const limit = Math.min(most, random.pick(cuts));
  return { limit, sent: limit };
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
