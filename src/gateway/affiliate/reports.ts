/** GET getAffiliateCommission: what the caller earned, one row per side of a fill, newest first. */
import { v2CommissionsRoute, v3CommissionsRoute } from "../../api/affiliate/reports.ts";
import type { AnswerOf, QueryOf } from "../../api/route.ts";
import { accept } from "../../domain/index.ts";
import type { Commission } from "../../queries/history-port.ts";
import { readPastRange } from "../contract/past-range.ts";
import { type EndpointRequest, type Exchange, endpoint, type Outcome } from "../endpoint.ts";
import { askPast } from "../history.ts";
import { askCallingAffiliate } from "./calling-affiliate.ts";
import {
  lookUpCoin,
  PRODUCTS_BY_TYPE,
  pagesOf,
  productTypeOf,
  readIdFilter,
  readPage,
} from "./parameters.ts";
import { closeReportRange } from "./report-range.ts";

type Query = QueryOf<typeof v2CommissionsRoute>;
type Report = AnswerOf<typeof v2CommissionsRoute>;

const WINDOW = { daysStandard: 7, daysMax: 90 };

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
  const asset = await lookUpCoin(exchange, query.coin);
  if (!asset.ok) return asset;
  const page = readPage(query.page, query.pageSize);
  const question = {
    affiliateUid: caller.uid,
    product: PRODUCTS_BY_TYPE[query.productType ?? "SPOT"],
    traderUid: readIdFilter(query.uid),
    asset: asset.value,
    time: time.value,
    page,
  };
  const answer = await askPast(exchange, "commissions", question, affiliate.sequence);
  if (!answer.ok) return answer;
  const { rows, total } = answer.value;
  return accept({
    pages: pagesOf(total, page),
    pageSize: page.pageSize,
    total,
    channelCommissionInfoItems: rows.map(toItem),
  });
}

function toItem(row: Commission): Report["channelCommissionInfoItems"][number] {
  return {
    uid: String(row.traderUid),
    date: row.timeMs,
    dealTime: String(row.timeMs),
    coin: row.asset,
    productType: productTypeOf(row.product),
    fee: row.fee,
    commission: row.amount,
    rate: row.rate,
    symbol: row.symbol,
    sourceType: sourceTypeOf(row),
    takerAmount: row.takerAmount,
    makerAmount: row.makerAmount,
    commissionId: String(row.commissionId),
    status: row.status,
    flags: [...row.flags],
  };
}

/** 1 for an invitee of the affiliate's own, 2 for what came through a sub-affiliate. */
export function sourceTypeOf({ viaUid }: Pick<Commission, "viaUid">): number {
  return viaUid === null ? 1 : 2;
}

export const v2CommissionsEndpoint = endpoint(v2CommissionsRoute, report);
export const v3CommissionsEndpoint = endpoint(v3CommissionsRoute, report);
