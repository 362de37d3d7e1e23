/** The insurance funds, one per asset, fed and drained by the operator. */
import type { OperatorCallId } from "./calls.ts";
import {
  Amount,
  AssetName,
  Count,
  Fields,
  PageAfterNumber,
  PageOf,
  RequestId,
  TimestampMs,
} from "./fields.ts";
import { operatorRoute } from "./route.ts";

const TAG = "Insurance";

const OneFund = Fields({ asset: AssetName });

export const getInsurance = operatorRoute("getInsurance", {
  tag: TAG,
  summary: "The balance of an insurance fund",
  params: OneFund,
  answer: Fields({ asset: AssetName, balance: Amount }),
});

const Movement = { id: RequestId, asset: AssetName, amount: Amount };

/** Deposits and withdrawals have the same schemas; `name` is what the texts call one. */
const makeRoute = <Id extends OperatorCallId>(id: Id, name: string) =>
  operatorRoute(id, {
    tag: TAG,
    summary: `Make a ${name} of an insurance fund; a repeated id gets the first answer again`,
    params: OneFund,
    body: Fields({ id: RequestId, amount: Amount }),
    answer: Fields({ id: RequestId, balance: Amount }),
  });
const listRoute = <Id extends OperatorCallId>(id: Id, name: string) =>
  operatorRoute(id, {
    tag: TAG,
    summary: `The ${name}s of an insurance fund, oldest first`,
    params: OneFund,
    query: PageAfterNumber,
    answer: PageOf(Fields({ ...Movement, time: TimestampMs }), Count),
  });
const getRoute = <Id extends OperatorCallId>(id: Id, name: string) =>
  operatorRoute(id, {
    tag: TAG,
    summary: `One ${name} of an insurance fund by its id, with the balance of its answer`,
    params: Fields({ asset: AssetName, id: RequestId }),
    answer: Fields({ ...Movement, balance: Amount, time: TimestampMs }),
  });

export const makeInsuranceDeposit = makeRoute("makeInsuranceDeposit", "deposit");
export const listInsuranceDeposits = listRoute("listInsuranceDeposits", "deposit");
export const getInsuranceDeposit = getRoute("getInsuranceDeposit", "deposit");
export const makeInsuranceWithdrawal = makeRoute("makeInsuranceWithdrawal", "withdrawal");
export const listInsuranceWithdrawals = listRoute("listInsuranceWithdrawals", "withdrawal");
export const getInsuranceWithdrawal = getRoute("getInsuranceWithdrawal", "withdrawal");
