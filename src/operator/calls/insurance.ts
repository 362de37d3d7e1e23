/** Insurance funds, one per asset: balances, deposits and withdrawals. */
import * as routes from "../../api/operator/insurance.ts";
import { reject } from "../../domain/index.ts";
import { done, pageLimit, queryHistory, toPage } from "../answers.ts";
import { type Call, handle } from "../call.ts";
import { toListedMovement, toMovement } from "./movement-answers.ts";

/** The fund belongs to no user. */
const INSURANCE_UID = 0;

type InsuranceCommand = "deposit-insurance" | "withdraw-insurance";

/** Deposits and withdrawals differ only in their command. */
function make(
  route: typeof routes.makeInsuranceDeposit | typeof routes.makeInsuranceWithdrawal,
  command: InsuranceCommand,
): Call {
  return handle(route, async ({ params, body, actor }, { engine }) => {
    const { id: requestId, amount } = body;
    const { asset } = params;
    const reply = await engine.execute({ type: command, actor, requestId, asset, amount });
    return reply.ok ? done({ id: requestId, balance: reply.value.balance }) : reply;
  });
}

function list(
  route: typeof routes.listInsuranceDeposits | typeof routes.listInsuranceWithdrawals,
  command: InsuranceCommand,
): Call {
  return handle(route, async ({ params, query }, context) => {
    const { asset } = params;
    const limit = pageLimit(query);
    const fund = await context.engine.query({ type: "insurance", asset });
    if (!fund.ok) return fund;
    const uid = INSURANCE_UID;
    const question = { command, uid, asset, afterMovementId: query.after ?? 0, limit };
    const rows = await queryHistory(context, "operator-movements", question, fund.sequence);
    if (!rows.ok) return rows;
    return done(toPage(rows.value, limit, toListedMovement, (row) => row.movementId));
  });
}

function get(
  route: typeof routes.getInsuranceDeposit | typeof routes.getInsuranceWithdrawal,
  command: InsuranceCommand,
): Call {
  return handle(route, async ({ params }, { engine }) => {
    const { asset, id: requestId } = params;
    const uid = INSURANCE_UID;
    const reply = await engine.query({ type: "funds-movement", command, uid, requestId });
    if (!reply.ok) return reply;
    if (reply.value.asset !== asset) return reject("unknown-movement", "id");
    return done(toMovement(reply.value));
  });
}

const getInsurance = handle(routes.getInsurance, async ({ params }, { engine }) => {
  const reply = await engine.query({ type: "insurance", asset: params.asset });
  return reply.ok ? done({ asset: params.asset, balance: reply.value.balance }) : reply;
});

export const INSURANCE_CALLS = [
  getInsurance,
  make(routes.makeInsuranceDeposit, "deposit-insurance"),
  list(routes.listInsuranceDeposits, "deposit-insurance"),
  get(routes.getInsuranceDeposit, "deposit-insurance"),
  make(routes.makeInsuranceWithdrawal, "withdraw-insurance"),
  list(routes.listInsuranceWithdrawals, "withdraw-insurance"),
  get(routes.getInsuranceWithdrawal, "withdraw-insurance"),
];
