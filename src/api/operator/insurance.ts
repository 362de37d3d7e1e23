/** Insurance funds, one per asset: balances, deposits and withdrawals. */
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
  summary: "Get the balance of an insurance fund",
  params: OneFund,
  answer: Fields({ asset: AssetName, balance: Amount }),
});

const Movement = { id: RequestId, asset: AssetName, amount: Amount };

/** Deposits and withdrawals have the same schemas; `name` is what the texts call one. */
const makeRoute = <Id extends OperatorCallId>(id: Id, name: string) =>
  operatorRoute(id, {
    tag: TAG,
    summary: `Make an insurance fund ${name}; repeating an id returns the first response`,
    params: OneFund,
    body: Fields({ id: RequestId, amount: Amount }),
    answer: Fields({ id: RequestId, balance: Amount }),
  });
const listRoute = <Id extends OperatorCallId>(id: Id, name: string) =>
  operatorRoute(id, {
    tag: TAG,
    summary: `List the ${name}s of an insurance fund, oldest first`,
    params: OneFund,
    query: PageAfterNumber,
    answer: PageOf(Fields({ ...Movement, time: TimestampMs }), Count),
  });
const getRoute = <Id extends OperatorCallId>(id: Id, name: string) =>
  operatorRoute(id, {
    tag: TAG,
    summary: `Get an insurance fund ${name} by its id, with the resulting balance`,
    params: Fields({ asset: AssetName, id: RequestId }),
    answer: Fields({ ...Movement, balance: Amount, time: TimestampMs }),
  });

export const makeInsuranceDeposit = makeRoute("makeInsuranceDeposit", "deposit");
export const listInsuranceDeposits = listRoute("listInsuranceDeposits", "deposit");
export const getInsuranceDeposit = getRoute("getInsuranceDeposit", "deposit");
export const makeInsuranceWithdrawal = makeRoute("makeInsuranceWithdrawal", "withdrawal");
export const listInsuranceWithdrawals = listRoute("listInsuranceWithdrawals", "withdrawal");
export const getInsuranceWithdrawal = getRoute("getInsuranceWithdrawal", "withdrawal");
