/** Finds the published hash that a statement has to close with. */
import type { RialtoClient, StatementHead } from "../../../client/index.ts";
import { dayEndMs, utcDay } from "../../data/utc.ts";
import { headAt } from "./judge-statement.ts";

/** The most that one request returns. */
const HEADS_MAX = 366;
const FIRST_DAY = "1970-01-01";
/** A hundred years of days with commissions. */
const QUESTIONS_MAX = 100;

/** The last head up to `to`, searched from `from` and, if necessary, from the start. */
export async function publishedHead(
  client: Pick<RialtoClient, "affiliate">,
  from: string,
  to: string,
): Promise<StatementHead | null> {
  return (await headIn(client, from, to)) ?? (await headIn(client, FIRST_DAY, to));
}

async function headIn(
  client: Pick<RialtoClient, "affiliate">,
  from: string,
  to: string,
): Promise<StatementHead | null> {
  let found: StatementHead | null = null;
  let day = from;
  for (let asked = 0; asked < QUESTIONS_MAX; asked++) {
    const heads = await client.affiliate.statementHeads({ from: day, limit: HEADS_MAX });
    found = headAt(heads, to) ?? found;
    const last = heads.at(-1);
    if (last === undefined || heads.length < HEADS_MAX || last.date >= to) return found;
    day = utcDay(dayEndMs(last.date) + 1);
  }
  return found;
}
