/**
 * Signed v3 routes about a user's spot wallet, and transfers between it and the contract wallet.
 */
import Type from "typebox";
import { CLIENT_ORDER_ID_PATTERN } from "../../domain/index.ts";
import { route } from "../route.ts";
import {
  count,
  decimal,
  decimalInput,
  END_TIME,
  ID_IN_BODY,
  START_TIME,
  timeMs,
} from "./fields.ts";

const TAG = "Spot v3: account";

export const accountRoute = route("v3-account", {
  tag: TAG,
  summary: "Balances and fees of the spot wallet",
  description: "Available and frozen balances of every listed asset, with the caller's fee rates.",
  answer: Type.Object({
    makerCommission: Type.Number({ description: "Basis points" }),
    takerCommission: Type.Number({ description: "Basis points" }),
    commissionRates: Type.Object(
      { maker: decimal("A fraction"), taker: decimal("A fraction") },
      {
        description:
          "The caller's own rates for all spot markets, otherwise the highest of any market",
      },
    ),
    canTrade: Type.Boolean({ description: "Orders are accepted; false for a frozen user" }),
    canWithdraw: Type.Boolean({ description: "Withdrawals are accepted" }),
    canDeposit: Type.Boolean({ description: "Deposits are accepted" }),
    updateTime: timeMs("Time of these values"),
    accountType: Type.Literal("SPOT", { description: "Always SPOT" }),
    balances: Type.Array(
      Type.Object({
        asset: Type.String({ description: "Asset" }),
        free: decimal("Available"),
        locked: decimal("Frozen for open orders"),
      }),
      { description: "Every listed asset" },
    ),
    permissions: Type.Array(Type.String(), { description: "What the account can be used for" }),
    uid: Type.Integer({ description: "The user" }),
  }),
});

const BILL_TYPES = [
  "deposit",
  "withdraw",
  "transfer_in",
  "transfer_out",
  "trade_in",
  "trade_out",
  "rr_agent_reward",
] as const;

export const BILL_TYPE = Type.Enum(BILL_TYPES, {
  description: "Only rows of this kind; rr_agent_reward is a commission",
  "x-empty-is-absent": true,
});

const COIN_ID_DESCRIPTION = "Only this asset; /api/v3/coins has the numbers";
export const COIN_ID = Type.Union(ID_IN_BODY.anyOf, {
  description: COIN_ID_DESCRIPTION,
  "x-empty-is-absent": true,
});

export const billsRoute = route("v3-bills", {
  tag: TAG,
  summary: "Changes of the spot wallet, newest first",
  description:
    "One row per balance change: deposits, withdrawals, transfers, fills and commissions.",
  body: Type.Object({
    coinId: Type.Optional(COIN_ID),
    bizType: Type.Optional(BILL_TYPE),
    after: Type.Optional(START_TIME),
    before: Type.Optional(END_TIME),
    limit: Type.Optional(count(1, 100, "Rows at most", 10)),
  }),
  answer: Type.Array(
    Type.Object({
      billId: Type.String({ description: "Id of the row" }),
      coinId: Type.Integer({ description: "Number of the asset" }),
      coinName: Type.String({ description: "Asset" }),
      bizType: Type.Enum(BILL_TYPES, {
        description: "Type of the change; rr_agent_reward is a commission",
      }),
      fillSize: decimal('Matched quantity, "0" for other bills'),
      fillValue: decimal('Matched price × quantity, "0" for other bills'),
      deltaAmount: decimal("Signed; the fee is included"),
      afterAmount: decimal("Available + frozen after the change"),
      fees: decimal("Fee"),
      cTime: Type.String({ description: "Unix milliseconds" }),
    }),
  ),
});

