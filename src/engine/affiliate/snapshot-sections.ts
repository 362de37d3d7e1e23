/**
 * The affiliate part of the state's canonical form. All of it is optional, so that a state without
 * affiliates is written as before there were any. What follows from other rows is rebuilt.
 */
import { invariant } from "../../domain/index.ts";
import { existingUser, section, usersByUid } from "../snapshot-section.ts";
import { fundsMovementKey, type State } from "../state.ts";
import { type Affiliate, DEFAULT_POLICY, depthOf, NEVER_MS } from "./affiliate-state.ts";
import { restoreBalance } from "./balances.ts";
import { countedDaysOf } from "./referral-cap.ts";
import type { RollingDays } from "./rolling-days.ts";
import * as rows from "./snapshot-rows.ts";
import { link, volumeOf } from "./suspicions.ts";

const HOUSE_ACCOUNTS = section({
  name: "house-accounts",
  codec: rows.houseAccount,
  optional: true,
  *rowsOf(state) {
    for (const { uid, house } of usersByUid(state)) {
      if (house) yield { type: "house-account", uid } as const;
    }
  },
  restore(state, { uid }) {
    existingUser(state, uid).house = true;
  },
});

const META = section({
  name: "affiliate-meta",
  codec: rows.affiliateMeta,
  optional: true,
  *rowsOf({ affiliates }) {
    const { nextCommissionId, nextSettlementId, nextWithdrawalId } = affiliates;
    // As a state begins: without a commission nothing is payable.
    if (nextCommissionId === 1 && nextWithdrawalId === 1) return;
    const dueMs = affiliates.settlementDueMs;
    yield {
      type: "affiliate-meta",
      nextCommissionId,
      nextSettlementId,
      nextWithdrawalId,
      settlementDueMs: dueMs === NEVER_MS ? null : dueMs,
    } as const;
  },
  restore({ affiliates }, { type: _, settlementDueMs, ...counters }) {
    Object.assign(affiliates, counters);
    affiliates.settlementDueMs = settlementDueMs ?? NEVER_MS;
  },
});

const POLICY = section({
  name: "affiliate-policy",
  codec: rows.affiliatePolicy,
  optional: true,
  *rowsOf({ affiliates: { policy } }) {
    if (policy !== DEFAULT_POLICY) yield { type: "affiliate-policy", ...policy } as const;
  },
  restore({ affiliates }, { type: _, ...policy }) {
    affiliates.policy = policy;
  },
});

function affiliatesByUid({ affiliates }: State): Affiliate[] {
  return [...affiliates.byUid.values()].sort((one, other) => one.user.uid - other.user.uid);
}

/** From the top down, so that a parent comes before those below it. */
function affiliatesByDepth(state: State): Affiliate[] {
  return affiliatesByUid(state).sort((one, other) => depthOf(one) - depthOf(other));
}

const AFFILIATES = section({
  name: "affiliates",
  codec: rows.affiliate,
  optional: true,
  *rowsOf(state) {
    for (const { user, parent, balances: _, ...rates } of affiliatesByDepth(state)) {
      const parentUid = parent?.user.uid ?? null;
      yield { type: "affiliate", uid: user.uid, parentUid, ...rates } as const;
    }
  },
  restore(state, { type: _, uid, parentUid, ...rates }) {
    const user = existingUser(state, uid);
    const parent = parentUid === null ? null : existingAffiliate(state, parentUid);
    state.affiliates.byUid.set(uid, { user, parent, ...rates, balances: new Map() });
  },
});

function existingAffiliate({ affiliates }: State, uid: number): Affiliate {
  const affiliate = affiliates.byUid.get(uid);
  invariant(affiliate !== undefined, `no affiliate ${uid}`);
  return affiliate;
}

const BALANCES = section({
  name: "affiliate-balances",
  codec: rows.affiliateBalance,
  optional: true,
  *rowsOf(state) {
    for (const { user, balances } of affiliatesByUid(state)) {
      const byAsset = [...balances.values()].sort((a, b) => a.assetIndex - b.assetIndex);
      for (const { affiliate: _, ...balance } of byAsset) {
        const { payableMinor, heldMinor, owedMinor } = balance;
        if (payableMinor === 0n && heldMinor === 0n && owedMinor === 0n) continue;
        yield { type: "affiliate-balance", uid: user.uid, ...balance } as const;
      }
    }
  },
  restore(state, { uid, assetIndex, ...row }) {
    restoreBalance(state, existingAffiliate(state, uid), assetIndex, row);
  },
});

