/**
 * An affiliate as the engine and the store describe one, with a row of every report, for tests of
 * endpoints.
 */
import { accept } from "../../src/domain/index.ts";
import type { AffiliateView } from "../../src/protocol/index.ts";
import type {
  Commission,
  CommissionDetail,
  InternalWithdrawal,
  RateVersion,
} from "../../src/queries/index.ts";
import { CALLER_UID } from "./endpoint-call.ts";
import { DOUBLE_TIME_MS, type EngineScript, type HistoryScript } from "./exchange-double.ts";
import { ASSETS } from "./spot-fixture.ts";

export const TRADER_UID = 31;
export const SUB_UID = 21;
/** Of the caller. */
export const INVITE_CODE = "CALLER1";

const AFFILIATE: AffiliateView = {
  uid: CALLER_UID,
  parentUid: null,
  depth: 1,
  spotRate: "0.4",
  futuresRate: "0.5",
  rateVersion: 2,
  ratesSinceMs: DOUBLE_TIME_MS - 90_000,
  balances: [{ asset: "USDT", payable: "1.25", held: "0.5", owed: "0" }],
};

export const COMMISSION: Commission = {
  commissionId: 12,
  affiliateUid: CALLER_UID,
  traderUid: TRADER_UID,
  product: "spot",
  symbol: "BTCUSDT",
  asset: "USDT",
  fee: "0.682571",
  amount: "0.068257",
  rate: "0.1",
  viaUid: SUB_UID,
  takerAmount: "1137.619",
  makerAmount: "0",
  timeMs: DOUBLE_TIME_MS - 60_000,
  status: "settled",
  flags: [],
};

const RATES: RateVersion = {
  uid: CALLER_UID,
  version: 2,
  spotRate: "0.4",
  futuresRate: "0.5",
  sinceMs: DOUBLE_TIME_MS - 90_000,
};

export const DETAIL: CommissionDetail = {
  commission: COMMISSION,
  fill: {
    tradeId: 77,
    role: "taker",
    price: "99000",
    quantity: "0.01149110",
    quoteQuantity: "1137.619",
    quoteAsset: "USDT",
    timeMs: DOUBLE_TIME_MS - 60_000,
  },
  gross: "0.068257",
  capped: "0",
  rateVersion: RATES,
  viaRateVersion: { ...RATES, uid: SUB_UID, version: 5, spotRate: "0.3", futuresRate: "0.2" },
  settlement: {
    settlementId: 3,
    timeMs: DOUBLE_TIME_MS - 30_000,
    accrued: "1.5",
    recovered: "0.5",
    paid: "1",
  },
  release: null,
  reversal: null,
};

export const WITHDRAWAL: InternalWithdrawal = {
  withdrawalId: 4,
  fromUid: CALLER_UID,
  toUid: TRADER_UID,
  asset: "USDT",
  amount: "12.5",
  timeMs: DOUBLE_TIME_MS - 50_000,
};

export const AFFILIATE_ENGINE: EngineScript = {
  affiliate: () => accept(AFFILIATE),
  assets: () => accept(ASSETS),
  user: ({ uid }) =>
    accept({
      uid,
      inviteCode: INVITE_CODE,
      inviterUid: null,
      kyc: true,
      state: "active",
      house: false,
      selfTradePrevention: "NONE",
      registeredMs: 1,
      feeRates: [],
    }),
  "withdraw-internally": () => accept({ withdrawalId: 4 }),
};

export const AFFILIATE_HISTORY: HistoryScript = {
  commissions: () => ({ rows: [COMMISSION], total: 201 }),
  commission: ({ commissionId }) => (commissionId === COMMISSION.commissionId ? DETAIL : null),
  referrals: () => ({
    rows: [{ uid: TRADER_UID, registeredMs: DOUBLE_TIME_MS - 99_000, kyc: true }],
    total: 98,
  }),
  "referral-activity": () => ({
    rows: [
      {
        uid: TRADER_UID,
        deposits: "1000",
        withdrawals: "0",
        spotVolume: "1137.619",
        contractVolume: "50000.5",
        commission: "12.25",
      },
    ],
    total: 1,
  }),
  "commission-days": () => [
    {
      day: "2025-10-08",
      product: "contract",
      asset: "USDT",
      commissions: 3,
      amount: "1.5",
      usdtValue: "1.5",
      volume: "5000",
    },
  ],
  "paid-commissions": () => [
    { asset: "BTC", paid: "0.002" },
    { asset: "USDT", paid: "12" },
  ],
  "sub-affiliate-days": ({ product }) => ({
    rows: [
      {
        subUid: SUB_UID,
        product,
        day: "2025-10-09",
        volume: "2839.05",
        netFee: "1.70343",
        paidCommission: "1.362744",
      },
    ],
    total: 11,
  }),
  "internal-withdrawals": () => ({ rows: [WITHDRAWAL], total: 3 }),
  "statement-heads": () => [
    { affiliateUid: CALLER_UID, day: "2025-10-08", ordinal: 40, hash: "ab".repeat(32) },
  ],
};
