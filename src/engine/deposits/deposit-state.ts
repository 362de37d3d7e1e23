/** All state of reported deposits: one part of the exchange's state. */

export interface PendingDeposit extends CreditedDeposit {
  readonly network: string;
  readonly transactionId: string;
  readonly outputIndex: number;
  readonly firstMs: number;
  confirmations: number;
}

/** What a repeated report is compared with. */
export interface CreditedDeposit {
  readonly depositId: number;
  readonly uid: number;
  readonly assetIndex: number;
  readonly amountMinor: bigint;
}

export const PENDING_DEPOSITS_MAX = 100_000;

export class Deposits {
  nextDepositId = 1;
  /** Confirmations that are required, by asset and network. */
  readonly required = new Map<string, number>();
  /** By what they are outside, in the order in which they were seen. */
  readonly pending = new Map<string, PendingDeposit>();
  readonly pendingById = new Map<number, PendingDeposit>();
  /** For ever: a transaction is credited once, however long ago it was. */
  readonly credited = new Map<string, CreditedDeposit>();

  addPending(deposit: PendingDeposit): void {
    this.pending.set(depositKey(deposit), deposit);
    this.pendingById.set(deposit.depositId, deposit);
  }

  removePending(deposit: PendingDeposit): void {
    this.pending.delete(depositKey(deposit));
    this.pendingById.delete(deposit.depositId);
  }
}

/** What a deposit is outside. No part but the transaction may have a blank. */
export function depositKey({
  network,
  transactionId,
  outputIndex,
}: Pick<PendingDeposit, "network" | "transactionId" | "outputIndex">): string {
  return `${network} ${outputIndex} ${transactionId}`;
}

/** The key of `required`. */
export function ruleKey(assetIndex: number, network: string): string {
  return `${assetIndex} ${network}`;
}
