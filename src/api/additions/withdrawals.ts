/** Routes by which a user withdraws, keeps an address book, and follows deposits. */
import Type from "typebox";
import {
  CLIENT_ORDER_ID_PATTERN,
  DEPOSIT_STATES,
  type DepositState,
  ID_MAX,
  WITHDRAWAL_STATES,
  type WithdrawalState,
} from "../../domain/index.ts";
import { route } from "../route.ts";
import { count, decimal, decimalInput, timeMs } from "../v3/fields.ts";

const TAG = "Deposits and withdrawals";

function upperCase<State extends string>(states: readonly State[]): Uppercase<State>[] {
  return states.map((state) => state.toUpperCase() as Uppercase<State>);
}

const WITHDRAWAL_STATUSES = upperCase<WithdrawalState>(WITHDRAWAL_STATES);
const DEPOSIT_STATUSES = upperCase<DepositState>(DEPOSIT_STATES);

const WITHDRAWAL_STATUS_TEXT =
  "REQUESTED, APPROVED and SENT are open; DONE, REJECTED and FAILED are the end, and the " +
  "amount of the last two is available again";

const BEFORE_ID = Type.Optional(count(1, ID_MAX, "Only rows with a lower id: the next page"));
const LIMIT = Type.Optional(count(1, 100, "Rows at most", 20));
const WITHDRAWAL_KEY = Type.Object({ withdrawalId: count(1, ID_MAX, "The withdrawal") });

const STEP = {
  withdrawalId: Type.Integer({ description: "Id of the withdrawal" }),
  status: Type.Enum(WITHDRAWAL_STATUSES, { description: WITHDRAWAL_STATUS_TEXT }),
  updateTime: timeMs("When it came to this status"),
} as const;

export const withdrawRoute = route("v3-withdraw", {
  tag: TAG,
  summary: "Request a withdrawal",
  description:
    "Freezes the amount in the spot wallet until the exchange has sent it or given it back. " +
    "Only to an address of the caller's address book, after its hold. Idempotent by " +
    "clientWithdrawalId: the same id with the same content returns the first response, with " +
    "other content it is rejected. Without one, the signed request itself is the id.",
  body: Type.Object({
    addressId: count(1, ID_MAX, "An address of the caller's book; it says the asset, too"),
    amount: decimalInput("Decimal text; the fee is taken out of it"),
    clientWithdrawalId: Type.Optional(
      Type.String({
        pattern: CLIENT_ORDER_ID_PATTERN,
        description: "1 to 40 of A-Z a-z 0-9 . _ : / # -",
        "x-empty-is-absent": true,
      }),
    ),
  }),
  answer: Type.Object({
    ...STEP,
    clientWithdrawalId: Type.String({ description: "The id by which a repeat is recognised" }),
  }),
});

const WITHDRAWAL = {
  withdrawalId: Type.Integer({ description: "Id of the withdrawal" }),
  clientWithdrawalId: Type.String({ description: "Id of the request" }),
  asset: Type.String({ description: "Asset" }),
  amount: decimal("Amount with the fee"),
  fee: decimal("Fee, kept when it is done"),
  addressId: Type.Integer({ description: "The address in the caller's book" }),
  network: Type.String({ description: "Network" }),
  address: Type.String({ description: "Address" }),
  memo: Type.String({ description: "Memo or tag, empty for none" }),
  status: Type.Enum(WITHDRAWAL_STATUSES, { description: WITHDRAWAL_STATUS_TEXT }),
  txId: Type.String({ description: "Reference outside, empty until it is sent" }),
  createTime: timeMs("Requested at"),
  updateTime: timeMs("Last changed at"),
} as const;

export const withdrawalRoute = route("v3-withdrawal", {
  tag: TAG,
  summary: "A withdrawal and its steps",
  description: "The steps are in order; the request is the first.",
  query: WITHDRAWAL_KEY,
  answer: Type.Object({
    ...WITHDRAWAL,
    steps: Type.Array(
      Type.Object({
        status: Type.Enum(WITHDRAWAL_STATUSES, { description: "The status it came to" }),
        time: timeMs("When"),
        isOwn: Type.Boolean({ description: "The caller's own step: a request or a cancellation" }),
      }),
      { description: "At most five" },
    ),
  }),
});

export const cancelWithdrawalRoute = route("v3-cancel-withdrawal", {
  tag: TAG,
  summary: "Cancel a withdrawal",
  description:
    "Only while it is REQUESTED, that is not decided yet. It ends as REJECTED, with a step of " +
    "the caller's own, and the amount is available again. Repeated, it returns the first " +
    "response.",
  query: WITHDRAWAL_KEY,
  answer: Type.Object(STEP),
});

