/** Deposits, withdrawals and transfers of users. The id of a movement makes it happen once. */
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
    summary: `Make a ${name}; a repeated id gets the first answer again`,
    params: OneUser,
    body: Fields(Request),
    answer: Moved,
  });
const listRoute = <Id extends OperatorCallId>(id: Id, name: string) =>
  operatorRoute(id, {
    tag: TAG,
    summary: `A user's ${name}s, oldest first`,
    params: OneUser,
    query: PageAfterNumber,
    answer: PageOf(Fields({ ...Request, time: TimestampMs }), Count),
  });
const getRoute = <Id extends OperatorCallId>(id: Id, name: string) =>
  operatorRoute(id, {
    tag: TAG,
    summary: `One ${name} by its id, with the balance of its answer`,
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
  summary: "Move funds between a user's accounts; a repeated id gets the first answer again",
  params: OneUser,
  body: Fields(TransferRequest),
  answer: Moved,
});

export const listTransfers = operatorRoute("listTransfers", {
  tag: TAG,
  summary: "A user's transfers, oldest first",
  params: OneUser,
  query: PageAfterNumber,
  answer: PageOf(Fields({ ...TransferRequest, time: TimestampMs }), Count),
});

export const getTransfer = operatorRoute("getTransfer", {
  tag: TAG,
  summary: "One transfer by its id, with the balance of its answer",
  params: OneMovement,
  answer: Fields({ ...TransferRequest, balance: SignedAmount, time: TimestampMs }),
});
