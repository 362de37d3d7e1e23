/**
 * What is outside of an exchange, and outlives it: a network on which users send deposits, and a
 * custodian who sends withdrawals. A transfer has the reference of whoever ordered it: ordered
 * again, nothing is sent; ordered with other terms, it is an error that no retry mends.
 */
import assert from "node:assert/strict";

export interface Transfer {
  readonly reference: string;
  readonly uid: number;
  readonly address: string;
  /** Without the fee. */
  readonly amount: number;
  /** It came back. */
  isReturned: boolean;
}

export interface Received {
  readonly transactionId: string;
  readonly uid: number;
  readonly amount: number;
}

export class Custody {
  readonly #transfers = new Map<string, Transfer>();
  readonly received: Received[] = [];
  /** Orders for what had left before. */
  repeated = 0;

  get transfers(): readonly Transfer[] {
    return [...this.#transfers.values()];
  }

  find(reference: string): Transfer | undefined {
    return this.#transfers.get(reference);
  }

  /** Sends once for a reference. */
  send(order: Omit<Transfer, "isReturned">, returns: boolean): Transfer {
    const known = this.#transfers.get(order.reference);
    if (known !== undefined) {
      const { isReturned: _, ...terms } = known;
      assert.deepEqual(order, terms, `${order.reference} was ordered with other terms`);
      this.repeated++;
      return known;
    }
    const transfer = { ...order, isReturned: returns };
    this.#transfers.set(order.reference, transfer);
    return transfer;
  }

  receive(uid: number, amount: number): void {
    this.received.push({ transactionId: `0x${this.received.length}`, uid, amount });
  }

  /** All that came and did not leave for good. */
  get holdings(): number {
    const left = this.transfers.filter(({ isReturned }) => !isReturned);
    return sumOf(this.received) - sumOf(left);
  }
}

export function sumOf(rows: readonly { readonly amount: number | string }[]): number {
  return rows.reduce((sum, { amount }) => sum + Number(amount), 0);
}
