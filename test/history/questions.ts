/** Random questions: every filter present and absent, ranges that hold much, little and nothing. */
import {
  DEPOSIT_STATES,
  PRICE_TYPES,
  PRODUCTS,
  WITHDRAWAL_STATES,
} from "../../src/domain/index.ts";
import {
  BILL_TYPES,
  CANDLE_INTERVALS,
  type HistoryQueryName,
  type HistoryQuestion,
  type IncomeCursor,
  type TimeRange,
} from "../../src/queries/index.ts";
import type { Random } from "../support/random.ts";
import { AFFILIATES } from "./affiliate-events.ts";
import { CONTRACT_CLIENT_IDS } from "./contract-events.ts";
import { CLIENT_ORDER_IDS } from "./event-stream.ts";
import { ASSETS, CONTRACTS, MARKETS, USERS } from "./listed.ts";
import { WEBHOOK_IDS } from "./webhook-events.ts";

/** Times between which events happened. */
export interface Period {
  readonly startMs: number;
  readonly endMs: number;
}

const INCOME_TYPES = [
  "deposit",
  "withdraw",
  "transfer_in",
  "transfer_out",
  "margin_move_in",
  "margin_move_out",
  "position_open_long",
  "position_open_short",
  "position_close_long",
  "position_close_short",
  "position_funding",
  "start_liquidate",
  "order_fix_margin_amount",
  "finish_liquidate",
] as const;
const WALLETS = ["spot", "contract"] as const;
const COMMANDS = [
  "deposit-funds",
  "withdraw-funds",
  "transfer-funds",
  "deposit-insurance",
  "withdraw-insurance",
] as const;

export const AFFILIATE_QUESTIONS = [
  "commissions",
  "commission",
  "referrals",
  "referral-activity",
  "commission-days",
  "paid-commissions",
  "sub-affiliate-days",
  "internal-withdrawals",
  "statement-part",
  "statement-heads",
  "commission-what-if",
] as const;

export type AnyQuestion = {
  [Name in HistoryQueryName]: { readonly name: Name; readonly question: HistoryQuestion<Name> };
}[HistoryQueryName];

