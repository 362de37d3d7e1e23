/**
 * The only way into the engine: batches of commands, and of queries about the current state. A call
 * may cross a thread, so everything passed is plain data. An answer is only returned after
 * everything that it depends on is durable.
 */
import type { OrderStatus, RejectReason, Result } from "../domain/index.ts";
import type { CommandType, UserChange } from "./commands.ts";
import type { ContractSettingsView } from "./contract-queries.ts";
import type { DeadManSwitchView, EngineQuery as Query, QueryAnswers } from "./queries.ts";

export interface PlacedOrder {
  readonly orderId: number;
  readonly clientOrderId: string;
  readonly symbol: string;
  /** Exchange time of the placement; for a repeated client order id, that of the first one. */
  readonly createdMs: number;
}

/** `createdMs` as in `PlacedOrder`. */
export interface PlacedContractOrder {
  readonly orderId: number;
  readonly clientOrderId: string;
  readonly symbol: string;
  readonly createdMs: number;
}

export interface PlacedAlgoOrder {
  readonly algoId: number;
  readonly clientAlgoId: string;
  readonly symbol: string;
  readonly createdMs: number;
}

/** The result for one position of a close request. */
export interface ClosedPosition {
  readonly positionId: number;
  readonly ok: boolean;
  /** The closing order; 0 if none. */
  readonly orderId: number;
  /** Why it could not be closed; null if it was. */
  readonly reason: RejectReason | null;
}

/**
 * `orderId` and `clientOrderId` are those of the conditional order if that is what was cancelled.
 */
export interface CancelledOrder {
  readonly orderId: number;
  readonly clientOrderId: string;
  readonly symbol: string;
}

/** An order after its amendment. */
export interface AmendedOrder {
  readonly orderId: number;
  readonly clientOrderId: string;
  readonly symbol: string;
  readonly price: string;
  readonly quantity: string;
  readonly filledQuantity: string;
  /** Not NEW when the amended order ended at once, as a new order may. */
  readonly status: OrderStatus;
  readonly keptPriority: boolean;
  readonly updatedMs: number;
}

export interface MovedFunds {
  readonly requestId: string;
  /** Available balance of the wallet that was credited or debited (`to` for a transfer). */
  readonly balance: string;
}

/** Where the money of a reversal came from, as decimal text. */
export interface ReversedCommission {
  readonly reversalId: number;
  readonly fromPayable: string;
  readonly fromSpot: string;
  readonly owed: string;
}

/** The answer of each accepted command. */
export interface CommandAnswers {
  "place-spot-order": PlacedOrder;
  "cancel-spot-order": CancelledOrder;
  "cancel-all-spot-orders": readonly CancelledOrder[];
  "amend-spot-order": AmendedOrder;
  "set-dead-man-switch": DeadManSwitchView;
  "do-once": CommandAnswers[UserChange["type"]];
  "adopt-rules": null;
  "advance-clock": null;
  "set-asset": null;
  "set-spot-market": null;
  "set-spot-market-state": null;
  "register-user": { readonly uid: number; readonly inviteCode: string };
  "update-user": null;
  "set-fee-rates": null;
  "set-api-key": null;
  "revoke-api-key": null;
  "deposit-funds": MovedFunds;
  "withdraw-funds": MovedFunds;
  "transfer-funds": MovedFunds;
  "deposit-insurance": MovedFunds;
  "withdraw-insurance": MovedFunds;
  "advance-time": null;
  resume: null;
  "continue-risk": null;
  "set-index-price": null;
  "pin-mark-price": null;
  "set-contract-market": null;
  "set-contract-market-state": null;
  "transfer-own-funds": MovedFunds;
  "place-contract-order": PlacedContractOrder;
  "cancel-contract-order": CancelledOrder;
  "cancel-all-contract-orders": readonly CancelledOrder[];
  "close-positions": readonly ClosedPosition[];
  "place-algo-order": PlacedAlgoOrder;
  "cancel-algo-order": CancelledOrder;
  "cancel-all-algo-orders": readonly CancelledOrder[];
  "modify-algo-order": null;
  "set-leverage": ContractSettingsView;
  "set-margin-type": null;
  "move-position-margin": null;
  "set-auto-append-margin": null;
  "amend-contract-order": AmendedOrder;
  "set-affiliate": null;
  "set-affiliate-policy": null;
  "set-house-account": null;
  "release-commission": null;
  "reverse-commission": ReversedCommission;
  /** How many payments were made. */
  "settle-commissions": { readonly settlements: number };
  "withdraw-internally": { readonly withdrawalId: number };
}

export type CommandResult<Type extends CommandType = CommandType> = Result<CommandAnswers[Type]>;

export type Submission =
  | { readonly kind: "command"; readonly bytes: Uint8Array }
  | { readonly kind: "query"; readonly query: Query };

export interface Answer {
  /** The answer reflects every command up to this sequence. */
  readonly sequence: number;
  /** Exchange time of the answer. */
  readonly timestampMs: number;
  readonly result: CommandResult | Result<QueryAnswers[keyof QueryAnswers]>;
}

/**
 * The submission was not accepted: the queue is full, the disk is nearly full, or the process is
 * stopping.
 */
export interface Unavailable {
  readonly unavailable: "overloaded" | "disk-nearly-full" | "stopping";
}

export interface EnginePort {
  /**
   * Returns answers in the order of the submissions. Never rejects: a failure to make a batch
   * durable ends the process.
   */
  submit(batch: readonly Submission[]): Promise<readonly (Answer | Unavailable)[]>;
}
