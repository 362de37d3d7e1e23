/**
 * A withdrawal is requested: its amount is frozen in the user's spot wallet until it is decided and
 * sent. All rules of the asset are checked here, under the rules of now.
 */
import {
  accept,
  formatDecimal,
  parseDecimal,
  type Rejection,
  type Result,
  reject,
} from "../../domain/index.ts";
import type { CommandOf, WithdrawalStepAnswer } from "../../protocol/index.ts";
import { SPOT_AVAILABLE, SPOT_FROZEN } from "../ledger/ledger.ts";
import type { Asset, Context, State, User } from "../state.ts";
import { userAccount, userBalance } from "../state.ts";
import { usableFromMs } from "./addresses.ts";
import { emitChange, stepAnswer } from "./change.ts";
import {
  countKey,
  dayOf,
  OPEN_WITHDRAWALS_PER_USER_MAX,
  type Withdrawal,
  type WithdrawalAddress,
} from "./withdrawal-state.ts";

type RequestWithdrawal = CommandOf<"request-withdrawal">;
type Answer = Result<WithdrawalStepAnswer>;

export function requestWithdrawal(context: Context, command: RequestWithdrawal): Answer {
  const { state, nowMs } = context;
  const { withdrawals } = state;
  const { actor, requestId, uid, addressId } = command;
  const isOwn = actor === "";
  const user = state.users.get(uid);
  if (user === undefined) return reject("unknown-user", "uid");
  const first = withdrawals.findRequest(uid, isOwn, requestId);
  if (first !== undefined) return repeated(state, first, command);
  const target = withdrawals.addresses.get(uid)?.get(addressId);
  if (target === undefined) return reject("unknown-address", "addressId");
  const asset = state.assets[target.assetIndex] as Asset;
  const amountMinor = parseDecimal(command.amount, asset.scale);
  if (typeof amountMinor === "string") return reject(amountMinor, "amount");
  const refused = findObstacle(context, user, asset, target, amountMinor);
  if (refused !== null) return refused;

  const feeMinor = withdrawals.rules.get(asset.index)?.feeMinor ?? 0n;
  const base = userAccount(state, user, asset.index, 0);
  state.ledger.move(base + SPOT_AVAILABLE, base + SPOT_FROZEN, amountMinor);
  count(state, uid, asset, amountMinor, dayOf(nowMs));
  const { network, address, memo } = target;
  const withdrawal: Withdrawal = {
    withdrawalId: withdrawals.nextWithdrawalId++,
    uid,
    isOwn,
    assetIndex: asset.index,
    amountMinor,
    feeMinor,
    addressId,
    network,
    address,
    memo,
    steps: [{ requestId, state: "requested", note: "", timestampMs: nowMs }],
  };
  withdrawals.add(withdrawal);
  emitChange(context, withdrawal, actor);
  return accept(stepAnswer(withdrawal, "requested"));
}

function repeated(state: State, first: Withdrawal, command: RequestWithdrawal): Answer {
  const { scale } = state.assets[first.assetIndex] as Asset;
  const isSame =
    first.addressId === command.addressId &&
    parseDecimal(command.amount, scale) === first.amountMinor;
  return isSame
    ? accept(stepAnswer(first, "requested"))
    : reject("conflict", "id", "this id was used for another withdrawal");
}

/** Why the user cannot withdraw this now, or null. */
function findObstacle(
  { state, nowMs }: Context,
  user: User,
  asset: Asset,
  target: WithdrawalAddress,
  amountMinor: bigint,
): Rejection | null {
  const { withdrawals } = state;
  const { uid } = user;
  const rules = withdrawals.rules.get(asset.index);
  const text = (minor: bigint): string => `${formatDecimal(minor, asset.scale)} ${asset.asset}`;
  if (rules?.enabled !== true) return reject("withdrawals-closed", "asset", asset.asset);
  if (user.state === "frozen") return reject("user-frozen");
  const { minAmountMinor, dailyLimitMinor } = rules;
  if (amountMinor < minAmountMinor) {
    return reject("out-of-range", "amount", `at least ${text(minAmountMinor)}`);
  }
  const addressFromMs = usableFromMs(state, target);
  if (nowMs < addressFromMs) {
    return reject("withdrawal-on-hold", "addressId", `until ${addressFromMs}`);
  }
  const changedMs = withdrawals.keysChangedMs.get(uid);
  if (changedMs !== undefined && nowMs < changedMs + rules.keyHoldMs) {
    const until = changedMs + rules.keyHoldMs;
    return reject("withdrawal-on-hold", "uid", `the API keys have changed: until ${until}`);
  }
  if (dailyLimitMinor !== null) {
    const isCounted = withdrawals.countedDay === dayOf(nowMs);
    const key = countKey(uid, asset.index);
    const usedMinor = (isCounted && withdrawals.requestedMinor.get(key)) || 0n;
    if (usedMinor + amountMinor > dailyLimitMinor) {
      const rest = dailyLimitMinor > usedMinor ? dailyLimitMinor - usedMinor : 0n;
      return reject("withdrawal-limit", "amount", `${text(rest)} of today's limit is left`);
    }
  }
  if (withdrawals.openCount(uid) >= OPEN_WITHDRAWALS_PER_USER_MAX) {
    const limit = `at most ${OPEN_WITHDRAWALS_PER_USER_MAX} open withdrawals`;
    return reject("withdrawal-limit", "uid", limit);
  }
  return userBalance(state, user, asset.index, SPOT_AVAILABLE) < amountMinor
    ? reject("insufficient-balance", "amount")
    : null;
}

/** Adds to what was requested on a day; older days no longer matter. */
function count(state: State, uid: number, asset: Asset, amountMinor: bigint, day: number): void {
  const { withdrawals } = state;
  const { requestedMinor } = withdrawals;
  if (withdrawals.countedDay !== day) requestedMinor.clear();
  withdrawals.countedDay = day;
  const key = countKey(uid, asset.index);
  requestedMinor.set(key, (requestedMinor.get(key) ?? 0n) + amountMinor);
}

/** The amount came back: it no longer counts against the limit of its day. */
export function uncount(state: State, { uid, assetIndex, amountMinor, steps }: Withdrawal): void {
  const { countedDay, requestedMinor } = state.withdrawals;
  if (dayOf(steps[0]?.timestampMs ?? 0) !== countedDay) return;
  const key = countKey(uid, assetIndex);
  const restMinor = (requestedMinor.get(key) ?? 0n) - amountMinor;
  if (restMinor === 0n) requestedMinor.delete(key);
  else requestedMinor.set(key, restMinor);
}
