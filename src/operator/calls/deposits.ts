/** Deposits that are reported from outside: rules, reports and what became of them. */
import * as routes from "../../api/operator/deposits.ts";
import { reject } from "../../domain/index.ts";
import type { DepositEntry } from "../../queries/history-port.ts";
import { done, pageLimit, queryHistory, toPage } from "../answers.ts";
import { handle, type OperatorContext } from "../call.ts";

async function findRules({ engine }: OperatorContext, asset: string, network: string) {
  const reply = await engine.query({ type: "deposit-rules" });
  if (!reply.ok) return reply;
  const found = reply.value.find((rules) => rules.asset === asset && rules.network === network);
  return found === undefined ? reject("unknown-asset", "asset", "it has no rules") : done(found);
}

const setDepositRules = handle(
  routes.setDepositRules,
  async ({ params, body: { confirmations }, actor }, context) => {
    const { asset, network } = params;
    const rules = { actor, asset, network, confirmations };
    const reply = await context.engine.execute({ type: "set-deposit-rules", ...rules });
    return reply.ok ? await findRules(context, asset, network) : reply;
  },
);

const getDepositRules = handle(
  routes.getDepositRules,
  async ({ params: { asset, network } }, context) => await findRules(context, asset, network),
);

const listDepositRules = handle(routes.listDepositRules, async (_, { engine }) => {
  const reply = await engine.query({ type: "deposit-rules" });
  return reply.ok ? done({ items: [...reply.value] }) : reply;
});

const reportDeposit = handle(routes.reportDeposit, async ({ body, actor }, { engine }) => {
  const { outputIndex = 0, ...terms } = body;
  const reply = await engine.execute({ type: "report-deposit", actor, outputIndex, ...terms });
  return reply.ok ? done(reply.value) : reply;
});

function toEntry({ firstMs: first, changedMs: changed, ...entry }: DepositEntry) {
  return { ...entry, first, changed };
}

const listDepositReports = handle(routes.listDepositReports, async ({ query }, context) => {
  const limit = pageLimit(query);
  const now = await context.engine.query({ type: "status" });
  if (!now.ok) return now;
  const { uid = null, state = null, after = 0 } = query;
  const question = { uid, state, afterDepositId: after, beforeDepositId: null, limit };
  const rows = await queryHistory(context, "deposits", question, now.sequence);
  if (!rows.ok) return rows;
  return done(toPage(rows.value, limit, toEntry, ({ depositId }) => depositId));
});

const getDepositReport = handle(
  routes.getDepositReport,
  async ({ params: { depositId } }, context) => {
    const now = await context.engine.query({ type: "status" });
    if (!now.ok) return now;
    const found = await queryHistory(context, "deposit", { depositId }, now.sequence);
    if (!found.ok) return found;
    return found.value === null
      ? reject("unknown-deposit", "depositId")
      : done(toEntry(found.value));
  },
);

const dropDeposit = handle(
  routes.dropDeposit,
  async ({ params: { depositId }, actor }, { engine }) => {
    const reply = await engine.execute({ type: "drop-deposit", actor, depositId });
    return reply.ok ? done(reply.value) : reply;
  },
);

export const DEPOSIT_CALLS = [
  setDepositRules,
  getDepositRules,
  listDepositRules,
  reportDeposit,
  listDepositReports,
  getDepositReport,
  dropDeposit,
];
