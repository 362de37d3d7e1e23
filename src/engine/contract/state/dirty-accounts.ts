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

  inOrder(): readonly MarginAccount[] {
    return this.#accounts;
  }

  clear(): void {
    // Taken out one by one: a length of 0 would give the room of the array away.
    for (let last = this.#accounts.pop(); last !== undefined; last = this.#accounts.pop()) {
      last.isDirty = false;
    }
  }
}
