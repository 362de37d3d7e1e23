/** Deposits as they are reported from outside, credited after confirmations. */
import { Type } from "typebox";
import { DEPOSIT_STATES } from "../../domain/index.ts";
import {
  Amount,
  AssetName,
  Count,
  DepositId,
  Fields,
  Limit,
  Network,
  NetworkText,
  OneOf,
  PageOf,
  TimestampMs,
  Uid,
} from "./fields.ts";
import { operatorRoute } from "./route.ts";

const TAG = "Deposits";

const OutputIndex = Type.Integer({
  minimum: 0,
  maximum: 1_000_000,
  description: "a whole number from 0 to 1000000",
});
const Confirmations = Type.Integer({
  minimum: 0,
  maximum: 10_000,
  description: "a whole number from 0 to 10000",
});
const State = OneOf(DEPOSIT_STATES);

const Rules = Fields({ asset: AssetName, network: Network, confirmations: Confirmations });

export const setDepositRules = operatorRoute("setDepositRules", {
  tag: TAG,
  summary: "Set how many confirmations a deposit of an asset over a network needs",
  params: Fields({ asset: AssetName, network: Network }),
  body: Fields({ confirmations: Confirmations }),
  answer: Rules,
});

export const getDepositRules = operatorRoute("getDepositRules", {
  tag: TAG,
  summary: "Get how many confirmations a deposit of an asset over a network needs",
  params: Fields({ asset: AssetName, network: Network }),
  answer: Rules,
});

export const listDepositRules = operatorRoute("listDepositRules", {
  tag: TAG,
  summary: "List how many confirmations deposits need, by asset and network",
  answer: Fields({ items: Type.Array(Rules) }),
});

const Reported = Fields({ depositId: DepositId, state: State });

const TARGET = { network: Network, transactionId: NetworkText, outputIndex: OutputIndex };

export const reportDeposit = operatorRoute("reportDeposit", {
  tag: TAG,
  summary:
    "Report a deposit with its confirmations, as often as you like; with enough of them it is " +
    "credited, once",
  body: Fields({
    network: Network,
    transactionId: NetworkText,
    outputIndex: Type.Optional(OutputIndex),
    uid: Uid,
    asset: AssetName,
    amount: Amount,
    confirmations: Confirmations,
  }),
  answer: Reported,
});

const Entry = Fields({
  depositId: DepositId,
  uid: Uid,
  asset: AssetName,
  amount: Amount,
  ...TARGET,
  confirmations: Confirmations,
  required: Confirmations,
  state: State,
  first: TimestampMs,
  changed: TimestampMs,
});

export const listDepositReports = operatorRoute("listDepositReports", {
  tag: TAG,
  summary: "List reported deposits, of one user or in one state, oldest first",
  query: Fields({
    uid: Type.Optional(Uid),
    state: Type.Optional(State),
    after: Type.Optional(Count),
    limit: Type.Optional(Limit),
  }),
  answer: PageOf(Entry, Count),
});

const OneDeposit = Fields({ depositId: DepositId });

export const getDepositReport = operatorRoute("getDepositReport", {
  tag: TAG,
  summary: "Get a reported deposit as it is now",
  params: OneDeposit,
  answer: Entry,
});

export const dropDeposit = operatorRoute("dropDeposit", {
  tag: TAG,
  summary: "Drop a pending deposit that will not arrive",
  params: OneDeposit,
  answer: Reported,
});
