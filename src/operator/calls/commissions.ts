/**
 * Commissions that were earned: looking at one, letting go of what is held, taking back what should
 * not have been paid, and settling at once. Each change takes a reason, for the audit.
 */
import { Type } from "typebox";
import { reject } from "../../domain/index.ts";
import type { HeldCommissionView } from "../../protocol/index.ts";
import type { Commission, CommissionDetail } from "../../queries/history-port.ts";
import { askHistory, done, pageLimit, toPage } from "../answers.ts";
import { call, type Outcome, type Plane } from "../call.ts";
import {
  Actor,
  Amount,
  AssetName,
  CommissionFlags,
  CommissionId,
  Count,
  Fields,
  Limit,
  MarketSymbol,
  Nothing,
  Nullable,
  OneOf,
  PageAfterNumber,
  PageOf,
  Product,
  Reason,
  SignedAmount,
  TimestampMs,
  Uid,
} from "../schemas.ts";

const TAG = "Commissions";
const OneCommission = Fields({ commissionId: CommissionId });
const WithReason = Fields({ reason: Reason });

const Status = OneOf(["accrued", "held", "settled", "reversed", "reversal"]);
const Role = OneOf(["maker", "taker"]);

const COMMON = {
  commissionId: CommissionId,
  affiliateUid: Uid,
  traderUid: Uid,
  product: Product,
  symbol: MarketSymbol,
  asset: AssetName,
  flags: CommissionFlags,
  time: TimestampMs,
};

const HeldCommission = Fields({ ...COMMON, amount: Amount });

const RateVersion = Fields({
  uid: Uid,
  version: Count,
  spotRate: Amount,
  futuresRate: Amount,
  since: TimestampMs,
});

const Release = Fields({ actor: Actor, reason: Type.String(), time: TimestampMs });

const Reversal = Fields({
  reversalId: CommissionId,
  commissionId: CommissionId,
  actor: Actor,
  reason: Type.String(),
  time: TimestampMs,
  fromPayable: Amount,
  fromSpot: Amount,
  owed: Amount,
});

const Detail = Fields({
  ...COMMON,
  amount: SignedAmount,
  status: Status,
  fee: Amount,
  rate: Amount,
  gross: SignedAmount,
  capped: Amount,
  viaUid: Nullable(Uid),
  takerAmount: Amount,
  makerAmount: Amount,
  fill: Nullable(
    Fields({
      tradeId: Count,
      role: Role,
      price: Amount,
      quantity: Amount,
      quoteQuantity: Amount,
      quoteAsset: AssetName,
      time: TimestampMs,
    }),
  ),
  rateVersion: Nullable(RateVersion),
  viaRateVersion: Nullable(RateVersion),
  settlement: Nullable(
    Fields({
      settlementId: Count,
      time: TimestampMs,
      accrued: Amount,
      recovered: Amount,
      paid: Amount,
    }),
  ),
  release: Nullable(Release),
  reversal: Nullable(Reversal),
});

/** The time of a row is `timeMs` inside and `time` on the wire. */
function timed<Row extends { readonly timeMs: number }>(row: Row) {
  const { timeMs: time, ...rest } = row;
  return { ...rest, time };
}

function toRateVersion(version: CommissionDetail["rateVersion"]) {
  if (version === null) return null;
  const { sinceMs: since, ...rest } = version;
  return { ...rest, since };
}

function toDetail(detail: CommissionDetail) {
  const { commission, fill, settlement, release, reversal, gross, capped } = detail;
  return {
    ...timed(commission),
    flags: [...commission.flags],
    gross,
    capped,
    fill: fill && timed(fill),
    rateVersion: toRateVersion(detail.rateVersion),
    viaRateVersion: toRateVersion(detail.viaRateVersion),
    settlement: settlement && timed(settlement),
    release: release && timed(release),
    reversal: reversal && timed(reversal),
  };
}

/** What the history has of it now; refused when there is no such commission. */
async function readDetail(plane: Plane, commissionId: number): Promise<Outcome<CommissionDetail>> {
  const now = await plane.engine.ask({ type: "status" });
  if (!now.ok) return now;
  const found = await askHistory(plane, "commission", { commissionId }, now.sequence);
  if (!found.ok) return found;
  return found.value === null ? reject("unknown-commission", "commissionId") : done(found.value);
}

const listHeldCommissions = call(
  {
    id: "listHeldCommissions",
    method: "GET",
    path: "/operator/v1/commissions",
    tag: TAG,
    summary: "Commissions that are held, of all affiliates or of one, oldest first",
    params: Nothing,
    query: Fields({
      affiliateUid: Type.Optional(Uid),
      after: Type.Optional(Count),
      limit: Type.Optional(Limit),
    }),
    body: Nothing,
    answer: PageOf(HeldCommission, CommissionId),
  },
  async ({ query }, { engine }) => {
    const limit = pageLimit(query);
    const reply = await engine.ask({
      type: "held-commissions",
      affiliateUid: query.affiliateUid ?? null,
      afterCommissionId: query.after ?? 0,
      limit,
    });
    if (!reply.ok) return reply;
    const toItem = (view: HeldCommissionView) => {
      const { timestampMs: time, flags, ...rest } = view;
      return { ...rest, flags: [...flags], time };
    };
    return done(toPage(reply.value, limit, toItem, ({ commissionId }) => commissionId));
  },
);

