/** `rialto approvals`: what needs a second operator, and what waits for one. */
import { type Command, InvalidArgumentError, Option } from "commander";
import type { SetApprovalRuleInput } from "../client/index.ts";
import type { Decision } from "../domain/index.ts";
import { addCommand, addGroup, given, parseCount, print } from "./command.ts";
import { withOperator } from "./operator.ts";
import { addOperatorOptions, type OperatorFlags } from "./operator-options.ts";
import { textTable, textTime } from "./text-table.ts";

const ACTIONS = ["withdrawals", "deposits", "operators"] as const;
const STATES = ["waiting", "approved", "rejected", "expired"] as const;

export function addApprovalCommands(program: Command): void {
  const approvals = addGroup(program, "approvals", {
    description: "decide what waits for a second operator; say what needs one",
    examples: ["rialto approvals list --state waiting"],
  });
  const list = addCommand(approvals, "list", {
    description: "list what waits for a second operator and what was lately decided",
    examples: ["rialto approvals list --state waiting"],
  });
  addOperatorOptions(list)
    .addOption(new Option("--state <state>", "in one state").choices(STATES))
    .option("--limit <count>", "most rows", parseCount)
    .action(listProposals);
  addDecision(approvals, "approve", "approved", "approve another operator's proposal: it is done");
  addDecision(approvals, "reject", "rejected", "reject another operator's proposal");
  addRules(approvals);
}

type ListFlags = OperatorFlags & {
  readonly state?: (typeof STATES)[number];
  readonly limit?: number;
};

async function listProposals(flags: ListFlags): Promise<void> {
  const { state, limit } = flags;
  const page = await withOperator(flags, (one) => one.listProposals(given({ state, limit })));
  const rows = page.items.map((item) => [
    item.proposalId,
    item.state,
    item.proposer,
    item.decider,
    textTime(item.expires),
    item.what,
  ]);
  const headings = ["id", "state", "proposer", "decider", "expires", "what"];
  print(flags, page, textTable(headings, rows));
}

function parseId(text: string): number {
  const id = parseCount(text);
  if (id > 0) return id;
  throw new InvalidArgumentError("An id is a whole number, 1 or more.");
}

function addDecision(
  approvals: Command,
  name: string,
  decision: Decision,
  description: string,
): void {
  const command = addCommand(approvals, name, {
    description,
    examples: [`rialto approvals ${name} 12 --reason "checked by phone"`],
  });
  addOperatorOptions(command.argument("<proposal>", "its id", parseId))
    .option("--reason <text>", "why")
    .action(async (proposalId: number, flags: OperatorFlags & { readonly reason?: string }) => {
      const { reason: note } = flags;
      const decided = { proposalId, decision, ...given({ note }) };
      const answer = await withOperator(flags, (one) => one.decideProposal(decided));
      print(flags, answer, `proposal ${proposalId} is ${answer.state}`);
    });
}

function addRules(approvals: Command): void {
  const rules = addCommand(approvals, "rules", {
    description: "list what needs a second operator",
    examples: ["rialto approvals rules"],
  });
  addOperatorOptions(rules).action(async (flags: OperatorFlags) => {
    const page = await withOperator(flags, (one) => one.listApprovalRules());
    print(flags, page, rulesText(page.items));
  });
  const set = addCommand(approvals, "set-rule", {
    description: "need a second operator from now on, or no longer",
    examples: [
      "rialto approvals set-rule withdrawals --asset USDT --above 10000",
      "rialto approvals set-rule operators --above 0",
      "rialto approvals set-rule deposits --asset USDT --above none",
    ],
  });
  addOperatorOptions(set)
    .addArgument(set.createArgument("<action>", "what").choices(ACTIONS))
    .requiredOption("--above <amount>", 'what one operator may do alone, or "none" to end the rule')
    .option("--asset <asset>", "of withdrawals and deposits, such as USDT")
    .action(setRule);
}

interface RuleFlags extends OperatorFlags {
  readonly above: string;
  readonly asset?: string;
}

async function setRule(action: SetApprovalRuleInput["action"], flags: RuleFlags): Promise<void> {
  const above = flags.above === "none" ? null : flags.above;
  const rule = { action, above, ...given({ asset: flags.asset }) };
  const page = await withOperator(flags, (one) => one.setApprovalRule(rule));
  print(flags, page, rulesText(page.items));
}

interface Rule {
  readonly action: string;
  readonly asset: string | null;
  readonly above: string;
}

function rulesText(rules: readonly Rule[]): string {
  if (rules.length === 0) return "nothing needs a second operator";
  const rows = rules.map(({ action, asset, above }) => [action, asset, above]);
  return textTable(["action", "asset", "above"], rows);
}
