/**
 * The margin accounts that a command has touched, each once, which the end of the command checks.
 * The mark stands on the account itself: a funding slot touches everybody, and a set of all of them
 * would cost more than what is done to them.
 */
import type { MarginAccount } from "./contract-market.ts";

export class TouchedAccounts {
  readonly #accounts: MarginAccount[] = [];

  add(account: MarginAccount): void {
    if (account.isTouched) return;
    account.isTouched = true;
    this.#accounts.push(account);
  }

  [Symbol.iterator](): IterableIterator<MarginAccount> {
    return this.#accounts.values();
  }

  clear(): void {
    for (const account of this.#accounts) account.isTouched = false;
    this.#accounts.length = 0;
  }
}
