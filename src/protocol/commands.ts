/**
 * Commands: everything that may change the state of the exchange. A command is encoded once, at the
 * edge, and the journal keeps those bytes. Amounts, prices and rates are decimal text; they are
 * parsed under the rules in force when the command is applied.
 */
import {
  APPROVAL_ACTIONS,
  DECISIONS,
  MARKET_STATES,
  OPERATOR_ROLES,
  ORDER_TYPES,
  PERMISSIONS,
  PRODUCTS,
  SELF_TRADE_PREVENTIONS,
  SIDES,
  TIMES_IN_FORCE,
  USER_STATES,
  WALLETS,
} from "../domain/index.ts";
import { AFFILIATE_COMMANDS } from "./affiliate-commands.ts";
import { ByteReader, ByteWriter, MalformedBytes } from "./bytes.ts";
import {
  CONTRACT_CHANGES,
  CONTRACT_COMMANDS,
  setContractMarketState,
} from "./contract-commands.ts";
import { CUSTODY_COMMANDS } from "./custody-records.ts";
import { DEPOSIT_COMMANDS } from "./deposit-commands.ts";
import {
  choice,
  type Decoded,
  type Field,
  flag,
  list,
  nullable,
  type RecordCodec,
  RecordSet,
  record,
  recurringText,
  text,
  uint,
} from "./record.ts";
import { WEBHOOK_COMMANDS } from "./webhook-records.ts";
import {
  addWithdrawalAddress,
  setWithdrawalState,
  WITHDRAWAL_COMMANDS,
} from "./withdrawal-commands.ts";

/** Whether `quantity` is in base asset, or in quote asset to spend (market buys of the v2 API). */
const QUANTITY_UNITS = ["base", "quote"] as const;

/** `price` is "" for a market order; its time in force is always IOC. */
const placeSpotOrder = record(1, "place-spot-order", {
  uid: uint,
  symbol: recurringText,
  side: choice(SIDES),
  orderType: choice(ORDER_TYPES),
  timeInForce: choice(TIMES_IN_FORCE),
  price: text,
  quantity: text,
  quantityUnit: choice(QUANTITY_UNITS),
  clientOrderId: text,
});

/**
 * One of the two ids is required; if both are given, `orderId` decides. A null symbol matches any.
 */
const cancelSpotOrder = record(2, "cancel-spot-order", {
  uid: uint,
  symbol: nullable(recurringText),
  orderId: nullable(uint),
  clientOrderId: nullable(text),
});

const cancelAllSpotOrders = record(3, "cancel-all-spot-orders", {
  uid: uint,
  symbol: recurringText,
});

/**
 * One of the two ids is required; if both are given, `orderId` decides. A null symbol matches any;
 * a null price or quantity is unchanged. The quantity is the order's total, including the filled
 * part.
 */
const amendSpotOrder = record(4, "amend-spot-order", {
  uid: uint,
  symbol: nullable(recurringText),
  orderId: nullable(uint),
  clientOrderId: nullable(text),
  price: nullable(text),
  quantity: nullable(text),
});

/** Restarts the countdown; 0 switches it off. A null symbol means every market. */
const setDeadManSwitch = record(5, "set-dead-man-switch", {
  uid: uint,
  product: choice(PRODUCTS),
  symbol: nullable(recurringText),
  countdownMs: uint,
});

/**
 * Sandbox only: an order of a recorded market. Neither the price band nor the limits of size, value
 * and number hold for it, because the recorded exchange had its own.
 */
const placeRecordedOrder = record(7, "place-recorded-order", {
  uid: uint,
  symbol: recurringText,
  side: choice(SIDES),
  timeInForce: choice(TIMES_IN_FORCE),
  price: text,
  quantity: text,
  clientOrderId: text,
});

/**
 * Sandbox only: a recorded execution of the order `makerOrderId` of `makerUid`, which rests or
 * rested on `side` at `price`. `uid` takes `quantity` from it and, before it, from orders of other
 * users with priority over it; what those fill the named order loses, as recorded.
 */
const executeRecordedOrder = record(8, "execute-recorded-order", {
  uid: uint,
  makerUid: uint,
  symbol: recurringText,
  side: choice(SIDES),
  price: text,
  quantity: text,
  makerOrderId: text,
  clientOrderId: text,
});

/** Sandbox only: a recorded cancellation of a part of an order, or of what is left of it. */
const reduceRecordedOrder = record(9, "reduce-recorded-order", {
  uid: uint,
  symbol: recurringText,
  clientOrderId: text,
  quantity: text,
});

