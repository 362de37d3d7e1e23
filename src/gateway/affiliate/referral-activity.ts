/** GET getChannelUserTradeAndAsset: what each of the caller's invitees brought, idle ones too. */
import { v2ReferralActivityRoute, v3ReferralActivityRoute } from "../../api/affiliate/reports.ts";
import type { AnswerOf, QueryOf } from "../../api/route.ts";
import { accept } from "../../domain/index.ts";
import { readPastRange } from "../contract/past-range.ts";
import { type EndpointRequest, type Exchange, endpoint, type Outcome } from "../endpoint.ts";
import { askPast } from "../history.ts";
import { askCallingAffiliate } from "./calling-affiliate.ts";
import { pagesOf, readIdFilter, readPage } from "./parameters.ts";
import { closeReportRange } from "./report-range.ts";

type Query = QueryOf<typeof v2ReferralActivityRoute>;
type Report = AnswerOf<typeof v2ReferralActivityRoute>;

const WINDOW = { daysStandard: 90, daysMax: 90 };

async function report(
  { caller, query }: EndpointRequest<Query, unknown>,
  exchange: Exchange,
): Promise<Outcome<Report>> {
  const range = readPastRange(query, WINDOW.daysMax);
  if (!range.ok) return range;
  const affiliate = await askCallingAffiliate(exchange, caller.uid);
  if (!affiliate.ok) return affiliate;
  const time = closeReportRange(range.value, WINDOW, affiliate.timestampMs);
  if (!time.ok) return time;
  const page = readPage(query.page, query.pageSize);
  const question = {
    inviterUid: caller.uid,
    uid: readIdFilter(query.uid),
    time: time.value,
    page,
  };
  const answer = await askPast(exchange, "referral-activity", question, affiliate.sequence);
  if (!answer.ok) return answer;
  const { rows, total } = answer.value;
  return accept({
    pages: pagesOf(total, page),
    pageSize: page.pageSize,
    total,
    records: rows.map((row) => ({
      uid: String(row.uid),
      depositAmount: row.deposits,
      withdrawalAmount: row.withdrawals,
      spotTradingAmount: row.spotVolume,
      futuresTradingAmount: row.contractVolume,
      commission: row.commission,
    })),
  });
}

export const v2ReferralActivityEndpoint = endpoint(v2ReferralActivityRoute, report);
export const v3ReferralActivityEndpoint = endpoint(v3ReferralActivityRoute, report);
