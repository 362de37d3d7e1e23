/**
 * The margin accounts that a command changed, each once; the end of the command checks them. The
 * mark is a field of the account: a funding slot changes every account, and a set of all of them
 * would cost more than the slot itself.
 */
import type { MarginAccount } from "./contract-market.ts";

export class DirtyAccounts {
  readonly #accounts: MarginAccount[] = [];

  add(account: MarginAccount): void {
    if (account.isDirty) return;
    account.isDirty = true;
    this.#accounts.push(account);
  }

  get size(): number {
    return this.#accounts.length;
  }

  [Symbol.iterator](): IterableIterator<MarginAccount> {
    return this.#accounts.values();
  }

  clear(): void {
    for (const account of this.#accounts) account.isDirty = false;
    this.#accounts.length = 0;
  }
}
