/** `rialto users`: deposits, withdrawals, transfers and fee rates of a user. */
import { randomUUID } from "node:crypto";
import { type Command, Option } from "commander";
import { addCommand, parseUid, print } from "./command.ts";
import type { Page } from "./operator-plane.ts";
import { addPlaneOptions, openPlane, type PlaneFlags } from "./plane-options.ts";
import { textTable } from "./text-table.ts";

interface FundsFlags extends PlaneFlags {
  readonly account: "spot" | "contract";
  readonly id?: string;
}

export function addFundsCommands(users: Command): void {
  addMovements(users);
  addTransfers(users);
  addFees(users);
}

function addMovements(users: Command): void {
  for (const [name, path, description] of [
    ["deposit", "deposits", "give a user funds"],
    ["withdraw", "withdrawals", "take funds from a user"],
  ] as const) {
    const command = addCommand(users, name, {
      description,
      examples: [`rialto users ${name} 7 1000 USDT`, `rialto users ${name} 7 1 BTC --id case-88`],
    });
    addPlaneOptions(addMovement(command))
      .addOption(
        new Option("--account <wallet>", "which wallet")
          .choices(["spot", "contract"])
          .default("spot"),
      )
      .action((uid: number, amount: string, asset: string, flags: FundsFlags) =>
        move(flags, `users/${uid}/${path}`, flags.account, {
          account: flags.account,
          asset,
          amount,
        }),
      );
  }
}

interface TransferFlags extends PlaneFlags {
  readonly from: string;
  readonly to: string;
  readonly id?: string;
}

function addTransfers(users: Command): void {
  const transfer = addCommand(users, "transfer", {
    description: "move a user's funds between the wallets",
    examples: ["rialto users transfer 7 500 USDT --from spot --to contract"],
  });
  const wallet = (flag: string, text: string): Option =>
    new Option(`--${flag} <wallet>`, text).choices(["spot", "contract"]).makeOptionMandatory();
  addPlaneOptions(addMovement(transfer))
    .addOption(wallet("from", "which wallet gives"))
    .addOption(wallet("to", "which wallet gets"))
    .action((uid: number, amount: string, asset: string, flags: TransferFlags) =>
      move(flags, `users/${uid}/transfers`, flags.to, {
        from: flags.from,
        to: flags.to,
        asset,
        amount,
      }),
    );
}

function addMovement(command: Command): Command {
  return command
    .argument("<uid>", "the user", parseUid)
    .argument("<amount>", "a decimal, such as 12.5")
    .argument("<asset>", "such as USDT")
    .option("--id <id>", "repeated with the same id, it happens once (default: a new one)");
}

/**
 * The id is told also where it was drawn: with it, the movement is looked up later. `wallet` is the
 * one whose balance is answered.
 */
async function move(
  flags: PlaneFlags & { readonly id?: string },
  path: string,
  wallet: string,
  movement: object,
): Promise<void> {
  const id = flags.id ?? `cli-${randomUUID()}`;
  const moved = await openPlane(flags).call<{ readonly id: string; readonly balance: string }>(
    "POST",
    path,
    { id, ...movement },
  );
  print(flags, moved, `done (id ${moved.id}); the ${wallet} wallet holds ${moved.balance} now`);
}

export interface FeeRates {
  readonly product: string;
  readonly symbol: string | null;
  readonly makerFeeRate: string;
  readonly takerFeeRate: string;
}

function addFees(users: Command): void {
  const fees = addCommand(users, "fees", {
    description: "a user's own fee rates",
    examples: ["rialto users fees 7"],
  });
  addPlaneOptions(fees.argument("<uid>", "the user", parseUid)).action(showFees);
  const set = addCommand(users, "set-fees", {
    description: "set a user's own fee rates, for orders placed from now on",
    examples: ["rialto users set-fees 7 --product spot --maker 0.0005 --taker 0.0008"],
  });
  addPlaneOptions(set.argument("<uid>", "the user", parseUid))
    .addOption(
      new Option("--product <product>", "of which markets")
        .choices(["spot", "contract"])
        .makeOptionMandatory(),
    )
    .requiredOption("--maker <rate>", "such as 0.0005")
    .requiredOption("--taker <rate>", "such as 0.0008")
    .option("--symbol <symbol>", "of one market instead of all")
    .action(setFees);
}

export function feeRatesText(rates: readonly FeeRates[]): string {
  if (rates.length === 0) return "those of the markets";
  const rows = rates.map(({ product, symbol, makerFeeRate, takerFeeRate }) => {
    return [product, symbol ?? "all", makerFeeRate, takerFeeRate];
  });
  return textTable(["product", "symbol", "maker", "taker"], rows);
}

async function showFees(uid: number, flags: PlaneFlags): Promise<void> {
  const rates = await openPlane(flags).get<Pick<Page<FeeRates>, "items">>(`users/${uid}/fee-rates`);
  print(flags, rates, feeRatesText(rates.items));
}

interface SetFeesFlags extends PlaneFlags {
  readonly product: string;
  readonly maker: string;
  readonly taker: string;
  readonly symbol?: string;
}

async function setFees(uid: number, flags: SetFeesFlags): Promise<void> {
  const { product, symbol, maker: makerFeeRate, taker: takerFeeRate } = flags;
  const rates = { product, symbol, makerFeeRate, takerFeeRate };
  const set = await openPlane(flags).call<FeeRates>("PUT", `users/${uid}/fee-rates`, rates);
  print(flags, set, feeRatesText([set]));
}