export const withdrawalsRoute = route("v3-withdrawals", {
  tag: TAG,
  summary: "The caller's withdrawals, newest first",
  description:
    "Also those that the exchange's staff requested for the caller. For the next page, send the " +
    "last id as beforeId.",
  query: Type.Object({
    status: Type.Optional(
      Type.Enum(WITHDRAWAL_STATUSES, {
        description: "Only withdrawals of this status",
        "x-empty-is-absent": true,
      }),
    ),
    beforeId: BEFORE_ID,
    limit: LIMIT,
  }),
  answer: Type.Array(Type.Object(WITHDRAWAL)),
});

export const depositsRoute = route("v3-deposits", {
  tag: TAG,
  summary: "The caller's deposits from networks, newest first",
  description:
    "A deposit is listed from its first confirmation on, and credited to the spot wallet when it " +
    "has those required. Credited ones are in the wallet's bills, too. For the next page, send " +
    "the last id as beforeId.",
  query: Type.Object({
    status: Type.Optional(
      Type.Enum(DEPOSIT_STATUSES, {
        description: "Only deposits of this status",
        "x-empty-is-absent": true,
      }),
    ),
    beforeId: BEFORE_ID,
    limit: LIMIT,
  }),
  answer: Type.Array(
    Type.Object({
      depositId: Type.Integer({ description: "Id of the deposit" }),
      asset: Type.String({ description: "Asset" }),
      amount: decimal("Amount"),
      network: Type.String({ description: "Network" }),
      txId: Type.String({ description: "Transaction on the network" }),
      outputIndex: Type.Integer({ description: "Output of the transaction" }),
      confirmations: Type.Integer({ description: "Confirmations so far" }),
      requiredConfirmations: Type.Integer({ description: "Confirmations needed for the credit" }),
      status: Type.Enum(DEPOSIT_STATUSES, {
        description: "PENDING, CREDITED, or DROPPED: it will not arrive",
      }),
      createTime: timeMs("First seen at"),
      updateTime: timeMs("Last changed at"),
    }),
  ),
});

const USABLE_FROM = Type.Integer({
  description: "When withdrawals to it can begin, Unix milliseconds",
});

export const withdrawalAddressesRoute = route("v3-withdrawal-addresses", {
  tag: TAG,
  summary: "The caller's address book, oldest first",
  description: "At most 100 addresses.",
  answer: Type.Array(
    Type.Object({
      addressId: Type.Integer({ description: "Id of the address" }),
      asset: Type.String({ description: "Asset" }),
      network: Type.String({ description: "Network" }),
      address: Type.String({ description: "Address" }),
      memo: Type.String({ description: "Memo or tag, empty for none" }),
      label: Type.String({ description: "Name that the caller gave it" }),
      createTime: timeMs("Added at"),
      usableFrom: USABLE_FROM,
    }),
  ),
});

export const addWithdrawalAddressRoute = route("v3-add-withdrawal-address", {
  tag: TAG,
  summary: "Add an address to the address book",
  description:
    "It can be used after the hold of its asset. An address that the book already has returns " +
    "its entry; with another label it is rejected.",
  body: Type.Object({
    asset: Type.String({
      maxLength: 40,
      description: "Asset, exactly as listed, e.g. USDT",
      "x-refusal": "unknown-asset",
    }),
    network: Type.String({
      pattern: "^[A-Za-z0-9._-]{1,32}$",
      description: "1 to 32 of A-Z a-z 0-9 . _ -",
    }),
    address: Type.String({
      pattern: "^[!-~]{1,128}$",
      description: "1 to 128 visible ASCII characters without blanks",
    }),
    memo: Type.Optional(
      Type.String({
        pattern: "^[!-~]{0,128}$",
        description: "Memo or tag: at most 128 visible ASCII characters without blanks",
        "x-empty-is-absent": true,
      }),
    ),
    label: Type.Optional(
      Type.String({
        pattern: "^[^\\u0000-\\u001f\\u007f]{0,64}$",
        description: "Name for the caller, at most 64 characters",
        "x-empty-is-absent": true,
      }),
    ),
  }),
  answer: Type.Object({
    addressId: Type.Integer({ description: "Id of the address" }),
    usableFrom: USABLE_FROM,
  }),
});

export const removeWithdrawalAddressRoute = route("v3-remove-withdrawal-address", {
  tag: TAG,
  summary: "Remove an address from the address book",
  description: "Open withdrawals to it stay.",
  query: Type.Object({ addressId: count(1, ID_MAX, "The address") }),
  answer: Type.Object({ addressId: Type.Integer({ description: "Id of the address" }) }),
});
