/**
 * The four-eyes rule: what one operator proposes, another one decides. An approved proposal is
 * executed in the same command, under both names.
 */
import {
  type ApprovalAction,
  accept,
  formatDecimal,
  PROPOSAL_LIFE_MS,
  type Result,
  reject,
  unreachable,
} from "../../domain/index.ts";
import type {
  CommandOf,
  ProposalAnswer,
  ProposalView,
  ProposedCommand,
} from "../../protocol/index.ts";
import type { Asset, Context, State } from "../state.ts";
import { type Proposal, WAITING_MAX } from "./approval-state.ts";
import { needsApproval } from "./rules.ts";

type Answer = Result<ProposalAnswer>;

/** The same proposal of the same operator answers as the first while it waits. */
export function propose(context: Context, request: CommandOf<"propose">): Answer {
  const { state, nowMs } = context;
  const { approvals } = state;
  const { proposer, actor, command } = request;
  if (!needsApproval(state, command)) return reject("conflict", null, "it needs no proposal");
  const same = [...approvals.waiting.values()].find(
    (one) => one.proposer === proposer && !isExpired(one, nowMs) && isSame(one.command, command),
  );
  if (same !== undefined) return answered(same);
  for (const [id, one] of approvals.waiting)
    if (isExpired(one, nowMs)) approvals.waiting.delete(id);
  if (approvals.waiting.size >= WAITING_MAX) {
    return reject("conflict", null, `at most ${WAITING_MAX} proposals can wait`);
  }
  const proposal: Proposal = {
    proposalId: approvals.nextProposalId++,
    command,
    what: describe(state, command),
    proposer,
    actor,
    proposedMs: nowMs,
    state: "waiting",
    decider: "",
    note: "",
    decidedMs: 0,
  };
  approvals.waiting.set(proposal.proposalId, proposal);
  emitChange(context, proposal, actor);
  return answered(proposal);
}

/** A decision repeated by the same operator answers as the first. */
export function decideProposal(
  context: Context,
  request: CommandOf<"decide-proposal">,
  apply: (command: ProposedCommand) => Result<unknown>,
): Answer {
  const { state, nowMs } = context;
  const { approvals } = state;
  const { proposalId, decision, decider, actor, note } = request;
  const proposal = approvals.find(proposalId);
  if (proposal === undefined) return reject("conflict", "proposalId", "no such proposal");
  if (proposal.state === decision && proposal.decider === decider) return answered(proposal);
  if (proposal.state !== "waiting") {
    return reject("conflict", "proposalId", `it is ${proposal.state} by ${proposal.decider}`);
  }
  if (isExpired(proposal, nowMs)) return reject("conflict", "proposalId", "it has expired");
  if (proposal.proposer === decider) {
    return reject("conflict", "proposalId", "you proposed it: another operator decides");
  }
  if (decision === "approved") {
    const what = describe(state, proposal.command);
    if (what !== proposal.what) return reject("conflict", "proposalId", `it is now: ${what}`);
    // No caller's name has a blank, so nobody passes for two.
    const result = apply({ ...proposal.command, actor: `${proposal.actor} and ${actor}` });
    if (!result.ok) return result;
  }
  approvals.waiting.delete(proposalId);
  Object.assign(proposal, { state: decision, decider, note, decidedMs: nowMs });
  approvals.addDecided(proposal);
  emitChange(context, proposal, actor);
  return answered(proposal);
}

function isExpired({ proposedMs }: Proposal, nowMs: number): boolean {
  return nowMs >= proposedMs + PROPOSAL_LIFE_MS;
}

function isSame(one: ProposedCommand, other: ProposedCommand): boolean {
  return JSON.stringify({ ...one, actor: "" }) === JSON.stringify({ ...other, actor: "" });
}

function answered(proposal: Proposal): Answer {
  const { proposalId, state, proposedMs } = proposal;
  return accept({ proposalId, state, expiresMs: proposedMs + PROPOSAL_LIFE_MS });
}

function emitChange(context: Context, proposal: Proposal, actor: string): void {
  const { proposalId, proposer, state, what, note, command } = proposal;
  const action = actionOf(command);
  context.emit({
    type: "proposal-changed",
    ...{ actor, proposalId, proposer, state, action, what, note },
  });
}

function actionOf({ type }: ProposedCommand): ApprovalAction {
  if (type === "deposit-funds") return "deposits";
  if (type === "set-operator") return "operators";
  return type === "set-approval-rule" ? "approval-rules" : "withdrawals";
}

function describe(state: State, command: ProposedCommand): string {
  switch (command.type) {
    case "deposit-funds":
    case "withdraw-funds": {
      const { type, amount, asset, uid, wallet, requestId } = command;
      const [verb, side] = type === "deposit-funds" ? ["deposit", "into"] : ["withdraw", "from"];
      const where = `${side} the ${wallet} wallet of user ${uid}`;
      return `${verb} ${amount} ${asset} ${where} (id ${requestId})`;
    }
    case "set-withdrawal-state": {
      const { withdrawalId } = command;
      const found = state.withdrawals.find(withdrawalId);
      if (found === undefined) return `approve withdrawal ${withdrawalId}`;
      const { asset, scale } = state.assets[found.assetIndex] as Asset;
      const amount = formatDecimal(found.amountMinor, scale);
      const where = `of user ${found.uid} to ${found.address} (${found.network})`;
      return `approve withdrawal ${withdrawalId}: ${amount} ${asset} ${where}`;
    }
    case "set-operator": {
      const { name, role, tokenHash, expiresAtMs } = command;
      const until = expiresAtMs === null ? "" : ` until ${expiresAtMs} ms`;
      const present = state.operators.get(name);
      if (present === undefined) return `add the operator ${name} as ${role}${until}`;
      const token = tokenHash === null ? "" : " and a new token";
      return `give the operator ${name}, now ${present.role}, the role ${role}${until}${token}`;
    }
    case "set-approval-rule": {
      const { action, asset, above } = command;
      const of = asset === "" ? action : `${action} of ${asset}`;
      if (above === null) return `need no second operator for ${of}`;
      return asset === ""
        ? `need a second operator for ${of}`
        : `need a second operator for ${of} above ${above}`;
    }
    default:
      return unreachable(command);
  }
}

/** Waiting and decided ones, newest first. */
export function proposalViews({ approvals }: State, nowMs: number): ProposalView[] {
  const all = [...approvals.waiting.values(), ...approvals.decided.values()];
  return all
    .sort((one, other) => other.proposalId - one.proposalId)
    .map(({ command, ...proposal }) => {
      const { proposedMs, decidedMs, state } = proposal;
      const hasExpired = state === "waiting" && isExpired({ command, ...proposal }, nowMs);
      return {
        ...proposal,
        action: actionOf(command),
        state: hasExpired ? ("expired" as const) : state,
        expiresMs: proposedMs + PROPOSAL_LIFE_MS,
        decidedMs: decidedMs === 0 ? null : decidedMs,
      };
    });
}
