/** GET getAffiliateUIDs: the caller's direct invitees, newest first. */
import { v2ReferralsRoute, v3ReferralsRoute } from "../../api/affiliate/reports.ts";
import type { QueryOf } from "../../api/route.ts";
import { accept } from "../../domain/index.ts";
import type { Page, Paged, Referral } from "../../queries/history-port.ts";
import { type Caller, type Exchange, endpoint, type Outcome } from "../endpoint.ts";
import { askPast } from "../history.ts";
import { readTimeRange } from "../parameters.ts";
import { askCallingAffiliate } from "./calling-affiliate.ts";
import { pagesOf, readIdFilter, readPage } from "./parameters.ts";

interface Found extends Paged<Referral> {
  readonly page: Page;
}

async function find(
  caller: Caller,
  query: QueryOf<typeof v2ReferralsRoute>,
  exchange: Exchange,
): Promise<Outcome<Found>> {
  const registered = readTimeRange(query.startTime, query.endTime, ["startTime", "endTime"]);
  if (!registered.ok) return registered;
  const affiliate = await askCallingAffiliate(exchange, caller.uid);
  if (!affiliate.ok) return affiliate;
  const page = readPage(query.page, query.pageSize);
  const question = {
    inviterUid: caller.uid,
    uid: readIdFilter(query.uid),
    registered: registered.value,
    page,
  };
  const answer = await askPast(exchange, "referrals", question, affiliate.sequence);
  return answer.ok ? accept({ ...answer.value, page }) : answer;
}

function toItem({ uid, registeredMs, kyc }: Referral) {
  return { uid: String(uid), registerTime: registeredMs, kycResult: kyc };
}

export const v2ReferralsEndpoint = endpoint(
  v2ReferralsRoute,
  async ({ caller, query }, exchange) => {
    const found = await find(caller, query, exchange);
    if (!found.ok) return found;
    return accept({ total: found.value.total, list: found.value.rows.map(toItem) });
  },
);

export const v3ReferralsEndpoint = endpoint(
  v3ReferralsRoute,
  async ({ caller, query }, exchange) => {
    const found = await find(caller, query, exchange);
    if (!found.ok) return found;
    const user = await exchange.engine.ask<"user">({ type: "user", uid: caller.uid });
    if (!user.ok) return user;
    const { inviteCode } = user.value;
    const { total, rows, page } = found.value;
    return accept({
      pages: pagesOf(total, page),
      pageSize: page.pageSize,
      total,
      channelUserInfoItemList: rows.map((row) => ({ ...toItem(row), inviteCode })),
    });
  },
);