/**
 * Creates a key or changes its settings. Secrets are never in a command; the key store has them.
 */
const setApiKey = record(40, "set-api-key", {
  actor: text,
  apiKey: text,
  uid: uint,
  label: text,
  permissions: list(choice(PERMISSIONS)),
  ipAllowList: list(text),
  expiresAtMs: nullable(uint),
});

const CHANGE_CODECS = [
  amendSpotOrder,
  setDeadManSwitch,
  ...CONTRACT_CHANGES,
  addWithdrawalAddress,
  setApiKey,
] as const;

/** A user's change that has no id of its own; `do-once` adds one. */
export type UserChange = Decoded<(typeof CHANGE_CODECS)[number]>;

const userChange: Field<UserChange> = oneOf<UserChange>(
  CHANGE_CODECS as readonly RecordCodec<string, UserChange>[],
  "a request without what it asks for",
);

/** A record of one of these kinds within another record. */
function oneOf<Value extends { readonly type: string }>(
  codecs: readonly RecordCodec<string, Value>[],
  problem: string,
): Field<Value> {
  const set = new RecordSet<Value>(codecs);
  return {
    write: (writer, value) => set.write(writer, value),
    read: (reader) => set.read(reader),
    get missing(): never {
      throw new MalformedBytes(problem);
    },
  };
}

/** A repeated `requestId` (unique per user) returns the first answer. */
const doOnce = record(6, "do-once", { requestId: text, command: userChange });

/** The engine's behaviour changes only with this command: see docs/decisions on rules versions. */
const adoptRules = record(10, "adopt-rules", { version: uint });

/** Sandbox only: advances exchange time further ahead of the wall clock by this much. */
const advanceClock = record(11, "advance-clock", { actor: text, byMs: uint });

/**
 * Sandbox only: exchange time becomes `toMs` (null: stays) and from there runs this many
 * thousandths as fast as the wall clock; null keeps the speed.
 */
const setClock = record(17, "set-clock", {
  actor: text,
  toMs: nullable(uint),
  speedE3: nullable(uint),
});

const setAsset = record(20, "set-asset", {
  actor: text,
  asset: text,
  coinId: uint,
  name: text,
  scale: uint,
});

/** The rules of a spot market, as in its command, its event and its snapshot row. */
export const SPOT_MARKET_FIELDS = {
  symbol: recurringText,
  baseAsset: text,
  quoteAsset: text,
  tickSize: text,
  stepSize: text,
  minTradeAmount: text,
  maxTradeAmount: text,
  minNotional: text,
  makerFeeRate: text,
  takerFeeRate: text,
  buyLimitPriceRatio: text,
  sellLimitPriceRatio: text,
  maxOpenOrders: uint,
  state: choice(MARKET_STATES),
} as const;

const setSpotMarket = record(21, "set-spot-market", { actor: text, ...SPOT_MARKET_FIELDS });

const setSpotMarketState = record(22, "set-spot-market-state", {
  actor: text,
  symbol: recurringText,
  state: choice(MARKET_STATES),
});

/** `inviteCode` is the user's own, generated at the edge; `invitedWith` is the inviter's code. */
const registerUser = record(30, "register-user", {
  actor: text,
  uid: nullable(uint),
  inviteCode: text,
  invitedWith: nullable(text),
  kyc: flag,
});

/** Null leaves a setting unchanged. */
const updateUser = record(31, "update-user", {
  actor: text,
  uid: uint,
  kyc: nullable(flag),
  state: nullable(choice(USER_STATES)),
  selfTradePrevention: nullable(choice(SELF_TRADE_PREVENTIONS)),
});

/** A null symbol means every market of the product without rates of its own. */
const setFeeRates = record(32, "set-fee-rates", {
  actor: text,
  uid: uint,
  product: choice(PRODUCTS),
  symbol: nullable(recurringText),
  makerFeeRate: text,
  takerFeeRate: text,
});

const revokeApiKey = record(41, "revoke-api-key", { actor: text, apiKey: text });

/**
 * Adds an operator or changes one; a null `tokenHash` keeps the token. The digest is enough to
 * recognize a token, and too little to make one.
 */
const setOperator = record(42, "set-operator", {
  actor: text,
  name: text,
  role: choice(OPERATOR_ROLES),
  tokenHash: nullable(text),
  expiresAtMs: nullable(uint),
});

const removeOperator = record(43, "remove-operator", { actor: text, name: text });

/** A repeated `requestId` has no effect; ids are unique per user and kind of movement. */
const depositFunds = record(50, "deposit-funds", {
  actor: text,
  requestId: text,
  uid: uint,
  wallet: choice(WALLETS),
  asset: text,
  amount: text,
});

