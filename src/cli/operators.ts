/** `rialto operators`: people and programs that run the exchange, with roles and tokens. */
import { type Command, Option } from "commander";
import type { GetOperatorAnswer } from "../client/index.ts";
import { OPERATOR_ROLES, type OperatorRole } from "../domain/index.ts";
import { rotateOperatorToken } from "../keys/operator-token.ts";
import {
  addCommand,
  addGroup,
  dataFolderOption,
  given,
  type OutputFlags,
  print,
} from "./command.ts";
import { CommandFailed } from "./failure.ts";
import { withOperator } from "./operator.ts";
import { addOperatorOptions, type OperatorFlags, REASON } from "./operator-options.ts";
import { addPageOptions, type PageFlags, pageText } from "./pages.ts";
import { findRunning } from "./running-exchange.ts";
import { textFields, textTable, textTime } from "./text-table.ts";
import { parseExpiry } from "./times.ts";

interface SettingsFlags extends OperatorFlags {
  readonly role?: OperatorRole;
  readonly expiresAt?: number | "never";
}

export function addOperatorCommands(program: Command): void {
  const operators = addGroup(program, "operators", {
    description: "manage operators, their roles and tokens",
    examples: ["rialto operators list"],
  });
  const list = addCommand(operators, "list", {
    description: "list operators, removed ones included; tokens are never shown",
    examples: ["rialto operators list"],
  });
  addPageOptions(addOperatorOptions(list), String).action(listOperators);
  const add = addCommand(operators, "add", {
    description: "add an operator; the token is shown only once",
    examples: [
      "rialto operators add ann --role support",
      "rialto operators add nightly --role viewer --expires-at 2027-01-01T00:00:00Z",
    ],
  });
  addSettings(addOperatorOptions(add.argument("<name>", "name in tokens and in the audit log")))
    .addOption(roleOption().makeOptionMandatory())
    .action(addOperator);
  const update = addCommand(operators, "update", {
    description: "change an operator's role or expiry at once",
    examples: ["rialto operators update ann --role risk"],
  });
  addSettings(addOperatorOptions(update.argument("<name>", "the operator")))
    .addOption(roleOption())
    .action(updateOperator);
  const token = addCommand(operators, "token", {
    description: "give an operator a new token; the old one is rejected at once",
    examples: ["rialto operators token ann"],
  });
  addOperatorOptions(token.argument("<name>", "the operator")).action(rotateToken);
  const rotate = addCommand(operators, "rotate-token", {
    description: "draw a new token of the data folder; a running exchange takes it at once",
    examples: ["rialto operators rotate-token --data-dir /var/lib/rialto"],
  });
  rotate.addOption(dataFolderOption()).action(rotateFolderToken);
  const remove = addCommand(operators, "remove", {
    description: "remove an operator; the token is rejected at once, the name is not used again",
    examples: ["rialto operators remove ann"],
  });
  addOperatorOptions(remove.argument("<name>", "the operator"))
    .option(...REASON)
    .action(removeOperator);
}

function roleOption(): Option {
  return new Option("--role <role>", "what the operator may do").choices(OPERATOR_ROLES);
}

function addSettings(command: Command): Command {
  return command.option("--expires-at <time>", 'time with its zone, or "never"', parseExpiry);
}

function expiryOf({ expiresAt }: SettingsFlags): number | null | undefined {
  return expiresAt === "never" ? null : expiresAt;
}

async function listOperators(flags: PageFlags<string>): Promise<void> {
  const { after, limit } = flags;
  const page = await withOperator(flags, (operator) =>
    operator.listOperators(given({ after, limit })),
  );
  const rows = page.items.map((row) => [
    row.name,
    row.role,
    timeText(row.expiresAt),
    textTime(row.addedAt),
    timeText(row.removedAt),
  ]);
  const headings = ["name", "role", "expires", "added", "removed"];
  print(flags, page, pageText(textTable(headings, rows), page));
}

function timeText(timeMs: number | null): string | null {
  return timeMs === null ? null : textTime(timeMs);
}

function settingsText(operator: GetOperatorAnswer): string {
  const { expiresAt, addedAt, removedAt } = operator;
  const times = { expiresAt: timeText(expiresAt), removedAt: timeText(removedAt) };
  return textFields({ ...operator, ...times, addedAt: textTime(addedAt) });
}

function tokenText(answer: { readonly name: string; readonly token: string }): string {
  return `${textFields(answer)}\nSave it now: the token is not shown again.`;
}

async function addOperator(
  name: string,
  flags: SettingsFlags & { readonly role: OperatorRole },
): Promise<void> {
  const settings = { name, role: flags.role, ...given({ expiresAt: expiryOf(flags) }) };
  const added = await withOperator(flags, (operator) => operator.addOperator(settings));
  print(flags, added, tokenText(added));
}

async function updateOperator(name: string, flags: SettingsFlags): Promise<void> {
  const changes = given({ role: flags.role, expiresAt: expiryOf(flags) });
  if (Object.keys(changes).length === 0) {
    throw new CommandFailed("usage", "Nothing to change: give --role or --expires-at.");
  }
  const changed = await withOperator(flags, (operator) =>
    operator.updateOperator({ name, ...changes }),
  );
  print(flags, changed, settingsText(changed));
}

async function rotateToken(name: string, flags: OperatorFlags): Promise<void> {
  const rotated = await withOperator(flags, (operator) => operator.rotateToken({ name }));
  print(flags, rotated, tokenText(rotated));
}

/** Needs no token: whoever may write the data folder has the exchange. */
function rotateFolderToken(flags: OutputFlags & { readonly dataDir: string }): void {
  const { dataDir } = flags;
  if (findRunning(dataDir)?.operatorTokenFile === null) {
    throw new CommandFailed(
      "no-token",
      `The exchange of ${dataDir} was given its operator token in RIALTO_OPERATOR_TOKEN: replace ` +
        "it there, and restart the exchange.",
    );
  }
  const rotated = rotateOperatorToken(dataDir);
  print(flags, rotated, `a new token is in ${rotated.path}; the old one is rejected from now on`);
}

async function removeOperator(
  name: string,
  flags: OperatorFlags & { readonly reason?: string },
): Promise<void> {
  const removed = await withOperator(flags, (operator) =>
    operator.removeOperator({ name, ...given({ reason: flags.reason }) }),
  );
  print(flags, removed, `${name} is removed`);
}