const getCommission = call(
  {
    id: "getCommission",
    method: "GET",
    path: "/operator/v1/commissions/{commissionId}",
    tag: TAG,
    summary: "One commission or reversal: its fill, fee, rates, and what became of it",
    params: OneCommission,
    query: Nothing,
    body: Nothing,
    answer: Detail,
  },
  async ({ params }, plane) => {
    const found = await readDetail(plane, params.commissionId);
    return found.ok ? done(toDetail(found.value)) : found;
  },
);

const releaseCommission = call(
  {
    id: "releaseCommission",
    method: "POST",
    path: "/operator/v1/commissions/{commissionId}/releases",
    tag: TAG,
    summary: "Let go of a commission that is held: the next settlement pays it",
    params: OneCommission,
    query: Nothing,
    body: WithReason,
    answer: Release,
  },
  async ({ params, body, actor }, { engine }) => {
    const { commissionId } = params;
    const { reason } = body;
    const reply = await engine.execute({ type: "release-commission", actor, commissionId, reason });
    return reply.ok ? done({ actor, reason, time: reply.timestampMs }) : reply;
  },
);

const listReleases = call(
  {
    id: "listCommissionReleases",
    method: "GET",
    path: "/operator/v1/commissions/{commissionId}/releases",
    tag: TAG,
    summary: "The release of a commission: one at most",
    params: OneCommission,
    query: Nothing,
    body: Nothing,
    answer: Fields({ items: Type.Array(Release) }),
  },
  async ({ params }, plane) => {
    const found = await readDetail(plane, params.commissionId);
    if (!found.ok) return found;
    const { release } = found.value;
    return done({ items: release === null ? [] : [timed(release)] });
  },
);

/**
 * The engine remembers only what is held, so it is told whose the commission was and how much. Its
 * own record of what was given out and taken back decides.
 */
function factsOf({ affiliateUid, traderUid, product, symbol, asset, amount }: Commission) {
  return { affiliateUid, traderUid, product, symbol, asset, amount };
}

const reverseCommission = call(
  {
    id: "reverseCommission",
    method: "POST",
    path: "/operator/v1/commissions/{commissionId}/reversals",
    tag: TAG,
    summary:
      "Take a commission back by an entry of the opposite amount: out of what waits for " +
      "settlement, then out of the spot wallet; the rest is kept back from later settlements",
    params: OneCommission,
    query: Nothing,
    body: WithReason,
    answer: Reversal,
  },
  async ({ params, body, actor }, plane) => {
    const { commissionId } = params;
    const { reason } = body;
    const found = await readDetail(plane, commissionId);
    if (!found.ok) return found;
    const { commission } = found.value;
    if (commission.status === "reversal") {
      return reject("unknown-commission", "commissionId", "is itself a reversal");
    }
    const reply = await plane.engine.execute({
      type: "reverse-commission",
      actor,
      commissionId,
      reason,
      ...factsOf(commission),
    });
    if (!reply.ok) return reply;
    const { reversalId, fromPayable, fromSpot, owed } = reply.value;
    const time = reply.timestampMs;
    return done({ reversalId, commissionId, actor, reason, time, fromPayable, fromSpot, owed });
  },
);

const listReversals = call(
  {
    id: "listCommissionReversals",
    method: "GET",
    path: "/operator/v1/commissions/{commissionId}/reversals",
    tag: TAG,
    summary: "The reversal of a commission: one at most",
    params: OneCommission,
    query: Nothing,
    body: Nothing,
    answer: Fields({ items: Type.Array(Reversal) }),
  },
  async ({ params }, plane) => {
    const found = await readDetail(plane, params.commissionId);
    if (!found.ok) return found;
    const { reversal } = found.value;
    return done({ items: reversal === null ? [] : [timed(reversal)] });
  },
);

const settleCommissions = call(
  {
    id: "settleCommissions",
    method: "POST",
    path: "/operator/v1/commission-settlements",
    tag: TAG,
    summary: "Pay what waits for settlement now instead of at the next full hour",
    params: Nothing,
    query: Nothing,
    body: WithReason,
    answer: Fields({ settlements: Count }),
  },
  async ({ body, actor }, { engine }) => {
    const { reason } = body;
    const reply = await engine.execute({ type: "settle-commissions", actor, reason });
    return reply.ok ? done({ settlements: reply.value.settlements }) : reply;
  },
);

const listWaitingForSettlement = call(
  {
    id: "listWaitingForSettlement",
    method: "GET",
    path: "/operator/v1/commission-settlements",
    tag: TAG,
    summary:
      "What the next settlement pays or keeps back, by affiliate and asset. A page covers " +
      "`limit` affiliates, of which those that wait for nothing are left out",
    params: Nothing,
    query: PageAfterNumber,
    body: Nothing,
    answer: PageOf(
      Fields({ affiliateUid: Uid, asset: AssetName, payable: Amount, owed: Amount }),
      Uid,
    ),
  },
  async ({ query }, { engine }) => {
    const limit = pageLimit(query);
    const reply = await engine.ask({ type: "affiliates", afterUid: query.after ?? 0, limit });
    if (!reply.ok) return reply;
    const { next } = toPage(
      reply.value,
      limit,
      () => null,
      ({ uid }) => uid,
    );
    const items = reply.value.flatMap(({ uid: affiliateUid, balances }) =>
      balances
        .filter(({ payable, owed }) => payable !== "0" || owed !== "0")
        .map(({ asset, payable, owed }) => ({ affiliateUid, asset, payable, owed })),
    );
    return done({ items, next });
  },
);

export const COMMISSION_CALLS = [
  listHeldCommissions,
  getCommission,
  releaseCommission,
  listReleases,
  reverseCommission,
  listReversals,
  settleCommissions,
  listWaitingForSettlement,
];
