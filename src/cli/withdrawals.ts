/** `rialto withdrawals`: withdrawals that wait, are decided and sent, their rules and addresses. */
import { randomUUID } from "node:crypto";
import { type Command, InvalidArgumentError, Option } from "commander";
import { WITHDRAWAL_STATES, type WithdrawalStep } from "../domain/index.ts";
import {
  addCommand,
  addGroup,
  given,
  type OutputFlags,
  parseCount,
  parseSwitch,
  parseUid,
  print,
} from "./command.ts";
import { withOperator } from "./operator.ts";
import { addOperatorOptions, type OperatorFlags } from "./operator-options.ts";
import { addPageOptions, type PageFlags, pageText } from "./pages.ts";
import { textFields, textTable, textTime } from "./text-table.ts";

export function addWithdrawalCommands(program: Command): void {
  const withdrawals = addGroup(program, "withdrawals", {
    description: "list and decide withdrawals; rules and address books",
    examples: ["rialto withdrawals list --state requested"],
  });
  addReads(withdrawals);
  addRequest(withdrawals);
  addSteps(withdrawals);
  addRules(withdrawals);
  addAddresses(withdrawals);
}

interface ListFlags extends PageFlags<number> {
  readonly uid?: number;
  readonly state?: (typeof WITHDRAWAL_STATES)[number];
}

function addReads(withdrawals: Command): void {
  const list = addCommand(withdrawals, "list", {
    description: "list withdrawals, oldest first",
    examples: ["rialto withdrawals list --state requested", "rialto withdrawals list --uid 7"],
  });
  addPageOptions(addOperatorOptions(list), parseCount)
    .option("--uid <uid>", "of one user", parseUid)
    .addOption(new Option("--state <state>", "in one state").choices(WITHDRAWAL_STATES))
    .action(listWithdrawals);
  const show = addCommand(withdrawals, "show", {
    description: "show a withdrawal and its steps",
    examples: ["rialto withdrawals show 12"],
  });
  addOperatorOptions(addWithdrawalId(show)).action(showWithdrawal);
}

function addWithdrawalId(command: Command): Command {
  return command.argument("<withdrawal>", "its id", parseId);
}

function parseId(text: string): number {
  const id = parseCount(text);
  if (id > 0) return id;
  throw new InvalidArgumentError("An id is a whole number, 1 or more.");
}

async function listWithdrawals(flags: ListFlags): Promise<void> {
  const { after, limit, uid, state } = flags;
  const query = given({ after, limit, uid, state });
  const page = await withOperator(flags, (operator) => operator.listWithdrawalRequests(query));
  const rows = page.items.map((item) => [
    item.withdrawalId,
    item.state,
    item.uid,
    item.amount,
    item.asset,
    item.network,
    item.address,
    textTime(item.requested),
  ]);
  const headings = ["id", "state", "uid", "amount", "asset", "network", "address", "requested"];
  print(flags, page, pageText(textTable(headings, rows), page));
}

async function showWithdrawal(withdrawalId: number, flags: OperatorFlags): Promise<void> {
  const shown = await withOperator(flags, (operator) =>
    operator.getWithdrawalRequest({ withdrawalId }),
  );
  const { steps, requested, changed, memo, reference, ...terms } = shown;
  const times = { requested: textTime(requested), changed: textTime(changed) };
  const optional = Object.entries({ memo, reference }).filter(([, value]) => value !== "");
  const rows = steps.map((step) => [textTime(step.time), step.state, step.actor, step.note]);
  const text = [
    textFields({ ...terms, ...Object.fromEntries(optional), ...times }),
    textTable(["time", "state", "actor", "note"], rows),
  ];
  print(flags, shown, text.join("\n\n"));
}

interface IdFlags extends OperatorFlags {
  readonly id?: string;
}

function addIdOption(command: Command): Command {
  return command.option(
    "--id <id>",
    "request id; a repeat has no further effect (default: a new one)",
  );
}

