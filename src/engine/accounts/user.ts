/** Users and what they hold: the types under both spot and contracts. */
import type { Product, SelfTradePrevention, UserState } from "../../domain/index.ts";
import type { AccountNumber, Ledger } from "../ledger/ledger.ts";

export interface Asset {
  /** Number in the ledger, in order of listing. */
  readonly index: number;
  readonly asset: string;
  readonly coinId: number;
  readonly name: string;
  readonly scale: number;
}

export interface FeeRates {
  readonly makerFeeRateE8: number;
  readonly takerFeeRateE8: number;
}

export interface User {
  readonly uid: number;
  readonly inviteCode: string;
  readonly inviterUid: number | null;
  readonly registeredMs: number;
  kyc: boolean;
  state: UserState;
  /** Trades for the house: its own fills earn nobody a commission. */
  house: boolean;
  selfTradePrevention: SelfTradePrevention;
  /** First ledger account per asset index; -1 until the asset is first touched. */
  readonly accountBases: number[];
  /** Own fee rates, by `feeRatesKey`; null for a user without any, as nearly all are. */
  feeRates: Map<string, FeeRates> | null;
  /** Open orders per market index. */
  readonly openOrderCounts: number[];
}

/** Key of a user's own fee rates: for a product, or for one symbol of it. */
export function feeRatesKey(product: Product, symbol: string | null): string {
  return symbol === null ? product : `${product}:${symbol}`;
}

export function setFeeRatesOf(user: User, key: string, rates: FeeRates): void {
  user.feeRates ??= new Map();
  user.feeRates.set(key, rates);
}

/** Own fee rates with their keys, by key, as in a snapshot. */
export function feeRatesByKey({ feeRates }: User): [string, FeeRates][] {
  return [...(feeRates ?? [])].sort(([one], [other]) => (one < other ? -1 : 1));
}

/** First of a user's ledger accounts in an asset; they are opened when they are first needed. */
export function accountsOf(ledger: Ledger, user: User, assetIndex: number): AccountNumber {
  let base = user.accountBases[assetIndex];
  if (base === undefined || base === -1) {
    base = ledger.addUserAccounts(assetIndex);
    while (user.accountBases.length <= assetIndex) user.accountBases.push(-1);
    user.accountBases[assetIndex] = base;
  }
  return base;
}
