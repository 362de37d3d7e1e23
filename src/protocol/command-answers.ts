/** The answer to each accepted command: its type and its bytes, from one declaration. */
import {
  DEPOSIT_STATES,
  MARGIN_TYPES,
  ORDER_STATUSES,
  PROPOSAL_STATES,
  type RejectReason,
  SEPARATED_TYPES,
  WITHDRAWAL_STATES,
} from "../domain/index.ts";
import type { Command, CommandType, UserChange } from "./commands.ts";
import {
  choice,
  type Field,
  flag,
  list,
  nullable,
  recurringText,
  struct,
  text,
  uint,
  type ValueOf,
} from "./record.ts";

const PLACED_ORDER = {
  orderId: uint,
  clientOrderId: text,
  symbol: recurringText,
  /** Exchange time of the placement. */
  createdMs: uint,
} as const;

/** A placed order. For a repeated client order id, `createdMs` is that of the first placement. */
const placedOrder = struct(PLACED_ORDER);
export type PlacedOrder = ValueOf<typeof placedOrder>;

/** With the version of the book after it; of a repeated one, now. */
const placedBookOrder = struct({ ...PLACED_ORDER, bookVersion: uint });
export type PlacedSpotOrder = ValueOf<typeof placedBookOrder>;
export type PlacedContractOrder = PlacedSpotOrder;

const placedAlgoOrder = struct({
  algoId: uint,
  clientAlgoId: text,
  symbol: recurringText,
  createdMs: uint,
});
export type PlacedAlgoOrder = ValueOf<typeof placedAlgoOrder>;

/** The result for one position of a close request. */
const closedPosition = struct({
  positionId: uint,
  ok: flag,
  /** The closing order; 0 if none. */
  orderId: uint,
  /** Why it could not be closed; null if it was. */
  reason: nullable(recurringText as Field<RejectReason>),
});
export type ClosedPosition = ValueOf<typeof closedPosition>;

/**
 * `orderId` and `clientOrderId` are those of the conditional order if that is what was cancelled.
 */
const CANCELLED_ORDER = { orderId: uint, clientOrderId: text, symbol: recurringText } as const;
const cancelledOrder = struct(CANCELLED_ORDER);
export type CancelledOrder = ValueOf<typeof cancelledOrder>;

/** With the version of the book after it. */
const cancelledBookOrder = struct({ ...CANCELLED_ORDER, bookVersion: uint });
export type CancelledSpotOrder = ValueOf<typeof cancelledBookOrder>;
export type CancelledContractOrder = CancelledSpotOrder;

/** An order after its amendment, and the version of the book; of a repeated one, now. */
const amendedOrder = struct({
  orderId: uint,
  clientOrderId: text,
  symbol: recurringText,
  price: text,
  quantity: text,
  filledQuantity: text,
  /** Not NEW when the amended order ended at once, as a new order may. */
  status: choice(ORDER_STATUSES),
  keptPriority: flag,
  updatedMs: uint,
  bookVersion: uint,
});
export type AmendedOrder = ValueOf<typeof amendedOrder>;
/** As it is remembered. */
export type OrderAmendment = Omit<AmendedOrder, "bookVersion">;

/** A recorded execution, as decimal text. */
const recordedExecution = struct({
  /** Filled by the named order. */
  quantity: text,
  /** Filled by orders of other users in its place. */
  byOthers: text,
  /** Recorded, and nobody was there to fill it. */
  missing: text,
});

const movedFunds = struct({
  requestId: text,
  /** Available balance of the wallet that was credited or debited (`to` for a transfer). */
  balance: text,
});
export type MovedFunds = ValueOf<typeof movedFunds>;

/** Where the money of a reversal came from, as decimal text. */
const reversedCommission = struct({
  reversalId: uint,
  fromPayable: text,
  fromSpot: text,
  owed: text,
});

/** A countdown after which open orders are cancelled. */
const deadManSwitch = struct({
  /** Null for every market. */
  symbol: nullable(recurringText),
  countdownMs: uint,
  /** 0 when switched off. */
  firesAtMs: uint,
  /** It has fired, and waits for a halted market that keeps orders. */
  isHeld: flag,
});
export type DeadManSwitchView = ValueOf<typeof deadManSwitch>;

const contractSettings = struct({
  symbol: recurringText,
  marginType: choice(MARGIN_TYPES),
  separatedType: choice(SEPARATED_TYPES),
  crossLeverage: uint,
  isolatedLongLeverage: uint,
  isolatedShortLeverage: uint,
});
export type ContractSettingsView = ValueOf<typeof contractSettings>;