const HELD = section({
  name: "held-commissions",
  codec: rows.heldCommission,
  optional: true,
  *rowsOf({ affiliates }) {
    for (const { affiliate, ...held } of affiliates.held.values()) {
      yield { type: "held-commission", affiliateUid: affiliate.user.uid, ...held } as const;
    }
  },
  restore(state, { type: _, affiliateUid, ...held }) {
    const affiliate = existingAffiliate(state, affiliateUid);
    state.affiliates.held.set(held.commissionId, { ...held, affiliate });
  },
});

/** In the order in which they were made. */
const REVERSALS = section({
  name: "commission-reversals",
  codec: rows.reversal,
  optional: true,
  *rowsOf({ affiliates }) {
    for (const [commissionId, reversalId] of affiliates.reversals) {
      yield { type: "reversal", commissionId, reversalId } as const;
    }
  },
  restore({ affiliates }, { commissionId, reversalId }) {
    affiliates.reversals.set(commissionId, reversalId);
    affiliates.reversalIds.add(reversalId);
  },
});

function byNumber<Value>(map: ReadonlyMap<number, Value>): [number, Value][] {
  return [...map].sort(([one], [other]) => one - other);
}

const CAPPED_DAYS = section({
  name: "capped-days",
  codec: rows.cappedDay,
  optional: true,
  *rowsOf({ affiliates }) {
    for (const [affiliateUid, byTrader] of byNumber(affiliates.cappedDays)) {
      for (const [traderUid, days] of byNumber(byTrader)) {
        for (const day of days.days()) {
          yield { type: "capped-day", affiliateUid, traderUid, ...day } as const;
        }
      }
    }
  },
  restore({ affiliates }, { affiliateUid, traderUid, day, totalE8 }) {
    countedDaysOf(affiliates, affiliateUid, traderUid).add(day, totalE8);
  },
});

const VOLUME_DAYS = section({
  name: "traded-volume-days",
  codec: rows.volumeDay,
  optional: true,
  *rowsOf({ affiliates }) {
    for (const [uid, { all, related }] of byNumber(affiliates.tradedVolumes)) {
      yield* volumeRows(uid, all, false);
      yield* volumeRows(uid, related, true);
    }
  },
  restore({ affiliates }, { uid, related, day, totalE8 }) {
    const volume = volumeOf(affiliates, uid);
    (related ? volume.related : volume.all).add(day, totalE8);
  },
});

function* volumeRows(uid: number, volume: RollingDays, related: boolean) {
  for (const day of volume.days()) yield { type: "volume-day", uid, related, ...day } as const;
}

const LINKS = section({
  name: "internal-links",
  codec: rows.internalLink,
  optional: true,
  *rowsOf({ affiliates }) {
    for (const [uid, others] of byNumber(affiliates.links)) {
      for (const otherUid of [...others].sort((one, other) => one - other)) {
        // Each pair is kept both ways.
        if (uid < otherUid) yield { type: "internal-link", uid, otherUid } as const;
      }
    }
  },
  restore({ affiliates }, { uid, otherUid }) {
    link(affiliates, uid, otherUid);
  },
});

const INTERNAL_WITHDRAWALS = section({
  name: "internal-withdrawals",
  codec: rows.internalWithdrawal,
  optional: true,
  *rowsOf(state) {
    for (const { uid, requestId, withdrawalId } of state.fundsMovements.values()) {
      if (withdrawalId === null) continue;
      yield { type: "internal-withdrawal", uid, requestId, withdrawalId } as const;
    }
  },
  restore({ fundsMovements }, { uid, requestId, withdrawalId }) {
    const key = fundsMovementKey("withdraw-internally", uid, requestId);
    const movement = fundsMovements.get(key);
    invariant(movement !== undefined, "an internal withdrawal is a remembered movement");
    // In its old place: the order is that in which they are forgotten.
    fundsMovements.set(key, { ...movement, withdrawalId });
  },
});

/** In the order in which they are restored: each may refer to those before it. */
export const AFFILIATE_SECTIONS = [
  HOUSE_ACCOUNTS,
  META,
  POLICY,
  AFFILIATES,
  BALANCES,
  HELD,
  REVERSALS,
  CAPPED_DAYS,
  VOLUME_DAYS,
  LINKS,
  INTERNAL_WITHDRAWALS,
] as const;
