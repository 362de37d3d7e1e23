/**
 * Commissions before they are paid out. The payable and held amounts of all affiliates are one
 * balance on the house account affiliate-payable, and are kept here by affiliate and asset. Ledger
 * and balances change in one step, and after each step the house account is compared with the
 * running sum.
 */
import { type HouseAccount, invariant } from "../../domain/index.ts";
import { SPOT_AVAILABLE } from "../ledger/ledger.ts";
import { type Context, type State, userAccount } from "../state.ts";
import {
  type Affiliate,
  type AffiliateBalance,
  type AffiliateState,
  NEVER_MS,
} from "./affiliate-state.ts";

const HOUR_MS = 60 * 60 * 1000;

type Amounts = Pick<AffiliateBalance, "payableMinor" | "heldMinor" | "owedMinor">;

export function lesser(one: bigint, other: bigint): bigint {
  return one < other ? one : other;
}

/** Opened when it is first needed. */
export function balanceOf(affiliate: Affiliate, assetIndex: number): AffiliateBalance {
  let balance = affiliate.balances.get(assetIndex);
  if (balance === undefined) {
    balance = { affiliate, assetIndex, payableMinor: 0n, heldMinor: 0n, owedMinor: 0n };
    affiliate.balances.set(assetIndex, balance);
  }
  return balance;
}

/** Sets a balance read from a snapshot, and what follows from it. */
export function restoreBalance(
  { affiliates }: State,
  affiliate: Affiliate,
  assetIndex: number,
  { payableMinor, heldMinor, owedMinor }: Amounts,
): void {
  const balance = balanceOf(affiliate, assetIndex);
  Object.assign(balance, { payableMinor, heldMinor, owedMinor });
  if (payableMinor > 0n) affiliates.waiting.add(balance);
  addOutstanding(affiliates, assetIndex, payableMinor + heldMinor);
}

/** A commission: fees → affiliate-payable. */
export function accrueMinor(
  context: Context,
  balance: AffiliateBalance,
  amountMinor: bigint,
  isHeld: boolean,
): void {
  moveHouse(context.state, balance, "fees", "affiliate-payable", amountMinor);
  if (isHeld) balance.heldMinor += amountMinor;
  else addPayable(context, balance, amountMinor);
  grow(context.state, balance, amountMinor);
}

/** A held commission waits for the next settlement from now on. */
export function releaseMinor(
  context: Context,
  balance: AffiliateBalance,
  amountMinor: bigint,
): void {
  balance.heldMinor -= amountMinor;
  invariant(balance.heldMinor >= 0n, "what is released was held");
  addPayable(context, balance, amountMinor);
}

/** A held commission is taken back: affiliate-payable → fees. */
export function takeBackHeld(
  { state }: Context,
  balance: AffiliateBalance,
  amountMinor: bigint,
): void {
  balance.heldMinor -= amountMinor;
  invariant(balance.heldMinor >= 0n, "what is taken back was held");
  moveHouse(state, balance, "affiliate-payable", "fees", amountMinor);
  grow(state, balance, -amountMinor);
}

/** Takes back, or keeps for a debt, what waits for settlement: affiliate-payable → fees. */
export function takeBackPayable(
  { state }: Context,
  balance: AffiliateBalance,
  amountMinor: bigint,
): void {
  takePayable(state, balance, amountMinor);
  moveHouse(state, balance, "affiliate-payable", "fees", amountMinor);
  grow(state, balance, -amountMinor);
}

/** Pays what waits for settlement: affiliate-payable → the affiliate's spot wallet. */
export function payOut({ state }: Context, balance: AffiliateBalance, amountMinor: bigint): void {
  const { affiliate, assetIndex } = balance;
  takePayable(state, balance, amountMinor);
  const from = state.ledger.houseAccount(assetIndex, "affiliate-payable");
  const to = userAccount(state, affiliate.user, assetIndex, SPOT_AVAILABLE);
  state.ledger.move(from, to, amountMinor);
  grow(state, balance, -amountMinor);
}

/** Takes back what was paid: the affiliate's spot wallet → fees. */
export function takeBackPaid(
  { state }: Context,
  { affiliate, assetIndex }: AffiliateBalance,
  amountMinor: bigint,
): void {
  const from = userAccount(state, affiliate.user, assetIndex, SPOT_AVAILABLE);
  state.ledger.move(from, state.ledger.houseAccount(assetIndex, "fees"), amountMinor);
}

/** The next settlement is at the full hour after the first that waits for it. */
function addPayable(context: Context, balance: AffiliateBalance, amountMinor: bigint): void {
  if (amountMinor === 0n) return;
  const { affiliates } = context.state;
  if (affiliates.settlementDueMs === NEVER_MS) {
    affiliates.settlementDueMs = context.nowMs - (context.nowMs % HOUR_MS) + HOUR_MS;
  }
  balance.payableMinor += amountMinor;
  affiliates.waiting.add(balance);
}

function takePayable({ affiliates }: State, balance: AffiliateBalance, amountMinor: bigint): void {
  balance.payableMinor -= amountMinor;
  invariant(balance.payableMinor >= 0n, "no more is paid than accrued");
  if (balance.payableMinor > 0n) return;
  affiliates.waiting.delete(balance);
  if (affiliates.waiting.size === 0) affiliates.settlementDueMs = NEVER_MS;
}

function moveHouse(
  { ledger }: State,
  { assetIndex }: AffiliateBalance,
  from: HouseAccount,
  to: HouseAccount,
  amountMinor: bigint,
): void {
  const fromAccount = ledger.houseAccount(assetIndex, from);
  ledger.move(fromAccount, ledger.houseAccount(assetIndex, to), amountMinor);
}

function grow({ affiliates, ledger }: State, balance: AffiliateBalance, byMinor: bigint): void {
  const { assetIndex } = balance;
  const sumMinor = addOutstanding(affiliates, assetIndex, byMinor);
  const account = ledger.houseAccount(assetIndex, "affiliate-payable");
  invariant(ledger.balance(account) === sumMinor, "what affiliates have coming is in the ledger");
}

function addOutstanding(
  { outstandingMinor }: AffiliateState,
  assetIndex: number,
  byMinor: bigint,
): bigint {
  while (outstandingMinor.length <= assetIndex) outstandingMinor.push(0n);
  const sumMinor = (outstandingMinor[assetIndex] as bigint) + byMinor;
  outstandingMinor[assetIndex] = sumMinor;
  return sumMinor;
}
