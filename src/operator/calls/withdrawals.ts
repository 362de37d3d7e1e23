/** Withdrawals: rules, address books, requests and their steps. */
import * as routes from "../../api/operator/withdrawals.ts";
import { reject } from "../../domain/index.ts";
import type { WithdrawalEntry } from "../../queries/history-port.ts";
import { done, pageByName, pageLimit, queryHistory, toPage } from "../answers.ts";
import { handle, type OperatorContext } from "../call.ts";
import { executeOrPropose } from "../second-operator.ts";

const HOLD_DEFAULT_MS = 24 * 60 * 60 * 1000;

const setWithdrawalRules = handle(
  routes.setWithdrawalRules,
  async ({ params: { asset }, body, actor }, context) => {
    const rules = {
      enabled: body.enabled ?? true,
      minAmount: body.minAmount,
      fee: body.fee ?? "0",
      dailyLimit: body.dailyLimit ?? null,
      addressHoldMs: body.addressHoldMs ?? HOLD_DEFAULT_MS,
      keyHoldMs: body.keyHoldMs ?? HOLD_DEFAULT_MS,
    };
    const reply = await context.engine.execute({
      type: "set-withdrawal-rules",
      actor,
      asset,
      ...rules,
    });
    return reply.ok ? await findRules(context, asset) : reply;
  },
);

async function findRules({ engine }: OperatorContext, asset: string) {
  const reply = await engine.query({ type: "withdrawal-rules" });
  if (!reply.ok) return reply;
  const found = reply.value.find((rules) => rules.asset === asset);
  return found === undefined ? reject("unknown-asset", "asset", "it has no rules") : done(found);
}

const listWithdrawalRules = handle(routes.listWithdrawalRules, async ({ query }, { engine }) => {
  const reply = await engine.query({ type: "withdrawal-rules" });
  return pageByName(
    reply.ok ? done(reply.value) : reply,
    query,
    ({ asset }) => asset,
    (rules) => rules,
  );
});

const getWithdrawalRules = handle(
  routes.getWithdrawalRules,
  async ({ params: { asset } }, context) => await findRules(context, asset),
);

const addWithdrawalAddress = handle(
  routes.addWithdrawalAddress,
  async ({ params: { uid }, body, actor }, { engine }) => {
    const { asset, network, address, memo = "", label = "" } = body;
    const entry = { actor, uid, asset, network, address, memo, label };
    const reply = await engine.execute({ type: "add-withdrawal-address", ...entry });
    if (!reply.ok) return reply;
    const { addressId, usableFromMs: usableFrom } = reply.value;
    return done({ addressId, usableFrom });
  },
);

const listWithdrawalAddresses = handle(
  routes.listWithdrawalAddresses,
  async ({ params: { uid } }, { engine }) => {
    const reply = await engine.query({ type: "withdrawal-addresses", uid });
    if (!reply.ok) return reply;
    const items = reply.value.map(
      ({ addedMs: added, usableFromMs: usableFrom, uid: _, ...rest }) => {
        return { ...rest, added, usableFrom };
      },
    );
    return done({ items });
  },
);

const removeWithdrawalAddress = handle(
  routes.removeWithdrawalAddress,
  async ({ params: { uid, addressId }, actor }, { engine }) => {
    const reply = await engine.execute({
      type: "remove-withdrawal-address",
      actor,
      uid,
      addressId,
    });
    return reply.ok ? done({ addressId }) : reply;
  },
);

const requestWithdrawal = handle(routes.requestWithdrawal, async ({ body, actor }, { engine }) => {
  const { id: requestId, uid, addressId, amount } = body;
  const request = { actor, requestId, uid, addressId, amount };
  const reply = await engine.execute({ type: "request-withdrawal", ...request });
  if (!reply.ok) return reply;
  const { timestampMs: time, ...answer } = reply.value;
  return done({ ...answer, time });
});

function toEntry(entry: WithdrawalEntry) {
  const { requestId: id, requestedMs: requested, changedMs: changed, ...rest } = entry;
  return { ...rest, id, requested, changed };
}

const listWithdrawalRequests = handle(routes.listWithdrawalRequests, async ({ query }, context) => {
  const limit = pageLimit(query);
  const now = await context.engine.query({ type: "status" });
  if (!now.ok) return now;
  const { uid = null, state = null, after = 0 } = query;
  const question = { uid, state, afterWithdrawalId: after, beforeWithdrawalId: null, limit };
  const rows = await queryHistory(context, "withdrawals", question, now.sequence);
  if (!rows.ok) return rows;
  return done(toPage(rows.value, limit, toEntry, ({ withdrawalId }) => withdrawalId));
});

const getWithdrawalRequest = handle(
  routes.getWithdrawalRequest,
  async ({ params: { withdrawalId } }, context) => {
    const now = await context.engine.query({ type: "status" });
    if (!now.ok) return now;
    const question = { withdrawalId, uid: null };
    const found = await queryHistory(context, "withdrawal", question, now.sequence);
    if (!found.ok) return found;
    if (found.value === null) return reject("unknown-withdrawal", "withdrawalId");
    const { steps, ...entry } = found.value;
    const toStep = ({ stepId: id, timeMs: time, ...step }: (typeof steps)[number]) => {
      return { id, ...step, time };
    };
    return done({ ...toEntry(entry), steps: steps.map(toStep) });
  },
);

const setWithdrawalState = handle(routes.setWithdrawalState, async (request, context) => {
  const { params, body, actor } = request;
  const { id: requestId, state, note = "" } = body;
  const step = { actor, requestId, withdrawalId: params.withdrawalId, state, note };
  const reply = await executeOrPropose<"set-withdrawal-state">(context, request, {
    type: "set-withdrawal-state",
    ...step,
  });
  if (!reply.ok) return reply;
  const { timestampMs: time, ...answer } = reply.value;
  return done({ ...answer, time });
});

export const WITHDRAWAL_CALLS = [
  setWithdrawalRules,
  listWithdrawalRules,
  getWithdrawalRules,
  addWithdrawalAddress,
  listWithdrawalAddresses,
  removeWithdrawalAddress,
  requestWithdrawal,
  listWithdrawalRequests,
  getWithdrawalRequest,
  setWithdrawalState,
];
