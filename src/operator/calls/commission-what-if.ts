/** Commissions of a past period at other rates. A query: nothing changes. */
import * as routes from "../../api/operator/commission-what-if.ts";
import type { OperatorBody } from "../../api/operator/routes.ts";
import {
  CONTRACT_COMMISSION_RATE_MAX_E8,
  formatDecimal,
  parseDecimal,
  parseSignedDecimal,
  RATE_SCALE,
  type Rejection,
  reject,
  SCALE_MAX,
  SPOT_COMMISSION_RATE_MAX_E8,
} from "../../domain/index.ts";
import type { WhatIfRow } from "../../queries/history-port.ts";
import { done, queryHistory } from "../answers.ts";
import { handle, type OperatorContext } from "../call.ts";
import type { Refused } from "../refusal.ts";

type ProposedRates = OperatorBody<"compareCommissionRates">["rates"][number];

const { RANGE_DAYS_MAX, FILLS_MAX } = routes;
const RANGE_MS_MAX = RANGE_DAYS_MAX * 86_400_000;

const compareCommissionRates = handle(routes.compareCommissionRates, async ({ body }, context) => {
  const { rates, startTime: fromMs, endTime: toMs } = body;
  const refused = refuseRange(fromMs, toMs) ?? refuseRates(rates);
  if (refused !== null) return refused;
  const now = await context.engine.query({ type: "status" });
  if (!now.ok) return now;
  const stranger = await refuseStrangers(context, rates);
  if (stranger !== null) return stranger;
  const question = { rates, time: { fromMs, toMs }, fillsMax: FILLS_MAX };
  const found = await queryHistory(context, "commission-what-if", question, now.sequence);
  if (!found.ok) return found;
  if (found.value === null) {
    const detail = `earlier: the period has more than ${FILLS_MAX} sides of fills`;
    return reject("out-of-range", "endTime", detail);
  }
  const { fills, rows } = found.value;
  return done({ fills, rows: rows.map(toItem), totals: totalsOf(rows) });
});

function refuseRange(fromMs: number, toMs: number): Rejection | null {
  if (toMs < fromMs) return reject("out-of-range", "endTime", "startTime or later");
  if (toMs - fromMs <= RANGE_MS_MAX) return null;
  const detail = `at most ${RANGE_DAYS_MAX} days after startTime`;
  return reject("out-of-range", "endTime", detail);
}

function refuseRates(rates: readonly ProposedRates[]): Rejection | null {
  const seen = new Set<number>();
  for (const { uid, spotRate, futuresRate } of rates) {
    if (seen.has(uid))
      return reject("malformed", "rates", `a list with each uid once, and ${uid} is repeated`);
    seen.add(uid);
    const fault =
      faultOf(spotRate, SPOT_COMMISSION_RATE_MAX_E8) ??
      faultOf(futuresRate, CONTRACT_COMMISSION_RATE_MAX_E8);
    if (fault !== null) return reject(fault.reason, "rates", `${fault.detail} for uid ${uid}`);
  }
  return null;
}

function faultOf(rate: string, maxE8: number) {
  const rateE8 = parseDecimal(rate, RATE_SCALE);
  if (typeof rateE8 === "string") {
    return { reason: rateE8, detail: `at most ${RATE_SCALE} decimals, not ${rate}` };
  }
  if (rateE8 <= BigInt(maxE8)) return null;
  const most = formatDecimal(BigInt(maxE8), RATE_SCALE);
  return { reason: "out-of-range" as const, detail: `at most ${most}, not ${rate}` };
}

/** Null when all of them are affiliates. */
async function refuseStrangers(
  { engine }: OperatorContext,
  rates: readonly ProposedRates[],
): Promise<Refused | null> {
  const replies = await Promise.all(
    rates.map(({ uid }) => engine.query({ type: "affiliate", uid })),
  );
  for (const [index, reply] of replies.entries()) {
    if (reply.ok) continue;
    if ("unavailable" in reply) return reply;
    return reject(reply.reason, "rates", `uid ${rates[index]?.uid}`);
  }
  return null;
}

interface Cost {
  actual: bigint;
  proposed: bigint;
}

/** In units of 10^-SCALE_MAX, for amounts of any scale. */
function unitsOf(amount: string): bigint {
  return BigInt(parseSignedDecimal(amount, SCALE_MAX));
}

function costText({ actual, proposed }: Cost) {
  const text = (units: bigint): string => formatDecimal(units, SCALE_MAX);
  return {
    actual: text(actual),
    proposed: text(proposed),
    difference: text(proposed - actual),
  };
}

function toItem({ affiliateUid, product, asset, actual, proposed }: WhatIfRow) {
  const cost = costText({ actual: unitsOf(actual), proposed: unitsOf(proposed) });
  return { affiliateUid, product, asset, ...cost };
}

/** Per asset, sorted by name; amounts are never converted. */
function totalsOf(rows: readonly WhatIfRow[]) {
  const costs = new Map<string, Cost>();
  for (const { asset, actual, proposed } of rows) {
    const cost = costs.get(asset) ?? { actual: 0n, proposed: 0n };
    cost.actual += unitsOf(actual);
    cost.proposed += unitsOf(proposed);
    costs.set(asset, cost);
  }
  const assets = [...costs].sort(([one], [other]) => (one < other ? -1 : 1));
  return assets.map(([asset, cost]) => ({ asset, ...costText(cost) }));
}

export const WHAT_IF_CALLS = [compareCommissionRates];
