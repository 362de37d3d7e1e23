/** `rialto status` and `rialto invariants`: the state of a running exchange. */
import type { Command } from "commander";
import type { GetInvariantsAnswer } from "../client/index.ts";
import { addCommand, print } from "./command.ts";
import { withOperator } from "./operator.ts";
import { addOperatorOptions, type OperatorFlags } from "./operator-options.ts";
import { textFields, textTime, totalsText } from "./text-table.ts";

const EXIT_VIOLATED = 1;

export function addStatusCommands(program: Command): void {
  const status = addCommand(program, "status", {
    description: "show the status of a running exchange",
    examples: ["rialto status", "rialto status --operator-url http://10.0.0.5:8081 --json"],
  });
  addOperatorOptions(status).action(showStatus);
  const invariants = addCommand(program, "invariants", {
    description: "check the invariants of a running exchange; exits with 1 if one is violated",
    examples: ["rialto invariants"],
  });
  addOperatorOptions(invariants).action(showInvariants);
}

async function showStatus(flags: OperatorFlags): Promise<void> {
  const status = await withOperator(flags, (operator) => operator.getStatus());
  const { time, process: ofProcess, ...counts } = status;
  const fields = { time: textTime(time), ...counts, ...ofProcess };
  print(flags, status, textFields(fields));
}

async function showInvariants(flags: OperatorFlags): Promise<void> {
  const checked = await withOperator(flags, (operator) => operator.getInvariants());
  if (!checked.ok) process.exitCode = EXIT_VIOLATED;
  print(flags, checked, invariantsText(checked));
}

function invariantsText({
  ok,
  sequence,
  stateHash,
  violations,
  totals,
}: GetInvariantsAnswer): string {
  return [
    totalsText(totals),
    "",
    ...violations.map((violation) => `VIOLATED: ${violation}`),
    ok ? `all hold, as of sequence ${sequence}` : `VIOLATED as of sequence ${sequence}`,
    `state hash ${stateHash}`,
  ].join("\n");
}
