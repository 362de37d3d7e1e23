/** What other rates would have cost over a period that is past: a question, nothing changes. */
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
import { askHistory, done } from "../answers.ts";
import { handle, type Plane } from "../call.ts";
import type { Refused } from "../refusal.ts";

type ProposedRates = OperatorBody<"compareCommissionRates">["rates"][number];

const { RANGE_DAYS_MAX, FILLS_MAX } = routes;
const RANGE_MS_MAX = RANGE_DAYS_MAX * 86_400_000;

const compareCommissionRates = handle(routes.compareCommissionRates, async ({ body }, plane) => {
  const { rates, startTime: fromMs, endTime: toMs } = body;
  const refused = refuseRange(fromMs, toMs) ?? refuseRates(rates);
  if (refused !== null) return refused;
  const now = await plane.engine.ask({ type: "status" });
  if (!now.ok) return now;
  const stranger = await refuseStrangers(plane, rates);
  if (stranger !== null) return stranger;
  const question = { rates, time: { fromMs, toMs }, fillsMax: FILLS_MAX };
  const found = await askHistory(plane, "commission-what-if", question, now.sequence);
  if (!found.ok) return found;
  if (found.value === null) {
    const detail = `the period holds more than ${FILLS_MAX} sides of fills; shorten it`;
    return reject("out-of-range", "endTime", detail);
  }
  const { fills, rows } = found.value;
  return done({ fills, rows: rows.map(toItem), totals: totalsOf(rows) });
});

function refuseRange(fromMs: number, toMs: number): Rejection | null {
  if (toMs < fromMs) return reject("out-of-range", "endTime", "is before startTime");
  if (toMs - fromMs <= RANGE_MS_MAX) return null;
  const detail = `is more than ${RANGE_DAYS_MAX} days after startTime; shorten the period`;
  return reject("out-of-range", "endTime", detail);
}

function refuseRates(rates: readonly ProposedRates[]): Rejection | null {
  const seen = new Set<number>();
  for (const { uid, spotRate, futuresRate } of rates) {
    if (seen.has(uid)) return reject("malformed", "rates", `names ${uid} more than once`);
    seen.add(uid);
    const fault =
      faultOf(spotRate, SPOT_COMMISSION_RATE_MAX_E8) ??
      faultOf(futuresRate, CONTRACT_COMMISSION_RATE_MAX_E8);
    if (fault !== null) return reject(fault.reason, "rates", `of ${uid}: ${fault.detail}`);
  }
  return null;
}

function faultOf(rate: string, maxE8: number) {
  const rateE8 = parseDecimal(rate, RATE_SCALE);
  if (typeof rateE8 === "string") {
    return { reason: rateE8, detail: `${rate} has more than ${RATE_SCALE} decimals` };
  }
  if (rateE8 <= BigInt(maxE8)) return null;
  const most = formatDecimal(BigInt(maxE8), RATE_SCALE);
  return { reason: "out-of-range" as const, detail: `${rate} is above ${most}` };
}

/** Null when all of them are affiliates. */
async function refuseStrangers(
  { engine }: Plane,
  rates: readonly ProposedRates[],
): Promise<Refused | null> {
  const replies = await Promise.all(rates.map(({ uid }) => engine.ask({ type: "affiliate", uid })));
  for (const [index, reply] of replies.entries()) {
    if (reply.ok) continue;
    if ("unavailable" in reply) return reply;
    return reject(reply.reason, "rates", `names ${rates[index]?.uid}, who is none`);
  }
  return null;
}

interface Cost {
  actual: bigint;
  proposed: bigint;
}

/** Amounts of any scale, in the smallest unit that there is. */
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

/** Per coin, never converted: in order of name. */
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
