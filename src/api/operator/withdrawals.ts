/** Withdrawals that are requested, decided and sent: their rules, address books and steps. */
import { Type } from "typebox";
import { WITHDRAWAL_STATES, WITHDRAWAL_STEPS } from "../../domain/index.ts";
import {
  AddressId,
  Amount,
  AssetName,
  Count,
  Fields,
  Flag,
  Label,
  Limit,
  Network,
  NetworkText,
  Note,
  Nullable,
  OneOf,
  PageAfterName,
  PageOf,
  RequestId,
  TimestampMs,
  Uid,
  WithdrawalId,
} from "./fields.ts";
import { operatorRoute } from "./route.ts";

const TAG = "Withdrawals";
const HOLD_MAX_MS = 365 * 24 * 60 * 60 * 1000;

const HoldMs = Type.Integer({
  minimum: 0,
  maximum: HOLD_MAX_MS,
  description: "milliseconds from 0 to 31536000000, a year",
});
const Memo = Type.String({
  pattern: "^[!-~]{0,128}$",
  description: "at most 128 visible ASCII characters without blanks",
});
const State = OneOf(WITHDRAWAL_STATES);

const OneAsset = Fields({ asset: AssetName });

const Rules = Fields({
  asset: AssetName,
  enabled: Flag,
  minAmount: Amount,
  fee: Amount,
  dailyLimit: Nullable(Amount),
  addressHoldMs: HoldMs,
  keyHoldMs: HoldMs,
});

export const setWithdrawalRules = operatorRoute("setWithdrawalRules", {
  tag: TAG,
  summary:
    "Replace the rules of an asset's withdrawals. Omitted: enabled, no fee, no daily limit, " +
    "holds of 24 hours",
  params: OneAsset,
  body: Fields({
    enabled: Type.Optional(Flag),
    minAmount: Amount,
    fee: Type.Optional(Amount),
    dailyLimit: Type.Optional(Nullable(Amount)),
    addressHoldMs: Type.Optional(HoldMs),
    keyHoldMs: Type.Optional(HoldMs),
  }),
  answer: Rules,
});

export const listWithdrawalRules = operatorRoute("listWithdrawalRules", {
  tag: TAG,
  summary: "List the rules of withdrawals by asset",
  query: PageAfterName,
  answer: PageOf(Rules, Type.String()),
});

export const getWithdrawalRules = operatorRoute("getWithdrawalRules", {
  tag: TAG,
  summary: "Get the rules of an asset's withdrawals",
  params: OneAsset,
  answer: Rules,
});

const OneUser = Fields({ uid: Uid });

const Target = { asset: AssetName, network: Network, address: NetworkText, memo: Memo };

export const addWithdrawalAddress = operatorRoute("addWithdrawalAddress", {
  tag: TAG,
  summary: "Add an address to a user's address book; a known one answers its entry",
  params: OneUser,
  body: Fields({
    asset: AssetName,
    network: Network,
    address: NetworkText,
    memo: Type.Optional(Memo),
    label: Type.Optional(Label),
  }),
  answer: Fields({ addressId: AddressId, usableFrom: TimestampMs }),
});

export const listWithdrawalAddresses = operatorRoute("listWithdrawalAddresses", {
  tag: TAG,
  summary: "List a user's address book, oldest first; at most 100",
  params: OneUser,
  answer: Fields({
    items: Type.Array(
      Fields({
        addressId: AddressId,
        ...Target,
        label: Type.String(),
        added: TimestampMs,
        usableFrom: TimestampMs,
      }),
    ),
  }),
});

export const removeWithdrawalAddress = operatorRoute("removeWithdrawalAddress", {
  tag: TAG,
  summary: "Remove an address from a user's address book; open withdrawals to it stay",
  params: Fields({ uid: Uid, addressId: AddressId }),
  answer: Fields({ addressId: AddressId }),
});

const Step = Fields({ withdrawalId: WithdrawalId, state: State, time: TimestampMs });

export const requestWithdrawal = operatorRoute("requestWithdrawal", {
  tag: TAG,
  summary:
    "Request a withdrawal to an address of the user's book; repeating an id returns the " +
    "first answer",
  body: Fields({ id: RequestId, uid: Uid, addressId: AddressId, amount: Amount }),
  answer: Step,
});

const ENTRY = {
  withdrawalId: WithdrawalId,
  uid: Uid,
  id: Type.String(),
  asset: AssetName,
  amount: Amount,
  fee: Amount,
  addressId: AddressId,
  network: Network,
  address: NetworkText,
  memo: Memo,
  state: State,
  reference: Type.String(),
  requested: TimestampMs,
  changed: TimestampMs,
};

export const listWithdrawalRequests = operatorRoute("listWithdrawalRequests", {
  tag: TAG,
  summary: "List withdrawals, of one user or in one state, oldest first",
  query: Fields({
    uid: Type.Optional(Uid),
    state: Type.Optional(State),
    after: Type.Optional(Count),
    limit: Type.Optional(Limit),
  }),
  answer: PageOf(Fields(ENTRY), Count),
});

const OneWithdrawal = Fields({ withdrawalId: WithdrawalId });

export const getWithdrawalRequest = operatorRoute("getWithdrawalRequest", {
  tag: TAG,
  summary: "Get a withdrawal with its steps: who took each, when and why",
  params: OneWithdrawal,
  answer: Fields({
    ...ENTRY,
    steps: Type.Array(
      Fields({
        id: Type.String(),
        state: State,
        actor: Type.String(),
        note: Type.String(),
        time: TimestampMs,
      }),
    ),
  }),
});

export const setWithdrawalState = operatorRoute("setWithdrawalState", {
  tag: TAG,
  mayWait: true,
  summary:
    "Take a withdrawal one step further: approved or rejected, sent (the note is the external " +
    "reference), done or failed; repeating an id returns the first answer",
  params: OneWithdrawal,
  body: Fields({ id: RequestId, state: OneOf(WITHDRAWAL_STEPS), note: Type.Optional(Note) }),
  answer: Step,
});
