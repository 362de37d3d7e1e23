/** The name of every question and the function that answers it. */
import type { Kysely } from "kysely";
import type { HistoryTables } from "../store/index.ts";
import { algoOrders } from "./algo-orders.ts";
import { audit } from "./audit.ts";
import { bills } from "./bills.ts";
import { commission } from "./commission.ts";
import { commissionDays } from "./commission-days.ts";
import { commissionWhatIf } from "./commission-what-if.ts";
import { commissions } from "./commissions.ts";
import { contractCandles } from "./contract-candles.ts";
import { contractFills } from "./contract-fills.ts";
import { endedContractOrderOf } from "./ended-contract-order.ts";
import { endedContractOrders } from "./ended-contract-orders.ts";
import { endedSpotOrder } from "./ended-spot-order.ts";
import { endedSpotOrders } from "./ended-spot-orders.ts";
import { fundingMovements } from "./funding-movements.ts";
import { fundingRates } from "./funding-rates.ts";
import type { HistoryAnswer, HistoryQueryName, HistoryQuestion } from "./history-port.ts";
import { income } from "./income.ts";
import { internalWithdrawals } from "./internal-withdrawals.ts";
import { operatorMovements } from "./operator-movements.ts";
import { orderFillTotals } from "./order-fill-totals.ts";
import { paidCommissions } from "./paid-commissions.ts";
import { publicContractTrades } from "./public-contract-trades.ts";
import { publicSpotTrades } from "./public-spot-trades.ts";
import { referralActivity } from "./referral-activity.ts";
import { referrals } from "./referrals.ts";
import { spotCandles } from "./spot-candles.ts";
import { spotFillPrices } from "./spot-fill-prices.ts";
import { spotFills } from "./spot-fills.ts";
import { statementHeads } from "./statement-heads.ts";
import { statementPart } from "./statement-part.ts";
import { subAffiliateDays } from "./sub-affiliate-days.ts";
import { transfers } from "./transfers.ts";

type HistoryQuery<Name extends HistoryQueryName> = (
  db: Kysely<HistoryTables>,
  question: HistoryQuestion<Name>,
) => Promise<HistoryAnswer<Name>>;

const QUERIES: { readonly [Name in HistoryQueryName]: HistoryQuery<Name> } = {
  "ended-spot-order": endedSpotOrder,
  "ended-spot-orders": endedSpotOrders,
  "spot-fills": spotFills,
  "spot-fill-prices": spotFillPrices,
  "order-fill-totals": orderFillTotals,
  "public-spot-trades": publicSpotTrades,
  "spot-candles": spotCandles,
  bills,
  transfers,
  "funding-movements": fundingMovements,
  "operator-movements": operatorMovements,
  audit,
  "ended-contract-order": endedContractOrderOf,
  "ended-contract-orders": endedContractOrders,
  "contract-fills": contractFills,
  "public-contract-trades": publicContractTrades,
  "contract-candles": contractCandles,
  "algo-orders": algoOrders,
  income,
  "funding-rates": fundingRates,
  commissions,
  commission,
  referrals,
  "referral-activity": referralActivity,
  "commission-days": commissionDays,
  "paid-commissions": paidCommissions,
  "sub-affiliate-days": subAffiliateDays,
  "internal-withdrawals": internalWithdrawals,
  "statement-part": statementPart,
  "statement-heads": statementHeads,
  "commission-what-if": commissionWhatIf,
};

/** Answers from one moment of the file, whatever is written meanwhile. */
export async function answerQuestion<Name extends HistoryQueryName>(
  db: Kysely<HistoryTables>,
  name: Name,
  question: HistoryQuestion<Name>,
): Promise<HistoryAnswer<Name>> {
  const query: HistoryQuery<Name> = QUERIES[name];
  return await db.transaction().execute((transaction) => query(transaction, question));
}
