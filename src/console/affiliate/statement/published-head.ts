/** Finds the published end in which a statement has to end. */
import type { RialtoClient, StatementHead } from "../../../client/index.ts";
import { dayEndMs, utcDay } from "../utc-days.ts";
import { headAt } from "./judge-statement.ts";

/** Most that one question answers. */
const HEADS_MAX = 366;
const FIRST_DAY = "1970-01-01";
/** A hundred years of days with commissions. */
const QUESTIONS_MAX = 100;

/** The last head up to and with `to`, looked for from `from` on and, if need be, from the start. */
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
