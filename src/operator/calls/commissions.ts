/** Commissions: listing, release, reversal and settlement. Each change requires a reason. */
import * as routes from "../../api/operator/commissions.ts";
import { reject } from "../../domain/index.ts";
import type { HeldCommissionView } from "../../protocol/index.ts";
import type { Commission, CommissionDetail } from "../../queries/history-port.ts";
import { done, pageLimit, queryHistory, toPage } from "../answers.ts";
import { handle, type OperatorContext, type Outcome } from "../call.ts";

/** Renames `timeMs` to `time`, as in the API. */
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

/** Reads from the history, up to date with the exchange. */
async function readDetail(
  context: OperatorContext,
  commissionId: number,
): Promise<Outcome<CommissionDetail>> {
  const now = await context.engine.query({ type: "status" });
  if (!now.ok) return now;
  const found = await queryHistory(context, "commission", { commissionId }, now.sequence);
  if (!found.ok) return found;
  return found.value === null ? reject("unknown-commission", "commissionId") : done(found.value);
}

const listHeldCommissions = handle(routes.listHeldCommissions, async ({ query }, { engine }) => {
  const limit = pageLimit(query);
  const reply = await engine.query({
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
});

const getCommission = handle(routes.getCommission, async ({ params }, context) => {
  const found = await readDetail(context, params.commissionId);
  return found.ok ? done(toDetail(found.value)) : found;
});

const releaseCommission = handle(
  routes.releaseCommission,
  async ({ params, body, actor }, { engine }) => {
    const { commissionId } = params;
    const { reason } = body;
    const reply = await engine.execute({ type: "release-commission", actor, commissionId, reason });
    return reply.ok ? done({ actor, reason, time: reply.timestampMs }) : reply;
  },
);

const listCommissionReleases = handle(
  routes.listCommissionReleases,
  async ({ params }, context) => {
    const found = await readDetail(context, params.commissionId);
    if (!found.ok) return found;
    const { release } = found.value;
    return done({ items: release === null ? [] : [timed(release)] });
  },
);

/**
 * The engine keeps only held commissions, so the command carries the details of the others. The
 * engine's own record of paid and reversed commissions decides.
 */
function factsOf({ affiliateUid, traderUid, product, symbol, asset, amount }: Commission) {
  return { affiliateUid, traderUid, product, symbol, asset, amount };
}

const reverseCommission = handle(
  routes.reverseCommission,
  async ({ params, body, actor }, context) => {
    const { commissionId } = params;
    const { reason } = body;
    const found = await readDetail(context, commissionId);
    if (!found.ok) return found;
    const { commission } = found.value;
    if (commission.status === "reversal") {
      return reject("unknown-commission", "commissionId", `${commissionId} is itself a reversal`);
    }
    const reply = await context.engine.execute({
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

const listCommissionReversals = handle(
  routes.listCommissionReversals,
  async ({ params }, context) => {
    const found = await readDetail(context, params.commissionId);
    if (!found.ok) return found;
    const { reversal } = found.value;
    return done({ items: reversal === null ? [] : [timed(reversal)] });
  },
);

const settleCommissions = handle(routes.settleCommissions, async ({ body, actor }, { engine }) => {
  const { reason } = body;
  const reply = await engine.execute({ type: "settle-commissions", actor, reason });
  return reply.ok ? done({ settlements: reply.value.settlements }) : reply;
});

const listWaitingForSettlement = handle(
  routes.listWaitingForSettlement,
  async ({ query }, { engine }) => {
    const limit = pageLimit(query);
    const reply = await engine.query({ type: "affiliates", afterUid: query.after ?? 0, limit });
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
  listCommissionReleases,
  reverseCommission,
  listCommissionReversals,
  settleCommissions,
  listWaitingForSettlement,
];
