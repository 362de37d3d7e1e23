/** The four-eyes rule: its rules, and what waits for a second operator. */
import { refuse } from "../../api/errors.ts";
import * as routes from "../../api/operator/approvals.ts";
import { OPERATOR_CALLS } from "../../api/operator/calls.ts";
import {
  type ApprovalAction,
  type OperatorRole,
  parseDecimal,
  SCALE_MAX,
} from "../../domain/index.ts";
import type { ProposalView } from "../../protocol/index.ts";
import { done, pageLimit } from "../answers.ts";
import { refuseRole } from "../authorization.ts";
import { handle, type OperatorContext, type Outcome } from "../call.ts";
import { mayCall } from "../caller.ts";
import { executeOrPropose } from "../second-operator.ts";
import { findAsset } from "./assets.ts";

/** Whoever decides must be allowed the call itself. */
const ROLES: Readonly<Record<ApprovalAction, readonly OperatorRole[]>> = {
  withdrawals: OPERATOR_CALLS.setWithdrawalState.roles,
  deposits: OPERATOR_CALLS.makeDeposit.roles,
  operators: OPERATOR_CALLS.addOperator.roles,
  "approval-rules": OPERATOR_CALLS.setApprovalRule.roles,
};

/** There is no rule about rules: their changes need a second operator as soon as there is one. */
type RuleAction = Exclude<ApprovalAction, "approval-rules">;

async function rules({ engine }: OperatorContext) {
  const reply = await engine.query({ type: "approval-rules" });
  if (!reply.ok) return reply;
  const items = reply.value.map(({ action, ...rule }) => {
    return { ...rule, action: action as RuleAction };
  });
  return done({ items });
}

const setApprovalRule = handle(routes.setApprovalRule, async (request, context) => {
  const { body, actor } = request;
  const { action, asset = "", above } = body;
  // The engine takes away what is not there without a word, and proposes what it will refuse.
  const listed = asset === "" ? null : await findAsset(context, asset);
  if (listed?.ok === false) return listed;
  const present = await rules(context);
  // Whoever did not hear that the first rule was set asks again, and needs nobody for it.
  if (!present.ok || isInForce(body, present.value.items)) return present;
  const command = { type: "set-approval-rule", actor, action, asset, above } as const;
  const reply = await executeOrPropose<"set-approval-rule">(context, request, command);
  return reply.ok ? await rules(context) : reply;
});

interface Rule {
  readonly action: string;
  readonly asset?: string | null;
  readonly above: string | null;
}

function isInForce({ action, asset = null, above }: Rule, present: readonly Rule[]): boolean {
  const found = present.find((rule) => rule.action === action && rule.asset === asset);
  return unitsOf(above) === unitsOf(found?.above ?? null);
}

/** The same for "5" and "5.0". */
function unitsOf(above: string | null): bigint | string | null {
  return above === null ? null : parseDecimal(above, SCALE_MAX);
}

const listApprovalRules = handle(routes.listApprovalRules, (_, context) => rules(context));

function toProposal({ proposedMs, expiresMs, decidedMs, actor: _, ...view }: ProposalView) {
  const { decider, ...rest } = view;
  return {
    ...rest,
    proposed: proposedMs,
    expires: expiresMs,
    decider: decider === "" ? null : decider,
    decided: decidedMs,
  };
}

const listProposals = handle(routes.listProposals, async ({ query }, { engine }) => {
  const reply = await engine.query({ type: "proposals" });
  if (!reply.ok) return reply;
  const found = reply.value.filter(({ state }) => (query.state ?? state) === state);
  return done({ items: found.slice(0, pageLimit(query)).map(toProposal) });
});

async function find(
  { engine }: OperatorContext,
  proposalId: number,
): Promise<Outcome<ProposalView>> {
  const reply = await engine.query({ type: "proposals" });
  if (!reply.ok) return reply;
  const found = reply.value.find((one) => one.proposalId === proposalId);
  return found === undefined ? refuse("unknown-id", "proposalId") : done(found);
}

const getProposal = handle(routes.getProposal, async ({ params }, context) => {
  const found = await find(context, params.proposalId);
  return found.ok ? done(toProposal(found.value)) : found;
});

const decideProposal = handle(routes.decideProposal, async (request, context) => {
  const { params, body, caller, actor } = request;
  const { proposalId } = params;
  const found = await find(context, proposalId);
  if (!found.ok) return found;
  const roles = ROLES[found.value.action];
  if (!mayCall(caller, roles)) return refuseRole(caller, roles);
  const { decision, note = "" } = body;
  const terms = { actor, decider: caller.name, proposalId, decision, note };
  const reply = await context.engine.execute({ type: "decide-proposal", ...terms });
  if (!reply.ok) return reply;
  return done({ proposalId, state: reply.value.state });
});

export const APPROVAL_CALLS = [
  setApprovalRule,
  listApprovalRules,
  listProposals,
  getProposal,
  decideProposal,
];
