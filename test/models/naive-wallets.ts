/**
 * The spot wallets that naive withdrawals and deposits move: those of a naive exchange, or plain
 * numbers of their own. Amounts are in 10^-18.
 */
import { text } from "../support/exact.ts";
import type { NaiveEvent } from "./naive-accounts.ts";

type End = "spot" | null;

export interface NaiveWallets {
  hasUser(uid: number): boolean;
  /** Whether an operator has frozen the user. */
  isFrozen(uid: number): boolean;
  /** The smallest amount; null for an asset that nobody knows. */
  unitOf(asset: string): bigint | null;
  available(uid: number, asset: string): bigint;
  /** What is available is frozen; a negative amount is available again. */
  freeze(uid: number, asset: string, amount: bigint): void;
  /** A frozen amount leaves the exchange, which keeps the fee. */
  leave(uid: number, asset: string, amount: bigint, fee: bigint): void;
  arrive(uid: number, asset: string, amount: bigint): void;
  /** What is told of money that moved, when it has. */
  moved(
    uid: number,
    asset: string,
    amount: bigint,
    requestId: string,
    from: End,
    to: End,
  ): NaiveEvent;
}

interface PlainWallet {
  available: bigint;
  frozen: bigint;
}

/** Of assets with 8 decimals, and of whoever has a wallet. */
export class PlainWallets implements NaiveWallets {
  readonly frozenUsers = new Set<number>();
  /** What left the exchange and what it kept, by asset. */
  readonly left = new Map<string, bigint>();
  readonly fees = new Map<string, bigint>();
  readonly #wallets = new Map<string, PlainWallet>();
  readonly #users = new Set<number>();

  wallet(uid: number, asset: string): PlainWallet {
    const key = `${uid} ${asset}`;
    const wallet = this.#wallets.get(key) ?? { available: 0n, frozen: 0n };
    this.#wallets.set(key, wallet);
    this.#users.add(uid);
    return wallet;
  }

  hasUser(uid: number): boolean {
    return this.#users.has(uid);
  }

  isFrozen(uid: number): boolean {
    return this.frozenUsers.has(uid);
  }

  unitOf(): bigint {
    return 10n ** 10n;
  }

  available(uid: number, asset: string): bigint {
    return this.wallet(uid, asset).available;
  }

  freeze(uid: number, asset: string, amount: bigint): void {
    const wallet = this.wallet(uid, asset);
    wallet.available -= amount;
    wallet.frozen += amount;
  }

  leave(uid: number, asset: string, amount: bigint, fee: bigint): void {
    this.wallet(uid, asset).frozen -= amount;
    this.left.set(asset, (this.left.get(asset) ?? 0n) + amount - fee);
    this.fees.set(asset, (this.fees.get(asset) ?? 0n) + fee);
  }

  arrive(uid: number, asset: string, amount: bigint): void {
    this.wallet(uid, asset).available += amount;
  }

  moved(uid: number, asset: string, amount: bigint, requestId: string, from: End, to: End) {
    const { available, frozen } = this.wallet(uid, asset);
    const spotEquity = text(available + frozen);
    const terms = { uid, asset, amount: text(amount), requestId, from, to };
    return { type: "funds-moved", ...terms, spotEquity, contractEquity: "0" };
  }
}
