/** GET statementHeads: where the caller's chain of hashes stood at the end of each day. */
import { v2StatementHeadsRoute, v3StatementHeadsRoute } from "../../api/affiliate/statement.ts";
import type { AnswerOf, QueryOf } from "../../api/route.ts";
import { accept } from "../../domain/index.ts";
import { type EndpointRequest, type Exchange, endpoint, type Outcome } from "../endpoint.ts";
import { askPast } from "../history.ts";
import { askCallingAffiliate } from "./calling-affiliate.ts";
import { dayOf, readDay } from "./utc-day.ts";

const FIRST_DAY = dayOf(0);
const LIMIT_STANDARD = 100;

async function heads(
  { caller, query }: EndpointRequest<QueryOf<typeof v2StatementHeadsRoute>, unknown>,
  exchange: Exchange,
): Promise<Outcome<AnswerOf<typeof v2StatementHeadsRoute>>> {
  const { from: fromDay = FIRST_DAY, limit = LIMIT_STANDARD } = query;
  const from = readDay(fromDay, "from");
  if (!from.ok) return from;
  const affiliate = await askCallingAffiliate(exchange, caller.uid);
  if (!affiliate.ok) return affiliate;
  const question = { affiliateUid: caller.uid, fromDay, limit };
  const answer = await askPast(exchange, "statement-heads", question, affiliate.sequence);
  if (!answer.ok) return answer;
  const today = dayOf(affiliate.timestampMs);
  return accept(
    answer.value.map(({ day, ordinal, hash }) => {
      return { date: day, ordinal, hash, complete: day < today };
    }),
  );
}

export const v2StatementHeadsEndpoint = endpoint(v2StatementHeadsRoute, heads);
export const v3StatementHeadsEndpoint = endpoint(v3StatementHeadsRoute, heads);
