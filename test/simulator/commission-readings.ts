/**
 * What an operator may ask of affiliates and commissions, and what they would have been at other
 * rates, against the naive programme and history.
 */
import type { HistoryModel } from "../history/history-model.ts";
import {
  naiveAffiliates,
  naiveHeldCommissions,
  naivePolicy,
} from "../support/affiliate/naive-affiliate-views.ts";
import { exact, text } from "../support/exact.ts";
import type { Random } from "../support/random.ts";
import {
  cursorPage,
  type OperatorKnown,
  type OperatorQuestion,
  type OperatorReadings,
  pathOf,
  type Row,
} from "./operator-questions.ts";
import { maybe, someLimit, someRange } from "./questions.ts";

const ALL = 1_000_000;
const DAY_MS = 86_400_000;
const RATES = ["0", "0.1", "0.25000001", "0.33333333", "0.5"];

function affiliates({ programme }: OperatorKnown, random: Random): OperatorQuestion {
  const rows = naiveAffiliates(programme, 0, ALL).map(({ ratesSinceMs: ratesSince, ...row }) => {
    return { ...row, ratesSince };
  });
  return cursorPage(random, "affiliates", rows, ({ uid }) => uid);
}

const policy = ({ programme }: OperatorKnown): OperatorQuestion => {
  return { path: "affiliate-policy", due: () => naivePolicy(programme) };
};

function held({ programme }: OperatorKnown, random: Random): OperatorQuestion {
  const affiliateUid = maybe(random, [...programme.affiliates.keys()]);
  const all = naiveHeldCommissions(programme, affiliateUid, 0, ALL);
  const rows = all.map(({ timestampMs: time, ...row }) => ({ ...row, time }));
  const path = affiliateUid === null ? "commissions" : `commissions?affiliateUid=${affiliateUid}`;
  return cursorPage(random, path, rows, ({ commissionId }) => commissionId);
}

function timed<Each extends { readonly timeMs: number }>({ timeMs: time, ...row }: Each) {
  return { ...row, time };
}

function versionOf(rates: { readonly sinceMs: number } | null) {
  if (rates === null) return null;
  const { sinceMs: since, ...row } = rates;
  return { ...row, since };
}

/** A commission or a reversal as an operator is told of it; null when there is no such. */
export function commissionOf(history: HistoryModel, commissionId: number) {
  const found = history.answer("commission", { commissionId });
  if (found === null) return null;
  const { fill, rateVersion, release, reversal, settlement, viaRateVersion, ...row } = found;
  return {
    ...timed(row.commission),
    ...{ gross: row.gross, capped: row.capped, fill: fill && timed(fill) },
    ...{ rateVersion: versionOf(rateVersion), viaRateVersion: versionOf(viaRateVersion) },
    ...{ release: release && timed(release), reversal: reversal && timed(reversal) },
    settlement: settlement && timed(settlement),
  };
}

/** What is known of one, or of what took one back; null when there is no such. */
export function commissionQuestion(
  history: HistoryModel,
  commissionId: number,
): OperatorQuestion | null {
  const found = commissionOf(history, commissionId);
  return found === null ? null : { path: `commissions/${commissionId}`, due: () => found };
}

/** Whole, or only what an operator did with it. */
function commission({ history, programme }: OperatorKnown, random: Random) {
  const ids = [...programme.rows.keys()];
  if (ids.length === 0) return null;
  const decided = [...programme.rows.values()].filter(({ event, isReversed }) => {
    return isReversed || event.isHeld || event.cappedMinor > 0n;
  });
  const some = decided.map(({ event }) => event.commissionId).concat([...programme.reversals]);
  const commissionId = random.pick(some.length > 0 && random.chance(0.7) ? some : ids);
  const found = commissionOf(history, commissionId);
  if (found === null) return null;
  const path = `commissions/${commissionId}`;
  const part = random.pick([null, null, "release", "reversal"] as const);
  if (part !== null) {
    const one = found[part];
    return { path: `${path}/${part}s`, due: () => ({ items: one === null ? [] : [one] }) };
  }
  return { path, due: () => found };
}

const dayText = (ms: number) => new Date(ms).toISOString().slice(0, 10);

function heads({ history, programme }: OperatorKnown, random: Random): OperatorQuestion | null {
  const affiliateUid = maybe(random, [...programme.affiliates.keys()]);
  if (affiliateUid === null) return null;
  const headsFrom = (fromDay: string, limit: number) =>
    history.answer("statement-heads", { affiliateUid, fromDay, limit });
  const all = headsFrom("1970-01-01", ALL);
  const fromDay = maybe(random, all)?.day;
  const { limit, sent } = someLimit(random, 100, 1_000, all.length);
  return {
    path: pathOf(`affiliates/${affiliateUid}/statement-heads`, { fromDay, limit: sent }),
    isOfNow: true,
    due: (_, nowMs) => {
      const found = headsFrom(fromDay ?? "1970-01-01", limit);
      const last = found.length < limit ? undefined : found.at(-1);
      const items = found.map(({ affiliateUid: __, ...head }) => {
        return { ...head, complete: head.day < dayText(nowMs) };
      });
      const next = last === undefined ? null : dayText(Date.parse(last.day) + DAY_MS);
      return { items, next };
    },
  };
}

function costOf({ actual, proposed }: { readonly actual: bigint; readonly proposed: bigint }) {
  return {
    ...{ actual: text(actual), proposed: text(proposed) },
    difference: text(proposed - actual),
  };
}

/** Of some affiliates' fills, with bounds that often are those of a commission. */
function whatIf(known: OperatorKnown, random: Random): OperatorQuestion | null {
  const { history, nowMs, programme } = known;
  const uids = random.shuffle([...programme.affiliates.keys()]);
  if (uids.length === 0) return null;
  const rates = uids.slice(0, random.integer(1, 3)).map((uid) => {
    return { uid, spotRate: random.pick(RATES), futuresRate: random.pick(RATES) };
  });
  const times = [...programme.rows.values()].map(({ ms }) => ms);
  const range = someRange(known, random, times);
  const toMs = range.toMs ?? nowMs;
  const fromMs = Math.min(toMs, Math.max(range.fromMs ?? 0, toMs - 90 * DAY_MS));
  const question = { rates, time: { fromMs, toMs }, fillsMax: ALL };
  return {
    path: "commission-what-if",
    body: { rates, startTime: fromMs, endTime: toMs },
    due: () => {
      const found = history.answer("commission-what-if", question);
      const all = (found?.rows ?? []).map((row) => {
        return { ...row, actual: exact(row.actual), proposed: exact(row.proposed) };
      });
      const assets = [...new Set(all.map(({ asset }) => asset))].sort();
      const totals = assets.map((asset): Row => {
        const sumOf = (name: "actual" | "proposed") =>
          all.filter((row) => row.asset === asset).reduce((sum, row) => sum + row[name], 0n);
        return { asset, ...costOf({ actual: sumOf("actual"), proposed: sumOf("proposed") }) };
      });
      return { fills: found?.fills, rows: all.map((row) => ({ ...row, ...costOf(row) })), totals };
    },
  };
}

export const COMMISSION_READINGS: OperatorReadings = {
  affiliates,
  policy,
  held,
  commission,
  heads,
  whatIf,
};