/** An entry of an address book. */
const addressBookEntry = struct({ addressId: uint, usableFromMs: uint });

/** What a step of a withdrawal led to, and when. */
const withdrawalStep = struct({
  withdrawalId: uint,
  state: choice(WITHDRAWAL_STATES),
  timestampMs: uint,
});
export type WithdrawalStepAnswer = ValueOf<typeof withdrawalStep>;

const reportedDeposit = struct({ depositId: uint, state: choice(DEPOSIT_STATES) });

/** What became of a proposal, and until when it can be decided. */
const proposalAnswer = struct({
  proposalId: uint,
  state: choice(PROPOSAL_STATES),
  expiresMs: uint,
});
export type ProposalAnswer = ValueOf<typeof proposalAnswer>;

/** There is nothing to say. */
const done: Field<null> = { write: () => undefined, read: () => null, missing: null };

const ANSWERS = {
  "place-spot-order": placedBookOrder,
  "cancel-spot-order": cancelledBookOrder,
  "cancel-all-spot-orders": list(cancelledBookOrder),
  "amend-spot-order": amendedOrder,
  "set-dead-man-switch": deadManSwitch,
  "place-recorded-order": placedOrder,
  "execute-recorded-order": recordedExecution,
  /** Recorded, and no longer there to be cancelled. */
  "reduce-recorded-order": struct({ missing: text }),
  "adopt-rules": done,
  "advance-clock": done,
  "set-clock": done,
  "set-asset": done,
  "set-spot-market": done,
  "set-spot-market-state": done,
  "register-user": struct({ uid: uint, inviteCode: text }),
  "update-user": done,
  "set-fee-rates": done,
  "set-api-key": done,
  "revoke-api-key": done,
  "set-operator": done,
  "remove-operator": done,
  "set-approval-rule": done,
  propose: proposalAnswer,
  "decide-proposal": proposalAnswer,
  "do-for-reason": done,
  "set-webhook": done,
  "remove-webhook": done,
  "report-custody": done,
  "deposit-funds": movedFunds,
  "withdraw-funds": movedFunds,
  "transfer-funds": movedFunds,
  "deposit-insurance": movedFunds,
  "withdraw-insurance": movedFunds,
  "advance-time": done,
  resume: done,
  "continue-risk": done,
  "set-index-price": done,
  "pin-mark-price": done,
  "set-funding-rate": done,
  "set-contract-market": done,
  "set-contract-market-state": done,
  "transfer-own-funds": movedFunds,
  "place-contract-order": placedBookOrder,
  "cancel-contract-order": cancelledBookOrder,
  "cancel-all-contract-orders": list(cancelledBookOrder),
  "close-positions": list(closedPosition),
  "place-algo-order": placedAlgoOrder,
  "cancel-algo-order": cancelledOrder,
  "cancel-all-algo-orders": list(cancelledOrder),
  "modify-algo-order": done,
  "set-leverage": contractSettings,
  "set-margin-type": done,
  "move-position-margin": done,
  "set-auto-append-margin": done,
  "amend-contract-order": amendedOrder,
  "set-affiliate": done,
  "set-affiliate-policy": done,
  "set-house-account": done,
  "release-commission": done,
  "reverse-commission": reversedCommission,
  /** How many payments were made. */
  "settle-commissions": struct({ settlements: uint }),
  "withdraw-internally": struct({ withdrawalId: uint }),
  "set-withdrawal-rules": done,
  "add-withdrawal-address": addressBookEntry,
  "remove-withdrawal-address": done,
  "request-withdrawal": withdrawalStep,
  "set-withdrawal-state": withdrawalStep,
  "cancel-withdrawal": withdrawalStep,
  "set-deposit-rules": done,
  "report-deposit": reportedDeposit,
  "drop-deposit": reportedDeposit,
} satisfies Record<Exclude<CommandType, "do-once">, object>;

type Answers = typeof ANSWERS;

export type CommandAnswers = { [Type in keyof Answers]: ValueOf<Answers[Type]> } & {
  "do-once": ValueOf<Answers[UserChange["type"]]>;
};

/** How the answer to a command is written and read. */
export function answerField(command: Command): Field<CommandAnswers[CommandType]> {
  const { type } = command.type === "do-once" ? command.command : command;
  return ANSWERS[type] as Field<never>;
}
