/** Deposits, withdrawals and transfers of users. Each happens once per id. */
import type { OperatorCallId } from "./calls.ts";
import {
  Account,
  Amount,
  AssetName,
  Count,
  Fields,
  PageAfterNumber,
  PageOf,
  RequestId,
  SignedAmount,
  TimestampMs,
  Uid,
} from "./fields.ts";
import { operatorRoute } from "./route.ts";

const TAG = "Funds";

const OneUser = Fields({ uid: Uid });

const OneMovement = Fields({ uid: Uid, id: RequestId });

const Moved = Fields({ id: RequestId, balance: SignedAmount });

const Request = { id: RequestId, account: Account, asset: AssetName, amount: Amount };

/** Deposits and withdrawals have the same schemas; `name` is what the texts call one. */
const makeRoute = <Id extends OperatorCallId>(id: Id, name: string) =>
  operatorRoute(id, {
    tag: TAG,
    mayWait: true,
    summary: `Make a ${name}; repeating an id returns the first response`,
    params: OneUser,
    body: Fields(Request),
    answer: Moved,
  });
const listRoute = <Id extends OperatorCallId>(id: Id, name: string) =>
  operatorRoute(id, {
    tag: TAG,
    summary: `List a user's ${name}s, oldest first`,
    params: OneUser,
    query: PageAfterNumber,
    answer: PageOf(Fields({ ...Request, time: TimestampMs }), Count),
  });
const getRoute = <Id extends OperatorCallId>(id: Id, name: string) =>
  operatorRoute(id, {
    tag: TAG,
    summary: `Get a ${name} by its id, with the resulting balance`,
    params: OneMovement,
    answer: Fields({ ...Request, balance: SignedAmount, time: TimestampMs }),
  });

export const makeDeposit = makeRoute("makeDeposit", "deposit");
export const listDeposits = listRoute("listDeposits", "deposit");
export const getDeposit = getRoute("getDeposit", "deposit");
export const makeWithdrawal = makeRoute("makeWithdrawal", "withdrawal");
export const listWithdrawals = listRoute("listWithdrawals", "withdrawal");
export const getWithdrawal = getRoute("getWithdrawal", "withdrawal");

const TransferRequest = {
  id: RequestId,
  from: Account,
  to: Account,
  asset: AssetName,
  amount: Amount,
};

export const makeTransfer = operatorRoute("makeTransfer", {
  tag: TAG,
  summary: "Move funds between a user's accounts; repeating an id returns the first response",
  params: OneUser,
  body: Fields(TransferRequest),
  answer: Moved,
});

export const listTransfers = operatorRoute("listTransfers", {
  tag: TAG,
  summary: "List a user's transfers, oldest first",
  params: OneUser,
  query: PageAfterNumber,
  answer: PageOf(Fields({ ...TransferRequest, time: TimestampMs }), Count),
});

export const getTransfer = operatorRoute("getTransfer", {
  tag: TAG,
  summary: "Get a transfer by its id, with the resulting balance",
  params: OneMovement,
  answer: Fields({ ...TransferRequest, balance: SignedAmount, time: TimestampMs }),
});
