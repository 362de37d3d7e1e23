/**
 * The double-entry ledger: every amount of money in the exchange is on one account here, in minor
 * units of its asset. An entry is a run of moves, each from one account to another of the same
 * asset, so its postings sum to zero per asset; a user's account is never negative. Both are
 * checked at every move, in production too.
 */
import {
  HOUSE_ACCOUNTS,
  type HouseAccount,
  invariant,
  USER_ACCOUNTS,
  type UserAccount,
} from "../../domain/index.ts";

/** Position of an account in the ledger. */
export type AccountNumber = number;

export const SPOT_AVAILABLE = USER_ACCOUNTS.indexOf("spot.available");
export const SPOT_FROZEN = USER_ACCOUNTS.indexOf("spot.frozen");
export const CONTRACT_AVAILABLE = USER_ACCOUNTS.indexOf("contract.available");
export const CONTRACT_ORDER_MARGIN = USER_ACCOUNTS.indexOf("contract.order-margin");
export const CONTRACT_POSITION_MARGIN = USER_ACCOUNTS.indexOf("contract.position-margin");

const HOUSE_ACCOUNTS_BELOW_ZERO: readonly HouseAccount[] = ["external", "pnl-clearing"];

export class Ledger {
  readonly #balances: bigint[] = [];
  readonly #assetOf: number[] = [];
  readonly #mayBeNegative: boolean[] = [];
  /** First house account of each asset. */
  readonly #houseBase: number[] = [];

  /** Opens the house accounts of the next asset; assets are numbered from 0 in order of listing. */
  addAsset(): number {
    const asset = this.#houseBase.length;
    this.#houseBase.push(this.#balances.length);
    for (const name of HOUSE_ACCOUNTS) this.#open(asset, HOUSE_ACCOUNTS_BELOW_ZERO.includes(name));
    return asset;
  }

  /**
   * Opens a user's accounts in an asset; the result plus `SPOT_AVAILABLE` etc. is an account
   * number.
   */
  addUserAccounts(asset: number): AccountNumber {
    const base = this.#balances.length;
    for (let i = 0; i < USER_ACCOUNTS.length; i++) this.#open(asset, false);
    return base;
  }

  #open(asset: number, mayBeNegative: boolean): void {
    this.#balances.push(0n);
    this.#assetOf.push(asset);
    this.#mayBeNegative.push(mayBeNegative);
  }

  houseAccount(asset: number, name: HouseAccount): AccountNumber {
    const base = this.#houseBase[asset];
    invariant(base !== undefined, "every listed asset has house accounts");
    return base + HOUSE_ACCOUNTS.indexOf(name);
  }

  balance(account: AccountNumber): bigint {
    return this.#balances[account] as bigint;
  }

  /**
   * Takes from one account what it adds to another of the same asset. Every entry is made of moves,
   * so the postings of an entry sum to zero in every asset; or the process stops.
   */
  move(from: AccountNumber, to: AccountNumber, amountMinor: bigint): void {
    const balances = this.#balances;
    const left = (balances[from] as bigint) - amountMinor;
    invariant(this.#assetOf[from] === this.#assetOf[to], "a move is within one asset");
    invariant(amountMinor >= 0n, "a move has a direction");
    if (left < 0n) {
      invariant(this.#mayBeNegative[from] === true, "no account of a user falls below zero");
    }
    balances[from] = left;
    balances[to] = (balances[to] as bigint) + amountMinor;
  }

  /**
   * A move that may leave a user's contract cash below zero, as far as unrealised profit of cross
   * positions covers it. Whoever draws adds the margin account to `ContractState.touched`, so that
   * the end of the command proves that it was covered.
   */
  draw(from: AccountNumber, to: AccountNumber, amountMinor: bigint): void {
    const balances = this.#balances;
    invariant(this.#assetOf[from] === this.#assetOf[to], "a move is within one asset");
    invariant(amountMinor >= 0n, "a move has a direction");
    balances[from] = (balances[from] as bigint) - amountMinor;
    balances[to] = (balances[to] as bigint) + amountMinor;
  }

  /** Sets a balance read from a snapshot; whoever restores checks the totals afterwards. */
  restore(account: AccountNumber, balanceMinor: bigint): void {
    this.#balances[account] = balanceMinor;
  }

  /**
   * House balances of an asset, and the sum of everything that users hold in it by kind of account.
   */
  totals(
    asset: number,
    userBases: Iterable<AccountNumber>,
  ): Record<UserAccount | HouseAccount, bigint> {
    const totals = {} as Record<UserAccount | HouseAccount, bigint>;
    for (const name of USER_ACCOUNTS) totals[name] = 0n;
    for (const base of userBases) {
      for (const [offset, name] of USER_ACCOUNTS.entries()) {
        totals[name] += this.#balances[base + offset] as bigint;
      }
    }
    for (const name of HOUSE_ACCOUNTS) totals[name] = this.balance(this.houseAccount(asset, name));
    return totals;
  }
}
