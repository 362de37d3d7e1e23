/**
 * Money that enters, leaves and moves between a user's wallets, on request of the operator or,
 * between wallets, of the user. A request id makes each movement happen once: a retry gets the
 * first answer, another body is a conflict. The ids of users are separate from the operator's.
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
import { findMarginAccount } from "../contract/contract-state.ts";
import { availableBalanceMinor, isCrossDueWithout } from "../contract/formulas/account-equity.ts";
import { CONTRACT_AVAILABLE, SPOT_AVAILABLE } from "../ledger/ledger.ts";
import { RULES_WITH_MARKET_INTEGRITY } from "../rules-version.ts";
import {
  type Asset,
  type Context,
  type FundsMovement,
  type State,
  type User,
  userAccount,
  userBalance,
} from "../state.ts";
import { findMovement, rememberMovement } from "./movement-memory.ts";
import { walletEquityMinor } from "./wallets.ts";

type Transfer = CommandOf<"transfer-funds" | "transfer-own-funds">;
type UserMovement = CommandOf<"deposit-funds" | "withdraw-funds"> | Transfer;
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

  if (from !== null && !mayLeave(state, user, asset.index, from, amountMinor)) {
    return reject("insufficient-balance", "amount");
  }
  const external = state.ledger.houseAccount(asset.index, "external");
  if (from === null && amountMinor - state.ledger.balance(external) > BALANCE_MINOR_MAX) {
    return reject("out-of-range", "amount", "less than 2^96 minor units in all");
  }
  const accountOf = (wallet: Wallet | null): number =>
    wallet === null ? external : userAccount(state, user, asset.index, availableAccount(wallet));
  const sourceAccount = accountOf(from);
  state.ledger.move(sourceAccount, accountOf(to), amountMinor);
  if (from === "contract" || to === "contract") contractFundsMoved(state, user, asset.index);
  const balanceMinor = availableMinor(state, user, asset.index, to ?? from ?? "spot");
  remember(context, command, { ...movement, amountMinor, balanceMinor });
  context.emit({
    type: "funds-moved",
    actor: "actor" in command ? command.actor : "",
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
  // Retries liquidations that wait for a counterparty or the fund.
  if (deposit && state.contract.markets.length > 0) state.contract.liquidityRevision++;
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

function sourceWallet(command: CommandOf<"withdraw-funds"> | Transfer): Wallet {
  return command.type === "withdraw-funds" ? command.wallet : command.from;
}

function targetWallet(command: CommandOf<"deposit-funds"> | Transfer): Wallet {
  return command.type === "deposit-funds" ? command.wallet : command.to;
}

function availableAccount(wallet: Wallet): number {
  return wallet === "spot" ? SPOT_AVAILABLE : CONTRACT_AVAILABLE;
}

/** Whether it is there, and nothing of the user's would have to be liquidated without it. */
function mayLeave(
  state: State,
  user: User,
  assetIndex: number,
  wallet: Wallet,
  amountMinor: bigint,
): boolean {
  if (availableMinor(state, user, assetIndex, wallet) < amountMinor) return false;
  if (wallet !== "contract" || state.rulesVersion < RULES_WITH_MARKET_INTEGRITY) return true;
  const account = findMarginAccount(state, user, assetIndex);
  return account === null || !isCrossDueWithout(state.ledger, account, amountMinor);
}

/** What may leave a wallet. The contract wallet keeps what its positions need. */
function availableMinor(state: State, user: User, assetIndex: number, wallet: Wallet): bigint {
  if (wallet === "contract") {
    const account = findMarginAccount(state, user, assetIndex);
    if (account !== null) return availableBalanceMinor(state.ledger, account);
  }
  return userBalance(state, user, assetIndex, availableAccount(wallet));
}

function contractFundsMoved(state: State, user: User, assetIndex: number): void {
  const account = findMarginAccount(state, user, assetIndex);
  if (account === null) return;
  state.contract.dirtyAccounts.add(account);
  state.contract.risk.accountChanged(account);
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
  const first = findMovement(state, command.type, movement.uid, command.requestId);
  if (first === null) return null;
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
  rememberMovement(context.state, {
    ...movement,
    command: command.type satisfies FundsCommandType,
    requestId: command.requestId,
    asset: command.asset,
    timestampMs: context.nowMs,
    withdrawalId: null,
  });
}
