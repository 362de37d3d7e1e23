/** Random questions: every filter present and absent, ranges that hold much, little and nothing. */
import { PRICE_TYPES } from "../../src/domain/index.ts";
import {
  BILL_TYPES,
  CANDLE_INTERVALS,
  type HistoryQueryName,
  type HistoryQuestion,
  type IncomeCursor,
  type TimeRange,
} from "../../src/queries/index.ts";
import type { Random } from "../support/random.ts";
import { CLIENT_ORDER_IDS } from "./event-stream.ts";
import { ASSETS, CONTRACTS, MARKETS, USERS } from "./listed.ts";

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
      return { name, question: { uid, symbol, orderId, time, limit } };
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
    case "ended-contract-order":
      return { name, question: { uid, orderId: random.integer(1, 80) } };
    case "ended-contract-orders": {
      const offset = random.pick([0, 0, 1, 30]);
      return { name, question: { uid, symbol, created: time, offset, limit } };
    }
    case "contract-fills": {
      const orderId = optional(random, () => random.integer(1, 300));
      return { name, question: { uid, symbol, orderId, time, limit } };
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
    case "audit":
      return { name, question: { afterAuditId: random.pick([0, 3, 40]), limit } };
  }
}

export const QUESTION_NAMES: readonly HistoryQueryName[] = [
  "ended-spot-order",
  "ended-spot-orders",
  "spot-fills",
  "public-spot-trades",
  "spot-candles",
  "bills",
  "transfers",
  "funding-movements",
  "operator-movements",
  "ended-contract-order",
  "ended-contract-orders",
  "contract-fills",
  "public-contract-trades",
  "contract-candles",
  "algo-orders",
  "income",
  "funding-rates",
  "audit",
];

/** Often not of any row: what is before it is asked for, whatever it is. */
function randomCursor(random: Random, { startMs, endMs }: Period): IncomeCursor {
  const timeMs = random.chance(0.5) ? endMs : random.integer(startMs, endMs);
  return { timeMs, incomeId: random.integer(1, 600) };
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
