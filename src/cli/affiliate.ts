/**
 * `rialto affiliate verify`: verifies an affiliate's statements offline, without trusting the
 * exchange that wrote them.
 */
import { statSync } from "node:fs";
import { type Command, InvalidArgumentError, Option } from "commander";
import { StartRefused } from "../app/config.ts";
import { Progress } from "../app/progress.ts";
import type { CheckedStatement, FilesVerdict, StatementProblem } from "./check-statements.ts";
import { addCommand, addGroup, type OutputFlags } from "./command.ts";
import type { StatementFrame } from "./statement-continuation.ts";

interface VerifyFlags extends OutputFlags {
  readonly head?: string;
}

/** A part has at most 50,000 entries, which take a quarter of this. */
const FILE_BYTES_MAX = 256 * 1024 * 1024;
const EXIT_NOT_VALID = 1;

export function addAffiliateCommands(program: Command): void {
  const affiliate = addGroup(program, "affiliate", {
    description: "verify affiliate statements",
    examples: ["rialto affiliate verify statement.csv"],
  });
  addCommand(affiliate, "verify", {
    description:
      "verify a statement offline: every hash, commission, balance, settlement and total; " +
      "several files are the parts of one statement or consecutive statements, in order",
    examples: [
      "rialto affiliate verify statement.csv",
      "rialto affiliate verify june.csv july.csv --json",
    ],
  })
    .argument("<statement...>", "CSV or JSON files")
    .addOption(
      new Option("--head <hash>", "the hash published for the last day").argParser(parseHash),
    )
    .action(verify);
}

function parseHash(text: string): string {
  if (/^[0-9a-f]{64}$/i.test(text)) return text.toLowerCase();
  throw new InvalidArgumentError("A hash has 64 hex digits.");
}

async function verify(files: readonly string[], flags: VerifyFlags): Promise<void> {
  const progress = new Progress("Checking statements, in bytes", totalBytes(files));
  const { checkStatements } = await import("./check-statements.ts");
  const verdict = await checkStatements(files, flags.head, (bytes) => progress.report(bytes));
  progress.end();
  if ("problem" in verdict) process.exitCode = EXIT_NOT_VALID;
  if (flags.json) console.log(JSON.stringify(toJson(verdict), null, 2));
  else if ("problem" in verdict) console.error(describeProblem(verdict));
  else console.log(describe(verdict.checked, flags.head !== undefined));
}

function totalBytes(files: readonly string[]): number {
  return files.reduce((sum, file) => {
    const size = statSync(file, { throwIfNoEntry: false })?.size;
    if (size === undefined) throw new StartRefused(`There is no file ${file}.`);
    if (size <= FILE_BYTES_MAX) return sum + size;
    throw new StartRefused(`${file} is larger than any part of a statement. Download it in parts.`);
  }, 0);
}

function entryCount({ openingOrdinal, closingOrdinal }: StatementFrame): number {
  return closingOrdinal - openingOrdinal;
}

function toJson(verdict: FilesVerdict): object {
  if ("problem" in verdict) return { valid: false, ...verdict };
  const statements = verdict.checked.map(({ file, statement }) => {
    return { file, ...statement, entries: entryCount(statement) };
  });
  return { valid: true, statements };
}

function describeProblem({ file, line, problem }: StatementProblem): string {
  return `${line === null ? file : `${file}:${line}`}: ${problem}`;
}

function describe(checked: readonly CheckedStatement[], isPublished: boolean): string {
  const lines = checked.flatMap(({ file, statement }) => {
    const { affiliateUid, from, to, part, parts } = statement;
    const days = `${from} to ${to}${statement.complete ? "" : " (not over yet)"}`;
    const place = parts > 1 ? `, part ${part} of ${parts}` : "";
    const count = entryCount(statement);
    return [
      `${file}: affiliate ${affiliateUid}, ${days}${place}: ${count} entries, all correct`,
      ...statement.totals.map(
        (total) =>
          `  ${total.asset}: earned ${total.earned}, paid ${total.paid}; now payable ` +
          `${total.payable}, held ${total.held}, owed ${total.owed}`,
      ),
    ];
  });
  const last = checked.at(-1)?.statement;
  lines.push(`closing hash ${last?.closingHash}`);
  lines.push(
    isPublished
      ? "It matches the published hash."
      : `Compare it with the hash published for ${last?.to}, or pass that hash with --head.`,
  );
  return lines.join("\n");
}
