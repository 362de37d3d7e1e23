/**
 * The double-entry ledger: all money of the exchange is on its accounts, in minor units of the
 * asset. An entry is a run of moves, each between two accounts of one asset, so its postings sum to
 * zero per asset; a user's account is never negative. Both are checked at every move, in production
 * too.
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

/**
 * The largest amount of a cell, either sign: the sum of two such amounts fits 64 bits, so moves
 * between cells are processor arithmetic and make no bigints.
 */
const CELL_MAX = 2n ** 62n;
const CAPACITY_FIRST = 1024;

export class Ledger {
  /** Balances, those of a user's asset side by side: orders pick users at random. */
  #cells = new BigInt64Array(CAPACITY_FIRST);
  /** The asset, or `~asset` while the balance is beyond `CELL_MAX` and kept in `#large`. */
  #assetOf = new Int32Array(CAPACITY_FIRST);
  readonly #large = new Map<AccountNumber, bigint>();
  readonly #mayBeNegative: boolean[] = [];
  #accounts = 0;
  /** First house account of each asset. */
  readonly #houseBase: number[] = [];

  /** Opens the house accounts of the next asset; assets are numbered from 0 in order of listing. */
  addAsset(): number {
    const asset = this.#houseBase.length;
    this.#houseBase.push(this.#accounts);
    for (const name of HOUSE_ACCOUNTS) this.#open(asset, HOUSE_ACCOUNTS_BELOW_ZERO.includes(name));
    return asset;
  }

  /**
   * Opens a user's accounts in an asset; the result plus `SPOT_AVAILABLE` etc. is an account
   * number.
   */
  addUserAccounts(asset: number): AccountNumber {
    const base = this.#accounts;
    for (let i = 0; i < USER_ACCOUNTS.length; i++) this.#open(asset, false);
    return base;
  }

  #open(asset: number, mayBeNegative: boolean): void {
    if (this.#accounts === this.#cells.length) this.#grow();
    this.#assetOf[this.#accounts] = asset;
    this.#mayBeNegative.push(mayBeNegative);
    this.#accounts++;
  }

  #grow(): void {
    const cells = new BigInt64Array(2 * this.#accounts);
    const assetOf = new Int32Array(2 * this.#accounts);
    cells.set(this.#cells);
    assetOf.set(this.#assetOf);
    this.#cells = cells;
    this.#assetOf = assetOf;
  }

  houseAccount(asset: number, name: HouseAccount): AccountNumber {
    const base = this.#houseBase[asset];
    invariant(base !== undefined, "every listed asset has house accounts");
    return base + HOUSE_ACCOUNTS.indexOf(name);
  }

  balance(account: AccountNumber): bigint {
    return (this.#assetOf[account] as number) < 0
      ? (this.#large.get(account) as bigint)
      : (this.#cells[account] as bigint);
  }

  /**
   * Moves an amount between two accounts of one asset. Entries consist of moves only, so their
   * postings sum to zero in every asset; otherwise the process stops.
   */
  move(from: AccountNumber, to: AccountNumber, amountMinor: bigint): void {
    const asset = this.#assetOf[from] as number;
    invariant(amountMinor >= 0n, "a move has a direction");
    if (asset !== this.#assetOf[to] || asset < 0 || amountMinor > CELL_MAX) {
      this.#moveLarge(from, to, amountMinor);
      return;
    }
    const cells = this.#cells;
    const left = (cells[from] as bigint) - amountMinor;
    if (left < 0n) {
      invariant(this.#mayBeNegative[from] === true, "no account of a user falls below zero");
    }
    if (left < -CELL_MAX || (cells[to] as bigint) + amountMinor > CELL_MAX) {
      this.#moveLarge(from, to, amountMinor);
      return;
    }
    cells[from] = left;
    // Read again: both may be the same account.
    cells[to] = (cells[to] as bigint) + amountMinor;
  }

  /** A move in which one of the two balances is, or may become, larger than a cell. */
  #moveLarge(from: AccountNumber, to: AccountNumber, amountMinor: bigint): void {
    const left = this.balance(from) - amountMinor;
    if (left < 0n) {
      invariant(this.#mayBeNegative[from] === true, "no account of a user falls below zero");
    }
    this.draw(from, to, amountMinor);
  }

  /**
   * A move that may leave a user's contract cash below zero, as far as unrealised profit of cross
   * positions covers it. The caller adds the margin account to `ContractState.dirtyAccounts`, and
   * the end of the command proves that it was covered.
   */
  draw(from: AccountNumber, to: AccountNumber, amountMinor: bigint): void {
    invariant(this.#asset(from) === this.#asset(to), "a move is within one asset");
    invariant(amountMinor >= 0n, "a move has a direction");
    this.#set(from, this.balance(from) - amountMinor);
    this.#set(to, this.balance(to) + amountMinor);
  }

  /** Sets a balance read from a snapshot; the caller checks the totals afterwards. */
  restore(account: AccountNumber, balanceMinor: bigint): void {
    this.#set(account, balanceMinor);
  }

  #set(account: AccountNumber, balanceMinor: bigint): void {
    const asset = this.#asset(account);
    if (balanceMinor > CELL_MAX || balanceMinor < -CELL_MAX) {
      this.#large.set(account, balanceMinor);
      this.#assetOf[account] = ~asset;
      return;
    }
    if ((this.#assetOf[account] as number) < 0) this.#large.delete(account);
    this.#assetOf[account] = asset;
    this.#cells[account] = balanceMinor;
  }

  #asset(account: AccountNumber): number {
    const asset = this.#assetOf[account] as number;
    return asset < 0 ? ~asset : asset;
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
        totals[name] += this.balance(base + offset);
      }
    }
    for (const name of HOUSE_ACCOUNTS) totals[name] = this.balance(this.houseAccount(asset, name));
    return totals;
  }
}
