/** Signed v2 routes about a user's spot wallet. Lists are those of v3, inside the envelope. */
import Type from "typebox";
import { route } from "../route.ts";
import {
  BILL_TYPE,
  COIN_ID,
  TRANSFER_RECORDS_FILTER,
  billsRoute as v3BillsRoute,
  fundingBillsRoute as v3FundingBillsRoute,
  transferRecordsRoute as v3TransferRecordsRoute,
} from "../v3/account.ts";
import { AFTER, amount, BEFORE, PAGE_FROM_ONE, rowsInBody, ACCOUNT_TAG as TAG } from "./fields.ts";

export const accountAssetsRoute = route("v2-account-assets", {
  tag: TAG,
  summary: "Get Account Assets",
  description: "Every listed asset in the caller's spot wallet, including zero balances.",
  answer: Type.Array(
    Type.Object({
      coinId: Type.Integer({ description: "Crypto id" }),
      coinName: Type.String({ description: "Name of the crypto" }),
      available: amount("Available asset"),
      frozen: amount("Frozen asset"),
      equity: amount("Total asset"),
    }),
  ),
});

export const billsRoute = route("v2-bills", {
  tag: TAG,
  summary: "Get Spot Account Bills",
  description: "Changes of the spot wallet, newest first.",
  body: Type.Object({
    coinId: Type.Optional(COIN_ID),
    bizType: Type.Optional(BILL_TYPE),
    after: Type.Optional(AFTER),
    before: Type.Optional(BEFORE),
    limit: Type.Optional(rowsInBody(10)),
  }),
  answer: v3BillsRoute.answer,
});

export const fundingBillsRoute = route("v2-funding-bills", {
  tag: TAG,
  summary: "Get Funding Account Bill",
  description:
    "Deposits and withdrawals of both wallets, newest first. There is no separate " +
    "funding wallet.",
  body: Type.Object({
    coinId: Type.Optional(COIN_ID),
    startTime: Type.Optional(AFTER),
    endTime: Type.Optional(BEFORE),
    pageIndex: Type.Optional(PAGE_FROM_ONE),
    pageSize: Type.Optional(rowsInBody(10)),
  }),
  answer: v3FundingBillsRoute.answer,
});

export const transferRecordsRoute = route("v2-transfer-records", {
  tag: TAG,
  summary: "Get Transfer Records",
  description: "Transfers between the wallets, newest first.",
  query: TRANSFER_RECORDS_FILTER,
  answer: v3TransferRecordsRoute.answer,
});

export const V2_ACCOUNT_ROUTES = [
  accountAssetsRoute,
  billsRoute,
  fundingBillsRoute,
  transferRecordsRoute,
] as const;