export const fundingBillsRoute = route("v3-funding-bills", {
  tag: TAG,
  summary: "Deposits and withdrawals, newest first",
  description:
    "Deposits and withdrawals of both wallets. afterAmount is the balance of the wallet " +
    "concerned, frozen part included. There is no separate funding wallet.",
  body: Type.Object({
    coinId: Type.Optional(COIN_ID),
    startTime: Type.Optional(START_TIME),
    endTime: Type.Optional(END_TIME),
    pageIndex: Type.Optional(count(1, 10_000, "Page", 1)),
    pageSize: Type.Optional(count(1, 100, "Rows at most", 10)),
  }),
  answer: Type.Object({
    total: Type.Integer({ description: "Total number of rows" }),
    pageSize: Type.Integer({ description: "Rows per page" }),
    pages: Type.Integer({ description: "Total number of pages" }),
    page: Type.Integer({ description: "Number of this page" }),
    hasNextPage: Type.Boolean({ description: "More rows follow this page" }),
    items: Type.Array(
      Type.Object({
        billId: Type.String({ description: "Id of the row" }),
        coinId: Type.Integer({ description: "Number of the asset" }),
        coinName: Type.String({ description: "Asset" }),
        bizType: Type.Enum(["deposit", "withdraw"], {
          description: "Deposit or withdrawal",
        }),
        fillSize: Type.Null({ description: "Always null: not a fill" }),
        fillValue: Type.Null({ description: "Always null: not a fill" }),
        deltaAmount: decimal("Signed"),
        afterAmount: decimal("Balance of the wallet concerned after the movement"),
        fees: decimal("Fee"),
        cTime: Type.String({ description: "Unix milliseconds" }),
      }),
      { description: "Rows of this page" },
    ),
  }),
});

/** The wallets by their names on the wire. */
export const WALLET_TYPES = ["SPOT", "CONTRACT"] as const;

export const TRANSFER_RECORDS_FILTER = Type.Object({
  coinId: Type.Optional(count(0, Number.MAX_SAFE_INTEGER, COIN_ID_DESCRIPTION)),
  fromType: Type.Optional(
    Type.Enum(WALLET_TYPES, { description: "Only transfers out of this wallet." }),
  ),
  after: Type.Optional(START_TIME),
  before: Type.Optional(END_TIME),
  limit: Type.Optional(count(1, 500, "Rows at most", 100)),
});

export const transferRecordsRoute = route("v3-transfer-records", {
  tag: TAG,
  summary: "Transfers between the wallets, newest first",
  description: "The caller's transfers in either direction; all are complete.",
  query: TRANSFER_RECORDS_FILTER,
  answer: Type.Array(
    Type.Object({
      coinName: Type.String({ description: "Asset" }),
      status: Type.Literal("Successful", { description: "Success" }),
      toType: Type.Enum(WALLET_TYPES, { description: "Destination wallet" }),
      toSymbol: Type.String({ description: "Always empty" }),
      fromType: Type.Enum(WALLET_TYPES, { description: "Source wallet" }),
      fromSymbol: Type.String({ description: "Always empty" }),
      amount: decimal("Amount"),
      tradeTime: Type.String({ description: "Unix milliseconds" }),
    }),
  ),
});

export const transferRoute = route("v3-transfer", {
  tag: TAG,
  summary: "Move funds between the wallets",
  description:
    "Idempotent by clientTransferId: the same id with the same content returns the first " +
    "transfer, with other content it is rejected. Contract margin and unrealised profit " +
    "cannot be moved.",
  body: Type.Object({
    clientTransferId: Type.String({
      pattern: CLIENT_ORDER_ID_PATTERN,
      description: "1 to 40 of A-Z a-z 0-9 . _ : / # -",
    }),
    fromType: Type.Enum(WALLET_TYPES, { description: "Wallet that pays" }),
    toType: Type.Enum(WALLET_TYPES, { description: "The other wallet" }),
    coinName: Type.String({
      maxLength: 40,
      description: "Asset, exactly as listed",
      "x-refusal": "unknown-asset",
    }),
    amount: decimalInput("Decimal text"),
  }),
  answer: Type.Object({
    clientTransferId: Type.String({ description: "The caller's own id" }),
    status: Type.Literal("Successful", { description: "Success" }),
    coinName: Type.String({ description: "Asset" }),
    amount: decimal("Amount"),
    fromType: Type.Enum(WALLET_TYPES, { description: "Source wallet" }),
    toType: Type.Enum(WALLET_TYPES, { description: "Destination wallet" }),
    balance: decimal("Available balance of the destination wallet after the transfer"),
  }),
});

export const V3_ACCOUNT_ROUTES = [
  accountRoute,
  billsRoute,
  fundingBillsRoute,
  transferRecordsRoute,
  transferRoute,
] as const;
