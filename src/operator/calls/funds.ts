/** Deposits, withdrawals and transfers of users. The id of a movement makes it happen once. */
import type { Wallet } from "../../domain/index.ts";
import type { FundsCommandType } from "../../protocol/index.ts";
import type { OperatorMovement } from "../../queries/history-port.ts";
import { askHistory, done, type Page, pageLimit, toPage } from "../answers.ts";
import { type Call, call, type Outcome, type Plane } from "../call.ts";
import {
  Account,
  Amount,
  AssetName,
  Count,
  Fields,
  Nothing,
  PageAfterNumber,
  PageOf,
  RequestId,
  SignedAmount,
  TimestampMs,
  Uid,
} from "../schemas.ts";
import { toListedMovement, toMovement } from "./movement-answers.ts";

const TAG = "Funds";
const OneUser = Fields({ uid: Uid });
const OneMovement = Fields({ uid: Uid, id: RequestId });
const Moved = Fields({ id: RequestId, balance: SignedAmount });

/** Deposits and withdrawals differ in their command and in which side is the user's. */
const KINDS = [
  { name: "deposit", title: "Deposit", command: "deposit-funds", side: "to" },
  { name: "withdrawal", title: "Withdrawal", command: "withdraw-funds", side: "from" },
] as const;

type Kind = (typeof KINDS)[number];

const Request = { id: RequestId, account: Account, asset: AssetName, amount: Amount };

function makeCall({ name, title, command }: Kind): Call {
  return call(
    {
      id: `make${title}`,
      method: "POST",
      path: `/operator/v1/users/{uid}/${name}s`,
      tag: TAG,
      summary: `Make a ${name}; a repeated id gets the first answer again`,
      params: OneUser,
      query: Nothing,
      body: Fields(Request),
      answer: Moved,
    },
    async ({ params, body, actor }, { engine }) => {
      const { id: requestId, account: wallet, asset, amount } = body;
      const { uid } = params;
      const movement = { actor, requestId, uid, wallet, asset, amount };
      const reply = await engine.execute({ type: command, ...movement });
      return reply.ok ? done({ id: requestId, balance: reply.value.balance }) : reply;
    },
  );
}

function listCall({ name, title, command, side }: Kind): Call {
  return call(
    {
      id: `list${title}s`,
      method: "GET",
      path: `/operator/v1/users/{uid}/${name}s`,
      tag: TAG,
      summary: `A user's ${name}s, oldest first`,
      params: OneUser,
      query: PageAfterNumber,
      body: Nothing,
      answer: PageOf(Fields({ ...Request, time: TimestampMs }), Count),
    },
    ({ params, query }, plane) =>
      listMovements(plane, command, params.uid, query, (row) => ({
        ...toListedMovement(row),
        account: row[side] as Wallet,
      })),
  );
}

function getCall({ name, title, command, side }: Kind): Call {
  return call(
    {
      id: `get${title}`,
      method: "GET",
      path: `/operator/v1/users/{uid}/${name}s/{id}`,
      tag: TAG,
      summary: `One ${name} by its id, with the balance of its answer`,
      params: OneMovement,
      query: Nothing,
      body: Nothing,
      answer: Fields({ ...Request, balance: SignedAmount, time: TimestampMs }),
    },
    async ({ params }, { engine }) => {
      const { uid, id: requestId } = params;
      const reply = await engine.ask({ type: "funds-movement", command, uid, requestId });
      if (!reply.ok) return reply;
      return done({ ...toMovement(reply.value), account: reply.value[side] as Wallet });
    },
  );
}

/** The user is asked for first: one who does not exist is told from one without movements. */
async function listMovements<Item>(
  plane: Plane,
  command: FundsCommandType,
  uid: number,
  query: { readonly after?: number; readonly limit?: number },
  toItem: (row: OperatorMovement) => Item,
): Promise<Outcome<Page<Item, number>>> {
  const limit = pageLimit(query);
  const user = await plane.engine.ask({ type: "user", uid });
  if (!user.ok) return user;
  const question = { command, uid, asset: null, afterMovementId: query.after ?? 0, limit };
  const rows = await askHistory(plane, "operator-movements", question, user.sequence);
  if (!rows.ok) return rows;
  return done(toPage(rows.value, limit, toItem, (row) => row.movementId));
}

const TransferRequest = {
  id: RequestId,
  from: Account,
  to: Account,
  asset: AssetName,
  amount: Amount,
};

const makeTransfer = call(
  {
    id: "makeTransfer",
    method: "POST",
    path: "/operator/v1/users/{uid}/transfers",
    tag: TAG,
    summary: "Move funds between a user's accounts; a repeated id gets the first answer again",
    params: OneUser,
    query: Nothing,
    body: Fields(TransferRequest),
    answer: Moved,
  },
  async ({ params, body, actor }, { engine }) => {
    const { id: requestId, from, to, asset, amount } = body;
    const movement = { actor, requestId, uid: params.uid, from, to, asset, amount };
    const reply = await engine.execute({ type: "transfer-funds", ...movement });
    return reply.ok ? done({ id: requestId, balance: reply.value.balance }) : reply;
  },
);

const listTransfers = call(
  {
    id: "listTransfers",
    method: "GET",
    path: "/operator/v1/users/{uid}/transfers",
    tag: TAG,
    summary: "A user's transfers, oldest first",
    params: OneUser,
    query: PageAfterNumber,
    body: Nothing,
    answer: PageOf(Fields({ ...TransferRequest, time: TimestampMs }), Count),
  },
  ({ params, query }, plane) =>
    listMovements(plane, "transfer-funds", params.uid, query, (row) => ({
      ...toListedMovement(row),
      from: row.from as Wallet,
      to: row.to as Wallet,
    })),
);

const getTransfer = call(
  {
    id: "getTransfer",
    method: "GET",
    path: "/operator/v1/users/{uid}/transfers/{id}",
    tag: TAG,
    summary: "One transfer by its id, with the balance of its answer",
    params: OneMovement,
    query: Nothing,
    body: Nothing,
    answer: Fields({ ...TransferRequest, balance: SignedAmount, time: TimestampMs }),
  },
  async ({ params }, { engine }) => {
    const { uid, id: requestId } = params;
    const command = "transfer-funds";
    const reply = await engine.ask({ type: "funds-movement", command, uid, requestId });
    if (!reply.ok) return reply;
    const { from, to } = reply.value;
    return done({ ...toMovement(reply.value), from: from as Wallet, to: to as Wallet });
  },
);

export const FUNDS_CALLS = [
  ...KINDS.flatMap((kind) => [makeCall(kind), listCall(kind), getCall(kind)]),
  makeTransfer,
  listTransfers,
  getTransfer,
];
