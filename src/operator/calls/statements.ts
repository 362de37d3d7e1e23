/**
 * The heads of affiliates' statements: what an operator publishes, so that nobody, the operator
 * included, can change a statement afterwards without being found out.
 */
import { Type } from "typebox";
import { reject } from "../../domain/index.ts";
import { askHistory, done, pageLimit } from "../answers.ts";
import { call } from "../call.ts";
import { Count, Day, Fields, Limit, Nothing, PageOf, Uid } from "../schemas.ts";

const DAY_MS = 86_400_000;
const FIRST_DAY = "1970-01-01";

const Head = Fields({
  day: Day,
  ordinal: Count,
  hash: Type.String({
    pattern: "^[0-9a-f]{64}$",
    description: "SHA-256 of the affiliate's last entry of that day",
  }),
  complete: Type.Boolean({ description: "whether the day is over, so that the head stays" }),
});

const listStatementHeads = call(
  {
    id: "listStatementHeads",
    method: "GET",
    path: "/operator/v1/affiliates/{uid}/statement-heads",
    tag: "Affiliates",
    summary:
      "The end of an affiliate's hash chain on each UTC day on which it grew, oldest first, from " +
      "`fromDay` on; `next` is the `fromDay` of the following page. Publish complete ones",
    params: Fields({ uid: Uid }),
    query: Fields({ fromDay: Type.Optional(Day), limit: Type.Optional(Limit) }),
    body: Nothing,
    answer: PageOf(Head, Day),
  },
  async ({ params, query }, plane) => {
    const fromDay = query.fromDay ?? FIRST_DAY;
    if (!isOnCalendar(fromDay)) return reject("malformed", "fromDay", "is not on the calendar");
    const affiliate = await plane.engine.ask({ type: "affiliate", uid: params.uid });
    if (!affiliate.ok) return affiliate;
    const { sequence, timestampMs } = affiliate;
    const limit = pageLimit(query);
    const question = { affiliateUid: params.uid, fromDay, limit };
    const heads = await askHistory(plane, "statement-heads", question, sequence);
    if (!heads.ok) return heads;
    const today = dayOf(timestampMs);
    const items = heads.value.map(({ day, ordinal, hash }) => {
      return { day, ordinal, hash, complete: day < today };
    });
    const last = items.length < limit ? undefined : items.at(-1);
    const next = last === undefined ? null : dayOf(Date.parse(last.day) + DAY_MS);
    return done({ items, next });
  },
);

function dayOf(timestampMs: number): string {
  return new Date(timestampMs).toISOString().slice(0, 10);
}

function isOnCalendar(day: string): boolean {
  const timestampMs = Date.parse(day);
  return !Number.isNaN(timestampMs) && dayOf(timestampMs) === day;
}

export const STATEMENT_CALLS = [listStatementHeads];