export function randomQuestion(
  random: Random,
  name: HistoryQueryName,
  period: Period,
): AnyQuestion {
  const uid = random.chance(0.05) ? 5 : random.pick(USERS);
  const symbol = optional(random, () => random.pick(MARKETS).symbol);
  const asset = optional(random, () => random.pick(ASSETS).asset);
  const time = randomRange(random, period);
  const limit = random.pick([1, 2, 10, 100, 1_000]);
  switch (name) {
    case "ended-spot-order": {
      const orderId = optional(random, () => random.integer(1, 400));
      const clientOrderId = orderId === null ? random.pick(CLIENT_ORDER_IDS) : null;
      return { name, question: { uid, symbol, orderId, clientOrderId } };
    }
    case "ended-spot-orders": {
      const offset = random.pick([0, 0, 1, 30]);
      return { name, question: { uid, symbol, created: time, offset, limit } };
    }
    case "spot-fills": {
      const orderId = optional(random, () => random.integer(1, 400));
      const offset = random.pick([0, 0, 1, 30]);
      return { name, question: { uid, symbol, orderId, time, offset, limit } };
    }
    case "spot-fills-from": {
      const orderId = optional(random, () => random.integer(1, 400));
      const fromId = random.integer(0, 500);
      const market = random.chance(0.05) ? "NONE" : random.pick(MARKETS).symbol;
      return { name, question: { uid, symbol: market, orderId, fromId, time, limit } };
    }
    case "spot-fill-prices": {
      const orderIds = Array.from({ length: random.integer(0, 6) }, () => random.integer(1, 400));
      return { name, question: { uid, orderIds } };
    }
    case "order-fill-totals": {
      const product = random.pick(PRODUCTS);
      const orders = Array.from({ length: random.integer(0, 6) }, () => ({
        orderId: random.integer(1, 400),
        filledQuantity: random.pick(["0.0001", "0.5", "3", "100000"]),
      }));
      return { name, question: { product, uid, orders } };
    }
    case "public-spot-trades":
      return { name, question: { symbol: random.pick(MARKETS).symbol, limit } };
    case "spot-candles": {
      const interval = random.pick(CANDLE_INTERVALS);
      const nowMs = period.endMs + random.pick([0, 1, 70_000, 5_000_000]);
      const market = random.chance(0.05) ? "NONE" : random.pick(MARKETS).symbol;
      return { name, question: { symbol: market, interval, time, nowMs, limit } };
    }
    case "bills": {
      const billType = optional(random, () => random.pick(BILL_TYPES));
      return { name, question: { uid, asset, billType, time, limit } };
    }
    case "transfers": {
      const from = optional(random, () => random.pick(WALLETS));
      return { name, question: { uid, asset, from, time, limit } };
    }
    case "funding-movements": {
      const page = { page: random.integer(1, 4), pageSize: random.pick([1, 3, 100]) };
      return { name, question: { uid, asset, time, page } };
    }
    case "operator-movements": {
      const command = random.pick(COMMANDS);
      const owner = command.endsWith("insurance") ? 0 : uid;
      const afterMovementId = random.pick([0, 0, 5, 50]);
      return { name, question: { command, uid: owner, asset, afterMovementId, limit } };
    }
    case "ended-contract-order": {
      const orderId = optional(random, () => random.integer(1, 60));
      const clientOrderId = orderId === null ? random.pick(CONTRACT_CLIENT_IDS) : null;
      return { name, question: { uid, orderId, clientOrderId } };
    }
    case "ended-contract-orders": {
      const offset = random.pick([0, 0, 1, 30]);
      return { name, question: { uid, symbol, created: time, offset, limit } };
    }
    case "contract-fills": {
      const orderId = optional(random, () => random.integer(1, 300));
      return { name, question: { uid, symbol, orderId, time, limit } };
    }
    case "contract-fills-from": {
      const orderId = optional(random, () => random.integer(1, 300));
      const fromId = random.integer(0, 500);
      return { name, question: { uid, symbol, orderId, fromId, time, limit } };
    }
    case "public-contract-trades":
      return { name, question: { symbol: random.pick(CONTRACTS).symbol, limit } };
    case "contract-candles": {
      const interval = random.pick(CANDLE_INTERVALS);
      const priceType = random.pick(PRICE_TYPES);
      const nowMs = period.endMs + random.pick([0, 1, 70_000, 5_000_000]);
      const contract = random.chance(0.05) ? "NONE" : random.pick(CONTRACTS).symbol;
      return { name, question: { symbol: contract, priceType, interval, time, nowMs, limit } };
    }
    case "algo-orders":
      return { name, question: { uid, symbol, created: time, limit } };
    case "income": {
      const incomeType = optional(random, () => random.pick(INCOME_TYPES));
      const before = optional(random, () => randomCursor(random, period));
      return { name, question: { uid, asset, symbol, incomeType, time, before, limit } };
    }
    case "funding-rates":
      return { name, question: { symbol: random.pick(CONTRACTS).symbol, time, limit } };
    case "commissions":
    case "commission":
    case "referrals":
    case "referral-activity":
    case "commission-days":
    case "paid-commissions":
    case "sub-affiliate-days":
    case "internal-withdrawals":
    case "statement-part":
    case "statement-heads":
    case "commission-what-if":
      return affiliateQuestion(random, name, period);
    case "deposits": {
      const state = optional(random, () => random.pick(DEPOSIT_STATES));
      const of = { uid: optional(random, () => uid), state, limit };
      const beforeDepositId = random.pick([null, null, 8]);
      return { name, question: { ...of, afterDepositId: random.pick([0, 0, 3]), beforeDepositId } };
    }
    case "deposit":
      return { name, question: { depositId: random.integer(1, 10) } };
    case "withdrawals": {
      const state = optional(random, () => random.pick(WITHDRAWAL_STATES));
      const of = { uid: optional(random, () => uid), state, limit };
      const beforeWithdrawalId = optional(random, () => random.integer(1, 40));
      const afterWithdrawalId = random.pick([0, 0, 3]);
      return { name, question: { ...of, afterWithdrawalId, beforeWithdrawalId } };
    }
    case "withdrawal": {
      const withdrawalId = random.integer(1, 20);
      return { name, question: { withdrawalId, uid: optional(random, () => uid) } };
    }
    case "webhook-events": {
      const webhookId = random.pick([...WEBHOOK_IDS, "wh_3"]);
      return { name, question: { webhookId, afterNumber: random.pick([0, 1, 7, 60]), limit } };
    }
    case "audit-search": {
      const filter = {
        actor: optional(random, () => random.pick(["operator", "ann", "nobody"])),
        action: optional(random, () => random.pick(["funds-moved", "spot-market-state-set"])),
        uid: optional(random, () => uid),
        symbol,
        text: optional(random, () => random.pick(["UPGRADE", "set", "usdt"])),
        time,
      };
      const beforeAuditId = random.pick([30, Number.MAX_SAFE_INTEGER]);
      return { name, question: { filter, beforeAuditId, limit } };
    }
    case "orders-by-id": {
      const orderId = optional(random, () => random.integer(1, 400));
      const clientOrderId = orderId === null ? random.pick(CLIENT_ORDER_IDS) : null;
      return { name, question: { orderId, clientOrderId, limit } };
    }
    case "audit":
      return {
        name,
        question: {
          afterAuditId: random.pick([0, 3, 40]),
          beforeAuditId: random.pick([null, 2, 30, Number.MAX_SAFE_INTEGER]),
          limit,
        },
      };
  }
}

