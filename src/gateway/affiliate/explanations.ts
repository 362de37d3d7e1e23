/** Explains one commission of the caller: the fill, the rates, every posting. */
import {
  v2ExplainCommissionRoute,
  v3ExplainCommissionRoute,
} from "../../api/affiliate/explanation.ts";
import { refuse } from "../../api/errors.ts";
import type { AnswerOf } from "../../api/route.ts";
import {
  accept,
  formatDecimal,
  invariant,
  parseDecimal,
  RATE_SCALE,
  SCALE_MAX,
} from "../../domain/index.ts";
import type { Commission, CommissionDetail, RateVersion } from "../../queries/history-port.ts";
import { type Endpoint, endpoint, type Handler } from "../endpoint.ts";
import { queryHistory } from "../history.ts";
import { productTypeOf, queryCallingAffiliate, readId, sourceTypeOf } from "./parameters.ts";

type Explanation = AnswerOf<typeof v2ExplainCommissionRoute>;
type LedgerEntry = Explanation["ledgerEntries"][number];

/** Digits that a product of fee and rate can have behind the point. */
const PRODUCT_SCALE = SCALE_MAX + RATE_SCALE;

/** The commission in the words and numbers of an explanation. */
function explain(detail: CommissionDetail): Explanation {
  const { commission: row, fill, settlement, release, reversal } = detail;
  return {
    commissionId: String(row.commissionId),
    affiliateUid: String(row.affiliateUid),
    uid: String(row.traderUid),
    sourceType: sourceTypeOf(row),
    viaUid: row.viaUid === null ? null : String(row.viaUid),
    productType: productTypeOf(row.product),
    symbol: row.symbol,
    coin: row.asset,
    commission: row.amount,
    time: row.timeMs,
    status: row.status,
    flags: [...row.flags],
    fill: fill === null ? null : toFill(fill),
    calculation: fill === null ? null : toCalculation(detail),
    rateVersion: toRateVersion(detail.rateVersion),
    rateVersionBelow: toRateVersion(detail.viaRateVersion),
    ledgerEntries: toLedgerEntries(detail),
    settlement: settlement === null ? null : toSettlement(settlement),
    release: release === null ? null : { reason: release.reason, time: release.timeMs },
    reversal: reversal === null ? null : toReversal(reversal),
    whyZero: whyZero(detail),
  };
}

function toFill(fill: NonNullable<CommissionDetail["fill"]>) {
  return {
    tradeId: String(fill.tradeId),
    role: fill.role,
    price: fill.price,
    quantity: fill.quantity,
    quoteQuantity: fill.quoteQuantity,
    quoteCoin: fill.quoteAsset,
    time: fill.timeMs,
  };
}

function toCalculation({
  commission,
  gross,
  capped,
  rateVersion,
  viaRateVersion,
}: CommissionDetail) {
  invariant(rateVersion !== null, "a commission of a fill was earned at a rate");
  const exact = unitsOf(commission.fee, SCALE_MAX) * unitsOf(commission.rate, RATE_SCALE);
  const rounded = exact - unitsOf(gross, PRODUCT_SCALE);
  return {
    fee: commission.fee,
    ownRate: rateFor(commission, rateVersion),
    rateBelow: viaRateVersion === null ? null : rateFor(commission, viaRateVersion),
    rate: commission.rate,
    exactProduct: formatDecimal(exact, PRODUCT_SCALE),
    roundedOff: formatDecimal(rounded, PRODUCT_SCALE),
    gross,
    capped,
    commission: commission.amount,
  };
}

function rateFor({ product }: Commission, { spotRate, futuresRate }: RateVersion): string {
  return product === "spot" ? spotRate : futuresRate;
}

function toRateVersion(rates: RateVersion | null) {
  if (rates === null) return null;
  const { uid, version, spotRate, futuresRate, sinceMs } = rates;
  return { uid: String(uid), version, spotRate, futuresRate, since: sinceMs };
}

function toSettlement(settlement: NonNullable<CommissionDetail["settlement"]>) {
  const { settlementId, timeMs, accrued, recovered, paid } = settlement;
  return { settlementId: String(settlementId), time: timeMs, accrued, recovered, paid };
}

function toReversal(reversal: NonNullable<CommissionDetail["reversal"]>) {
  const { reversalId, commissionId, reason, timeMs, fromPayable, fromSpot, owed } = reversal;
  return {
    reversalId: String(reversalId),
    commissionId: String(commissionId),
    reason,
    time: timeMs,
    fromPayable,
    fromSpot,
    owed,
  };
}

/** Every posting that the commission had a part in; one of nothing is never made. */
function toLedgerEntries(detail: CommissionDetail): LedgerEntry[] {
  const { commission, fill, settlement, reversal } = detail;
  if (commission.amount === "0") return [];
  const coin = commission.asset;
  const spot = `${commission.affiliateUid}/spot.available`;
  const entries: LedgerEntry[] = [];
  const post = (time: number, from: string, to: string, amount: string): void => {
    if (amount !== "0") entries.push({ time, from, to, amount, coin });
  };
  if (fill !== null) post(commission.timeMs, "fees", "affiliate-payable", commission.amount);
  if (settlement !== null) {
    post(settlement.timeMs, "affiliate-payable", "fees", settlement.recovered);
    post(settlement.timeMs, "affiliate-payable", spot, settlement.paid);
  }
  if (reversal !== null) {
    post(reversal.timeMs, "affiliate-payable", "fees", reversal.fromPayable);
    post(reversal.timeMs, spot, "fees", reversal.fromSpot);
  }
  return entries;
}

function whyZero({ commission, fill, gross, capped }: CommissionDetail): string | null {
  if (fill === null || commission.amount !== "0") return null;
  const { fee, rate, asset, product, flags } = commission;
  if (fee === "0") return "The fill paid no fee, and a commission is a share of the fee.";
  if (rate === "0") {
    return `The affiliate's rate for ${productTypeOf(product)} was 0 at the time of the fill.`;
  }
  if (gross === "0") {
    return `Fee × rate is less than the smallest unit of ${asset}, and it is rounded down.`;
  }
  if (flags.length > 0) {
    return (
      `All of the ${capped} ${asset} was cut: it was flagged (${flags.join(", ")}), and either ` +
      "as many commissions as can be held were held already, or the cap for this trader was " +
      "used up."
    );
  }
  return (
    `All of the ${capped} ${asset} was cut by the cap on what one trader's fills may earn in 30 ` +
    "days, which was used up."
  );
}

function unitsOf(text: string, scale: number): bigint {
  const units = parseDecimal(text, scale);
  invariant(typeof units === "bigint", "the history writes decimals");
  return units;
}

const explainCommission: Handler<typeof v2ExplainCommissionRoute> = async (
  { caller, query },
  exchange,
) => {
  const affiliate = await queryCallingAffiliate(exchange, caller.uid);
  if (!affiliate.ok) return affiliate;
  const question = { commissionId: readId(query.commissionId) };
  const answer = await queryHistory(exchange, "commission", question, affiliate.sequence);
  if (!answer.ok) return answer;
  const detail = answer.value;
  // Somebody else's gets the same answer as one that does not exist.
  return detail === null || detail.commission.affiliateUid !== caller.uid
    ? refuse("unknown-commission", "commissionId")
    : accept(explain(detail));
};

export const v2ExplainCommission = endpoint(v2ExplainCommissionRoute, explainCommission);
export const v3ExplainCommission = endpoint(v3ExplainCommissionRoute, explainCommission);

export const EXPLANATION_ENDPOINTS: readonly Endpoint[] = [
  v2ExplainCommission,
  v3ExplainCommission,
];
