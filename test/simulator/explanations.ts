/** One commission in the words of an explanation, from what the naive history knows of it. */
import type { CommissionDetail } from "../../src/queries/index.ts";
import { exact, ONE } from "../support/exact.ts";

/** Of a product of two amounts, with all of its digits. */
function longText(units: bigint): string {
  const digits = units.toString().padStart(37, "0");
  return `${digits.slice(0, -36)}.${digits.slice(-36)}`.replace(/\.?0+$/, "");
}

const typeOf = (product: string) => (product === "spot" ? "SPOT" : "FUTURES");

function versionOf(rates: CommissionDetail["rateVersion"]) {
  if (rates === null) return null;
  const { sinceMs: since, uid, ...rest } = rates;
  return { ...rest, uid: String(uid), since };
}

function calculationOf(detail: CommissionDetail) {
  const { capped, commission, gross, rateVersion, viaRateVersion } = detail;
  const { amount, fee, product, rate } = commission;
  const rateIn = (rates: CommissionDetail["rateVersion"]) =>
    rates && (product === "spot" ? rates.spotRate : rates.futuresRate);
  const whole = exact(fee) * exact(rate);
  return {
    ...{ fee, rate, gross, capped, commission: amount },
    ...{ ownRate: rateIn(rateVersion), rateBelow: rateIn(viaRateVersion) },
    exactProduct: longText(whole),
    roundedOff: longText(whole - exact(gross) * ONE),
  };
}

/** Money that it moved, or that moved with it. */
function entriesOf({ commission, fill, reversal, settlement }: CommissionDetail) {
  const { affiliateUid, amount: earned, asset: coin, timeMs } = commission;
  const spot = `${affiliateUid}/spot.available`;
  const payable = "affiliate-payable";
  const all = [
    ...(fill ? [{ time: timeMs, from: "fees", to: payable, amount: earned }] : []),
    ...(settlement
      ? [
          { time: settlement.timeMs, from: payable, to: "fees", amount: settlement.recovered },
          { time: settlement.timeMs, from: payable, to: spot, amount: settlement.paid },
        ]
      : []),
    ...(reversal
      ? [
          { time: reversal.timeMs, from: payable, to: "fees", amount: reversal.fromPayable },
          { time: reversal.timeMs, from: spot, to: "fees", amount: reversal.fromSpot },
        ]
      : []),
  ];
  const some = all.filter(({ amount }) => earned !== "0" && amount !== "0");
  return some.map((entry) => ({ ...entry, coin }));
}

/** Words of the sentence that says why there is nothing; null where there is something. */
function whyNothing({ commission, fill, gross }: CommissionDetail): string | null {
  if (fill === null || commission.amount !== "0") return null;
  if (commission.fee === "0") return "paid no fee";
  if (commission.rate === "0") return `rate for ${typeOf(commission.product)} was 0`;
  if (gross === "0") return `smallest unit of ${commission.asset}`;
  return commission.flags.length > 0 ? commission.flags.join(", ") : "cut by the cap";
}

/** `said` has the sentence, of which only some words are known here. */
export function explained(detail: CommissionDetail | null, said: unknown): unknown {
  if (detail === null) return null;
  const { commission: row, fill, release, reversal, settlement } = detail;
  const { whyZero: sentence } = said as { readonly whyZero: string | null };
  const why = whyNothing(detail);
  const isSaid = why !== null && sentence?.includes(why) === true;
  return {
    ...{ commissionId: String(row.commissionId), affiliateUid: String(row.affiliateUid) },
    ...{ uid: String(row.traderUid), sourceType: row.viaUid === null ? 1 : 2 },
    ...{ viaUid: row.viaUid === null ? null : String(row.viaUid), symbol: row.symbol },
    ...{ productType: typeOf(row.product), coin: row.asset, commission: row.amount },
    ...{ time: row.timeMs, status: row.status, flags: row.flags },
    fill: fill && {
      ...{ tradeId: String(fill.tradeId), role: fill.role, price: fill.price, time: fill.timeMs },
      ...{ quantity: fill.quantity, quoteQuantity: fill.quoteQuantity, quoteCoin: fill.quoteAsset },
    },
    calculation: fill && calculationOf(detail),
    rateVersion: versionOf(detail.rateVersion),
    rateVersionBelow: versionOf(detail.viaRateVersion),
    ledgerEntries: entriesOf(detail),
    settlement: settlement && {
      ...{ settlementId: String(settlement.settlementId), time: settlement.timeMs },
      ...{ accrued: settlement.accrued, recovered: settlement.recovered, paid: settlement.paid },
    },
    release: release && { reason: release.reason, time: release.timeMs },
    reversal: reversal && {
      ...{ reversalId: String(reversal.reversalId), reason: reversal.reason },
      ...{ commissionId: String(reversal.commissionId), time: reversal.timeMs },
      ...{ fromPayable: reversal.fromPayable, fromSpot: reversal.fromSpot, owed: reversal.owed },
    },
    whyZero: isSaid ? sentence : why,
  };
}
