/** querySubChannelTransactions: what the caller's sub-affiliates earned on, by product and day. */
import {
  v2SubAffiliatesRoute,
  v3SubAffiliatesByGetRoute,
  v3SubAffiliatesRoute,
} from "../../api/affiliate/reports.ts";
import type { AnswerOf, BodyOf, QueryOf } from "../../api/route.ts";
import { accept } from "../../domain/index.ts";
import { readPastRange } from "../contract/past-range.ts";
import { type Caller, type Exchange, endpoint, type Outcome } from "../endpoint.ts";
import { askPast } from "../history.ts";
import { askCallingAffiliate } from "./calling-affiliate.ts";
import { PRODUCTS_BY_TYPE, pagesOf, readIdFilter, readPage } from "./parameters.ts";
import { closeReportRange } from "./report-range.ts";

type Input = BodyOf<typeof v2SubAffiliatesRoute> | QueryOf<typeof v3SubAffiliatesByGetRoute>;
type Report = AnswerOf<typeof v2SubAffiliatesRoute>;

const WINDOW = { daysStandard: 7, daysMax: 90 };

async function report(caller: Caller, input: Input, exchange: Exchange): Promise<Outcome<Report>> {
  const range = readPastRange(input, WINDOW.daysMax);
  if (!range.ok) return range;
  const affiliate = await askCallingAffiliate(exchange, caller.uid);
  if (!affiliate.ok) return affiliate;
  const time = closeReportRange(range.value, WINDOW, affiliate.timestampMs);
  if (!time.ok) return time;
  const { productType } = input;
  const page = readPage(input.pageNum, input.pageSize);
  const question = {
    parentUid: caller.uid,
    subUid: readIdFilter(input.subUid),
    product: PRODUCTS_BY_TYPE[productType],
    time: time.value,
    page,
  };
  const answer = await askPast(exchange, "sub-affiliate-days", question, affiliate.sequence);
  if (!answer.ok) return answer;
  const { rows, total } = answer.value;
  return accept({
    records: rows.map((row) => ({
      subAffiliateUid: String(row.subUid),
      productType,
      date: row.day,
      tradingVolume: row.volume,
      netTradingFee: row.netFee,
      paidCommission: row.paidCommission,
    })),
    total,
    size: page.pageSize,
    current: page.page,
    pages: pagesOf(total, page),
  });
}

export const v2SubAffiliatesEndpoint = endpoint(
  v2SubAffiliatesRoute,
  ({ caller, body }, exchange) => report(caller, body, exchange),
);
export const v3SubAffiliatesEndpoint = endpoint(
  v3SubAffiliatesRoute,
  ({ caller, body }, exchange) => report(caller, body, exchange),
);
export const v3SubAffiliatesByGetEndpoint = endpoint(
  v3SubAffiliatesByGetRoute,
  ({ caller, query }, exchange) => report(caller, query, exchange),
);
