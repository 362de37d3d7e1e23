/** The queries by name. */
import { NODE_PLATFORM, type Scheduler } from "../platform/index.ts";
import { audit } from "./audit.ts";
import { auditSearch } from "./audit-search.ts";
import { bills } from "./bills.ts";
import { contractCandles, spotCandles } from "./candles.ts";
import { commission } from "./commission-detail.ts";
import { commissionWhatIf } from "./commission-what-if.ts";
import { commissionDays, commissions, paidCommissions } from "./commissions.ts";
import { conditionalOrders, endedContractOrder, endedContractOrders } from "./contract-orders.ts";
import { deposit, deposits } from "./deposits.ts";
import { contractFills, spotFills } from "./fills.ts";
import { contractFillsFrom, spotFillsFrom } from "./fills-from.ts";
import { fundingRates } from "./funding-rates.ts";
import { fundingMovements, operatorMovements, transfers } from "./funds-movements.ts";
import type { HistoryQueryName, HistoryQuestion, HistoryReply } from "./history-port.ts";
import type { Db, HistoryQuery } from "./history-query.ts";
import { income } from "./income.ts";
import { internalWithdrawals } from "./internal-withdrawals.ts";
import { orderFillTotals, spotFillPrices } from "./order-fills.ts";
import { ordersById } from "./orders-by-id.ts";
import { publicContractTrades, publicSpotTrades } from "./public-trades.ts";
import { referralActivity, referrals } from "./referrals.ts";
import { endedSpotOrder, endedSpotOrders } from "./spot-orders.ts";
import { statementHeads, statementPart } from "./statements.ts";
import { subAffiliateDays } from "./sub-affiliate-days.ts";
import { webhookEvents } from "./webhooks.ts";
import { withdrawal, withdrawals } from "./withdrawals.ts";

const QUERIES: { readonly [Name in HistoryQueryName]: HistoryQuery<Name> } = {
  "ended-spot-order": endedSpotOrder,
  "ended-spot-orders": endedSpotOrders,
  "spot-fills": spotFills,
  "spot-fills-from": spotFillsFrom,
  "spot-fill-prices": spotFillPrices,
  "order-fill-totals": orderFillTotals,
  "public-spot-trades": publicSpotTrades,
  "spot-candles": spotCandles,
  bills,
  transfers,
  "funding-movements": fundingMovements,
  "operator-movements": operatorMovements,
  deposits,
  deposit,
  withdrawals,
  withdrawal,
  "webhook-events": webhookEvents,
  audit,
  "audit-search": auditSearch,
  "orders-by-id": ordersById,
  "ended-contract-order": endedContractOrder,
  "ended-contract-orders": endedContractOrders,
  "contract-fills": contractFills,
  "contract-fills-from": contractFillsFrom,
  "public-contract-trades": publicContractTrades,
  "contract-candles": contractCandles,
  "algo-orders": conditionalOrders,
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
  db: Db,
  name: Name,
  question: HistoryQuestion<Name>,
  scheduler: Scheduler = NODE_PLATFORM.scheduler,
): Promise<HistoryReply<Name>> {
  const query: HistoryQuery<Name> = QUERIES[name];
  return await db.transaction().execute(async (transaction) => {
    const progress = transaction.selectFrom("progress").where("id", "=", 1).limit(1);
    const row = await progress.select("applied_sequence").executeTakeFirstOrThrow();
    const sequence = row.applied_sequence;
    return { answer: await query(transaction, question, scheduler), sequence };
  });
}
