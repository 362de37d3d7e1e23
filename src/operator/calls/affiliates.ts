/** Affiliates, their rates, and the policy of caps and holds. */
import * as routes from "../../api/operator/affiliates.ts";
import type { AffiliatePolicyView, AffiliateView } from "../../protocol/index.ts";
import { done, pageLimit, toPage } from "../answers.ts";
import { handle, type OperatorContext, type Outcome } from "../call.ts";

function toAffiliate(view: AffiliateView) {
  const { uid, parentUid, depth, spotRate, futuresRate, rateVersion } = view;
  const balances = view.balances.map(({ asset, payable, held, owed }) => {
    return { asset, payable, held, owed };
  });
  const ratesSince = view.ratesSinceMs;
  return { uid, parentUid, depth, spotRate, futuresRate, rateVersion, ratesSince, balances };
}

async function readAffiliate(
  { engine }: OperatorContext,
  uid: number,
): Promise<Outcome<ReturnType<typeof toAffiliate>>> {
  const reply = await engine.query({ type: "affiliate", uid });
  return reply.ok ? done(toAffiliate(reply.value)) : reply;
}

const setAffiliate = handle(routes.setAffiliate, async ({ params, body, actor }, context) => {
  const { spotRate, futuresRate } = body;
  const reply = await context.engine.execute({
    type: "set-affiliate",
    actor,
    uid: params.uid,
    spotRate,
    futuresRate,
    parentUid: body.parentUid ?? null,
  });
  return reply.ok ? readAffiliate(context, params.uid) : reply;
});

const listAffiliates = handle(routes.listAffiliates, async ({ query }, { engine }) => {
  const limit = pageLimit(query);
  const reply = await engine.query({ type: "affiliates", afterUid: query.after ?? 0, limit });
  return reply.ok ? done(toPage(reply.value, limit, toAffiliate, ({ uid }) => uid)) : reply;
});

const getAffiliate = handle(routes.getAffiliate, ({ params }, context) =>
  readAffiliate(context, params.uid),
);

/** Wash trades are flagged above this share of a trader's volume. */
const WASH_TRADE_SHARE_DEFAULT = "0.5";

async function readPolicy({ engine }: OperatorContext): Promise<Outcome<AffiliatePolicyView>> {
  const reply = await engine.query({ type: "affiliate-policy" });
  return reply.ok ? done(reply.value) : reply;
}

const setAffiliatePolicy = handle(routes.setAffiliatePolicy, async ({ body, actor }, context) => {
  const reply = await context.engine.execute({
    type: "set-affiliate-policy",
    actor,
    capPerReferral30d: body.capPerReferral30d ?? null,
    holdSelfReferral: body.holdSelfReferral ?? false,
    holdWashTrades: body.holdWashTrades ?? false,
    washTradeShare: body.washTradeShare ?? WASH_TRADE_SHARE_DEFAULT,
  });
  return reply.ok ? readPolicy(context) : reply;
});

const getAffiliatePolicy = handle(routes.getAffiliatePolicy, (_, context) => readPolicy(context));

export const AFFILIATE_CALLS = [
  setAffiliate,
  listAffiliates,
  getAffiliate,
  setAffiliatePolicy,
  getAffiliatePolicy,
];
