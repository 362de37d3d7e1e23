/** Users, their settings and the settings of their API keys. Secrets are never here. */
import {
  accept,
  ID_MAX,
  parseDecimal,
  RATE_SCALE,
  type Result,
  reject,
} from "../../domain/index.ts";
import type { CommandAnswers, CommandOf } from "../../protocol/index.ts";
import { type Context, feeRatesKey, type User } from "../state.ts";
import { setFeeRatesOf } from "./user.ts";

/** Fee rates are from 0 to 0.1. */
export const FEE_RATE_MAX_E8 = 10_000_000;
const API_KEYS_PER_USER_MAX = 100;

export function registerUser(
  context: Context,
  command: CommandOf<"register-user">,
): Result<CommandAnswers["register-user"]> {
  const { state } = context;
  if (command.uid !== null && (command.uid < 1 || command.uid > ID_MAX)) {
    return reject("out-of-range", "uid", `from 1 to ${ID_MAX}`);
  }
  if (command.uid !== null && state.users.has(command.uid)) {
    return reject("conflict", "uid", `uid ${command.uid} already exists`);
  }
  if (state.usersByInviteCode.has(command.inviteCode)) {
    return reject("conflict", "inviteCode", "the drawn invite code already exists; try again");
  }
  const inviter =
    command.invitedWith === null ? null : state.usersByInviteCode.get(command.invitedWith);
  if (inviter === undefined) return reject("unknown-invite-code", "inviteCode");

  let uid = command.uid;
  if (uid === null) {
    while (state.users.has(state.nextUid)) state.nextUid++;
    uid = state.nextUid++;
  }
  const user: User = {
    uid,
    inviteCode: command.inviteCode,
    inviterUid: inviter?.uid ?? null,
    registeredMs: context.nowMs,
    kyc: command.kyc,
    state: "active",
    house: false,
    selfTradePrevention: "NONE",
    accountBases: [],
    feeRates: null,
    openOrderCounts: [],
  };
  state.users.set(uid, user);
  state.usersByInviteCode.set(user.inviteCode, user);
  context.emit({
    type: "user-registered",
    actor: command.actor,
    uid,
    inviteCode: user.inviteCode,
    inviterUid: user.inviterUid,
    kyc: user.kyc,
  });
  return accept({ uid, inviteCode: user.inviteCode });
}

export function updateUser(context: Context, command: CommandOf<"update-user">): Result<null> {
  const user = context.state.users.get(command.uid);
  if (user === undefined) return reject("unknown-user", "uid");
  user.kyc = command.kyc ?? user.kyc;
  user.state = command.state ?? user.state;
  user.selfTradePrevention = command.selfTradePrevention ?? user.selfTradePrevention;
  context.emit({
    type: "user-updated",
    actor: command.actor,
    uid: user.uid,
    kyc: user.kyc,
    state: user.state,
    selfTradePrevention: user.selfTradePrevention,
  });
  return accept(null);
}

/** Emits nothing when it is set already. */
export function setHouseAccount(
  context: Context,
  { actor, uid, house }: CommandOf<"set-house-account">,
): Result<null> {
  const user = context.state.users.get(uid);
  if (user === undefined) return reject("unknown-user", "uid");
  if (user.house === house) return accept(null);
  user.house = house;
  context.emit({ type: "house-account-set", actor, uid, house });
  return accept(null);
}

/** Reads a fee rate from 0 to 0.1 with at most 8 decimals. */
export function parseFeeRate(text: string, field: string): Result<number> {
  const rateE8 = parseDecimal(text, RATE_SCALE);
  if (typeof rateE8 === "string") return reject(rateE8, field);
  if (rateE8 > BigInt(FEE_RATE_MAX_E8)) return reject("out-of-range", field, "from 0 to 0.1");
  return accept(Number(rateE8));
}

export function setFeeRates(context: Context, command: CommandOf<"set-fee-rates">): Result<null> {
  const { state } = context;
  const user = state.users.get(command.uid);
  if (user === undefined) return reject("unknown-user", "uid");
  if (command.symbol !== null) {
    const markets =
      command.product === "spot" ? state.spotMarketsBySymbol : state.contract.marketsBySymbol;
    if (!markets.has(command.symbol)) return reject("unknown-symbol", "symbol");
  }
  const maker = parseFeeRate(command.makerFeeRate, "makerFeeRate");
  if (!maker.ok) return maker;
  const taker = parseFeeRate(command.takerFeeRate, "takerFeeRate");
  if (!taker.ok) return taker;
  setFeeRatesOf(user, feeRatesKey(command.product, command.symbol), {
    makerFeeRateE8: maker.value,
    takerFeeRateE8: taker.value,
  });
  context.emit({ ...command, type: "fee-rates-set" });
  if (command.product === "contract") {
    // The fee of closing is part of the maintenance margin.
    const { accounts, risk } = state.contract;
    for (const account of accounts.get(user)?.values() ?? []) risk.ratesChanged(account);
  }
  return accept(null);
}

export function setApiKey(context: Context, command: CommandOf<"set-api-key">): Result<null> {
  const { state } = context;
  if (!state.users.has(command.uid)) return reject("unknown-user", "uid");
  const present = state.apiKeys.get(command.apiKey);
  if (present !== undefined && present.uid !== command.uid) {
    return reject("conflict", "apiKey", "the key belongs to another user");
  }
  const count = state.apiKeyCounts.get(command.uid) ?? 0;
  if (present === undefined && count >= API_KEYS_PER_USER_MAX) {
    return reject(
      "conflict",
      "uid",
      `a user can have at most ${API_KEYS_PER_USER_MAX} keys; revoke one first`,
    );
  }
  const { actor, type: _, ...settings } = command;
  state.apiKeys.set(command.apiKey, settings);
  if (present === undefined) state.apiKeyCounts.set(command.uid, count + 1);
  // Nothing can be withdrawn before there are rules, so older changes do not matter.
  const { rules, keysChangedMs } = state.withdrawals;
  if (rules.size > 0) keysChangedMs.set(command.uid, context.nowMs);
  context.emit({ type: "api-key-set", actor, ...settings });
  return accept(null);
}

export function revokeApiKey(context: Context, command: CommandOf<"revoke-api-key">): Result<null> {
  const { state } = context;
  const present = state.apiKeys.get(command.apiKey);
  if (present === undefined) return reject("unknown-api-key", "apiKey");
  state.apiKeys.delete(command.apiKey);
  state.apiKeyCounts.set(present.uid, (state.apiKeyCounts.get(present.uid) ?? 1) - 1);
  context.emit({
    type: "api-key-revoked",
    actor: command.actor,
    apiKey: command.apiKey,
    uid: present.uid,
  });
  return accept(null);
}