export const QUESTION_NAMES: readonly HistoryQueryName[] = [
  "ended-spot-order",
  "ended-spot-orders",
  "spot-fills",
  "spot-fills-from",
  "spot-fill-prices",
  "order-fill-totals",
  "public-spot-trades",
  "spot-candles",
  "bills",
  "transfers",
  "funding-movements",
  "operator-movements",
  "ended-contract-order",
  "ended-contract-orders",
  "contract-fills",
  "contract-fills-from",
  "public-contract-trades",
  "contract-candles",
  "algo-orders",
  "income",
  "funding-rates",
  ...AFFILIATE_QUESTIONS,
  "deposits",
  "deposit",
  "withdrawals",
  "withdrawal",
  "webhook-events",
  "audit",
  "audit-search",
  "orders-by-id",
];

function affiliateQuestion(
  random: Random,
  name: (typeof AFFILIATE_QUESTIONS)[number],
  period: Period,
): AnyQuestion {
  const affiliateUid = random.pick(AFFILIATES);
  const parentUid = affiliateUid;
  const inviterUid = affiliateUid;
  const time = randomRange(random, period);
  const page = { page: random.integer(1, 4), pageSize: random.pick([1, 3, 20, 100]) };
  const early = { page: random.integer(1, 2), pageSize: page.pageSize };
  const asset = optional(random, () => random.pick(ASSETS).asset);
  const uid = optional(random, () => random.pick([...USERS, 20_001]));
  const product = random.pick(PRODUCTS);
  switch (name) {
    case "commissions":
      return { name, question: { affiliateUid, product, traderUid: uid, asset, time, page } };
    case "commission":
      return { name, question: { commissionId: random.integer(1, 150) } };
    case "referrals":
      return { name, question: { inviterUid, uid, registered: time, page } };
    case "referral-activity":
      return { name, question: { inviterUid, uid, time, page } };
    case "commission-days": {
      const days = ["2020-01-01", dayIn(random, period), dayIn(random, period), "2999-12-31"];
      const [fromDay, toDay] = [random.pick(days), random.pick(days)];
      return { name, question: { affiliateUid, fromDay, toDay, limit: random.pick([1, 5, 500]) } };
    }
    case "paid-commissions":
      return { name, question: { affiliateUid } };
    case "sub-affiliate-days": {
      const subUid = random.chance(0.3) ? random.pick(AFFILIATES) : null;
      return { name, question: { parentUid, subUid, product, time, page: early } };
    }
    case "internal-withdrawals": {
      const withdrawalId = random.chance(0.2) ? random.integer(1, 20) : null;
      const about = { uid: affiliateUid, withdrawalId, asset };
      return { name, question: { ...about, time, page: early } };
    }
    case "statement-part": {
      const [offset, limit] = [random.pick([0, 0, 3, 50]), random.pick([1, 10, 1_000])];
      return { name, question: { affiliateUid, time, offset, limit } };
    }
    case "statement-heads": {
      const fromDay = random.pick(["2020-01-01", "2026-02-03", "2026-04-01"]);
      return { name, question: { affiliateUid, fromDay, limit: random.pick([1, 2, 100]) } };
    }
    case "commission-what-if": {
      const rates = AFFILIATES.filter(() => random.chance(0.4)).map((one) => ({
        uid: one,
        spotRate: random.pick(["0", "0.1", "0.5"]),
        futuresRate: random.pick(["0", "0.12345678", "0.8"]),
      }));
      return { name, question: { rates, time, fillsMax: random.pick([3, 100_000]) } };
    }
  }
}

/** Often not of any row: what is before it is asked for, whatever it is. */
function randomCursor(random: Random, { startMs, endMs }: Period): IncomeCursor {
  const timeMs = random.chance(0.5) ? endMs : random.integer(startMs, endMs);
  return { timeMs, incomeId: random.integer(1, 600) };
}

function dayIn(random: Random, { startMs, endMs }: Period): string {
  return new Date(random.integer(startMs, endMs)).toISOString().slice(0, 10);
}

function optional<Value>(random: Random, make: () => Value): Value | null {
  return random.chance(0.5) ? make() : null;
}

function randomRange(random: Random, { startMs, endMs }: Period): TimeRange {
  const length = endMs - startMs;
  const from = startMs - 1_000 + random.integer(0, length);
  const to = from + random.pick([-1, 0, 60_000, 86_400_000, length]);
  return { fromMs: optional(random, () => from), toMs: optional(random, () => to) };
}
