/** `rialto users`: users and their settings; their funds are in `user-funds.ts`. */
import { type Command, Option } from "commander";
import type { GetUserAnswer, RegisterUserInput, UpdateUserInput } from "../client/index.ts";
import {
  addCommand,
  addGroup,
  given,
  parseCount,
  parseSwitch,
  parseUid,
  print,
} from "./command.ts";
import { withOperator } from "./operator.ts";
import { addOperatorOptions, type OperatorFlags, REASON } from "./operator-options.ts";
import { addPageOptions, type PageFlags, pageText } from "./pages.ts";
import { textFields, textTable, textTime } from "./text-table.ts";
import { addFundsCommands, feeRatesText } from "./user-funds.ts";
import { addOrderCommands } from "./user-orders.ts";

export function addUserCommands(program: Command): void {
  const users = addGroup(program, "users", {
    description: "manage users, their funds and their fees",
    examples: ["rialto users list"],
  });
  addReads(users);
  addChanges(users);
  addFundsCommands(users);
  addOrderCommands(users);
}

function addReads(users: Command): void {
  const list = addCommand(users, "list", {
    description: "list all users by uid",
    examples: ["rialto users list", "rialto users list --after 1000 --limit 20 --json"],
  });
  addPageOptions(addOperatorOptions(list), parseCount).action(listUsers);
  const show = addCommand(users, "show", {
    description: "show a user: settings, balances, custom fee rates",
    examples: ["rialto users show 1001"],
  });
  addOperatorOptions(show.argument("<uid>", "the user", parseUid)).action(showUser);
}

async function listUsers(flags: PageFlags<number>): Promise<void> {
  const { after, limit } = flags;
  const page = await withOperator(flags, (operator) => operator.listUsers(given({ after, limit })));
  const rows = page.items.map((user) => [
    user.uid,
    user.state,
    user.kyc ? "yes" : "no",
    user.house ? "yes" : "no",
    user.inviterUid,
    user.inviteCode,
    textTime(user.registeredAt),
  ]);
  const headings = ["uid", "state", "kyc", "house", "inviter", "invite code", "registered"];
  print(flags, page, pageText(textTable(headings, rows), page));
}

async function showUser(uid: number, flags: OperatorFlags): Promise<void> {
  const { user, balances, feeRates } = await withOperator(flags, async (operator) => ({
    user: await operator.getUser({ uid }),
    balances: await operator.getBalances({ uid }),
    feeRates: (await operator.getFeeRates({ uid })).items,
  }));
  const text = [
    userText(user),
    `spot\n${recordsText(balances.spot)}`,
    `contract\n${recordsText(balances.contract)}`,
    `fee rates\n${feeRatesText(feeRates)}`,
  ];
  print(flags, { ...user, balances, feeRates }, text.join("\n\n"));
}

function userText(user: GetUserAnswer): string {
  return textFields({ ...user, registeredAt: textTime(user.registeredAt) });
}

function recordsText(records: readonly Readonly<Record<string, string>>[]): string {
  const [first] = records;
  if (first === undefined) return "none";
  return textTable(Object.keys(first), records.map(Object.values));
}

function addChanges(users: Command): void {
  const create = addCommand(users, "create", {
    description: "register a user",
    examples: ["rialto users create", "rialto users create --uid 7 --kyc on"],
  });
  addOperatorOptions(create)
    .option("--uid <uid>", "uid to use instead of the next free one", parseUid)
    .option("--invite-code <code>", "invite code of the inviter")
    .option("--kyc <on|off>", "whether KYC is complete", parseSwitch)
    .action(createUser);
  const update = addCommand(users, "update", {
    description: "change a user's state and settings; options left out stay unchanged",
    examples: ["rialto users update 7 --state frozen"],
  });
  addOperatorOptions(update.argument("<uid>", "the user", parseUid))
    .addOption(new Option("--state <state>", "frozen: read-only").choices(["active", "frozen"]))
    .option("--kyc <on|off>", "whether KYC is complete", parseSwitch)
    .option("--house <on|off>", "house account: its trades earn no commissions", parseSwitch)
    .option(
      "--self-trade-prevention <mode>",
      "what happens when two orders of the user would match",
    )
    .option(...REASON)
    .action(updateUser);
}

async function createUser(flags: OperatorFlags & RegisterUserInput): Promise<void> {
  const { uid, inviteCode, kyc } = flags;
  const user = given({ uid, inviteCode, kyc });
  const created = await withOperator(flags, (operator) => operator.registerUser(user));
  print(flags, created, `user ${created.uid}, invite code ${created.inviteCode}`);
}

async function updateUser(
  uid: number,
  flags: OperatorFlags & Omit<UpdateUserInput, "uid">,
): Promise<void> {
  const { state, kyc, house, selfTradePrevention, reason } = flags;
  const changes = given({ state, kyc, house, selfTradePrevention, reason });
  const user = await withOperator(flags, (operator) => operator.updateUser({ uid, ...changes }));
  print(flags, user, userText(user));
}