function newId({ id }: IdFlags): string {
  return id ?? `cli-${randomUUID()}`;
}

interface Stepped {
  readonly withdrawalId: number;
  readonly state: string;
}

function printStep(flags: OutputFlags, id: string, stepped: Stepped): void {
  const { withdrawalId, state } = stepped;
  print(flags, { id, ...stepped }, `withdrawal ${withdrawalId} is ${state} (id ${id})`);
}

function addRequest(withdrawals: Command): void {
  const request = addCommand(withdrawals, "request", {
    description: "request a withdrawal for a user; the amount is frozen until it is decided",
    examples: ["rialto withdrawals request 7 100 --address 3"],
  });
  addIdOption(addOperatorOptions(request.argument("<uid>", "the user", parseUid)))
    .argument("<amount>", "decimal amount, with the fee, such as 12.5")
    .requiredOption("--address <id>", "an address of the user's book", parseId)
    .action(async (uid: number, amount: string, flags: IdFlags & { readonly address: number }) => {
      const id = newId(flags);
      const terms = { id, uid, addressId: flags.address, amount };
      printStep(flags, id, await withOperator(flags, (one) => one.requestWithdrawal(terms)));
    });
}

interface StepText {
  readonly name: string;
  readonly state: WithdrawalStep;
  readonly description: string;
  /** What the note is; required when it ends without "optional". */
  readonly note: "reason" | "reference";
  readonly isRequired: boolean;
}

const STEPS: readonly StepText[] = [
  {
    name: "approve",
    state: "approved",
    description: "approve a requested withdrawal",
    note: "reason",
    isRequired: false,
  },
  {
    name: "reject",
    state: "rejected",
    description: "reject a requested withdrawal; the money is free again",
    note: "reason",
    isRequired: true,
  },
  {
    name: "sent",
    state: "sent",
    description: "record that an approved withdrawal was sent",
    note: "reference",
    isRequired: true,
  },
  {
    name: "done",
    state: "done",
    description: "book a sent withdrawal out: it has arrived",
    note: "reason",
    isRequired: false,
  },
  {
    name: "failed",
    state: "failed",
    description: "record that a sent withdrawal came back; the money is free again",
    note: "reason",
    isRequired: true,
  },
];

function addSteps(withdrawals: Command): void {
  for (const { name, state, description, note, isRequired } of STEPS) {
    const flag = `--${note} <text>`;
    const text = note === "reason" ? "why" : "what it is called outside, such as a transaction id";
    const command = addCommand(withdrawals, name, {
      description,
      examples: [`rialto withdrawals ${name} 12${isRequired ? ` --${note} "…"` : ""}`],
    });
    addIdOption(addOperatorOptions(addWithdrawalId(command)))
      .addOption(new Option(flag, text).makeOptionMandatory(isRequired))
      .action(async (withdrawalId: number, flags: IdFlags & { readonly [note]?: string }) => {
        const id = newId(flags);
        const given = (flags as { readonly reason?: string; readonly reference?: string })[note];
        const step = { withdrawalId, id, state, note: given ?? "" };
        printStep(flags, id, await withOperator(flags, (one) => one.setWithdrawalState(step)));
      });
  }
}

interface RulesFlags extends OperatorFlags {
  readonly min: string;
  readonly fee?: string;
  readonly dailyLimit?: string;
  readonly addressHoldMs?: number;
  readonly keyHoldMs?: number;
  readonly enabled?: boolean;
}

