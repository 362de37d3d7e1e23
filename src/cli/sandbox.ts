/** `rialto sandbox`: what a tester does to an exchange that runs with `--sandbox`. */
import type { Command } from "commander";
import type { ListFaultsAnswer, SetFaultInput } from "../client/index.ts";
import { addCommand, addGroup, print } from "./command.ts";
import { readJsonObject } from "./json-file.ts";
import { withOperator } from "./operator.ts";
import { addOperatorOptions, type OperatorFlags } from "./operator-options.ts";
import { addMarketOnDemandCommands, addTriggerCommand } from "./sandbox-markets.ts";
import { addStateCommands } from "./sandbox-states.ts";
import { textTable } from "./text-table.ts";

type Rule = ListFaultsAnswer["items"][number];

export function addSandboxCommands(program: Command): void {
  const sandbox = addGroup(program, "sandbox", {
    description: "control an exchange that runs with --sandbox",
    examples: ["rialto sandbox faults list", "rialto sandbox checkpoint before"],
  });
  addStateCommands(sandbox);
  addMarketOnDemandCommands(sandbox);
  addTriggerCommand(sandbox);
  const faults = addGroup(sandbox, "faults", {
    description: "list and change fault rules: what goes wrong with requests and streams",
    examples: ["rialto sandbox faults list"],
  });
  const list = addCommand(faults, "list", {
    description: "list all fault rules with their hits",
    examples: ["rialto sandbox faults list"],
  });
  addOperatorOptions(list).action(listFaults);
  const set = addCommand(faults, "set", {
    description: "set a fault rule, in the format of `list --json`",
    examples: [
      `rialto sandbox faults set outage '{"fault":{"kind":"stall","ms":30000}}'`,
      "rialto sandbox faults set lost lost.json",
    ],
  });
  addOperatorOptions(
    set
      .argument("<id>", "name of the rule")
      .argument("<rule>", "the rule as JSON, or a file with it; - is standard input"),
  ).action(setFault);
  const remove = addCommand(faults, "remove", {
    description: "remove a fault rule",
    examples: ["rialto sandbox faults remove outage"],
  });
  addOperatorOptions(remove.argument("<id>", "name of the rule")).action(removeFault);
  const clear = addCommand(faults, "clear", {
    description: "remove all fault rules",
    examples: ["rialto sandbox faults clear"],
  });
  addOperatorOptions(clear).action(clearFaults);
}

/** `uid 7, POST /api/v3/order`. */
function matchText({ match }: Rule): string {
  const { uid, ...named } = match;
  const parts = uid === undefined ? [] : [`uid ${uid}`];
  return [...parts, ...Object.values(named)].join(", ") || "everything";
}

/** `next 3`. */
function whenText({ when }: Rule): string {
  const [[name, value] = []] = Object.entries(when);
  return name === undefined ? "always" : `${name} ${value}`;
}

/** `answer: status 429, code -1003`. */
function faultText({ fault }: Rule): string {
  const { kind, ...details } = fault;
  const texts = Object.entries(details).map(([name, value]) => {
    return `${name} ${Array.isArray(value) ? value.join(" to ") : value}`;
  });
  return texts.length === 0 ? kind : `${kind}: ${texts.join(", ")}`;
}

function faultTable(rules: readonly Rule[]): string {
  if (rules.length === 0) return "no fault rules";
  const rows = rules.map((rule) => {
    const { id, hits, seed } = rule;
    return [id, matchText(rule), whenText(rule), faultText(rule), seed, hits];
  });
  return textTable(["id", "match", "when", "fault", "seed", "hits"], rows);
}

async function listFaults(flags: OperatorFlags): Promise<void> {
  const rules = await withOperator(flags, (operator) => operator.listFaults());
  print(flags, rules, faultTable(rules.items));
}

async function setFault(id: string, given: string, flags: OperatorFlags): Promise<void> {
  const text = given.trimStart();
  const what =
    'a fault rule, such as {"when":{"next":1},"fault":{"kind":"drop-answer"}}; ' +
    "docs/reference/sandbox.md has all of them.";
  const rule = readJsonObject(text.startsWith("{") ? { text } : { file: given }, what);
  // What `list` shows of a rule beside the rule itself.
  const { id: _id, hits: _hits, expiresMs = null, ...rest } = rule;
  const body = { ...rest, ...(expiresMs === null ? {} : { expiresMs }), id } as SetFaultInput;
  const set = await withOperator(flags, (operator) => operator.setFault(body));
  print(flags, set, faultTable([set]));
}

async function removeFault(id: string, flags: OperatorFlags): Promise<void> {
  const removed = await withOperator(flags, (operator) => operator.removeFault({ id }));
  print(flags, removed, `${id} removed; it hit ${removed.hits} times`);
}

async function clearFaults(flags: OperatorFlags): Promise<void> {
  const cleared = await withOperator(flags, (operator) => operator.clearFaults());
  print(flags, cleared, `${cleared.removed} rules removed`);
}
