/**
 * Money that enters, leaves and moves between a user's wallets, by order of the operator. A request
 * id makes each movement happen once: a repetition gets the first answer, another body is a
 * conflict.
 */
import {
  accept,
  BALANCE_MINOR_MAX,
  formatDecimal,
  parseDecimal,
  type Rejection,
  type Result,
  reject,
  type Wallet,
} from "../../domain/index.ts";
import type { CommandOf, FundsCommandType, MovedFunds } from "../../protocol/index.ts";
import { CONTRACT_AVAILABLE, SPOT_AVAILABLE } from "../ledger/ledger.ts";
import {
  type Asset,
  type Context,
  FUNDS_MOVEMENTS_MAX,
  type FundsMovement,
  fundsMovementKey,
  type State,
  userAccount,
  userBalance,
} from "../state.ts";
import { walletEquityMinor } from "./wallets.ts";

type UserMovement = CommandOf<"deposit-funds" | "withdraw-funds" | "transfer-funds">;
type InsuranceMovement = CommandOf<"deposit-insurance" | "withdraw-insurance">;

const EXTERNAL = "external";
const INSURANCE = "insurance";

export function moveUserFunds(context: Context, command: UserMovement): Result<MovedFunds> {
  const { state } = context;
  const user = state.users.get(command.uid);
  if (user === undefined) return reject("unknown-user", "uid");
  const parsed = parseMovement(state, command);
  if (!parsed.ok) return parsed;
  const { asset, amountMinor } = parsed.value;
  const from = command.type === "deposit-funds" ? null : sourceWallet(command);
  const to = command.type === "withdraw-funds" ? null : targetWallet(command);
  const movement = { from: from ?? EXTERNAL, to: to ?? EXTERNAL, uid: user.uid };
  const repeated = findRepetition(state, command, { ...movement, amountMinor });
  if (repeated !== null) return repeated;
  if (from === to) return reject("malformed", "to", "another wallet than from");

  const source = from === null ? null : availableAccount(from);
  if (source !== null && userBalance(state, user, asset.index, source) < amountMinor) {
    return reject("insufficient-balance", "amount");
  }
  const external = state.ledger.houseAccount(asset.index, "external");
  if (from === null && amountMinor - state.ledger.balance(external) > BALANCE_MINOR_MAX) {
    return reject("out-of-range", "amount", "less than 2^96 minor units in all");
  }
  const sourceAccount = source === null ? external : userAccount(state, user, asset.index, source);
  const targetAccount =
    to === null ? external : userAccount(state, user, asset.index, availableAccount(to));
  state.ledger.move(sourceAccount, targetAccount, amountMinor);
  const userSide = to === null ? sourceAccount : targetAccount;
  const balanceMinor = state.ledger.balance(userSide);
  remember(context, command, { ...movement, amountMinor, balanceMinor });
  context.emit({
    type: "funds-moved",
    actor: command.actor,
    requestId: command.requestId,
    uid: user.uid,
    asset: asset.asset,
    amountMinor,
    from,
    to,
    spotEquityMinor: walletEquityMinor(state, user, asset.index, "spot"),
    contractEquityMinor: walletEquityMinor(state, user, asset.index, "contract"),
  });
  return accept({
    requestId: command.requestId,
    balance: formatDecimal(balanceMinor, asset.scale),
  });
}

export function moveInsurance(context: Context, command: InsuranceMovement): Result<MovedFunds> {
  const { state } = context;
  const parsed = parseMovement(state, command);
  if (!parsed.ok) return parsed;
  const { asset, amountMinor } = parsed.value;
  const deposit = command.type === "deposit-insurance";
  const movement = {
    from: deposit ? EXTERNAL : INSURANCE,
    to: deposit ? INSURANCE : EXTERNAL,
    uid: 0,
  };
  const repeated = findRepetition(state, command, { ...movement, amountMinor });
  if (repeated !== null) return repeated;

  const external = state.ledger.houseAccount(asset.index, "external");
  const insurance = state.ledger.houseAccount(asset.index, "insurance");
  if (!deposit && state.ledger.balance(insurance) < amountMinor) {
    return reject("insufficient-balance", "amount");
  }
  if (deposit && amountMinor - state.ledger.balance(external) > BALANCE_MINOR_MAX) {
    return reject("out-of-range", "amount", "less than 2^96 minor units in all");
  }
  state.ledger.move(deposit ? external : insurance, deposit ? insurance : external, amountMinor);
  const balanceMinor = state.ledger.balance(insurance);
  remember(context, command, { ...movement, amountMinor, balanceMinor });
  context.emit({
    type: "insurance-moved",
    actor: command.actor,
    requestId: command.requestId,
    asset: asset.asset,
    deltaMinor: deposit ? amountMinor : -amountMinor,
    balanceMinor,
  });
  return accept({
    requestId: command.requestId,
    balance: formatDecimal(balanceMinor, asset.scale),
  });
}

function sourceWallet(command: CommandOf<"withdraw-funds" | "transfer-funds">): Wallet {
  return command.type === "transfer-funds" ? command.from : command.wallet;
}

function targetWallet(command: CommandOf<"deposit-funds" | "transfer-funds">): Wallet {
  return command.type === "transfer-funds" ? command.to : command.wallet;
}

function availableAccount(wallet: Wallet): number {
  return wallet === "spot" ? SPOT_AVAILABLE : CONTRACT_AVAILABLE;
}

function parseMovement(
  state: State,
  command: UserMovement | InsuranceMovement,
): Result<{ readonly asset: Asset; readonly amountMinor: bigint }> {
  const asset = state.assetsByName.get(command.asset);
  if (asset === undefined) return reject("unknown-asset", "asset");
  const amountMinor = parseDecimal(command.amount, asset.scale);
  if (typeof amountMinor === "string") return reject(amountMinor, "amount");
  if (amountMinor === 0n) return reject("out-of-range", "amount", "more than 0");
  return accept({ asset, amountMinor });
}

type Movement = Pick<FundsMovement, "uid" | "from" | "to" | "amountMinor">;

function findRepetition(
  state: State,
  command: UserMovement | InsuranceMovement,
  movement: Movement,
): Result<MovedFunds> | Rejection | null {
  const key = fundsMovementKey(command.type, movement.uid, command.requestId);
  const first = state.fundsMovements.get(key);
  if (first === undefined) return null;
  const same =
    first.asset === command.asset &&
    first.amountMinor === movement.amountMinor &&
    first.from === movement.from &&
    first.to === movement.to;
  if (!same) return reject("conflict", "id", "this id was used for another movement");
  const asset = state.assetsByName.get(first.asset) as Asset;
  return accept({
    requestId: first.requestId,
    balance: formatDecimal(first.balanceMinor, asset.scale),
  });
}

function remember(
  context: Context,
  command: UserMovement | InsuranceMovement,
  movement: Movement & Pick<FundsMovement, "balanceMinor">,
): void {
  const { fundsMovements } = context.state;
  if (fundsMovements.size >= FUNDS_MOVEMENTS_MAX) {
    for (const oldest of fundsMovements.keys()) {
      fundsMovements.delete(oldest);
      break;
    }
  }
  fundsMovements.set(fundsMovementKey(command.type, movement.uid, command.requestId), {
    ...movement,
    command: command.type satisfies FundsCommandType,
    requestId: command.requestId,
    asset: command.asset,
    timestampMs: context.nowMs,
  });
}
