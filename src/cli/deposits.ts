/** `rialto deposits`: deposits that are reported from outside and credited after confirmations. */
import { type Command, Option } from "commander";
import { DEPOSIT_STATES } from "../domain/index.ts";
import { addCommand, addGroup, given, parseCount, parseUid, print } from "./command.ts";
import { withOperator } from "./operator.ts";
import { addOperatorOptions, type OperatorFlags } from "./operator-options.ts";
import { addPageOptions, type PageFlags, pageText } from "./pages.ts";
import { textFields, textTable, textTime } from "./text-table.ts";

export function addDepositCommands(program: Command): void {
  const deposits = addGroup(program, "deposits", {
    description: "report deposits and list them; confirmations they need",
    examples: ["rialto deposits list --state pending"],
  });
  addReads(deposits);
  addReport(deposits);
  addRules(deposits);
}

interface ListFlags extends PageFlags<number> {
  readonly uid?: number;
  readonly state?: (typeof DEPOSIT_STATES)[number];
}

function addReads(deposits: Command): void {
  const list = addCommand(deposits, "list", {
    description: "list reported deposits, oldest first",
    examples: ["rialto deposits list --state pending", "rialto deposits list --uid 7"],
  });
  addPageOptions(addOperatorOptions(list), parseCount)
    .option("--uid <uid>", "of one user", parseUid)
    .addOption(new Option("--state <state>", "in one state").choices(DEPOSIT_STATES))
    .action(listDeposits);
  const show = addCommand(deposits, "show", {
    description: "show a reported deposit",
    examples: ["rialto deposits show 12"],
  });
  addOperatorOptions(show.argument("<deposit>", "its id", parseCount)).action(
    async (depositId: number, flags: OperatorFlags) => {
      const shown = await withOperator(flags, (one) => one.getDepositReport({ depositId }));
      const { first, changed, ...terms } = shown;
      const times = { first: textTime(first), changed: textTime(changed) };
      print(flags, shown, textFields({ ...terms, ...times }));
    },
  );
}

async function listDeposits(flags: ListFlags): Promise<void> {
  const { after, limit, uid, state } = flags;
  const query = given({ after, limit, uid, state });
  const page = await withOperator(flags, (operator) => operator.listDepositReports(query));
  const rows = page.items.map((item) => [
    item.depositId,
    item.state,
    item.uid,
    item.amount,
    item.asset,
    item.network,
    item.transactionId,
    `${item.confirmations}/${item.required}`,
    textTime(item.first),
  ]);
  const headings = [
    ...["id", "state", "uid", "amount", "asset", "network", "transaction"],
    ...["confirmations", "first seen"],
  ];
  print(flags, page, pageText(textTable(headings, rows), page));
}

interface ReportFlags extends OperatorFlags {
  readonly network: string;
  readonly transaction: string;
  readonly confirmations: number;
  readonly output?: number;
}

function addReport(deposits: Command): void {
  const report = addCommand(deposits, "report", {
    description: "report a deposit with its confirmations; it is credited once, when it has enough",
    examples: [
      "rialto deposits report 7 100 USDT --network TRC20 --transaction 0x7f3a --confirmations 1",
    ],
  });
  addOperatorOptions(report.argument("<uid>", "the user", parseUid))
    .argument("<amount>", "decimal amount, such as 12.5")
    .argument("<asset>", "such as USDT")
    .requiredOption("--network <name>", "such as TRC20")
    .requiredOption("--transaction <id>", "its id on the network")
    .requiredOption("--confirmations <n>", "how many it has now", parseCount)
    .option("--output <n>", "which output of the transaction (default: 0)", parseCount)
    .action(async (uid: number, amount: string, asset: string, flags: ReportFlags) => {
      const { network, transaction: transactionId, confirmations, output: outputIndex } = flags;
      const terms = { uid, amount, asset, network, transactionId, confirmations };
      const all = { ...terms, ...given({ outputIndex }) };
      const reported = await withOperator(flags, (one) => one.reportDeposit(all));
      print(flags, reported, `deposit ${reported.depositId} is ${reported.state}`);
    });
  const drop = addCommand(deposits, "drop", {
    description: "drop a pending deposit that will not arrive",
    examples: ["rialto deposits drop 12"],
  });
  addOperatorOptions(drop.argument("<deposit>", "its id", parseCount)).action(
    async (depositId: number, flags: OperatorFlags) => {
      const dropped = await withOperator(flags, (one) => one.dropDeposit({ depositId }));
      print(flags, dropped, `deposit ${depositId} is ${dropped.state}`);
    },
  );
}

function addRules(deposits: Command): void {
  const rules = addCommand(deposits, "rules", {
    description: "list how many confirmations deposits need",
    examples: ["rialto deposits rules"],
  });
  addOperatorOptions(rules).action(async (flags: OperatorFlags) => {
    const list = await withOperator(flags, (operator) => operator.listDepositRules());
    const rows = list.items.map((item) => [item.asset, item.network, item.confirmations]);
    print(flags, list, textTable(["asset", "network", "confirmations"], rows));
  });
  const set = addCommand(deposits, "set-rules", {
    description: "set how many confirmations a deposit of an asset over a network needs",
    examples: ["rialto deposits set-rules USDT TRC20 20"],
  });
  addOperatorOptions(set.argument("<asset>", "such as USDT"))
    .argument("<network>", "such as TRC20")
    .argument("<confirmations>", "0 credits the first report", parseCount)
    .action(async (asset: string, network: string, count: number, flags: OperatorFlags) => {
      const terms = { asset, network, confirmations: count };
      const answer = await withOperator(flags, (operator) => operator.setDepositRules(terms));
      print(flags, answer, textFields({ ...answer }));
    });
}
