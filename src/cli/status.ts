/** `rialto status` and `rialto invariants`: how a running exchange is, over its operator plane. */
import type { Command } from "commander";
import { addCommand, print } from "./command.ts";
import { addPlaneOptions, openPlane, type PlaneFlags } from "./plane-options.ts";
import { textFields, textTime, totalsText } from "./text-table.ts";

type Status = Readonly<Record<string, unknown>> & {
  readonly time: number;
  readonly process: Readonly<Record<string, unknown>>;
};

interface Invariants {
  readonly ok: boolean;
  readonly sequence: number;
  readonly stateHash: string;
  readonly violations: readonly string[];
  readonly totals: Readonly<Record<string, Readonly<Record<string, string>>>>;
}

const EXIT_VIOLATED = 1;

export function addStatusCommands(program: Command): void {
  const status = addCommand(program, "status", {
    description: "what a running exchange says of itself",
    examples: ["rialto status", "rialto status --operator-url http://10.0.0.5:8081 --json"],
  });
  addPlaneOptions(status).action(showStatus);
  const invariants = addCommand(program, "invariants", {
    description: "what must always hold, checked now; the exit code is 1 when something does not",
    examples: ["rialto invariants"],
  });
  addPlaneOptions(invariants).action(showInvariants);
}

async function showStatus(flags: PlaneFlags): Promise<void> {
  const status = await openPlane(flags).get<Status>("status");
  const { time, process: ofProcess, ...counts } = status;
  const fields = { time: textTime(time), ...counts, ...ofProcess };
  print(flags, status, textFields(fields));
}

async function showInvariants(flags: PlaneFlags): Promise<void> {
  const checked = await openPlane(flags).get<Invariants>("invariants");
  if (!checked.ok) process.exitCode = EXIT_VIOLATED;
  print(flags, checked, invariantsText(checked));
}

function invariantsText({ ok, sequence, stateHash, violations, totals }: Invariants): string {
  return [
    totalsText(totals),
    "",
    ...violations.map((violation) => `VIOLATED: ${violation}`),
    ok ? `all hold, as of sequence ${sequence}` : `VIOLATED as of sequence ${sequence}`,
    `state hash ${stateHash}`,
  ].join("\n");
}
