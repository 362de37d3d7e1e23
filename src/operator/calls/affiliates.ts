/** Affiliates and their rates, and the one policy of caps and flags for all of them. */
import { Type } from "typebox";
import type { AffiliatePolicyView, AffiliateView } from "../../protocol/index.ts";
import { done, pageLimit, toPage } from "../answers.ts";
import { call, type Outcome, type Plane } from "../call.ts";
import {
  Amount,
  AssetName,
  Count,
  Fields,
  Flag,
  Nothing,
  Nullable,
  PageAfterNumber,
  PageOf,
  TimestampMs,
  Uid,
} from "../schemas.ts";

const TAG = "Affiliates";
const OneAffiliate = Fields({ uid: Uid });

const Affiliate = Fields({
  uid: Uid,
  parentUid: Nullable(Uid),
  depth: Count,
  spotRate: Amount,
  futuresRate: Amount,
  rateVersion: Count,
  ratesSince: TimestampMs,
  balances: Type.Array(Fields({ asset: AssetName, payable: Amount, held: Amount, owed: Amount }), {
    description: "what waits for settlement, what is held, and what is owed after reversals",
  }),
});

function toAffiliate(view: AffiliateView) {
  const { uid, parentUid, depth, spotRate, futuresRate, rateVersion } = view;
  const balances = view.balances.map(({ asset, payable, held, owed }) => {
    return { asset, payable, held, owed };
  });
  const ratesSince = view.ratesSinceMs;
  return { uid, parentUid, depth, spotRate, futuresRate, rateVersion, ratesSince, balances };
}

async function readAffiliate(
  { engine }: Plane,
  uid: number,
): Promise<Outcome<ReturnType<typeof toAffiliate>>> {
  const reply = await engine.ask({ type: "affiliate", uid });
  return reply.ok ? done(toAffiliate(reply.value)) : reply;
}

const setAffiliate = call(
  {
    id: "setAffiliate",
    method: "PUT",
    path: "/operator/v1/affiliates/{uid}",
    tag: TAG,
    summary:
      "Make a user an affiliate, or change the rates for fills from now on. A parent affiliate " +
      "is given once, then or later, and never changed",
    params: OneAffiliate,
    query: Nothing,
    body: Fields({ spotRate: Amount, futuresRate: Amount, parentUid: Type.Optional(Uid) }),
    answer: Affiliate,
  },
  async ({ params, body, actor }, plane) => {
    const { spotRate, futuresRate } = body;
    const reply = await plane.engine.execute({
      type: "set-affiliate",
      actor,
      uid: params.uid,
      spotRate,
      futuresRate,
      parentUid: body.parentUid ?? null,
    });
    return reply.ok ? readAffiliate(plane, params.uid) : reply;
  },
);

const listAffiliates = call(
  {
    id: "listAffiliates",
    method: "GET",
    path: "/operator/v1/affiliates",
    tag: TAG,
    summary: "All affiliates, in order of uid",
    params: Nothing,
    query: PageAfterNumber,
    body: Nothing,
    answer: PageOf(Affiliate, Uid),
  },
  async ({ query }, { engine }) => {
    const limit = pageLimit(query);
    const reply = await engine.ask({ type: "affiliates", afterUid: query.after ?? 0, limit });
    return reply.ok ? done(toPage(reply.value, limit, toAffiliate, ({ uid }) => uid)) : reply;
  },
);

const getAffiliate = call(
  {
    id: "getAffiliate",
    method: "GET",
    path: "/operator/v1/affiliates/{uid}",
    tag: TAG,
    summary: "One affiliate: place in the tree, rates, and what is to be paid",
    params: OneAffiliate,
    query: Nothing,
    body: Nothing,
    answer: Affiliate,
  },
  ({ params }, plane) => readAffiliate(plane, params.uid),
);

const Policy = Fields({
  capPerReferral30d: Nullable(Amount),
  holdSelfReferral: Flag,
  holdWashTrades: Flag,
  washTradeShare: Amount,
});

/** More than half of what a trader traded. */
const WASH_TRADE_SHARE_DEFAULT = "0.5";

async function readPolicy({ engine }: Plane): Promise<Outcome<AffiliatePolicyView>> {
  const reply = await engine.ask({ type: "affiliate-policy" });
  return reply.ok ? done(reply.value) : reply;
}

const setAffiliatePolicy = call(
  {
    id: "setAffiliatePolicy",
    method: "PUT",
    path: "/operator/v1/affiliate-policy",
    tag: TAG,
    summary:
      "Set the whole policy; what is not given is off. The cap is in USDT for each affiliate and " +
      "referred user over 30 UTC days; what is held waits until it is released",
    params: Nothing,
    query: Nothing,
    body: Fields({
      capPerReferral30d: Type.Optional(Nullable(Amount)),
      holdSelfReferral: Type.Optional(Flag),
      holdWashTrades: Type.Optional(Flag),
      washTradeShare: Type.Optional(Amount),
    }),
    answer: Policy,
  },
  async ({ body, actor }, plane) => {
    const reply = await plane.engine.execute({
      type: "set-affiliate-policy",
      actor,
      capPerReferral30d: body.capPerReferral30d ?? null,
      holdSelfReferral: body.holdSelfReferral ?? false,
      holdWashTrades: body.holdWashTrades ?? false,
      washTradeShare: body.washTradeShare ?? WASH_TRADE_SHARE_DEFAULT,
    });
    return reply.ok ? readPolicy(plane) : reply;
  },
);

const getAffiliatePolicy = call(
  {
    id: "getAffiliatePolicy",
    method: "GET",
    path: "/operator/v1/affiliate-policy",
    tag: TAG,
    summary: "The policy as it is in force",
    params: Nothing,
    query: Nothing,
    body: Nothing,
    answer: Policy,
  },
  (_, plane) => readPolicy(plane),
);

export const AFFILIATE_CALLS = [
  setAffiliate,
  listAffiliates,
  getAffiliate,
  setAffiliatePolicy,
  getAffiliatePolicy,
];