const withdrawFunds = record(51, "withdraw-funds", {
  actor: text,
  requestId: text,
  uid: uint,
  wallet: choice(WALLETS),
  asset: text,
  amount: text,
});

const transferFunds = record(52, "transfer-funds", {
  actor: text,
  requestId: text,
  uid: uint,
  from: choice(WALLETS),
  to: choice(WALLETS),
  asset: text,
  amount: text,
});

const depositInsurance = record(53, "deposit-insurance", {
  actor: text,
  requestId: text,
  asset: text,
  amount: text,
});

const withdrawInsurance = record(54, "withdraw-insurance", {
  actor: text,
  requestId: text,
  asset: text,
  amount: text,
});

/** From here on, an action above an amount needs a second operator; null ends the rule. */
const setApprovalRule = record(44, "set-approval-rule", {
  actor: text,
  action: choice(APPROVAL_ACTIONS),
  /** "" for an action without amounts. */
  asset: text,
  above: nullable(text),
});

const PROPOSED_CODECS = [
  setOperator,
  depositFunds,
  withdrawFunds,
  setWithdrawalState,
  setApprovalRule,
] as const;

const GRAVE_CODECS = [
  setSpotMarketState,
  setContractMarketState,
  updateUser,
  revokeApiKey,
  removeOperator,
] as const;

/** A command that an operator may give a reason for. */
export type GraveCommand = Decoded<(typeof GRAVE_CODECS)[number]>;

const graveCommand: Field<GraveCommand> = oneOf<GraveCommand>(
  GRAVE_CODECS as readonly RecordCodec<string, GraveCommand>[],
  "a reason without its action",
);

/** Does what its command does; the reason is in the audit log with it. */
const doForReason = record(140, "do-for-reason", { reason: text, command: graveCommand });

/** A command that may need a second operator. */
export type ProposedCommand = Decoded<(typeof PROPOSED_CODECS)[number]>;

export const proposedCommand: Field<ProposedCommand> = oneOf<ProposedCommand>(
  PROPOSED_CODECS as readonly RecordCodec<string, ProposedCommand>[],
  "a proposal without what it proposes",
);

/** `proposer` is whose token it was; `actor` is the name in the audit log. */
const propose = record(45, "propose", { actor: text, proposer: text, command: proposedCommand });

const decideProposal = record(46, "decide-proposal", {
  actor: text,
  decider: text,
  proposalId: uint,
  decision: choice(DECISIONS),
  note: text,
});

const CODECS = [
  placeSpotOrder,
  cancelSpotOrder,
  cancelAllSpotOrders,
  amendSpotOrder,
  setDeadManSwitch,
  doOnce,
  placeRecordedOrder,
  executeRecordedOrder,
  reduceRecordedOrder,
  adoptRules,
  advanceClock,
  setClock,
  setAsset,
  setSpotMarket,
  setSpotMarketState,
  registerUser,
  updateUser,
  setFeeRates,
  setApiKey,
  revokeApiKey,
  setOperator,
  removeOperator,
  setApprovalRule,
  propose,
  decideProposal,
  doForReason,
  depositFunds,
  withdrawFunds,
  transferFunds,
  depositInsurance,
  withdrawInsurance,
  ...CONTRACT_COMMANDS,
  ...AFFILIATE_COMMANDS,
  ...WITHDRAWAL_COMMANDS,
  ...WEBHOOK_COMMANDS,
  ...CUSTODY_COMMANDS,
  ...DEPOSIT_COMMANDS,
] as const;

export type Command = Decoded<(typeof CODECS)[number]>;
export type CommandType = Command["type"];
export type CommandOf<Type extends CommandType> = Extract<Command, { readonly type: Type }>;
/** The rules of a spot market as text. */
export type SpotMarketTexts = Omit<CommandOf<"set-spot-market">, "type" | "actor">;

const COMMANDS = new RecordSet<Command>(CODECS as readonly RecordCodec<string, Command>[]);
const writer = new ByteWriter();

export function encodeCommand(command: Command): Uint8Array<ArrayBuffer> {
  writer.clear();
  writeCommand(writer, command);
  return writer.toBytes();
}

/** In a frame, as the journal keeps it. */
export function writeCommand(writer: ByteWriter, command: Command): void {
  COMMANDS.write(writer, command);
}

export function decodeCommand(bytes: Uint8Array): Command {
  return readCommand(new ByteReader(bytes));
}

export function readCommand(reader: ByteReader): Command {
  return COMMANDS.read(reader);
}
