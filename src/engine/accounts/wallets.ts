/** What a user owns in one wallet, whatever it is reserved for. */
import { USER_ACCOUNTS, type Wallet } from "../../domain/index.ts";
import { type State, type User, userBalance } from "../state.ts";

const ACCOUNTS_OF_WALLET: Readonly<Record<Wallet, readonly number[]>> = {
  spot: accountsOf("spot."),
  contract: accountsOf("contract."),
};

function accountsOf(prefix: string): number[] {
  return [...USER_ACCOUNTS.keys()].filter((kind) => USER_ACCOUNTS[kind]?.startsWith(prefix));
}

/** Sum of the wallet's accounts in an asset, in minor units. */
export function walletEquityMinor(
  state: State,
  user: User,
  assetIndex: number,
  wallet: Wallet,
): bigint {
  let equityMinor = 0n;
  for (const kind of ACCOUNTS_OF_WALLET[wallet]) {
    equityMinor += userBalance(state, user, assetIndex, kind);
  }
  return equityMinor;
}
