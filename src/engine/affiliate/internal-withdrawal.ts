/**
 * An affiliate pays somebody below: a direct invitee of its own or of an affiliate below, or an
 * affiliate below. The money moves between free spot balances. The two are linked permanently,
 * because a commission that returns to the trader is none.
 */
import { accept, invariant, parseDecimal, type Result, reject } from "../../domain/index.ts";
import type { CommandAnswers, CommandOf } from "../../protocol/index.ts";
import { findMovement, rememberMovement } from "../accounts/movement-memory.ts";
import { walletEquityMinor } from "../accounts/wallets.ts";
import { SPOT_AVAILABLE } from "../ledger/ledger.ts";
import { type Context, type State, type User, userAccount, userBalance } from "../state.ts";
import {
  type Affiliate,
  type AffiliateState,
  directAffiliateOf,
  isWithin,
} from "./affiliate-state.ts";
import { link } from "./suspicions.ts";

type WithdrawInternally = CommandOf<"withdraw-internally">;
type Answer = Result<CommandAnswers["withdraw-internally"]>;

export function withdrawInternally(context: Context, command: WithdrawInternally): Answer {
  const { state } = context;
  const { affiliates, ledger } = state;
  const { requestId } = command;
  const user = state.users.get(command.uid);
  if (user === undefined) return reject("unknown-user", "uid");
  const asset = state.assetsByName.get(command.asset);
  if (asset === undefined) return reject("unknown-asset", "asset");
  const amountMinor = parseDecimal(command.amount, asset.scale);
  if (typeof amountMinor === "string") return reject(amountMinor, "amount");
  if (amountMinor === 0n) return reject("out-of-range", "amount", "more than 0");
  const repeated = findRepetition(state, command, amountMinor);
  if (repeated !== null) return repeated;
  const sender = affiliates.byUid.get(user.uid);
  if (sender === undefined) return reject("not-an-affiliate", "uid");
  if (user.state === "frozen") return reject("user-frozen");
  const recipient = findRecipient(state, sender, command.toUid);
  if (recipient === null) return reject("unknown-user", "toUid", "a user or affiliate below");
  if (userBalance(state, user, asset.index, SPOT_AVAILABLE) < amountMinor) {
    return reject("insufficient-balance", "amount");
  }

  const from = userAccount(state, user, asset.index, SPOT_AVAILABLE);
  ledger.move(from, userAccount(state, recipient, asset.index, SPOT_AVAILABLE), amountMinor);
  link(affiliates, user.uid, recipient.uid);
  const withdrawalId = affiliates.nextWithdrawalId++;
  if (requestId !== null) {
    rememberMovement(state, {
      command: "withdraw-internally",
      uid: user.uid,
      requestId,
      asset: asset.asset,
      amountMinor,
      from: "spot",
      to: String(recipient.uid),
      balanceMinor: ledger.balance(from),
      timestampMs: context.nowMs,
      withdrawalId,
    });
  }
  context.emit({
    type: "internal-withdrawal-made",
    withdrawalId,
    requestId,
    uid: user.uid,
    toUid: recipient.uid,
    asset: asset.asset,
    amountMinor,
    spotEquityMinor: walletEquityMinor(state, user, asset.index, "spot"),
    toSpotEquityMinor: walletEquityMinor(state, recipient, asset.index, "spot"),
  });
  return accept({ withdrawalId });
}

/** The first answer again for a repeated request id; a refusal when it was another payment. */
function findRepetition(
  state: State,
  { type, uid, toUid, asset, requestId }: WithdrawInternally,
  amountMinor: bigint,
): Answer | null {
  if (requestId === null) return null;
  const first = findMovement(state, type, uid, requestId);
  if (first === null) return null;
  const { withdrawalId } = first;
  invariant(withdrawalId !== null, "an internal withdrawal has an id");
  const same =
    first.asset === asset && first.amountMinor === amountMinor && first.to === String(toUid);
  if (!same) return reject("conflict", "requestId", "this id was used for another movement");
  return accept({ withdrawalId });
}

function findRecipient(state: State, sender: Affiliate, toUid: number): User | null {
  const recipient = state.users.get(toUid);
  if (recipient === undefined || recipient === sender.user) return null;
  return isBelow(state.affiliates, sender, recipient) ? recipient : null;
}

function isBelow(affiliates: AffiliateState, sender: Affiliate, user: User): boolean {
  const affiliate = affiliates.byUid.get(user.uid);
  if (affiliate !== undefined && isWithin(affiliate, sender)) return true;
  const direct = directAffiliateOf(affiliates, user);
  return direct !== null && isWithin(direct, sender);
}
