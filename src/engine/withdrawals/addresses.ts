/** The address book: withdrawals go to its addresses alone, once each has waited out its hold. */
import { accept, type Result, reject } from "../../domain/index.ts";
import type { CommandAnswers, CommandOf, WithdrawalAddressView } from "../../protocol/index.ts";
import type { Asset, Context, State } from "../state.ts";
import { ADDRESSES_PER_USER_MAX, type WithdrawalAddress } from "./withdrawal-state.ts";

type AddAddress = CommandOf<"add-withdrawal-address">;
type Answer = Result<CommandAnswers["add-withdrawal-address"]>;

export function addWithdrawalAddress(context: Context, command: AddAddress): Answer {
  const { state, nowMs } = context;
  const { withdrawals } = state;
  const { uid, network, address, memo, label } = command;
  if (!state.users.has(uid)) return reject("unknown-user", "uid");
  const asset = state.assetsByName.get(command.asset);
  if (asset === undefined) return reject("unknown-asset", "asset");
  if (network === "") return reject("malformed", "network", "1 character or more");
  if (address === "") return reject("malformed", "address", "1 character or more");
  const book = withdrawals.addresses.get(uid) ?? new Map<number, WithdrawalAddress>();
  for (const present of book.values()) {
    if (!isSame(present, asset, command)) continue;
    if (present.label !== label) {
      return reject("conflict", "label", `the address is in the book as ${present.label}`);
    }
    return accept(entryOf(state, present));
  }
  if (book.size >= ADDRESSES_PER_USER_MAX) {
    const limit = `a user can have at most ${ADDRESSES_PER_USER_MAX} addresses; remove one first`;
    return reject("conflict", "uid", limit);
  }
  const addressId = withdrawals.nextAddressId++;
  const added: WithdrawalAddress = {
    addressId,
    uid,
    assetIndex: asset.index,
    network,
    address,
    memo,
    label,
    addedMs: nowMs,
  };
  book.set(addressId, added);
  withdrawals.addresses.set(uid, book);
  context.emit({ ...command, type: "withdrawal-address-added", addressId });
  return accept(entryOf(state, added));
}

function isSame(present: WithdrawalAddress, asset: Asset, command: AddAddress): boolean {
  return (
    present.assetIndex === asset.index &&
    present.network === command.network &&
    present.address === command.address &&
    present.memo === command.memo
  );
}

export function removeWithdrawalAddress(
  context: Context,
  { actor, uid, addressId }: CommandOf<"remove-withdrawal-address">,
): Result<null> {
  const { state } = context;
  if (!state.users.has(uid)) return reject("unknown-user", "uid");
  const book = state.withdrawals.addresses.get(uid);
  const present = book?.get(addressId);
  if (book === undefined || present === undefined) return reject("unknown-address", "addressId");
  book.delete(addressId);
  if (book.size === 0) state.withdrawals.addresses.delete(uid);
  const { assetIndex, addedMs: _, ...entry } = present;
  const { asset } = state.assets[assetIndex] as Asset;
  context.emit({ type: "withdrawal-address-removed", actor, ...entry, asset });
  return accept(null);
}

function entryOf(state: State, address: WithdrawalAddress) {
  return { addressId: address.addressId, usableFromMs: usableFromMs(state, address) };
}

/** Under the rules of now; without rules nothing can be withdrawn to it anyway. */
export function usableFromMs(state: State, { assetIndex, addedMs }: WithdrawalAddress): number {
  return addedMs + (state.withdrawals.rules.get(assetIndex)?.addressHoldMs ?? 0);
}

export function addressView(state: State, address: WithdrawalAddress): WithdrawalAddressView {
  const { assetIndex, ...rest } = address;
  const { asset } = state.assets[assetIndex] as Asset;
  return { ...rest, asset, usableFromMs: usableFromMs(state, address) };
}
