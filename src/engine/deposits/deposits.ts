/**
 * Deposits as whoever watches the networks reports them: pending until they have the confirmations
 * that their asset and network need, then credited to the spot wallet, once for ever.
 */
import {
  accept,
  BALANCE_MINOR_MAX,
  type DepositState,
  parseDecimal,
  type Result,
  reject,
} from "../../domain/index.ts";
import type { CommandAnswers, CommandOf } from "../../protocol/index.ts";
import { walletEquityMinor } from "../accounts/wallets.ts";
import { SPOT_AVAILABLE } from "../ledger/ledger.ts";
import { type Asset, type Context, type User, userAccount } from "../state.ts";
import {
  type CreditedDeposit,
  depositKey,
  PENDING_DEPOSITS_MAX,
  type PendingDeposit,
  ruleKey,
} from "./deposit-state.ts";

type ReportDeposit = CommandOf<"report-deposit">;
type Answer = Result<CommandAnswers["report-deposit"]>;

const CONFIRMATIONS_MAX = 10_000;

export function setDepositRules(
  context: Context,
  command: CommandOf<"set-deposit-rules">,
): Result<null> {
  const { state } = context;
  const { network, confirmations } = command;
  const asset = state.assetsByName.get(command.asset);
  if (asset === undefined) return reject("unknown-asset", "asset");
  if (!isNetwork(network)) return reject("malformed", "network", "text without blanks");
  if (confirmations > CONFIRMATIONS_MAX) {
    return reject("out-of-range", "confirmations", `at most ${CONFIRMATIONS_MAX}`);
  }
  const key = ruleKey(asset.index, network);
  if (state.deposits.required.get(key) === confirmations) return accept(null);
  state.deposits.required.set(key, confirmations);
  context.emit({ ...command, type: "deposit-rules-set" });
  return accept(null);
}

function isNetwork(network: string): boolean {
  return network !== "" && !network.includes(" ");
}

export function reportDeposit(context: Context, command: ReportDeposit): Answer {
  const { state, nowMs } = context;
  const { deposits } = state;
  const { actor, uid, network, transactionId, outputIndex, confirmations } = command;
  const user = state.users.get(uid);
  if (user === undefined) return reject("unknown-user", "uid");
  const asset = state.assetsByName.get(command.asset);
  if (asset === undefined) return reject("unknown-asset", "asset");
  const amountMinor = parseDecimal(command.amount, asset.scale);
  if (typeof amountMinor === "string") return reject(amountMinor, "amount");
  if (amountMinor === 0n) return reject("out-of-range", "amount", "more than 0");
  if (transactionId === "") return reject("malformed", "transactionId", "1 character or more");
  const terms = { uid, assetIndex: asset.index, amountMinor };
  const key = depositKey(command);
  const pending = deposits.pending.get(key);
  const known = pending ?? deposits.credited.get(key);
  if (known !== undefined && !isSame(known, terms)) {
    return reject("conflict", "transactionId", "it was reported as another deposit");
  }
  if (known !== undefined && pending === undefined) return answered(known, "credited");
  const required = deposits.required.get(ruleKey(asset.index, network));
  if (required === undefined) return reject("deposits-closed", "network", network);
  const isEnough = confirmations >= required;
  const external = state.ledger.houseAccount(asset.index, "external");
  if (isEnough && amountMinor - state.ledger.balance(external) > BALANCE_MINOR_MAX) {
    return reject("out-of-range", "amount", "less than 2^96 minor units in all");
  }
  if (pending?.confirmations === confirmations && !isEnough) return answered(pending, "pending");
  if (pending === undefined && deposits.pending.size >= PENDING_DEPOSITS_MAX) {
    return reject("conflict", null, `at most ${PENDING_DEPOSITS_MAX} deposits can be pending`);
  }
  const target = { network, transactionId, outputIndex };
  const deposit: PendingDeposit = pending ?? {
    depositId: deposits.nextDepositId++,
    ...terms,
    ...target,
    firstMs: nowMs,
    confirmations,
  };
  deposit.confirmations = confirmations;
  if (pending === undefined) deposits.addPending(deposit);
  const isNews = pending === undefined || isEnough;
  emitChange(context, deposit, isEnough ? "credited" : "pending", isNews ? actor : "");
  if (isEnough) credit(context, deposit, user);
  return answered(deposit, isEnough ? "credited" : "pending");
}

type Terms = Omit<CreditedDeposit, "depositId">;

function isSame(known: Terms, terms: Terms): boolean {
  return (
    known.uid === terms.uid &&
    known.assetIndex === terms.assetIndex &&
    known.amountMinor === terms.amountMinor
  );
}

function answered({ depositId }: CreditedDeposit, state: DepositState): Answer {
  return accept({ depositId, state });
}

function credit(context: Context, deposit: PendingDeposit, user: User): void {
  const { state } = context;
  const { depositId, uid, assetIndex, amountMinor } = deposit;
  state.deposits.removePending(deposit);
  state.deposits.credited.set(depositKey(deposit), { depositId, uid, assetIndex, amountMinor });
  const external = state.ledger.houseAccount(assetIndex, "external");
  const available = userAccount(state, user, assetIndex, SPOT_AVAILABLE);
  state.ledger.move(external, available, amountMinor);
  context.emit({
    type: "funds-moved",
    // The report is in the audit log already.
    actor: "",
    requestId: `deposit-${depositId}`,
    uid,
    asset: (state.assets[assetIndex] as Asset).asset,
    amountMinor,
    from: null,
    to: "spot",
    spotEquityMinor: walletEquityMinor(state, user, assetIndex, "spot"),
    contractEquityMinor: walletEquityMinor(state, user, assetIndex, "contract"),
  });
}

export function dropDeposit(
  context: Context,
  { actor, depositId }: CommandOf<"drop-deposit">,
): Answer {
  const { deposits } = context.state;
  const deposit = deposits.pendingById.get(depositId);
  if (deposit === undefined) return reject("unknown-deposit", "depositId", "none is pending");
  deposits.removePending(deposit);
  emitChange(context, deposit, "dropped", actor);
  return answered(deposit, "dropped");
}

function emitChange(
  context: Context,
  deposit: PendingDeposit,
  now: DepositState,
  actor: string,
): void {
  const { state } = context;
  const { assetIndex, ...terms } = deposit;
  const required = state.deposits.required.get(ruleKey(assetIndex, deposit.network)) ?? 0;
  const { asset } = state.assets[assetIndex] as Asset;
  context.emit({ type: "deposit-changed", actor, ...terms, asset, required, state: now });
}
