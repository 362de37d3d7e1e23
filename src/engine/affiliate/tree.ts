/** Who is an affiliate, at which rates, and under whom. */
import {
  AFFILIATE_DEPTH_MAX,
  accept,
  CONTRACT_COMMISSION_RATE_MAX_E8,
  formatDecimal,
  parseDecimal,
  RATE_SCALE,
  type Result,
  reject,
  SPOT_COMMISSION_RATE_MAX_E8,
} from "../../domain/index.ts";
import type { CommandOf } from "../../protocol/index.ts";
import type { Context } from "../state.ts";
import { type Affiliate, type AffiliateState, depthOf, isWithin } from "./affiliate-state.ts";

type SetAffiliate = CommandOf<"set-affiliate">;

/** Changes and emits nothing when all of it is set already. */
export function setAffiliate(context: Context, command: SetAffiliate): Result<null> {
  const { state, nowMs } = context;
  const { affiliates } = state;
  const user = state.users.get(command.uid);
  if (user === undefined) return reject("unknown-user", "uid");
  const spotRate = parseRate(command.spotRate, "spotRate", SPOT_COMMISSION_RATE_MAX_E8);
  if (!spotRate.ok) return spotRate;
  const futuresRate = parseRate(
    command.futuresRate,
    "futuresRate",
    CONTRACT_COMMISSION_RATE_MAX_E8,
  );
  if (!futuresRate.ok) return futuresRate;
  const present = affiliates.byUid.get(user.uid) ?? null;
  const placed = findParent(affiliates, present, command);
  if (!placed.ok) return placed;

  const spotRateE8 = spotRate.value;
  const futuresRateE8 = futuresRate.value;
  const parent = placed.value;
  const sameRates = present?.spotRateE8 === spotRateE8 && present.futuresRateE8 === futuresRateE8;
  if (sameRates && present.parent === parent) return accept(null);
  const affiliate: Affiliate = present ?? {
    user,
    parent,
    spotRateE8,
    futuresRateE8,
    rateVersion: 0,
    ratesSinceMs: nowMs,
    balances: new Map(),
  };
  affiliate.parent = parent;
  if (!sameRates) {
    Object.assign(affiliate, { spotRateE8, futuresRateE8, ratesSinceMs: nowMs });
    affiliate.rateVersion++;
  }
  affiliates.byUid.set(user.uid, affiliate);
  context.emit({
    type: "affiliate-set",
    actor: command.actor,
    uid: user.uid,
    spotRateE8,
    futuresRateE8,
    parentUid: parent?.user.uid ?? null,
    depth: depthOf(affiliate),
    rateVersion: affiliate.rateVersion,
  });
  return accept(null);
}

/** Reads a rate with at most 8 decimals. */
function parseRate(text: string, field: string, mostE8: number): Result<number> {
  const rateE8 = parseDecimal(text, RATE_SCALE);
  if (typeof rateE8 === "string") return reject(rateE8, field);
  if (rateE8 > BigInt(mostE8)) {
    const most = formatDecimal(BigInt(mostE8), RATE_SCALE);
    return reject("out-of-range", field, `from 0 to ${most}`);
  }
  return accept(Number(rateE8));
}

/** The parent that the affiliate has or gets: it is given once, and closes no circle. */
function findParent(
  affiliates: AffiliateState,
  present: Affiliate | null,
  { uid, parentUid }: SetAffiliate,
): Result<Affiliate | null> {
  const current = present?.parent ?? null;
  if (parentUid === null || parentUid === current?.user.uid) return accept(current);
  const conflict = (detail: string) => reject("conflict", "parentUid", detail);
  if (parentUid === uid) return conflict("nobody is the own parent");
  if (current !== null) return conflict("a parent is given once");
  const parent = affiliates.byUid.get(parentUid);
  if (parent === undefined) return reject("not-an-affiliate", "parentUid");
  if (present !== null && isWithin(parent, present)) return conflict("the parent stands below");
  if (depthOf(parent) + heightOf(affiliates, present) > AFFILIATE_DEPTH_MAX) {
    return conflict(`a tree is at most ${AFFILIATE_DEPTH_MAX} affiliates deep`);
  }
  return accept(parent);
}

/** How deep the tree below an affiliate is, itself included. */
function heightOf(affiliates: AffiliateState, top: Affiliate | null): number {
  if (top === null) return 1;
  let deepest = depthOf(top);
  const above = deepest - 1;
  for (const affiliate of affiliates.byUid.values()) {
    if (isWithin(affiliate, top)) deepest = Math.max(deepest, depthOf(affiliate));
  }
  return deepest - above;
}
