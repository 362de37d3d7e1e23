/** Custody: reported from outside, compared by the exchange. */
import * as routes from "../../api/operator/custody.ts";
import { done } from "../answers.ts";
import { handle, type OperatorContext } from "../call.ts";

async function lastReport({ engine }: OperatorContext) {
  const reply = await engine.query({ type: "custody" });
  if (!reply.ok) return reply;
  const { report } = reply.value;
  if (report === null) return done({ asOf: null, reported: null, actor: null, items: [] });
  const { asOfMs: asOf, reportedMs: reported, actor, rows } = report;
  return done({ asOf, reported, actor, items: [...rows] });
}

const reportCustodyBalances = handle(
  routes.reportCustodyBalances,
  async ({ body, actor }, context) => {
    const { engine } = context;
    const { asOf: asOfMs = null, balances } = body;
    const reply = await engine.execute({ type: "report-custody", actor, asOfMs, balances });
    return reply.ok ? await lastReport(context) : reply;
  },
);

const getCustodyBalances = handle(routes.getCustodyBalances, (_request, context) =>
  lastReport(context),
);

export const CUSTODY_CALLS = [reportCustodyBalances, getCustodyBalances];