function addRules(withdrawals: Command): void {
  const rules = addCommand(withdrawals, "rules", {
    description: "list the rules of withdrawals by asset",
    examples: ["rialto withdrawals rules"],
  });
  addOperatorOptions(rules).action(async (flags: OperatorFlags) => {
    const page = await withOperator(flags, (one) => one.listWithdrawalRules());
    const texts = page.items.map((item) => textFields({ ...item }));
    print(flags, page, texts.length === 0 ? "none" : texts.join("\n\n"));
  });
  const set = addCommand(withdrawals, "set-rules", {
    description: "replace the rules of an asset; an asset without rules has no withdrawals",
    examples: [
      "rialto withdrawals set-rules USDT --min 10 --fee 1 --daily-limit 50000",
      "rialto withdrawals set-rules USDT --min 10 --enabled off",
    ],
  });
  addOperatorOptions(set.argument("<asset>", "such as USDT"))
    .requiredOption("--min <amount>", "smallest amount, more than the fee")
    .option("--fee <amount>", "fee kept of each withdrawal (default: none)")
    .option("--daily-limit <amount>", "most per user and UTC day (default: no limit)")
    .option("--address-hold-ms <ms>", "wait of a new address (default: 24 hours)", parseCount)
    .option("--key-hold-ms <ms>", "wait after a change of API keys (default: 24 hours)", parseCount)
    .option("--enabled <on|off>", "whether withdrawals can be requested", parseSwitch)
    .action(async (asset: string, flags: RulesFlags) => {
      const { min: minAmount, fee, dailyLimit, addressHoldMs, keyHoldMs, enabled } = flags;
      const others = given({ fee, dailyLimit, addressHoldMs, keyHoldMs, enabled });
      const set = { asset, minAmount, ...others };
      const answer = await withOperator(flags, (one) => one.setWithdrawalRules(set));
      print(flags, answer, textFields({ ...answer }));
    });
}

interface AddressFlags extends OperatorFlags {
  readonly memo?: string;
  readonly label?: string;
}

function addAddresses(withdrawals: Command): void {
  const list = addCommand(withdrawals, "addresses", {
    description: "list a user's address book",
    examples: ["rialto withdrawals addresses 7"],
  });
  addOperatorOptions(list.argument("<uid>", "the user", parseUid)).action(listAddresses);
  const add = addCommand(withdrawals, "add-address", {
    description: "add an address to a user's book; it can be used after its hold",
    examples: ["rialto withdrawals add-address 7 USDT TRC20 TXYZ… --label treasury"],
  });
  addOperatorOptions(add.argument("<uid>", "the user", parseUid))
    .argument("<asset>", "such as USDT")
    .argument("<network>", "such as TRC20")
    .argument("<address>", "where to")
    .option("--memo <text>", "memo or tag")
    .option("--label <text>", "a name for it")
    .action(addAddress);
  const remove = addCommand(withdrawals, "remove-address", {
    description: "remove an address from a user's book; open withdrawals to it stay",
    examples: ["rialto withdrawals remove-address 7 3"],
  });
  addOperatorOptions(remove.argument("<uid>", "the user", parseUid))
    .argument("<address>", "its id", parseId)
    .action(async (uid: number, addressId: number, flags: OperatorFlags) => {
      const removed = await withOperator(flags, (operator) =>
        operator.removeWithdrawalAddress({ uid, addressId }),
      );
      print(flags, removed, `address ${addressId} removed`);
    });
}

async function listAddresses(uid: number, flags: OperatorFlags): Promise<void> {
  const book = await withOperator(flags, (one) => one.listWithdrawalAddresses({ uid }));
  const rows = book.items.map((item) => [
    item.addressId,
    item.asset,
    item.network,
    item.address,
    item.memo,
    item.label,
    textTime(item.usableFrom),
  ]);
  const headings = ["id", "asset", "network", "address", "memo", "label", "usable from"];
  print(flags, book, textTable(headings, rows));
}

async function addAddress(
  uid: number,
  asset: string,
  network: string,
  address: string,
  flags: AddressFlags,
): Promise<void> {
  const { memo, label } = flags;
  const entry = { uid, asset, network, address, ...given({ memo, label }) };
  const added = await withOperator(flags, (one) => one.addWithdrawalAddress(entry));
  const from = textTime(added.usableFrom);
  print(flags, added, `address ${added.addressId}, usable from ${from}`);
}
