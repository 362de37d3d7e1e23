/**
 * The one door to the engine: batches of commands and of questions about the present state. The
 * door may be a function call or a thread boundary, so all that crosses it is plain data. An answer
 * arrives only after everything that it depends on is durable.
 */
import type { Result } from "../domain/index.ts";
import type { CommandType } from "./commands.ts";
import type { EngineQuery as Query, QueryAnswers } from "./queries.ts";

export interface PlacedOrder {
  readonly orderId: number;
  readonly clientOrderId: string;
  readonly symbol: string;
  /** Exchange time of the placement; of the first one when a client order id is repeated. */
  readonly createdMs: number;
}

export interface CancelledOrder {
  readonly orderId: number;
  readonly clientOrderId: string;
  readonly symbol: string;
}

export interface MovedFunds {
  readonly requestId: string;
  /** Available balance of the wallet that was paid into or out of (of `to` for a transfer). */
  readonly balance: string;
}

/** What an accepted command answers. */
export interface CommandAnswers {
  "place-spot-order": PlacedOrder;
  "cancel-spot-order": CancelledOrder;
  "cancel-all-spot-orders": readonly CancelledOrder[];
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
}

export type CommandResult<Type extends CommandType = CommandType> = Result<CommandAnswers[Type]>;

export type Submission =
  | { readonly kind: "command"; readonly bytes: Uint8Array }
  | { readonly kind: "query"; readonly query: Query };

export interface Answer {
  /** The state that this answer saw includes every command up to this sequence. */
  readonly sequence: number;
  /** Exchange time at which it was made. */
  readonly timestampMs: number;
  readonly result: CommandResult | Result<QueryAnswers[keyof QueryAnswers]>;
}

/** The door is shut: the queue is full, the disk nearly full, or the process is stopping. */
export interface Unavailable {
  readonly unavailable: "overloaded" | "disk-nearly-full" | "stopping";
}

export interface EnginePort {
  /**
   * Answers in the order of the submissions. Never rejects: a failure to make durable ends the
   * process.
   */
  submit(batch: readonly Submission[]): Promise<readonly (Answer | Unavailable)[]>;
}
