/**
 * Internal withdrawals: an affiliate pays a user below from the own spot wallet, and lists these
 * payments.
 */
import Type from "typebox";
import { CLIENT_ORDER_ID_PATTERN } from "../../domain/index.ts";
import { route } from "../route.ts";
import { decimal, decimalInput, END_TIME, ID_IN_BODY, START_TIME, timeMs } from "../v3/fields.ts";
import { COIN, PAGE, PAGE_SIZE, uidInQuery, WITHDRAWALS_TAG } from "./fields.ts";

/** There is no funding wallet, so FUND is rejected. */
const ACCOUNT_TYPE = Type.Enum(["SPOT"], {
  default: "SPOT",
  description: "There is no FUND wallet",
  "x-empty-is-absent": true,
});
const ACCOUNT_TYPES = {
  fromAccountType: Type.Optional(ACCOUNT_TYPE),
  toAccountType: Type.Optional(ACCOUNT_TYPE),
} as const;

const INTERNAL_WITHDRAWAL = {
  tag: WITHDRAWALS_TAG,
  summary: "Pay an invitee or an affiliate below",
  description:
    "Pays from the caller's spot wallet into the spot wallet of a direct invitee of the " +
    "caller or of any affiliate below, or of an affiliate below. Idempotent by " +
    "clientWithdrawalId (ours): the same id with the same content returns the first " +
    "payment, with other content it is rejected. Without one, the signed request itself " +
    "is the id: repeating the same bytes pays once.",
  body: Type.Object({
    toUserId: Type.Union(ID_IN_BODY.anyOf, {
      description: "Who is paid: a number, or its digits as text",
    }),
    coin: Type.String({
      maxLength: 40,
      description: "Asset, exactly as listed, e.g. USDT",
      "x-refusal": "unknown-asset",
    }),
    amount: decimalInput("Decimal text above 0 with at most 6 decimals"),
    ...ACCOUNT_TYPES,
    clientWithdrawalId: Type.Optional(
      Type.String({
        pattern: CLIENT_ORDER_ID_PATTERN,
        description: "Ours: 1 to 40 of A-Z a-z 0-9 . _ : / # -",
        "x-empty-is-absent": true,
      }),
    ),
  }),
  answer: Type.Object({ id: Type.String({ description: "Id of the withdrawal" }) }),
} as const;

export const v2InternalWithdrawalRoute = route("v2-internal-withdrawal", {
  ...INTERNAL_WITHDRAWAL,
  envelope: "merged",
});
export const v3InternalWithdrawalRoute = route("v3-internal-withdrawal", INTERNAL_WITHDRAWAL);

const WITHDRAWAL_ITEM = Type.Object({
  fromUserId: Type.String({ description: "The payer" }),
  toUserId: Type.String({ description: "The recipient" }),
  withdrawId: Type.String({ description: "Id of the withdrawal" }),
  coin: Type.String({ description: "Asset" }),
  status: Type.Enum(["SUCCESS"], { description: "A withdrawal is complete when it is answered" }),
  amount: decimal("Amount"),
  createTime: timeMs("Created at"),
  updateTime: timeMs("The same time"),
});

const INTERNAL_WITHDRAWALS = {
  tag: WITHDRAWALS_TAG,
  summary: "The caller's internal withdrawals, newest first",
  description: "At most the last 31 days, which is also the default.",
  query: Type.Object({
    withdrawID: Type.Optional(uidInQuery("Only this withdrawal")),
    coin: Type.Optional(COIN),
    startTime: Type.Optional(START_TIME),
    endTime: Type.Optional(END_TIME),
    ...ACCOUNT_TYPES,
    page: Type.Optional(PAGE),
    pageSize: Type.Optional(PAGE_SIZE),
  }),
} as const;

export const v2InternalWithdrawalsRoute = route("v2-internal-withdrawals", {
  ...INTERNAL_WITHDRAWALS,
  envelope: "merged",
  answer: Type.Object({
    total: Type.Integer({ description: "Total number of rows" }),
    list: Type.Array(WITHDRAWAL_ITEM, { description: "Rows of this page" }),
  }),
});
export const v3InternalWithdrawalsRoute = route("v3-internal-withdrawals", {
  ...INTERNAL_WITHDRAWALS,
  answer: Type.Object({
    items: Type.Array(WITHDRAWAL_ITEM, { description: "Rows of this page" }),
    total: Type.Integer({ description: "Total number of rows" }),
    pageSize: Type.Integer({ description: "Rows per page" }),
    page: Type.Integer({ description: "Number of this page" }),
    pages: Type.Integer({ description: "Total number of pages" }),
    hasNextPage: Type.Boolean({ description: "More rows follow this page" }),
  }),
});

export const INTERNAL_WITHDRAWAL_ROUTES = [
  v2InternalWithdrawalRoute,
  v3InternalWithdrawalRoute,
  v2InternalWithdrawalsRoute,
  v3InternalWithdrawalsRoute,
] as const;
