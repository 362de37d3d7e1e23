/** `rialto users`: deposits, withdrawals, transfers and fee rates of a user. */
import { randomUUID } from "node:crypto";
import { type Command, Option } from "commander";
import type {
  MakeTransferInput,
  OperatorClient,
  SetFeeRatesAnswer,
  SetFeeRatesInput,
} from "../client/index.ts";
import { addCommand, given, parseUid, print } from "./command.ts";
import { withOperator } from "./operator.ts";
import { addOperatorOptions, type OperatorFlags } from "./operator-options.ts";
import { textTable } from "./text-table.ts";

interface FundsFlags extends OperatorFlags {
  readonly account: "spot" | "contract";
  readonly id?: string;
}

export function addFundsCommands(users: Command): void {
  addMovements(users);
  addTransfers(users);
  addFees(users);
}

function addMovements(users: Command): void {
  for (const [name, call, description] of [
    ["deposit", "makeDeposit", "deposit funds to a user"],
    ["withdraw", "makeWithdrawal", "withdraw funds from a user"],
  ] as const) {
    const command = addCommand(users, name, {
      description,
      examples: [`rialto users ${name} 7 1000 USDT`, `rialto users ${name} 7 1 BTC --id case-88`],
    });
    addOperatorOptions(addMovement(command))
      .addOption(
        new Option("--account <wallet>", "wallet").choices(["spot", "contract"]).default("spot"),
      )
      .action((uid: number, amount: string, asset: string, flags: FundsFlags) =>
        move(flags, flags.account, (operator, id) =>
          operator[call]({ uid, id, account: flags.account, asset, amount }),
        ),
      );
  }
}

interface TransferFlags extends OperatorFlags, Pick<MakeTransferInput, "from" | "to"> {
  readonly id?: string;
}

function addTransfers(users: Command): void {
  const transfer = addCommand(users, "transfer", {
    description: "transfer funds between a user's wallets",
    examples: ["rialto users transfer 7 500 USDT --from spot --to contract"],
  });
  const wallet = (flag: string, text: string): Option =>
    new Option(`--${flag} <wallet>`, text).choices(["spot", "contract"]).makeOptionMandatory();
  addOperatorOptions(addMovement(transfer))
    .addOption(wallet("from", "source wallet"))
    .addOption(wallet("to", "destination wallet"))
    .action((uid: number, amount: string, asset: string, flags: TransferFlags) =>
      move(flags, flags.to, (operator, id) =>
        operator.makeTransfer({ uid, id, from: flags.from, to: flags.to, asset, amount }),
      ),
    );
}

function addMovement(command: Command): Command {
  return command
    .argument("<uid>", "the user", parseUid)
    .argument("<amount>", "decimal amount, such as 12.5")
    .argument("<asset>", "such as USDT")
    .option("--id <id>", "request id; a repeat has no further effect (default: a new one)");
}

/**
 * Always prints the id, even a generated one: the movement can be looked up by it. `wallet` is the
 * one whose balance is returned.
 */
async function move(
  flags: OperatorFlags & { readonly id?: string },
  wallet: string,
  make: (operator: OperatorClient, id: string) => Promise<{ id: string; balance: string }>,
): Promise<void> {
  const id = flags.id ?? `cli-${randomUUID()}`;
  const moved = await withOperator(flags, (operator) => make(operator, id));
  print(flags, moved, `done (id ${moved.id}); the ${wallet} wallet holds ${moved.balance} now`);
}

function addFees(users: Command): void {
  const fees = addCommand(users, "fees", {
    description: "show a user's custom fee rates",
    examples: ["rialto users fees 7"],
  });
  addOperatorOptions(fees.argument("<uid>", "the user", parseUid)).action(showFees);
  const set = addCommand(users, "set-fees", {
    description: "set a user's custom fee rates for new orders",
    examples: ["rialto users set-fees 7 --product spot --maker 0.0005 --taker 0.0008"],
  });
  addOperatorOptions(set.argument("<uid>", "the user", parseUid))
    .addOption(
      new Option("--product <product>", "spot or contract markets")
        .choices(["spot", "contract"])
        .makeOptionMandatory(),
    )
    .requiredOption("--maker <rate>", "maker fee rate, such as 0.0005")
    .requiredOption("--taker <rate>", "taker fee rate, such as 0.0008")
    .option("--symbol <symbol>", "one market instead of all")
    .action(setFees);
}

export function feeRatesText(rates: readonly SetFeeRatesAnswer[]): string {
  if (rates.length === 0) return "market defaults";
  const rows = rates.map(({ product, symbol, makerFeeRate, takerFeeRate }) => {
    return [product, symbol ?? "all", makerFeeRate, takerFeeRate];
  });
  return textTable(["product", "symbol", "maker", "taker"], rows);
}

async function showFees(uid: number, flags: OperatorFlags): Promise<void> {
  const rates = await withOperator(flags, (operator) => operator.getFeeRates({ uid }));
  print(flags, rates, feeRatesText(rates.items));
}

interface SetFeesFlags extends OperatorFlags, Pick<SetFeeRatesInput, "product" | "symbol"> {
  readonly maker: string;
  readonly taker: string;
}

async function setFees(uid: number, flags: SetFeesFlags): Promise<void> {
  const { product, symbol, maker: makerFeeRate, taker: takerFeeRate } = flags;
  const rates = { uid, product, makerFeeRate, takerFeeRate, ...given({ symbol }) };
  const set = await withOperator(flags, (operator) => operator.setFeeRates(rates));
  print(flags, set, feeRatesText([set]));
}
