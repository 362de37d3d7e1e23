/**
 * Heads of affiliates' statements. Once a head is published, any later change of the statement is
 * detectable.
 */
import * as routes from "../../api/operator/statements.ts";
import { reject } from "../../domain/index.ts";
import { done, pageLimit, queryHistory } from "../answers.ts";
import { handle } from "../call.ts";

const DAY_MS = 86_400_000;

const FIRST_DAY = "1970-01-01";

const listStatementHeads = handle(routes.listStatementHeads, async ({ params, query }, context) => {
  const fromDay = query.fromDay ?? FIRST_DAY;
  if (!isOnCalendar(fromDay))
    return reject("malformed", "fromDay", "a day that exists, written YYYY-MM-DD");
  const affiliate = await context.engine.query({ type: "affiliate", uid: params.uid });
  if (!affiliate.ok) return affiliate;
  const { sequence, timestampMs } = affiliate;
  const limit = pageLimit(query);
  const question = { affiliateUid: params.uid, fromDay, limit };
  const heads = await queryHistory(context, "statement-heads", question, sequence);
  if (!heads.ok) return heads;
  const today = dayOf(timestampMs);
  const items = heads.value.map(({ day, ordinal, hash }) => {
    return { day, ordinal, hash, complete: day < today };
  });
  const last = items.length < limit ? undefined : items.at(-1);
  const next = last === undefined ? null : dayOf(Date.parse(last.day) + DAY_MS);
  return done({ items, next });
});

function dayOf(timestampMs: number): string {
  return new Date(timestampMs).toISOString().slice(0, 10);
}

function isOnCalendar(day: string): boolean {
  const timestampMs = Date.parse(day);
  return !Number.isNaN(timestampMs) && dayOf(timestampMs) === day;
}

export const STATEMENT_CALLS = [listStatementHeads];
