/** A valid request for every affiliate route, and the calls that take an id of somebody's. */
import { type RouteRequest, read } from "./request-forms.ts";

/**
 * The signing account of the suites is an affiliate without funds, whose one invitee has this uid,
 * so that a payment is well formed and fails for want of money.
 */
export const INVITEE_UID = 777_001;

const V2 = "/api/v2/rebate/affiliate";
const V3 = "/api/v3/rebate/affiliate";

const affiliateRead = (query: Readonly<Record<string, string>> = {}): RouteRequest => ({
  ...read(query),
  wallet: "affiliate",
});
const affiliatePost = (
  body: Readonly<Record<string, unknown>>,
  access: "read" | "write",
): RouteRequest => ({ query: {}, body, access, wallet: "affiliate" });

const RANGE = { startTime: "1790000000000", endTime: "1795000000000" } as const;
const PAGE = { page: "1", pageSize: "10" } as const;
const UID = String(INVITEE_UID);

const COMMISSIONS = affiliateRead({
  uid: UID,
  ...RANGE,
  coin: "USDT",
  productType: "FUTURES",
  ...PAGE,
});
const REFERRALS = affiliateRead({ uid: UID, ...RANGE, ...PAGE });
const SUB_AFFILIATES = affiliatePost(
  {
    subUid: INVITEE_UID,
    startTime: 1790000000000,
    endTime: null,
    productType: "SPOT",
    pageNum: 1,
    pageSize: 10,
  },
  "read",
);
const PAYMENT = affiliatePost(
  {
    toUserId: INVITEE_UID,
    coin: "USDT",
    amount: "1.5",
    fromAccountType: "SPOT",
    toAccountType: "SPOT",
    clientWithdrawalId: "valid-8",
  },
  "write",
);
const PAYMENTS = affiliateRead({
  withdrawID: "987654321",
  coin: "USDT",
  endTime: "4000000000000",
  ...PAGE,
});
const EXPLANATION = affiliateRead({ commissionId: "987654321" });
const DAYS = affiliateRead({ from: "2025-01-01", to: "2025-01-31" });
const STATEMENT = affiliateRead({
  from: "2025-01-01",
  to: "2025-01-31",
  format: "json",
  part: "1",
});
const HEADS = affiliateRead({ from: "2025-01-01", limit: "10" });

export const AFFILIATE_REQUESTS: Readonly<Record<string, RouteRequest>> = {
  [`GET ${V2}/getAffiliateCommission`]: COMMISSIONS,
  [`GET ${V3}/getAffiliateCommission`]: COMMISSIONS,
  [`GET ${V2}/getChannelUserTradeAndAsset`]: REFERRALS,
  [`GET ${V3}/getChannelUserTradeAndAsset`]: REFERRALS,
  [`GET ${V2}/getAffiliateUIDs`]: REFERRALS,
  [`GET ${V3}/getAffiliateUIDs`]: REFERRALS,
  [`POST ${V2}/querySubChannelTransactions`]: SUB_AFFILIATES,
  [`POST ${V3}/querySubChannelTransactions`]: SUB_AFFILIATES,
  [`GET ${V3}/querySubChannelTransactions`]: affiliateRead({
    subUid: UID,
    ...RANGE,
    productType: "SPOT",
    pageNum: "1",
    pageSize: "10",
  }),
  [`POST ${V2}/internalWithdrawal`]: PAYMENT,
  [`POST ${V3}/internalWithdrawal`]: PAYMENT,
  [`GET ${V2}/getInternalWithdrawalStatus`]: PAYMENTS,
  [`GET ${V3}/getInternalWithdrawalStatus`]: PAYMENTS,
  [`GET ${V2}/profile`]: affiliateRead(),
  [`GET ${V3}/profile`]: affiliateRead(),
  [`GET ${V2}/commissionDays`]: DAYS,
  [`GET ${V3}/commissionDays`]: DAYS,
  [`GET ${V2}/explainCommission`]: EXPLANATION,
  [`GET ${V3}/explainCommission`]: EXPLANATION,
  [`GET ${V2}/statement`]: STATEMENT,
  [`GET ${V3}/statement`]: STATEMENT,
  [`GET ${V2}/statementHeads`]: HEADS,
  [`GET ${V3}/statementHeads`]: HEADS,
};

/** Which calls take an id of somebody's: nobody else's may work there. */
export const AFFILIATE_ID_PLACES: readonly {
  readonly route: string;
  /** What the id is one of. */
  readonly of: "commission" | "withdrawal" | "trader" | "sub-affiliate";
  request(id: number): RouteRequest;
}[] = [V2, V3].flatMap((base) => [
  {
    route: `GET ${base}/explainCommission`,
    of: "commission" as const,
    request: (id: number) => affiliateRead({ commissionId: String(id) }),
  },
  {
    route: `GET ${base}/getInternalWithdrawalStatus`,
    of: "withdrawal" as const,
    request: (id: number) => affiliateRead({ withdrawID: String(id) }),
  },
  ...["getAffiliateCommission", "getAffiliateUIDs", "getChannelUserTradeAndAsset"].map((call) => ({
    route: `GET ${base}/${call}`,
    of: "trader" as const,
    request: (id: number) => affiliateRead({ uid: String(id) }),
  })),
  {
    route: `POST ${base}/querySubChannelTransactions`,
    of: "sub-affiliate" as const,
    request: (id: number) => affiliatePost({ productType: "SPOT", subUid: id }, "read"),
  },
]);
