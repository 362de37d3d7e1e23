/** `rialto users`: who trades, over the operator plane; their funds are in `user-funds.ts`. */
import { type Command, Option } from "commander";
import { addCommand, addGroup, parseCount, parseSwitch, parseUid, print } from "./command.ts";
import type { Page } from "./operator-plane.ts";
import { addPageOptions, type PageFlags, pageQuery, pageText } from "./pages.ts";
import { addPlaneOptions, openPlane, type PlaneFlags } from "./plane-options.ts";
import { textFields, textTable, textTime } from "./text-table.ts";
import { addFundsCommands, type FeeRates, feeRatesText } from "./user-funds.ts";

interface User {
  readonly uid: number;
  readonly inviteCode: string;
  readonly inviterUid: number | null;
  readonly kyc: boolean;
  readonly state: string;
  readonly house: boolean;
  readonly selfTradePrevention: string;
  readonly registeredAt: number;
}

interface Balances {
  readonly spot: readonly Readonly<Record<string, string>>[];
  readonly contract: readonly Readonly<Record<string, string>>[];
}

export function addUserCommands(program: Command): void {
  const users = addGroup(program, "users", {
    description: "users, their funds and fees",
    examples: ["rialto users list"],
  });
  addReads(users);
  addChanges(users);
  addFundsCommands(users);
}

function addReads(users: Command): void {
  const list = addCommand(users, "list", {
    description: "all users, in order of uid",
    examples: ["rialto users list", "rialto users list --after 1000 --limit 20 --json"],
  });
  addPageOptions(addPlaneOptions(list), parseCount).action(listUsers);
  const show = addCommand(users, "show", {
    description: "one user: settings, balances, own fee rates",
    examples: ["rialto users show 1001"],
  });
  addPlaneOptions(show.argument("<uid>", "the user", parseUid)).action(showUser);
}

async function listUsers(flags: PageFlags): Promise<void> {
  const page = await openPlane(flags).get<Page<User>>(`users?${pageQuery(flags)}`);
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

async function showUser(uid: number, flags: PlaneFlags): Promise<void> {
  const plane = openPlane(flags);
  const user = await plane.get<User>(`users/${uid}`);
  const balances = await plane.get<Balances>(`users/${uid}/balances`);
  const { items: feeRates } = await plane.get<Page<FeeRates>>(`users/${uid}/fee-rates`);
  const text = [
    userText(user),
    `spot\n${recordsText(balances.spot)}`,
    `contract\n${recordsText(balances.contract)}`,
    `fee rates\n${feeRatesText(feeRates)}`,
  ];
  print(flags, { ...user, balances, feeRates }, text.join("\n\n"));
}

function userText(user: User): string {
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
  addPlaneOptions(create)
    .option("--uid <uid>", "this number instead of the next free one", parseUid)
    .option("--invite-code <code>", "whose invitee the user is")
    .option("--kyc <on|off>", "whether it is known who the user is", parseSwitch)
    .action(createUser);
  const update = addCommand(users, "update", {
    description: "change a user's state and settings; what is not given stays",
    examples: ["rialto users update 7 --state frozen"],
  });
  addPlaneOptions(update.argument("<uid>", "the user", parseUid))
    .addOption(new Option("--state <state>", "frozen: reads only").choices(["active", "frozen"]))
    .option("--kyc <on|off>", "whether it is known who the user is", parseSwitch)
    .option("--house <on|off>", "trades for the venue: earns nobody a commission", parseSwitch)
    .option("--self-trade-prevention <mode>", "what happens when the user meets an own order")
    .action(updateUser);
}

interface CreateFlags extends PlaneFlags {
  readonly uid?: number;
  readonly inviteCode?: string;
  readonly kyc?: boolean;
}

async function createUser(flags: CreateFlags): Promise<void> {
  const { uid, inviteCode, kyc } = flags;
  const created = await openPlane(flags).call<Pick<User, "uid" | "inviteCode">>("POST", "users", {
    uid,
    inviteCode,
    kyc,
  });
  print(flags, created, `user ${created.uid}, invite code ${created.inviteCode}`);
}

interface UpdateFlags extends PlaneFlags {
  readonly state?: string;
  readonly kyc?: boolean;
  readonly house?: boolean;
  readonly selfTradePrevention?: string;
}

async function updateUser(uid: number, flags: UpdateFlags): Promise<void> {
  const { state, kyc, house, selfTradePrevention } = flags;
  const changes = { state, kyc, house, selfTradePrevention };
  const user = await openPlane(flags).call<User>("PATCH", `users/${uid}`, changes);
  print(flags, user, userText(user));
}
