/** Deposits, withdrawals and transfers of users. Each id is executed only once. */
import * as routes from "../../api/operator/funds.ts";
import type { OperatorParams, OperatorQuery } from "../../api/operator/routes.ts";
import type { Wallet } from "../../domain/index.ts";
import type { EngineClient, FundsCommandType } from "../../protocol/index.ts";
import type { OperatorMovement } from "../../queries/history-port.ts";
import { done, type Page, pageLimit, queryHistory, toPage } from "../answers.ts";
import { type Call, handle, type OperatorContext, type Outcome } from "../call.ts";
import { executeOrPropose } from "../second-operator.ts";
import { toListedMovement, toMovement } from "./movement-answers.ts";

/** Deposits and withdrawals differ in their command and in which side belongs to the user. */
function make(
  route: typeof routes.makeDeposit | typeof routes.makeWithdrawal,
  command: "deposit-funds" | "withdraw-funds",
): Call {
  return handle(route, async (request, context) => {
    const { params, body, actor } = request;
    const { id: requestId, account: wallet, asset, amount } = body;
    const { uid } = params;
    const movement = { type: command, actor, requestId, uid, wallet, asset, amount };
    const reply = await executeOrPropose<typeof command>(context, request, movement);
    return reply.ok ? done({ id: requestId, balance: reply.value.balance }) : reply;
  });
}

function list(
  route: typeof routes.listDeposits | typeof routes.listWithdrawals,
  command: FundsCommandType,
  side: "from" | "to",
): Call {
  return handle(route, ({ params, query }, context) =>
    listMovements(context, command, params.uid, query, (row) => ({
      ...toListedMovement(row),
      account: row[side] as Wallet,
    })),
  );
}

function get(
  route: typeof routes.getDeposit | typeof routes.getWithdrawal,
  command: FundsCommandType,
  side: "from" | "to",
): Call {
  return handle(route, async ({ params }, { engine }) => {
    const reply = await queryMovement(engine, command, params);
    if (!reply.ok) return reply;
    return done({ ...toMovement(reply.value), account: reply.value[side] as Wallet });
  });
}

function queryMovement(
  engine: EngineClient,
  command: FundsCommandType,
  { uid, id: requestId }: OperatorParams<"getTransfer">,
) {
  return engine.query({ type: "funds-movement", command, uid, requestId });
}

/** Looks up the user first, so that an unknown user is refused. */
async function listMovements<Item>(
  context: OperatorContext,
  command: FundsCommandType,
  uid: number,
  query: OperatorQuery<"listTransfers">,
  toItem: (row: OperatorMovement) => Item,
): Promise<Outcome<Page<Item, number>>> {
  const limit = pageLimit(query);
  const user = await context.engine.query({ type: "user", uid });
  if (!user.ok) return user;
  const question = { command, uid, asset: null, afterMovementId: query.after ?? 0, limit };
  const rows = await queryHistory(context, "operator-movements", question, user.sequence);
  if (!rows.ok) return rows;
  return done(toPage(rows.value, limit, toItem, (row) => row.movementId));
}

const makeTransfer = handle(routes.makeTransfer, async ({ params, body, actor }, { engine }) => {
  const { id: requestId, from, to, asset, amount } = body;
  const movement = { actor, requestId, uid: params.uid, from, to, asset, amount };
  const reply = await engine.execute({ type: "transfer-funds", ...movement });
  return reply.ok ? done({ id: requestId, balance: reply.value.balance }) : reply;
});

const listTransfers = handle(routes.listTransfers, ({ params, query }, context) =>
  listMovements(context, "transfer-funds", params.uid, query, (row) => ({
    ...toListedMovement(row),
    from: row.from as Wallet,
    to: row.to as Wallet,
  })),
);

const getTransfer = handle(routes.getTransfer, async ({ params }, { engine }) => {
  const reply = await queryMovement(engine, "transfer-funds", params);
  if (!reply.ok) return reply;
  const { from, to } = reply.value;
  return done({ ...toMovement(reply.value), from: from as Wallet, to: to as Wallet });
});

export const FUNDS_CALLS = [
  make(routes.makeDeposit, "deposit-funds"),
  list(routes.listDeposits, "deposit-funds", "to"),
  get(routes.getDeposit, "deposit-funds", "to"),
  make(routes.makeWithdrawal, "withdraw-funds"),
  list(routes.listWithdrawals, "withdraw-funds", "from"),
  get(routes.getWithdrawal, "withdraw-funds", "from"),
  makeTransfer,
  listTransfers,
  getTransfer,
];
